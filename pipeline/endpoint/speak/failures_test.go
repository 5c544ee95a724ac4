package speak

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/streamcase"
	"halfsecond/pipeline/endpoint/talk"
)

// script is what a server does: waits, sends text or bytes, closes with a code, breaks off,
// or waits for ever.
type script []any

type (
	closes int
	breaks struct{}
	hangs  struct{}
)

// body plays a script as the body of a response.
func body(contentType string, s script) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(200)
		w.(http.Flusher).Flush()
		for _, x := range s {
			switch x := x.(type) {
			case time.Duration:
				time.Sleep(x)
			case breaks:
				panic(http.ErrAbortHandler)
			case hangs:
				<-r.Context().Done()
			case []byte:
				if _, err := w.Write(x); err != nil {
					return
				}
				w.(http.Flusher).Flush()
			}
		}
	}
}

// frames plays a script as messages of a WebSocket, once a text has come.
func frames(t *testing.T, s script) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		up := websocket.Upgrader{}
		conn, err := up.Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		gone := make(chan struct{})
		begun := make(chan struct{}, 100)
		go func() {
			defer close(gone)
			for {
				if _, _, err := conn.ReadMessage(); err != nil {
					return
				}
				begun <- struct{}{}
			}
		}()
		<-begun
		for _, x := range s {
			switch x := x.(type) {
			case time.Duration:
				time.Sleep(x)
			case breaks:
				return
			case hangs:
				<-gone
			case closes:
				_ = conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(int(x), "so it is"), time.Now().Add(time.Second))
				<-gone
			case []byte:
				_ = conn.WriteMessage(websocket.BinaryMessage, x)
			case string:
				_ = conn.WriteMessage(websocket.TextMessage, []byte(x))
			}
		}
	}
}

var (
	quiet = make([]byte, 480)                     // 10 ms
	loud  = bytes.Repeat([]byte{0x48, 0x01}, 240) // 10 ms
)

const header = "RIFF\xff\xff\xff\xffWAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\xc0\x5d\x00\x00\x80\xbb\x00\x00\x02\x00\x10\x00data"

func TestBadBodies(t *testing.T) {
	endless := header + "\xff\xff\xff\xff"
	sse := func(data string) []byte { return []byte("data: " + data + "\n\n") }
	delta := sse(`{"type":"speech.audio.delta","audio":"` + base64.StdEncoding.EncodeToString(loud) + `"}`)
	done := sse(`{"type":"speech.audio.done","usage":{}}`)
	tests := map[string]struct {
		config Config
		kind   string
		script script
		want   string // outcome, reason, flags and the instants that matter
	}{
		"whole":             {Config{}, "audio/pcm", script{30 * msec, quiet, 10 * msec, loud}, `ok "" [] ttfb 30ms ttfa 30ms ttaa 40ms end 40ms length 20ms`},
		"header first":      {Config{Format: WAV}, "audio/wav", script{30 * msec, []byte(endless), 110 * msec, quiet, 120 * msec, loud}, `ok "" [] ttfb 30ms ttfa 140ms ttaa 260ms end 260ms length 20ms`},
		"header cut":        {Config{Format: WAV}, "audio/wav", script{[]byte(endless[:7]), 10 * msec, []byte(endless[7:41]), 10 * msec, []byte(endless[41:]), 10 * msec, loud}, `ok "" [] ttfb 0s ttfa 30ms ttaa 30ms end 30ms length 10ms`},
		"unasked header":    {Config{}, "audio/pcm", script{[]byte(endless), loud}, `ok "" [header_in_raw] ttfb 0s ttfa 0s ttaa 0s end 0s length 10ms`},
		"header only":       {Config{Format: WAV}, "audio/wav", script{10 * msec, []byte(endless)}, `error "no audio came" [] ttfb 10ms ttfa - ttaa - end 10ms length 0s`},
		"half a header":     {Config{Format: WAV}, "audio/wav", script{[]byte(endless[:20])}, `error "the server reports an error: the audio ended within its header" [] ttfb 0s ttfa - ttaa - end 0s length 0s`},
		"no audio":          {Config{}, "audio/pcm", script{10 * msec}, `error "no audio came" [] ttfb - ttfa - ttaa - end 10ms length 0s`},
		"silence":           {Config{}, "audio/pcm", script{quiet}, `ok "" [no_audible_audio] ttfb 0s ttfa 0s ttaa - end 0s length 10ms`},
		"short":             {Config{Format: WAV}, "audio/wav", script{[]byte(header + "\x00\x10\x00\x00"), loud}, `truncated "the speech ended 3616 bytes before the length that its header states" [] ttfb 0s ttfa 0s ttaa 0s end 0s length 10ms`},
		"broken off":        {Config{}, "audio/pcm", script{loud, 50 * msec, breaks{}}, `truncated "it broke off: unexpected EOF" [] ttfb 0s ttfa 0s ttaa 0s end 50ms length 10ms`},
		"stalled":           {Config{}, "audio/pcm", script{loud, hangs{}}, `timeout "nothing came or went within 30s" [] ttfb 0s ttfa 0s ttaa 0s end 30s length 10ms`},
		"mp3":               {Config{}, "audio/mpeg", script{loud}, `error "content type \"audio/mpeg\", want audio that can be measured" [] ttfb - ttfa - ttaa - end 0s length 0s`},
		"page":              {Config{}, "text/html", script{[]byte("<html>")}, `error "content type \"text/html\", want audio that can be measured" [] ttfb - ttfa - ttaa - end 0s length 0s`},
		"nothing of a page": {Config{}, "text/html", script{}, `error "content type \"text/html\", want audio that can be measured" [] ttfb - ttfa - ttaa - end 0s length 0s`},
		"too much":          {Config{}, "audio/pcm", script{make([]byte, 5000), hangs{}}, `error "the server sends more than 4000 bytes" [] ttfb - ttfa - ttaa - end 0s length 0s`},
		"events":            {Config{Events: true}, "text/event-stream", script{10 * msec, delta, 10 * msec, done, hangs{}}, `ok "" [] ttfb 10ms ttfa 10ms ttaa 10ms end 20ms length 10ms`},
		"cut events":        {Config{Events: true}, "text/event-stream", script{delta[:40], 10 * msec, delta[40:], 10 * msec, done}, `ok "" [] ttfb 0s ttfa 10ms ttaa 10ms end 20ms length 10ms`},
		"burst":             {Config{Events: true}, "text/event-stream", script{10 * msec, bytes.Repeat(delta, 3), 10 * msec, done}, `ok "" [burst_delivery] ttfb 10ms ttfa 10ms ttaa 10ms end 20ms length 30ms`},
		"no end event":      {Config{Events: true}, "text/event-stream", script{delta}, `truncated "the speech ended without an end event" [no_done] ttfb 0s ttfa 0s ttaa 0s end 0s length 10ms`},
		"error event":       {Config{Events: true}, "text/event-stream", script{delta, sse(`{"error":{"message":"busy","code":"overloaded"}}`)}, `error "the server reports error overloaded: busy" [] ttfb 0s ttfa 0s ttaa 0s end 0s length 10ms`},
		"bad base64":        {Config{Events: true}, "text/event-stream", script{sse(`{"type":"speech.audio.delta","audio":"?"}`)}, `error "the server reports an error: a message that cannot be read: illegal base64 data at input byte 0" [] ttfb 0s ttfa - ttaa - end 0s length 0s`},
		"huge line":         {Config{Events: true}, "text/event-stream", script{[]byte("data: " + strings.Repeat("x", 17<<20))}, `error "the server reports an error: the stream has a line longer than 16 MiB" [] ttfb 0s ttfa - ttaa - end 0s length 0s`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.config.Protocol = OpenAISpeech
			if name == "too much" {
				tt.config.MaxBytes = 4000
			}
			bubble(t, serving(body(tt.kind, tt.script)), tt.config, func(r *rig) {
				if got := brief(r.say("ab", false).wait()); got != tt.want {
					t.Errorf("\n got %s\nwant %s", got, tt.want)
				}
			})
		})
	}
}

func brief(r *pipeline.Speech) string {
	at := func(d time.Duration) string {
		if d == pipeline.Unknown {
			return "-"
		}
		return d.String()
	}
	return fmt.Sprintf("%s %q %v ttfb %s ttfa %s ttaa %s end %s length %s", r.Outcome, r.Reason, r.Flags, at(r.TTFB()), at(r.TTFA()), at(r.TTAA()), at(r.End), at(r.Length()))
}

func TestBadSockets(t *testing.T) {
	chunk := `{"audio":"` + base64.StdEncoding.EncodeToString(loud) + `"}`
	tests := map[string]struct {
		protocol Protocol
		script   script
		want     string
	}{
		"whole":             {ElevenLabsSocket, script{20 * msec, chunk, 10 * msec, `{"audio":null,"isFinal":true}`, hangs{}}, `ok "" [] ttfb 20ms ttfa 20ms ttaa 20ms end 30ms length 10ms`},
		"closed with audio": {ElevenLabsSocket, script{chunk, 10 * msec, closes(1000)}, `truncated "the speech ended without an end event" [no_done] ttfb 0s ttfa 0s ttaa 0s end 10ms length 10ms`},
		"closed with error": {ElevenLabsSocket, script{chunk, 10 * msec, closes(1008)}, `error "the server closed with code 1008: so it is" [] ttfb 0s ttfa 0s ttaa 0s end 10ms length 10ms`},
		"no room":           {ElevenLabsSocket, script{closes(1013)}, `refused "the server closed with code 1013: so it is" [] ttfb - ttfa - ttaa - end 0s length 0s`},
		"broken off":        {ElevenLabsSocket, script{chunk, 10 * msec, breaks{}}, `truncated "it broke off: websocket: close 1006 (abnormal closure): unexpected EOF" [no_done] ttfb 0s ttfa 0s ttaa 0s end 10ms length 10ms`},
		"no audio":          {ElevenLabsSocket, script{`{"isFinal":true}`}, `error "no audio came" [] ttfb - ttfa - ttaa - end 0s length 0s`},
		"never":             {ElevenLabsSocket, script{hangs{}}, `timeout "nothing came or went within 30s" [] ttfb - ttfa - ttaa - end 30s length 0s`},
		"garbage":           {ElevenLabsSocket, script{"}{"}, `error "the server reports an error: a message that cannot be read: invalid character '}' looking for beginning of value" [] ttfb - ttfa - ttaa - end 0s length 0s`},
		"huge":              {ElevenLabsSocket, script{strings.Repeat("x", 17<<20)}, `error "the server sends a message longer than 16 MiB" [] ttfb - ttfa - ttaa - end 0s length 0s`},
		"its error":         {ElevenLabsSocket, script{`{"message":"too late","error":"input_timeout_exceeded","code":1008}`}, `error "the server reports error input_timeout_exceeded: too late" [] ttfb - ttfa - ttaa - end 0s length 0s`},
		"cartesia's error":  {CartesiaSocket, script{`{"type":"error","title":"Bad","message":"no such voice","error_code":"voice_not_found","done":true}`}, `error "the server reports error voice_not_found: no such voice" [] ttfb - ttfa - ttaa - end 0s length 0s`},
		"flushed":           {DeepgramSpeak, script{`{"type":"Metadata"}`, 5 * msec, loud[:3], 5 * msec, loud[3:], 5 * msec, `{"type":"Flushed","sequence_id":0}`, hangs{}}, `ok "" [] ttfb 5ms ttfa 5ms ttaa 5ms end 15ms length 10ms`},
		"too many flushes":  {DeepgramSpeak, script{`{"type":"Warning","code":"EXCESSIVE_FLUSH","description":"slower"}`}, `error "the server reports error EXCESSIVE_FLUSH: slower" [] ttfb - ttfa - ttaa - end 0s length 0s`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, serving(frames(t, tt.script)), Config{Protocol: tt.protocol}, func(r *rig) {
				if got := brief(r.say("ab", false).wait()); got != tt.want {
					t.Errorf("\n got %s\nwant %s", got, tt.want)
				}
			})
		})
	}
}

func TestRefusals(t *testing.T) {
	tests := map[string]struct {
		protocol Protocol
		handler  http.HandlerFunc
		want     string
		retry    time.Duration
	}{
		"rate limited": {OpenAISpeech, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3")
			http.Error(w, `{"error":{"message":"slow down"}}`, http.StatusTooManyRequests)
		}, `refused "HTTP 429: slow down" [] ttfb - ttfa - ttaa - end 0s length 0s`, 3 * time.Second},
		"key echoed": {OpenAISpeech, func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "bad "+r.Header.Get("Authorization"), http.StatusUnauthorized)
		}, `error "HTTP 401: bad Bearer [redacted]" [] ttfb - ttfa - ttaa - end 0s length 0s`, pipeline.Unknown},
		"handshake": {ElevenLabsSocket, func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "bad "+r.Header.Get("xi-api-key"), http.StatusForbidden)
		}, `error "HTTP 403: bad [redacted]" [] ttfb - ttfa - ttaa - end 0s length 0s`, pipeline.Unknown},
		"no room": {CartesiaSocket, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(503)
		}, `refused "HTTP 503" [] ttfb - ttfa - ttaa - end 0s length 0s`, time.Second},
		"no WebSocket": {DeepgramSpeak, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") },
			`error "HTTP 200: the server did not open a WebSocket" [] ttfb - ttfa - ttaa - end 0s length 0s`, pipeline.Unknown},
		"redirect": {DeepgramSpeak, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere.test/", http.StatusTemporaryRedirect)
		},
			`error "HTTP 307: redirect to http://elsewhere.test/ is not followed" [] ttfb - ttfa - ttaa - end 0s length 0s`, pipeline.Unknown},
		"silent": {DeepgramSpeak, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
			`timeout "no response within 30s" [] ttfb - ttfa - ttaa - end 30s length 0s`, pipeline.Unknown},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, serving(tt.handler), Config{Protocol: tt.protocol}, func(r *rig) {
				s := r.say("ab", false).wait()
				if got := brief(s); got != tt.want || s.Transport.RetryAfter != tt.retry {
					t.Errorf("retry after %s, want %s\n got %s\nwant %s", s.Transport.RetryAfter, tt.retry, got, tt.want)
				}
			})
		})
	}
}

// TestCancel cancels before anything came, in mid-speech, and after the end; Close cancels
// what is under way. What was not sent is dropped, or cancelled without a connection.
func TestCancel(t *testing.T) {
	for _, p := range []Protocol{OpenAISpeech, DeepgramSpeak} {
		handler := body("audio/pcm", script{time.Second, loud, hangs{}})
		if p == DeepgramSpeak {
			handler = frames(t, script{time.Second, loud, hangs{}})
		}
		bubble(t, serving(handler), Config{Protocol: p}, func(r *rig) {
			for _, after := range []time.Duration{500 * msec, 1500 * msec} {
				start := r.loop.Elapsed()
				s := r.say("ab", false)
				time.Sleep(after)
				r.do(func() { r.client.Cancel(&s.Saying) })
				got := s.wait()
				r.do(func() { r.client.Cancel(&s.Saying); r.client.Say(&s.Saying, "x"); r.client.Finish(&s.Saying) })
				if got.Outcome != pipeline.Cancelled || got.End-start != after || got.Reason != "cancelled by the asker" || (got.FirstAudio == pipeline.Unknown) != (after < time.Second) {
					t.Errorf("%s: %s %q at %s, audio at %s", p, got.Outcome, got.Reason, got.End-start, got.FirstAudio)
				}
			}
			s := r.say("ab", false)
			time.Sleep(500 * msec)
			r.client.Close()
			if got := s.wait(); got.Outcome != pipeline.Cancelled || got.Reason != "the client was closed" {
				t.Errorf("%s: %s %q, want cancelled by Close", p, got.Outcome, got.Reason)
			}
		})
	}
	bubble(t, serving(http.NotFound), Config{Protocol: OpenAISpeech}, func(r *rig) {
		s := r.say("", false)
		if got := s.wait(); got.Outcome != pipeline.Dropped || got.Reason != "there is no text to be spoken" {
			t.Errorf("%s %q, want dropped", got.Outcome, got.Reason)
		}
		s = r.say("ab", true)
		r.do(func() { r.client.Cancel(&s.Saying) })
		if got := s.wait(); got.Outcome != pipeline.Cancelled || got.Sent != pipeline.Unknown {
			t.Errorf("%s, sent %s, want cancelled unsent", got.Outcome, got.Sent)
		}
	})
}

// TestLog keeps what went over the wire, without the key.
func TestLog(t *testing.T) {
	echo := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Echo", r.Header.Get("Authorization")+r.Header.Get("X-Api-Key"))
		w.Header().Set("Content-Type", "audio/pcm")
		_, _ = w.Write([]byte(r.Header.Get("Authorization")))
	}
	bubble(t, serving(echo), Config{Protocol: OpenAISpeech}, func(r *rig) {
		r.say("ab", false).wait()
		r.client.Close()
		if len(r.kept) != 1 {
			t.Fatalf("%d exchanges kept", len(r.kept))
		}
		x := r.kept[0]
		all := fmt.Sprintf("%s %s %s %s %s", x.Ask, x.Body, x.Headers, x.Path, x.Cause)
		if strings.Contains(all, "s3cret") || !strings.Contains(all, `"input":"ab"`) || x.Method != "POST" || x.Path != "/v1/audio/speech" || x.Status != 200 || len(x.Reads) != 1 || x.How != "eof" {
			t.Errorf("kept %+v: %s", x, all)
		}
	})
	script := script{`{"type":"Metadata"}`, loud, `{"type":"Flushed"}`, hangs{}}
	bubble(t, serving(frames(t, script)), Config{Protocol: DeepgramSpeak}, func(r *rig) {
		r.say("a s3cret-key b", false).wait()
		r.client.Close()
		x := r.kept[0]
		ask := `{"at_ns":0,"text":"{\"type\":\"Speak\",\"text\":\"a ********** b\"}"}` + "\n" + `{"at_ns":0,"text":"{\"type\":\"Flush\"}"}` + "\n"
		if string(x.Ask) != ask || x.Status != 101 || x.Method != "GET" || len(x.Body) != 2+19+4+len(loud)+2+18 || x.How != "open" {
			t.Errorf("asked %s, want %s; %d bytes of body, %+v", x.Ask, ask, len(x.Body), x)
		}
	})
}

// TestCase plays the case of speech over a connection in memory: the client's figures are
// those of the case.
func TestCase(t *testing.T) {
	for _, c := range streamcase.Load(t, "") {
		if c.Protocol != "openai-speech" {
			continue
		}
		bubble(t, serving(c.Exchanges[0].ServeHTTP), Config{Protocol: OpenAISpeech, Format: c.Request.Format}, func(r *rig) {
			for _, diff := range streamcase.CompareSpeech(c.Expect, r.say("ab", false).wait(), nil) {
				t.Errorf("%s: %s", c.ID, diff)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	good := Config{Protocol: OpenAISpeech, Voice: "alloy"}
	good.URL = "https://api.test/v1"
	for want, change := range map[string]func(c *Config){
		"": func(*Config) {},
		`unknown protocol "x" of text to speech; want openai-speech, elevenlabs-stream, elevenlabs-socket, cartesia-sse, cartesia-socket, deepgram-speak`: func(c *Config) { c.Protocol = "x" },
		`format "mp3": want pcm, wav from openai-speech`:                                 func(c *Config) { c.Format = "mp3" },
		"8000 samples a second: openai-speech has 24000":                                 func(c *Config) { c.Rate = 8000 },
		"openai-speech wants a voice by its name or id":                                  func(c *Config) { c.Voice = "" },
		"the url cannot be read; want one like http://127.0.0.1:8080":                    func(c *Config) { c.URL = ":" },
		`url "https://h/": it holds a user or password; give the key apart from the URL`: func(c *Config) { c.URL = "https://me:pw@h/" },
	} {
		c := good
		change(&c)
		got := ""
		if err := c.Check(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// FuzzDecoders: no message breaks a decoder or the record.
func FuzzDecoders(f *testing.F) {
	for _, seed := range []string{
		`{"type":"chunk","data":"AAA="}`, `{"audio":"SAE=","isFinal":true}`, `{"type":"Flushed"}`, "data: {\"type\":\"speech.audio.delta\",\"audio\":\"SAE=\"}\n\n",
		"data: {\"type\":\"done\"}\r\n\r\n", `{"type":"error","error":"x"}`, "RIFF\xff\xff\xff\xffWAVE", "null", "[]", `{"audio":1}`,
	} {
		f.Add([]byte(seed), uint8(3), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, step uint8, binary bool) {
		for _, p := range protocols {
			for _, events := range []bool{false, true} {
				c := Config{Protocol: p.name, Events: events}.withDefaults()
				g := newGatherer(&c, &p)
				e := endOf(g, data, int(step)+1, binary)
				r := pipeline.NewSpeech(1, 0)
				g.finish(&r, &e)
				if r.Outcome == pipeline.OK && r.Samples == 0 {
					t.Errorf("%s is ok without a sample", p.name)
				}
			}
		}
	})
}

// endOf feeds a gatherer.
func endOf(g *gatherer, data []byte, step int, binary bool) talk.End {
	e := talk.End{Whole: true, Transport: pipeline.NewTransport()}
	for len(data) > 0 {
		n := min(step, len(data))
		if !g.take(talk.Message{At: 1, Binary: binary, Data: data[:n]}) {
			e.Enough = true
			break
		}
		data = data[n:]
	}
	return e
}
