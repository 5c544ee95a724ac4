package speak

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/server/voice/peer"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/streamcase"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/exchange"
)

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
		script peer.Script
		want   string // outcome, reason, flags and the instants that matter
	}{
		"whole":             {Config{}, "audio/pcm", peer.Script{30 * msec, quiet, 10 * msec, loud}, `ok "" [] ttfb 30ms ttfa 30ms ttaa 40ms end 40ms length 20ms`},
		"header first":      {Config{Format: WAV}, "audio/wav", peer.Script{30 * msec, []byte(endless), 110 * msec, quiet, 120 * msec, loud}, `ok "" [] ttfb 30ms ttfa 140ms ttaa 260ms end 260ms length 20ms`},
		"header cut":        {Config{Format: WAV}, "audio/wav", peer.Script{[]byte(endless[:7]), 10 * msec, []byte(endless[7:41]), 10 * msec, []byte(endless[41:]), 10 * msec, loud}, `ok "" [] ttfb 0s ttfa 30ms ttaa 30ms end 30ms length 10ms`},
		"unasked header":    {Config{}, "audio/pcm", peer.Script{[]byte(endless), loud}, `ok "" [header_in_raw] ttfb 0s ttfa 0s ttaa 0s end 0s length 10ms`},
		"header only":       {Config{Format: WAV}, "audio/wav", peer.Script{10 * msec, []byte(endless)}, `error "no audio came" [] ttfb 10ms ttfa - ttaa - end 10ms length 0s`},
		"half a header":     {Config{Format: WAV}, "audio/wav", peer.Script{[]byte(endless[:20])}, `error "the audio ended within its header" [] ttfb 0s ttfa - ttaa - end 0s length 0s`},
		"no audio":          {Config{}, "audio/pcm", peer.Script{10 * msec}, `error "no audio came" [] ttfb - ttfa - ttaa - end 10ms length 0s`},
		"silence":           {Config{}, "audio/pcm", peer.Script{quiet}, `ok "" [no_audible_audio] ttfb 0s ttfa 0s ttaa - end 0s length 10ms`},
		"short":             {Config{Format: WAV}, "audio/wav", peer.Script{[]byte(header + "\x00\x10\x00\x00"), loud}, `truncated "the speech ended 3616 bytes before the length that its header states" [] ttfb 0s ttfa 0s ttaa 0s end 0s length 10ms`},
		"broken off":        {Config{}, "audio/pcm", peer.Script{loud, 50 * msec, peer.Breaks{}}, `truncated "it broke off: unexpected EOF" [] ttfb 0s ttfa 0s ttaa 0s end 50ms length 10ms`},
		"stalled":           {Config{}, "audio/pcm", peer.Script{loud, peer.Hangs{}}, `timeout "nothing came within 30s (--limit-gap)" [] ttfb 0s ttfa 0s ttaa 0s end 30s length 10ms`},
		"mp3":               {Config{}, "audio/mpeg", peer.Script{loud}, `error "content type \"audio/mpeg\", want audio that can be measured" [] ttfb - ttfa - ttaa - end 0s length 0s`},
		"page":              {Config{}, "text/html", peer.Script{[]byte("<html>")}, `error "a web page came instead of audio, content type \"text/html\"" [] ttfb 0s ttfa - ttaa - end 0s length 0s`},
		"words":             {Config{}, "application/json", peer.Script{[]byte(`{"error":`), []byte(`{"message":"no such voice"}}`)}, `error "content type \"application/json\" came instead of audio: no such voice" [] ttfb 0s ttfa - ttaa - end 0s length 0s`},
		"words as audio":    {Config{}, "audio/pcm", peer.Script{[]byte(`{"error":{"message":"no `), 10 * msec, []byte(`such voice"}}`)}, `error "content type \"audio/pcm\" came instead of audio: no such voice" [] ttfb 0s ttfa - ttaa - end 10ms length 0s`},
		"nothing of a page": {Config{}, "text/html", peer.Script{}, `error "a web page came instead of audio, content type \"text/html\"" [] ttfb - ttfa - ttaa - end 0s length 0s`},
		"too much":          {Config{}, "audio/pcm", peer.Script{make([]byte, 5000), peer.Hangs{}}, `error "the server sends more than 4000 bytes (--limit-bytes)" [] ttfb - ttfa - ttaa - end 0s length 0s`},
		"rate in its type":  {Config{}, "audio/pcm; rate=16000", peer.Script{quiet, loud}, `ok "" [] ttfb 0s ttfa 0s ttaa 0s end 0s length 30ms`},
		"odd rate":          {Config{}, "audio/pcm; rate=7", peer.Script{quiet, loud}, `ok "" [] ttfb 0s ttfa 0s ttaa 0s end 0s length 20ms`},
		"two channels":      {Config{}, "audio/L16; rate=24000; channels=2", peer.Script{quiet, loud}, `ok "" [] ttfb 0s ttfa 0s ttaa 0s end 0s length 10ms`},
		"header over type":  {Config{Format: WAV}, "audio/wav; rate=16000", peer.Script{[]byte(endless), loud}, `ok "" [] ttfb 0s ttfa 0s ttaa 0s end 0s length 10ms`},
		"error at its end":  {Config{}, "audio/pcm", peer.Script{loud, 10 * msec, []byte(`{"error":{"message":"busy {\"x\"}","code":"overloaded"}}` + "\n")}, `error "the server reports error overloaded: busy {\"x\"}" [] ttfb 0s ttfa 0s ttaa 0s end 10ms length 11.166666ms`},
		"page at its end":   {Config{}, "audio/pcm", peer.Script{loud, []byte(`<html>502 Bad gateway</html>`)}, `error "a web page came in place of the rest of the audio" [] ttfb 0s ttfa 0s ttaa 0s end 0s length 10.583333ms`},
		"braces at its end": {Config{}, "audio/pcm", peer.Script{loud, []byte(`{"no":"error"}`)}, `ok "" [] ttfb 0s ttfa 0s ttaa 0s end 0s length 10.291666ms`},
		"audio in JSON":     {Config{}, "application/json", peer.Script{[]byte(`{"audio": "` + base64.StdEncoding.EncodeToString(bytes.Repeat(loud, 20)) + `"}`)}, `error "an object of JSON came instead of audio, with the audio in it: content type \"application/json\", base64 in its member \"audio\"" [] ttfb 0s ttfa - ttaa - end 0s length 0s`},
		"events":            {Config{Events: true}, "text/event-stream", peer.Script{10 * msec, delta, 10 * msec, done, peer.Hangs{}}, `ok "" [] ttfb 10ms ttfa 10ms ttaa 10ms end 20ms length 10ms`},
		"cut events":        {Config{Events: true}, "text/event-stream", peer.Script{delta[:40], 10 * msec, delta[40:], 10 * msec, done}, `ok "" [] ttfb 0s ttfa 10ms ttaa 10ms end 20ms length 10ms`},
		"burst":             {Config{Events: true}, "text/event-stream", peer.Script{10 * msec, bytes.Repeat(delta, 3), 10 * msec, done}, `ok "" [burst_delivery] ttfb 10ms ttfa 10ms ttaa 10ms end 20ms length 30ms`},
		"no end event":      {Config{Events: true}, "text/event-stream", peer.Script{delta}, `truncated "the speech ended without an end event" [no_done] ttfb 0s ttfa 0s ttaa 0s end 0s length 10ms`},
		"error event":       {Config{Events: true}, "text/event-stream", peer.Script{delta, sse(`{"error":{"message":"busy","code":"overloaded"}}`)}, `error "the server reports error overloaded: busy" [] ttfb 0s ttfa 0s ttaa 0s end 0s length 10ms`},
		"bad base64":        {Config{Events: true}, "text/event-stream", peer.Script{sse(`{"type":"speech.audio.delta","audio":"?"}`)}, `error "a message that cannot be read: illegal base64 data at input byte 0" [] ttfb 0s ttfa - ttaa - end 0s length 0s`},
		"huge line":         {Config{Events: true}, "text/event-stream", peer.Script{[]byte("data: " + strings.Repeat("x", 17<<20))}, `error "the stream has a line longer than 16 MiB" [] ttfb 0s ttfa - ttaa - end 0s length 0s`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.config.Protocol = OpenAISpeech
			if name == "too much" {
				tt.config.MaxBytes = 4000
			}
			bubble(t, peer.Handle(peer.Body(tt.kind, tt.script)), tt.config, func(r *rig) {
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
		script   peer.Script
		want     string
	}{
		"whole":             {ElevenLabsSocket, peer.Script{20 * msec, chunk, 10 * msec, `{"audio":null,"isFinal":true}`, peer.Hangs{}}, `ok "" [] ttfb 20ms ttfa 20ms ttaa 20ms end 30ms length 10ms`},
		"closed with audio": {ElevenLabsSocket, peer.Script{chunk, 10 * msec, peer.Closes(1000)}, `truncated "the speech ended without an end event" [no_done] ttfb 0s ttfa 0s ttaa 0s end 10ms length 10ms`},
		"closed with error": {ElevenLabsSocket, peer.Script{chunk, 10 * msec, peer.Closes(1008)}, `error "the server closed with code 1008: so it is" [] ttfb 0s ttfa 0s ttaa 0s end 10ms length 10ms`},
		"no room":           {ElevenLabsSocket, peer.Script{peer.Closes(1013)}, `refused "the server closed with code 1013: so it is" [] ttfb - ttfa - ttaa - end 0s length 0s`},
		"broken off":        {ElevenLabsSocket, peer.Script{chunk, 10 * msec, peer.Breaks{}}, `truncated "it broke off: websocket: close 1006 (abnormal closure): unexpected EOF" [no_done] ttfb 0s ttfa 0s ttaa 0s end 10ms length 10ms`},
		"no audio":          {ElevenLabsSocket, peer.Script{`{"isFinal":true}`}, `error "no audio came" [] ttfb - ttfa - ttaa - end 0s length 0s`},
		"never":             {ElevenLabsSocket, peer.Script{peer.Hangs{}}, `timeout "no answer within 30s (--limit-first-byte)" [] ttfb - ttfa - ttaa - end 30s length 0s`},
		"garbage":           {ElevenLabsSocket, peer.Script{"}{"}, `error "a message that cannot be read: invalid character '}' looking for beginning of value" [] ttfb - ttfa - ttaa - end 0s length 0s`},
		"huge":              {ElevenLabsSocket, peer.Script{strings.Repeat("x", 17<<20)}, `error "the server sends a message longer than 16 MiB" [] ttfb - ttfa - ttaa - end 0s length 0s`},
		"its error":         {ElevenLabsSocket, peer.Script{`{"message":"too late","error":"input_timeout_exceeded","code":1008}`}, `error "the server reports error input_timeout_exceeded: too late" [] ttfb - ttfa - ttaa - end 0s length 0s`},
		"cartesia's error":  {CartesiaSocket, peer.Script{`{"type":"error","title":"Bad","message":"no such voice","error_code":"voice_not_found","done":true}`}, `error "the server reports error voice_not_found: no such voice" [] ttfb - ttfa - ttaa - end 0s length 0s`},
		"no type at all":    {CartesiaSocket, peer.Script{`{"title":"Bad","message":"no such voice","error_code":"voice_not_found","done":true}`}, `error "the server reports error voice_not_found: no such voice" [] ttfb - ttfa - ttaa - end 0s length 0s`},
		"deepgram's error":  {DeepgramSpeak, peer.Script{`{"type":"Error","err_code":"DATA-0001","err_msg":"bad"}`}, `error "the server reports error DATA-0001: bad" [] ttfb - ttfa - ttaa - end 0s length 0s`},
		"detail":            {ElevenLabsSocket, peer.Script{`{"detail":{"status":"s","message":"no"}}`}, `error "the server reports error s: no" [] ttfb - ttfa - ttaa - end 0s length 0s`},
		"flushed":           {DeepgramSpeak, peer.Script{`{"type":"Metadata"}`, 5 * msec, loud[:3], 5 * msec, loud[3:], 5 * msec, `{"type":"Flushed","sequence_id":0}`, peer.Hangs{}}, `ok "" [] ttfb 5ms ttfa 5ms ttaa 5ms end 15ms length 10ms`},
		"too many flushes":  {DeepgramSpeak, peer.Script{`{"type":"Warning","code":"EXCESSIVE_FLUSH","description":"slower"}`}, `error "the server reports error EXCESSIVE_FLUSH: slower" [] ttfb - ttfa - ttaa - end 0s length 0s`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, peer.Session{Script: tt.script}.Serve(t), Config{Protocol: tt.protocol}, func(r *rig) {
				if got := brief(r.say("ab", false).wait()); got != tt.want {
					t.Errorf("\n got %s\nwant %s", got, tt.want)
				}
			})
		})
	}
}

// TestCartesiaError: the words of an error that comes as an event without a type.
func TestCartesiaError(t *testing.T) {
	body := []byte(`data: {"error_code":"internal_error","title":"Internal Server Error","message":"it failed"}` + "\n\n")
	bubble(t, peer.Handle(peer.Body("text/event-stream", peer.Script{body})), Config{Protocol: CartesiaEvents}, func(r *rig) {
		if s := r.say("ab", false).wait(); s.Outcome != pipeline.Error || s.Reason != "the server reports error internal_error: it failed" {
			t.Errorf("%s %q", s.Outcome, s.Reason)
		}
	})
}

// TestVoicePath: a voice may have any letters, and stays one part of the path.
func TestVoicePath(t *testing.T) {
	for _, p := range []Protocol{ElevenLabsStream, ElevenLabsSocket} {
		asked := ""
		bubble(t, peer.Handle(func(w http.ResponseWriter, r *http.Request) {
			asked = r.URL.EscapedPath()
			w.WriteHeader(404)
		}), Config{Protocol: p, Voice: "my/own voice?"}, func(r *rig) { r.say("ab", false).wait() })
		if want := "/v1/text-to-speech/my%2Fown%20voice%3F/stream"; !strings.HasPrefix(asked, want) {
			t.Errorf("%s: asked %s, want %s", p, asked, want)
		}
	}
}

// TestStalls: once all text is there the service is to speak. Until then its silence may be that
// of waiting for more.
func TestStalls(t *testing.T) {
	bubble(t, peer.Session{Script: peer.Script{peer.Hangs{}}}.Serve(t), Config{Protocol: ElevenLabsSocket}, func(r *rig) {
		s := r.say("ab ", true)
		for range 4 {
			time.Sleep(20 * time.Second)
			r.Do(func() { r.client.Say(&s.Saying, "cd ") })
		}
		r.Do(func() { r.client.Finish(&s.Saying) })
		if got := s.wait(); got.Reason != "no answer within 30s (--limit-first-byte)" || got.End != 110*time.Second {
			t.Errorf("%q at %s", got.Reason, got.End)
		}
	})
}

// TestNoisyEvents: audio that looks like another format says so.
func TestNoisyEvents(t *testing.T) {
	for name, level := range map[string]int{"noise": 1 << 16, "quiet noise": 1 << 12} {
		pcm := make([]byte, 0, 96_000)
		for i := range 48_000 {
			x := i * 7919 * (i%31 + 3) % level
			pcm = append(pcm, byte(x), byte(x>>8))
		}
		bubble(t, peer.Handle(peer.Body("audio/pcm", peer.Script{pcm})), Config{Protocol: OpenAISpeech}, func(r *rig) {
			r.say("ab", false).wait()
			r.client.Close()
			noisy := false
			if _, err := Retell(r.Kept()[0], func(e talk.Event) { noisy = e.Noisy }); err != nil || noisy != (level == 1<<16) {
				t.Errorf("%s: noisy %t, %v", name, noisy, err)
			}
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
		}, `error "HTTP 401: bad Bearer **********" [] ttfb - ttfa - ttaa - end 0s length 0s`, pipeline.Unknown},
		"handshake": {ElevenLabsSocket, func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "bad "+r.Header.Get("xi-api-key"), http.StatusForbidden)
		}, `error "HTTP 403: bad **********" [] ttfb - ttfa - ttaa - end 0s length 0s`, pipeline.Unknown},
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
			`timeout "no response within 30s (--limit-first-byte)" [] ttfb - ttfa - ttaa - end 30s length 0s`, pipeline.Unknown},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, peer.Handle(tt.handler), Config{Protocol: tt.protocol}, func(r *rig) {
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
		serve := peer.Handle(peer.Body("audio/pcm", peer.Script{time.Second, loud, peer.Hangs{}}))
		if p == DeepgramSpeak {
			serve = peer.Session{Script: peer.Script{time.Second, loud, peer.Hangs{}}}.Serve(t)
		}
		bubble(t, serve, Config{Protocol: p}, func(r *rig) {
			for _, after := range []time.Duration{500 * msec, 1500 * msec} {
				start := r.Now()
				s := r.say("ab", false)
				time.Sleep(after)
				r.Do(func() { r.client.Cancel(&s.Saying) })
				got := s.wait()
				r.Do(func() { r.client.Cancel(&s.Saying); r.client.Say(&s.Saying, "x"); r.client.Finish(&s.Saying) })
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
	bubble(t, peer.Handle(http.NotFound), Config{Protocol: OpenAISpeech}, func(r *rig) {
		s := r.say("", false)
		if got := s.wait(); got.Outcome != pipeline.Dropped || got.Reason != "there is no text to be spoken" {
			t.Errorf("%s %q, want dropped", got.Outcome, got.Reason)
		}
		s = r.say("ab", true)
		r.Do(func() { r.client.Cancel(&s.Saying) })
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
	bubble(t, peer.Handle(echo), Config{Protocol: OpenAISpeech}, func(r *rig) {
		r.say("ab", false).wait()
		r.client.Close()
		if len(r.Kept()) != 1 {
			t.Fatalf("%d exchanges kept", len(r.Kept()))
		}
		x := r.Kept()[0]
		all := fmt.Sprintf("%s %s %s %s %s", x.Ask, x.Body, x.Headers, x.Path, x.Cause)
		if strings.Contains(all, "s3cret") || !strings.Contains(all, `"input":"ab"`) || x.Method != "POST" || x.Path != "/v1/audio/speech" || x.Status != 200 || len(x.Reads) != 1 || x.How != "eof" {
			t.Errorf("kept %+v: %s", x, all)
		}
	})
	script := peer.Script{`{"type":"Metadata"}`, loud, `{"type":"Flushed"}`, peer.Hangs{}}
	bubble(t, peer.Session{Script: script}.Serve(t), Config{Protocol: DeepgramSpeak}, func(r *rig) {
		r.say("a s3cret-key b", false).wait()
		r.client.Close()
		x := r.Kept()[0]
		var said []string
		for _, m := range x.Messages {
			data := string(m.Data)
			if m.Kind == exchange.Binary {
				data = fmt.Sprint(len(m.Data))
			}
			said = append(said, fmt.Sprintf("%s %s %d %t %s", m.From, m.Kind, m.At, m.Due == pipeline.Unknown, data))
		}
		want := []string{
			`client text 0 false {"type":"Speak","text":"a ********** b"}`, `server text 0 true {"type":"Metadata"}`,
			"server binary 0 true 480", `client text 0 true {"type":"Flush"}`, `server text 0 true {"type":"Flushed"}`,
		}
		slices.Sort(said)
		slices.Sort(want)
		if !slices.Equal(said, want) || len(x.Ask) > 0 || len(x.Body) > 0 || x.Status != 101 || x.Method != "GET" || x.How != "open" || x.Setting != `{"format":"pcm","rate":24000,"characters":14}` {
			t.Errorf("said %q, want %q; %+v", said, want, x)
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
		bubble(t, peer.Handle(c.Exchanges[0].ServeHTTP), Config{Protocol: OpenAISpeech, Format: c.Request.Format}, func(r *rig) {
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
				c := Config{Protocol: p.name, Events: events}.WithDefaults()
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
