package audition

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/server/voice"
	"halfsecond/mockllm/server/voice/peer"
	realtimemock "halfsecond/mockllm/server/voice/realtime"
	"halfsecond/mockllm/speech"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/endpoint/audition/heard"
	"halfsecond/pipeline/endpoint/listen"
	"halfsecond/pipeline/endpoint/speak"
	"halfsecond/pipeline/exchange"
)

const ms = time.Millisecond

// mocked serves the mock: finals 310 ms after the end of speech or, if that is later, when
// silence of 400 ms has been heard; interims 40 ms behind each second. Speech of 150 ms of
// silence and then sound comes 200 ms after its text, 100 ms of it every 50 ms, and in an
// answer 313 ms after the user's turn.
func mocked(t *testing.T) peer.Serve {
	hears := func(string) speech.STT {
		return speech.STT{
			Final: dist.Constant(310 * ms), Interim: dist.Constant(40 * ms), Every: time.Second, MaxSpan: 5 * time.Second, Turn: speech.Turn{Silence: 400 * ms},
		}
	}
	says := speech.TTS{FirstByte: dist.Constant(200 * ms), Speed: 2, Chunk: 100 * ms, Lead: 150 * ms, Pace: 10}
	answers := func(model string) realtimemock.Model {
		return realtimemock.Model{Name: model, FirstAudio: dist.Constant(313 * ms), FirstText: dist.Constant(110 * ms), Token: 10 * ms, Voice: says}
	}
	return peer.Mock(t, voice.Config{
		STT: hears, TTS: func(string) speech.TTS { return says }, Realtime: answers,
		Transcript: []string{"hello there good day"}, Replies: []string{"ab"},
	})
}

type closer struct{}

func (closer) Close() {}

// hold runs an audition inside a bubble.
func hold(t *testing.T, serve peer.Serve, c Config, look func(e *heard.Endpoint, kept []*exchange.Exchange)) {
	t.Helper()
	peer.Bubble(t, serve, func(r *peer.Rig) (closer, error) { return closer{}, nil }, func(r *peer.Rig, _ closer) {
		r.Reach(&c.Reach)
		c.Loop = r.Loop
		e, err := Run(r.T.Context(), prepared(c))
		if err != nil {
			t.Fatal(err)
		}
		look(e, r.Kept())
	})
}

// prepared returns a config that says what there is to say: speech from 500 to 2500 ms, and
// 300 ms of silence.
func prepared(c Config) Config {
	c.Model, c.Voice = "m", "v"
	if c.Protocol == "deepgram-flux" {
		c.Model = "flux-general-en"
	}
	if c.Sessions == 0 {
		c.Sessions = 2
	}
	if KindOf(c.Protocol) == heard.Speaks {
		c.Text = "ab"
		return c
	}
	c.Samples = peer.Spoken(Rate(c.Protocol, 16_000), 500*ms, 2000*ms, 300*ms)
	c.Recording = heard.Recording{Name: "a tone", Rate: c.Samples.Rate, Length: c.Samples.Length(), SpeechFrom: 500 * ms, SpeechTo: 2500 * ms}
	if c.Protocol != "openai-realtime" {
		c.Voice = ""
	}
	return c
}

// brief tells of a session in a line, in ms.
func brief(s *heard.Session) string {
	p := s.Pace
	text := fmt.Sprintf("%s opened %s ready %s frames %d every %s late %s drift %s behind %d", s.Outcome(), peer.MS(s.Accepting()), peer.MS(pipeline.Since(s.Accepted, s.Ready())), p.Frames, peer.MS(p.Every), peer.MS(p.Late), peer.MS(p.Drift), p.Behind)
	switch {
	case s.Transcription != nil:
		r := s.Transcription
		return text + fmt.Sprintf(" forced %t ttfp %s turn end %s ttfs %s %q", s.Forced, peer.MS(r.TTFP()), peer.MS(s.Since(r.TurnEnd)), peer.MS(r.TTFS()), r.Text)
	case s.Speech != nil:
		r := s.Speech
		return text + fmt.Sprintf(" ttfb %s ttfa %s ttaa %s voiced %s lead %s length %s rtf %.3f", peer.MS(r.TTFB()), peer.MS(r.TTFA()), peer.MS(r.TTAA()), peer.MS(s.Since(r.Voiced)), peer.MS(r.Lead), peer.MS(r.Length()), r.RTF())
	}
	r := s.Answered
	return text + fmt.Sprintf(" stopped %s created %s ttfa %s ttaa %s voiced %s lead %s said %q", peer.MS(s.Since(r.SpeechStopped)), peer.MS(s.Since(r.ResponseCreated)), peer.MS(s.Since(r.FirstAudio)), peer.MS(r.V2V()), peer.MS(s.Since(r.Voiced)), peer.MS(r.Lead), r.Text)
}

// TestMock has every protocol examined on the mock, where every instant is exact: audio goes
// out in frames of 20 ms (AssemblyAI takes no less than 50), none of them late, and what the
// service waits for in the first session it does not wait for in the second, where the client
// ends the turn. Audio goes out for 300 ms after the final text, since it might come again.
func TestMock(t *testing.T) {
	const spoken = "ok opened 0 ready 0 frames 1 every - late 0 drift 0 behind 0 ttfb 200 ttfa 200 ttaa 250 voiced 350 lead 150 length 350 rtf 1.000"
	const posted = "ok opened 200 ready - frames 0 every - late - drift - behind 0 ttfb 200 ttfa 200 ttaa 250 voiced 350 lead 150 length 350 rtf 1.000"
	want := map[string][]string{}
	for _, p := range speak.Protocols() {
		want[p] = []string{spoken, spoken}
	}
	for _, p := range []string{"openai-speech", "elevenlabs-stream", "cartesia-sse"} {
		want[p] = []string{posted, posted}
	}
	for p, lines := range expected {
		want[p] = lines
	}
	for _, p := range Protocols() {
		t.Run(p, func(t *testing.T) {
			hold(t, mocked(t), Config{Protocol: p}, func(e *heard.Endpoint, kept []*exchange.Exchange) {
				var got []string
				for i := range e.Sessions {
					got = append(got, brief(&e.Sessions[i]))
				}
				if strings.Join(got, "\n") != strings.Join(want[p], "\n") || e.Stopped != "" {
					t.Errorf("stopped %q\n got %s\nwant %s", e.Stopped, strings.Join(got, "\n     "), strings.Join(want[p], "\n     "))
				}
				again(t, e, kept)
			})
		})
	}
}

// again reads the raw log of an audition, written and read: all that was heard must be in it.
func again(t *testing.T, e *heard.Endpoint, kept []*exchange.Exchange) {
	t.Helper()
	told := *e
	told.Sessions = nil
	if otherwise, err := Again(&told, logOf(t, kept, false)); err != nil || len(otherwise) > 0 {
		t.Fatal(otherwise, err)
	}
	if len(told.Sessions) != len(e.Sessions) {
		t.Fatalf("%d sessions in the log, want %d", len(told.Sessions), len(e.Sessions))
	}
	for i := range e.Sessions {
		if a, b := flat(t, &told.Sessions[i]), flat(t, &e.Sessions[i]); a != b {
			t.Errorf("session %d\n by its bytes %s\nby its client %s", i+1, a, b)
		}
	}
}

// flat returns all that is known of a session.
func flat(t *testing.T, s *heard.Session) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func logOf(t *testing.T, kept []*exchange.Exchange, hashed bool) *exchange.Reader {
	t.Helper()
	var file bytes.Buffer
	w, err := exchange.NewWriter(&file, exchange.Header{Hashed: hashed})
	for _, x := range kept {
		err = errors.Join(err, w.Write(x))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	log, err := exchange.NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// expected are the lines of protocols that hear.
var expected = map[string][]string{
	"openai-transcriptions": {
		`ok opened 310 ready - frames 0 every - late - drift - behind 0 forced true ttfp - turn end 310 ttfs 310 "hello there good day"`,
		`ok opened 310 ready - frames 0 every - late - drift - behind 0 forced true ttfp - turn end 310 ttfs 310 "hello there good day"`,
	},
	"openai-realtime-transcription": {
		`ok opened 0 ready 0 frames 156 every 20 late 0 drift 0 behind 0 forced false ttfp 2810 turn end 220 ttfs 330 "hello there good day"`,
		`ok opened 0 ready 0 frames 155 every 20 late 0 drift 0 behind 0 forced true ttfp 2790 turn end 0 ttfs 310 "hello there good day"`,
	},
	"deepgram-listen": {
		`ok opened 0 ready 0 frames 160 every 20 late 0 drift 0 behind 0 forced false ttfp 1600 turn end 420 ttfs 420 "hello there good day"`,
		`ok opened 0 ready 0 frames 155 every 20 late 0 drift 0 behind 0 forced true ttfp 1600 turn end 420 ttfs 310 "hello there good day"`,
	},
	"deepgram-flux": {
		`ok opened 0 ready 0 frames 156 every 20 late 0 drift 0 behind 0 forced false ttfp 1000 turn end 330 ttfs 330 "hello there good day"`,
		`ok opened 0 ready 0 frames 155 every 20 late 0 drift 0 behind 0 forced true ttfp 1000 turn end 310 ttfs 310 "hello there good day"`,
	},
	"assemblyai": {
		`ok opened 0 ready 0 frames 53 every 60 late 0 drift 0 behind 0 forced false ttfp 1600 turn end 440 ttfs 440 "hello there good day"`,
		`ok opened 0 ready 0 frames 52 every 60 late 0 drift 0 behind 0 forced true ttfp 1600 turn end 330 ttfs 330 "hello there good day"`,
	},
	"cartesia-stt": {
		`ok opened 0 ready 0 frames 155 every 20 late 0 drift 0 behind 0 forced true ttfp 1600 turn end 310 ttfs 310 "hello there good day"`,
		`ok opened 0 ready 0 frames 155 every 20 late 0 drift 0 behind 0 forced true ttfp 1600 turn end 310 ttfs 310 "hello there good day"`,
	},
	"cartesia-turns": {
		`ok opened 0 ready 0 frames 157 every 20 late 0 drift 0 behind 0 forced false ttfp 1600 turn end 360 ttfs 360 "hello there good day"`,
		`ok opened 0 ready 0 frames 157 every 20 late 0 drift 0 behind 0 forced false ttfp 1600 turn end 360 ttfs 360 "hello there good day"`,
	},
	"openai-realtime": {
		`ok opened 0 ready 0 frames 159 every 20 late 0 drift 0 behind 0 stopped 220 created 220 ttfa 533 ttaa 583 voiced 683 lead 150 said "ab"`,
		`ok opened 0 ready 0 frames 159 every 20 late 0 drift 0 behind 0 stopped 220 created 220 ttfa 533 ttaa 583 voiced 683 lead 150 said "ab"`,
	},
}

// TestHashed: without texts a log has no word and no sample, but what was when, how large,
// and its SHA-256; it cannot be told again.
func TestHashed(t *testing.T) {
	for _, p := range []string{"deepgram-listen", "openai-speech"} {
		hold(t, mocked(t), Config{Protocol: p, Sessions: 1}, func(e *heard.Endpoint, kept []*exchange.Exchange) {
			told := *e
			told.Sessions = nil
			if _, err := Again(&told, logOf(t, kept, true)); err == nil || !strings.Contains(err.Error(), "its bytes were not kept") {
				t.Errorf("%s: error %v, want that the bytes were not kept", p, err)
			}
			x := peer.Reread(t, kept, true)[0]
			if len(x.Messages) != len(kept[0].Messages) || len(x.Reads) != len(kept[0].Reads) || len(x.Messages)+len(x.Reads) == 0 {
				t.Errorf("%s: %d messages and %d reads, want %d and %d", p, len(x.Messages), len(x.Reads), len(kept[0].Messages), len(kept[0].Reads))
			}
			for i, m := range x.Messages {
				if live := kept[0].Messages[i]; len(m.Data) > 0 || m.Sum != exchange.Hash(live.Data) || m.Bytes != len(live.Data) || m.At != live.At || m.Due != live.Due {
					t.Errorf("%s: message %d is %+v", p, i, m)
				}
			}
			if len(x.Body) > 0 || len(x.Ask) > 0 {
				t.Errorf("%s: a body of %d bytes is kept", p, len(x.Body))
			}
		})
	}
}

// TestIdle leaves a session alone before anything is said.
func TestIdle(t *testing.T) {
	for p, zero := range map[string]time.Duration{"deepgram-listen": 3500 * ms, "openai-realtime": 3500 * ms, "deepgram-speak": time.Second, "openai-speech": time.Second} {
		hold(t, mocked(t), Config{Protocol: p, Sessions: 1, Idle: time.Second}, func(e *heard.Endpoint, kept []*exchange.Exchange) {
			s := &e.Sessions[0]
			if !s.OK() || s.Zero() != zero || s.Pace.Late > 0 {
				t.Errorf("%s: %s, speech ends or the text is due at %s, want %s; sent late by %s", p, s.Outcome(), s.Zero(), zero, s.Pace.Late)
			}
			again(t, e, kept)
		})
	}
}

// TestIdleAndSlow: a server that takes longer to open a session than it is left alone hears the
// speech from its beginning, at its pace.
func TestIdleAndSlow(t *testing.T) {
	for _, p := range []string{"deepgram-listen", "openai-realtime"} {
		serve := mocked(t)
		slow := func(mux *http.ServeMux) func() {
			inner := http.NewServeMux()
			wait := serve(inner)
			mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
				time.Sleep(1500 * ms)
				inner.ServeHTTP(w, r)
			})
			return wait
		}
		hold(t, slow, Config{Protocol: p, Sessions: 1, Idle: time.Second}, func(e *heard.Endpoint, kept []*exchange.Exchange) {
			if s := &e.Sessions[0]; !s.OK() || s.Zero() != 4000*ms || s.Pace.Late > 0 {
				t.Errorf("%s: %s, speech ends at %s, want 4s; sent late by %s", p, s.Outcome(), s.Zero(), s.Pace.Late)
			}
			again(t, e, kept)
		})
	}
}

// TestAgainDiffers: what is known of an endpoint and what the bytes say are compared.
func TestAgainDiffers(t *testing.T) {
	for _, p := range Protocols() {
		hold(t, mocked(t), Config{Protocol: p, Sessions: 1, Idle: time.Second}, func(e *heard.Endpoint, kept []*exchange.Exchange) {
			known := heard.Endpoint{URL: "http://h/other", Kind: e.Kind, Protocol: "p", Model: "other", Planned: 1}
			want := "1 protocol p|1 model other|1 url /other"
			if e.Kind == heard.Speaks {
				known.Text, known.Voice, known.Format, known.Rate = "other", "other", "other", 1
				want += "|1 samples other|1 rate 1|1 text other|1 voice other"
				if p == "deepgram-speak" { // its voice is the model
					want = strings.TrimSuffix(want, "|1 voice other")
				}
			} else {
				known.Recording = &heard.Recording{SpeechTo: 1500 * time.Microsecond}
				want += "|1 recording.speech_to_ms 1.5"
				if p != "openai-transcriptions" {
					want += "|1 idle_ms 0"
				}
			}
			otherwise, err := Again(&known, logOf(t, kept, false))
			var got []string
			for _, d := range otherwise {
				got = append(got, fmt.Sprint(d.Session, " ", d.Name, " ", d.Known))
				if d.Is == "" || d.Is == d.Known {
					t.Errorf("%s: %+v", p, d)
				}
			}
			if text := strings.Join(got, "|"); err != nil || text != want {
				t.Errorf("%s: %s, %v\nwant %s", p, text, err, want)
			}
			again(t, e, kept)
		})
	}
}

// TestLongIdle: a server that waits for as long as it is left alone is not blamed for that.
func TestLongIdle(t *testing.T) {
	for _, p := range Protocols() {
		hold(t, mocked(t), Config{Protocol: p, Sessions: 1, Idle: 2 * time.Minute}, func(e *heard.Endpoint, kept []*exchange.Exchange) {
			gives := p == "elevenlabs-socket" && strings.Contains(e.Sessions[0].Reason(), "timeout of 20 seconds") // its own limit
			if s := &e.Sessions[0]; !s.OK() && !gives {
				t.Errorf("%s: %s %q", p, s.Outcome(), s.Reason())
			}
		})
	}
}

// TestInterrupted ends an audition in its second session.
func TestInterrupted(t *testing.T) {
	peer.Bubble(t, mocked(t), func(r *peer.Rig) (closer, error) { return closer{}, nil }, func(r *peer.Rig, _ closer) {
		c := Config{Protocol: "deepgram-listen", Sessions: 5, Loop: r.Loop}
		r.Reach(&c.Reach)
		ctx, cancel := context.WithTimeout(r.T.Context(), 4*time.Second)
		defer cancel()
		e, err := Run(ctx, prepared(c))
		if err != nil || e.Stopped != heard.Interrupted || len(e.Sessions) != 2 || e.Sessions[1].Outcome() != pipeline.Cancelled || e.Sessions[1].End() != 4*time.Second {
			t.Errorf("stopped %q after %d sessions, error %v", e.Stopped, len(e.Sessions), err)
		}
		again(t, e, r.Kept())
	})
}

// TestStops: what refuses or is not there is not asked again; one that says nothing, or breaks
// off, did not refuse. Where nothing more was planned, nothing was stopped. All of it is in the
// bytes as well.
func TestStops(t *testing.T) {
	page := peer.Handle(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") })
	agrees := peer.Handle(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Upgrade", "websocket")
		w.Header().Set("Connection", "Upgrade")
		w.WriteHeader(http.StatusSwitchingProtocols)
	})
	plays := func(p ...any) peer.Serve { return peer.Session{Script: p}.Serve(t) }
	for name, c := range map[string]struct {
		protocol string
		serve    peer.Serve
		want     string
	}{
		"nothing there":            {"deepgram-listen", peer.Handle(nothing), heard.Refused},
		"nothing there, posted":    {"openai-speech", peer.Handle(nothing), heard.Refused},
		"a page":                   {"deepgram-listen", page, heard.Refused},
		"no WebSocket after all":   {"deepgram-speak", agrees, heard.Refused},
		"closes at once":           {"deepgram-listen", plays(peer.Closes(1008)), heard.Refused},
		"closes at once, and well": {"elevenlabs-socket", plays(peer.Closes(1000)), heard.Refused},
		"closes an answer":         {"openai-realtime", plays(peer.Closes(1011)), heard.Refused},
		"breaks off":               {"elevenlabs-socket", plays(peer.Breaks{}), ""},
		"silent":                   {"deepgram-listen", plays(peer.Hangs{}), ""},
	} {
		for _, planned := range []int{1, 3} {
			hold(t, c.serve, Config{Protocol: c.protocol, Sessions: planned}, func(e *heard.Endpoint, kept []*exchange.Exchange) {
				stopped, n := c.want, 1
				if c.want == "" {
					n = planned
				} else if planned == 1 {
					stopped = ""
				}
				if e.Stopped != stopped || len(e.Sessions) != n {
					t.Errorf("%s, %d planned: stopped %q after %d sessions, want %q after %d", name, planned, e.Stopped, len(e.Sessions), stopped, n)
				}
				again(t, e, kept)
			})
		}
	}
}

func TestCheck(t *testing.T) {
	for want, c := range map[string]Config{
		`unknown protocol "x" of speech; want ` + strings.Join(Protocols(), ", "): {Protocol: "x", Model: "m", Sessions: 1},
		"0 sessions: want 1 to 10": {Protocol: "assemblyai", Model: "m"},
		"the model has no name; speech endpoints list none, so it must be told\nthere is no text to be spoken": {Protocol: "deepgram-speak", Sessions: 1},
		"-1s of silence before a session: want 0 to 10m0s":                                                     {Protocol: "openai-realtime", Model: "m", Sessions: 1, Idle: -time.Second},
	} {
		c.Reach.URL = "https://api.test"
		if err := c.Check(); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// TestFrames: every protocol takes the frames that are sent to it.
func TestFrames(t *testing.T) {
	for _, p := range listen.Protocols() {
		c := Config{Protocol: p, Model: "m", Sessions: 1}
		c.Reach.URL = "https://api.test"
		want := 20 * ms
		if p == "assemblyai" {
			want = 60 * ms
		}
		if got := c.listens(false).Frame; got != want || c.Check() != nil {
			t.Errorf("%s: frames of %s, want %s; %v", p, got, want, c.Check())
		}
	}
	if reflect.DeepEqual(Rate("openai-realtime", 16_000), 16_000) || Rate("openai-realtime-transcription", 16_000) != 24_000 || Rate("assemblyai", 44_100) != 44_100 {
		t.Error("want 24000 of OpenAI's realtime protocols, and any rate of others")
	}
}

func nothing(w http.ResponseWriter, r *http.Request) {
	_, _ = io.ReadAll(r.Body)
	http.NotFound(w, r)
}
