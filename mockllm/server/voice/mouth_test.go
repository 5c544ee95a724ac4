package voice

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
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

// steady is a voice whose every instant can be told: the first chunk of 100 ms after
// 200 ms, and another every 50 ms. "ab" plays .3 s: 50 ms of silence, two characters of
// 100 ms, and 50 ms of silence.
func steady(model string) speech.TTS {
	return speech.TTS{Name: model, FirstByte: dist.Constant(200 * ms), Speed: 2, Chunk: 100 * ms, Lead: 50 * ms, Tail: 50 * ms, Pace: 10}
}

// speaking runs a test of a protocol of steady voices inside a bubble.
func speaking(t *testing.T, handle func(*Service, *http.ServeMux), test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, Config{TTS: steady}, handle)
		defer r.stop()
		test(r)
	})
}

// heardAnswer is an answer to an HTTP request.
type heardAnswer struct {
	status int
	header http.Header
	pieces string // "at:bytes" of what came at each instant, in ms since the start
	body   []byte
}

// post sends a body and hears the answer out.
func (r *rig) post(path, contentType, body string) heardAnswer {
	r.t.Helper()
	client := &http.Client{Transport: &http.Transport{DialContext: r.ln.DialContext, DisableKeepAlives: true}}
	answer, err := client.Post("http://mock"+path, contentType, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	defer answer.Body.Close()
	a := heardAnswer{status: answer.StatusCode, header: answer.Header}
	var pieces []string
	size := 0
	var at time.Duration
	settle := func() {
		if size > 0 {
			pieces = append(pieces, fmt.Sprintf("%d:%d", at/ms, size))
		}
		size = 0
	}
	for buffer := make([]byte, 1<<16); ; {
		n, err := answer.Body.Read(buffer)
		if now := time.Since(r.from); n > 0 && now != at {
			settle()
			at = now
		}
		size += n
		a.body = append(a.body, buffer[:n]...)
		if err != nil {
			if err != io.EOF {
				r.t.Errorf("the answer ended with %v", err)
			}
			break
		}
	}
	settle()
	a.pieces = strings.Join(pieces, " ")
	return a
}

// refused checks an answer that refuses a request.
func (a heardAnswer) refused(t *testing.T, status int, body string) {
	t.Helper()
	if got := strings.TrimSpace(string(a.body)); a.status != status || got != body {
		t.Errorf("got %d %s, want %d %s", a.status, got, status, body)
	}
	if got := a.header.Get("Content-Type"); got != "application/json" {
		t.Errorf("the refusal is %q, want JSON", got)
	}
}

// say sends a text frame.
func say(t *testing.T, conn *websocket.Conn, text string) {
	t.Helper()
	if err := conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

// hear checks what comes next, message by message.
func (r *rig) hear(conn *websocket.Conn, want ...string) {
	r.t.Helper()
	for _, w := range want {
		if got := r.next(conn); got != w {
			r.t.Fatalf("got  %s\nwant %s", got, w)
		}
	}
}

// only returns the only entry of the ledger.
func (r *rig) only() ledger.Entry {
	r.t.Helper()
	synctest.Wait()
	all, _ := r.config.Ledger.Latest(10)
	if len(all) != 1 {
		r.t.Fatalf("the ledger has %d entries, want 1", len(all))
	}
	return all[0]
}

// pcm returns the samples of raw audio of 16 bits.
func pcm(b []byte) []int16 {
	samples := make([]int16, len(b)/2)
	for i := range samples {
		samples[i] = int16(binary.LittleEndian.Uint16(b[2*i:]))
	}
	return samples
}

// clipOf returns the samples of a file.
func clipOf(t *testing.T, file []byte, rate int) audio.Clip {
	t.Helper()
	c, err := audio.Read(file)
	if err != nil || c.Rate != rate {
		t.Fatalf("the audio is at %d Hz (%v), want %d", c.Rate, err, rate)
	}
	return c
}

// spokenAt returns what a steady voice says.
func spokenAt(text string, rate int) []int16 { return speech.Say(text, steady(""), rate).Samples }

// same checks that samples are exactly those of a text spoken by a steady voice, its
// silences included.
func same(t *testing.T, got []int16, text string, rate int) {
	t.Helper()
	if want := spokenAt(text, rate); !slices.Equal(got, want) {
		t.Fatalf("%d samples that are not the %d of %q", len(got), len(want), text)
	}
	audible(t, got, rate)
}

// audible checks that samples begin with 50 ms of silence, and that a voice follows.
func audible(t *testing.T, got []int16, rate int) {
	t.Helper()
	lead := audio.Samples(50*ms, rate)
	if slices.ContainsFunc(got[:lead], func(s int16) bool { return s != 0 }) {
		t.Error("the audio does not begin with silence")
	}
	if !slices.ContainsFunc(got[lead:lead+audio.Samples(100*ms, rate)], func(s int16) bool { return s > 1000 }) {
		t.Error("no voice is heard after the silence")
	}
}

// mp3Delay is how much later a decoder of MP3 gives a sample back.
const mp3Delay = 1057

// alike checks that decoded samples are those of a text but for a codec's noise and
// delay: the noise is at least so many dB below the voice.
func alike(t *testing.T, got audio.Clip, text string, rate, delay int, decibels float64) {
	t.Helper()
	want := spokenAt(text, rate)
	if got.Rate != rate || len(got.Samples) < len(want)+delay {
		t.Fatalf("%d samples at %d Hz, want %d or more at %d Hz", len(got.Samples), got.Rate, len(want)+delay, rate)
	}
	var power, noise float64
	for i, w := range want {
		d := float64(w) - float64(got.Samples[i+delay])
		power, noise = power+float64(w)*float64(w), noise+d*d
	}
	if ratio := 10 * math.Log10(power/noise); ratio < decibels {
		t.Errorf("the voice is %.1f dB above the noise, want %.1f or more", ratio, decibels)
	}
}

// An outlet takes one long recording, and gives up on a client that does not read when
// more comes after it.
func TestOutletTakesALongFrame(t *testing.T) {
	o := newOutlet()
	o.put(frame{data: bytes.Repeat([]byte{1}, mostPending+1)})
	if frames, ended, choked := o.take(); len(frames) != 1 || ended || choked {
		t.Errorf("one long frame: %d frames, ended %t, choked %t, want 1, false, false", len(frames), ended, choked)
	}
	o.put(frame{data: bytes.Repeat([]byte{1}, mostPending+1)})
	o.put(frame{data: []byte{1}})
	if _, _, choked := o.take(); !choked {
		t.Error("more came for a client that does not read, and it was not given up")
	}
}

// No message of a client breaks a session.
func FuzzSpeakingSessions(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"type":"Speak","text":"a"}`, `{"type":"Flush"}`},
		{`{"type":"Clear"}`, `{"type":"Close"}`},
		{`{"text":" ","voice_settings":{"speed":1.1},"generation_config":{"chunk_length_schedule":[50]}}`, `{"text":"a ","flush":true}`},
		{`{"text":" ","context_id":"x"}`, `{"context_id":"x","close_context":true}`},
		{`{"text":"a ","contextId":"x","flush":true}`, `{"close_socket":true}`},
		{sonic("a", `,"context_id":"x","continue":true,"max_buffer_delay_ms":0`), `{"context_id":"x","cancel":true}`},
		{sonic("a. b", `,"context_id":"x","continue":true`), sonic("", `,"context_id":"x","flush":true`)},
		{`null`, `[1`},
	} {
		f.Add(seed[0], seed[1])
	}
	s := New(Config{Loop: pipeline.NewWall(), TTS: steady, Ledger: ledger.New(ledger.Config{})})
	f.Fuzz(func(t *testing.T, first, second string) {
		for _, begin := range []func(v visit) session{
			func(v visit) session { return newSpeakSession(v, speakOptionsOf(&params{})) },
			func(v visit) session {
				return &elevenSingleTalk{elevenTalk: elevenTalk{visit: v, o: elevenOptions{output: raw(8000), inactivity: time.Second}}}
			},
			func(v visit) session {
				return &elevenMultiTalk{elevenTalk: elevenTalk{visit: v, o: elevenOptions{output: raw(8000), inactivity: time.Second, auto: true, sync: true}}}
			},
			func(v visit) session { return &sonicTalk{visit: v} },
		} {
			k := &socket{loop: s.config.Loop, out: newOutlet()}
			talk := begin(s.visit(k, httptest.NewRequest("GET", "/", nil), "fuzz", "", ""))
			talk.text([]byte(first))
			talk.text([]byte(second))
			talk.gone()
		}
	})
}

func raw(rate int) audio.Output { return audio.Output{Format: audio.Format{Rate: rate}} }
