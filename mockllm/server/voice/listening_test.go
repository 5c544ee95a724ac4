package voice

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// hearingRate is the rate of the audio that tests send, and beat how much of it goes
// into a frame.
const (
	hearingRate = 16_000
	beat        = 100 * ms
)

// voiced returns sound that a detector takes for speech from its first to its last
// sample: a tone whose loudness goes up and down.
func voiced(d time.Duration) []int16 {
	samples := make([]int16, audio.Samples(d, hearingRate))
	for i := range samples {
		t := float64(i) / hearingRate
		samples[i] = int16(6000 * (.65 + .35*math.Sin(2*math.Pi*9*t)) * math.Sin(2*math.Pi*220*t))
	}
	return samples
}

func silent(d time.Duration) []int16 { return make([]int16, audio.Samples(d, hearingRate)) }

// patient is a model that is as fast whatever its name.
func patient(string) speech.STT {
	return speech.STT{
		Final: dist.Constant(300 * ms), Interim: dist.Constant(40 * ms), Every: time.Second, MaxSpan: 5 * time.Second,
		Turn: speech.Turn{Silence: 200 * ms},
	}
}

// listening is a service with that model that hears those texts.
func listening(t *testing.T, texts ...string) *rig {
	return start(t, Config{STT: patient, Transcript: texts}, func(s *Service, mux *http.ServeMux) {
		s.handleTranscriptions(mux)
		s.handleDeepgramListen(mux)
		s.handleAssemblyAI(mux)
		s.handleCartesiaSTT(mux)
	})
}

// line is what a test does on a connection: sends audio at the pace of speech, and
// messages at their instants. It begins at the instant of its dialling.
type line struct {
	t    *testing.T
	conn *websocket.Conn
	got  chan []string
	rate int
}

// call dials and reads, until the connection ends, all that comes: every message as
// tell has it, unless that is empty, with its instant.
func (r *rig) call(path string, tell func([]byte) string) *line {
	l := &line{t: r.t, conn: r.dial(path, nil), got: make(chan []string, 1), rate: hearingRate}
	go func() {
		var all []string
		defer func() { l.got <- all }()
		for {
			_, data, err := l.conn.ReadMessage()
			at := time.Since(r.from) / ms
			if err != nil {
				all = append(all, fmt.Sprintf("%d %v", at, err))
				return
			}
			if text := tell(data); text != "" {
				all = append(all, fmt.Sprintf("%d %s", at, text))
			}
		}
	}()
	return l
}

// speak sends the parts one after the other, each frame when its last sample would be
// there.
func (l *line) speak(parts ...[]int16) {
	l.t.Helper()
	samples := slices.Concat(parts...)
	n := audio.Samples(beat, l.rate)
	for ; len(samples) > 0; samples = samples[min(n, len(samples)):] {
		time.Sleep(beat)
		l.send(websocket.BinaryMessage, audio.Encode(nil, samples[:min(n, len(samples))], audio.S16LE))
	}
}

func (l *line) send(kind int, data []byte) {
	l.t.Helper()
	if err := l.conn.WriteMessage(kind, data); err != nil {
		l.t.Error(err)
	}
}

// command sends a text frame 10 ms from now: what was sent before is through then.
func (l *line) command(text string) {
	l.t.Helper()
	time.Sleep(10 * ms)
	l.send(websocket.TextMessage, []byte(text))
}

// expect waits for the end of the connection and compares what came.
func (l *line) expect(want ...string) {
	l.t.Helper()
	got := <-l.got
	l.conn.Close()
	synctest.Wait()
	for i := range max(len(got), len(want)) {
		g, w := "nothing", "nothing"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			l.t.Errorf("message %d\n got %s\nwant %s", i, g, w)
		}
	}
	if l.t.Failed() {
		l.t.Logf("all messages:\n%s", strings.Join(got, "\n"))
	}
}

// lastEntry returns the ledger's newest entry.
func (r *rig) lastEntry() ledger.Entry {
	r.t.Helper()
	all, _ := r.config.Ledger.Latest(1)
	if len(all) == 0 {
		r.t.Fatal("the ledger has no entry")
	}
	return all[0]
}

// parsed reads a message, or fails the test.
func parsed[M any](t *testing.T, b []byte) (m M) {
	t.Helper()
	if err := json.Unmarshal(b, &m); err != nil {
		t.Errorf("%s: %v", b, err)
	}
	return m
}

// refused dials where the handshake is refused, and returns the status and the body.
func (r *rig) refused(path string) string {
	r.t.Helper()
	d := websocket.Dialer{NetDialContext: r.ln.DialContext}
	conn, answer, err := d.Dial("ws://mock"+path, nil)
	if !errors.Is(err, websocket.ErrBadHandshake) {
		if err == nil {
			conn.Close()
		}
		r.t.Fatalf("%s: error %v, want a bad handshake", path, err)
	}
	body := make([]byte, 1024) // what gorilla keeps
	n, _ := answer.Body.Read(body)
	return fmt.Sprintf("%d %s", answer.StatusCode, body[:n])
}

// FuzzListening: no handshake, message or upload makes a front panic.
func FuzzListening(f *testing.F) {
	for _, s := range [][2]string{
		{"model=nova-3&interim_results=true&endpointing=300&vad_events=true", `{"type":"Finalize"}`},
		{"encoding=linear16&sample_rate=16000&channels=2&multichannel=true&utterance_end_ms=1000", `{"type":"CloseStream"}`},
		{"model=flux-general-en&eager_eot_threshold=.4&encoding=opus&sample_rate=48000", `{"type":"Configure","thresholds":{"eot_threshold":null},"keyterms":null}`},
		{"model=flux-general-multi&language_hint=en&encoding=mulaw&sample_rate=8000", `{"type":"ForceEndTurn"}`},
		{"speech_model=u3-rt-pro&inactivity_timeout=5&format_turns=true", `{"type":"UpdateConfiguration","min_turn_silence":-1}`},
		{"encoding=opus&sample_rate=1", `{"type":"ForceEndpoint"}`},
		{"model=ink-2&encoding=pcm_s16le&sample_rate=16000&mock_answer=x", "finalize"},
		{"model=ink-whisper&encoding=pcm_f32le&sample_rate=8000&max_silence_duration_secs=1e300", `{"type":"config","turn_end_threshold":1e999}`},
		{"mock_answer=", "null"}, {"%zz", "[]"}, {"model=a;b", `{"type":1}`},
	} {
		f.Add(s[0], s[1], []byte("OggS\x00\x02 and RIFF"))
	}
	f.Add("", "", []byte("RIFF\xff\xff\xff\xffWAVEfmt \x10\x00\x00\x00\x01\x00\x00\x00"))
	f.Add("", "", []byte("--b\r\nContent-Disposition: form-data; name=\"chunking_strategy\"\r\n\r\n{\"type\":\"server_vad\",\"threshold\":2}\r\n--b--"))
	f.Fuzz(func(t *testing.T, query, message string, audio []byte) {
		s := New(Config{Ledger: ledger.New(ledger.Config{}), Loop: pipeline.NewWall(), STT: patient, Transcript: []string{"Good day."}})
		q := &http.Request{URL: &url.URL{Path: "/", RawQuery: query}}
		visit := func() visit { return s.visit(&socket{loop: s.config.Loop, out: newOutlet()}, q, "fuzz", "m", "id") }
		for _, front := range []func(*params) func() session{
			func(p *params) func() session {
				o := listenOptionsOf(p)
				return func() session { return newListenSession(visit(), o, time.Time{}) }
			},
			func(p *params) func() session {
				o := fluxOptionsOf(p)
				return func() session { return newFluxSession(visit(), o) }
			},
			func(p *params) func() session {
				o := assemblyOptionsOf(p)
				return func() session { return newAssemblySession(visit(), o) }
			},
			func(p *params) func() session {
				o := inkOptionsOf(p)
				return func() session { return newInkSession(visit(), o) }
			},
			func(p *params) func() session {
				o := inkOptionsOf(p)
				return func() session { return newInkTurns(visit(), o) }
			},
		} {
			p := &params{values: q.URL.Query()}
			if begin := front(p); p.fault == nil {
				talk := begin()
				for range 2 {
					for handle := range handling(talk, websocket.BinaryMessage, audio) {
						handle()
					}
					talk.text([]byte(message))
				}
				talk.binary(nil)
				talk.gone()
			}
		}
		if _, fault := readTranscriptionForm(audio, "multipart/form-data; boundary=b", "transcribe"); fault != nil && fault.ErrorBody.Error.Message == "" {
			t.Error("a form is refused without a word")
		}
	})
}
