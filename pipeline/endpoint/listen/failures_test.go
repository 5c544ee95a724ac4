package listen

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/mockllm/server/voice/peer"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/streamcase"
	"halfsecond/pipeline/endpoint/talk"
)

const (
	interim = `{"type":"Results","is_final":false,"channel":{"alternatives":[{"transcript":"tu"}]}}`
	ended   = `{"type":"Results","is_final":true,"speech_final":true,"channel":{"alternatives":[{"transcript":"turn it off"}]}}`
	early   = `{"type":"Results","is_final":true,"channel":{"alternatives":[{"transcript":"turn"}]}}`
	nothing = `{"type":"Results","is_final":true,"speech_final":true,"channel":{"alternatives":[{"transcript":""}]}}`
)

const (
	blank        = `{"type":"Results","is_final":true,"speech_final":true,"channel":{"alternatives":[{"transcript":"  "}]}}`
	blankInterim = `{"type":"Results","is_final":false,"channel":{"alternatives":[{"transcript":" "}]}}`
)

// TestBadSessions: 300 ms of speech and 100 ms of silence begin at 0, the first frame goes
// out at 100 and speech ends at 300.
func TestBadSessions(t *testing.T) {
	tests := map[string]struct {
		script peer.Script
		want   string
	}{
		// The service never says that it has ended; 5 s later the client leaves.
		"never ends": {peer.Script{100 * msec, interim, 250 * msec, ended, peer.Hangs{}}, `frames 4 ttfp 100 ttfs 150 partials 1 "turn it off" ok "" flags no_done close 1000 end 5450`},
		"ends":       {peer.Script{100 * msec, interim, 250 * msec, ended, 20 * msec, `{"type":"Metadata"}`, peer.Hangs{}}, `frames 4 ttfp 100 ttfs 150 partials 1 "turn it off" ok "" flags  close 0 end 470`},
		"closes":     {peer.Script{350 * msec, ended, 20 * msec, peer.Closes(1000)}, `frames 4 ttfp - ttfs 150 partials 0 "turn it off" ok "" flags no_done close 1000 end 470`},
		// 3 s of silence follow the recording, then CloseStream and 5 s of patience.
		"never a final":              {peer.Script{100 * msec, interim, peer.Hangs{}}, `frames 34 ttfp 100 ttfs - partials 1 "" truncated "the session ended without a final transcript after the end of speech" flags no_done,no_final_after_speech_end close 1000 end 8400`},
		"final too early":            {peer.Script{100 * msec, early, peer.Hangs{}}, `frames 34 ttfp - ttfs - partials 0 "turn" truncated "the session ended without a final transcript after the end of speech" flags no_done,no_final_after_speech_end close 1000 end 8400`},
		"empty final":                {peer.Script{350 * msec, nothing, 10 * msec, `{"type":"Metadata"}`, peer.Hangs{}}, `frames 4 ttfp - ttfs - partials 0 "" ok "" flags no_final_after_speech_end close 0 end 460`},
		"blank final":                {peer.Script{100 * msec, blankInterim, 250 * msec, blank, 10 * msec, `{"type":"Metadata"}`, peer.Hangs{}}, `frames 4 ttfp - ttfs - partials 0 "" ok "" flags no_final_after_speech_end close 0 end 460`},
		"its older error":            {peer.Script{150 * msec, `{"type":"Error","err_code":"NET-0001","err_msg":"too long"}`}, `frames 2 ttfp - ttfs - partials 0 "" error "the server reports error NET-0001: too long" flags  close 0 end 250`},
		"error without a type":       {peer.Script{150 * msec, `{"err_code":"NET-0001","err_msg":"too long"}`}, `frames 2 ttfp - ttfs - partials 0 "" error "the server reports error NET-0001: too long" flags  close 0 end 250`},
		"closes at once":             {peer.Script{150 * msec, peer.Closes(1000)}, `frames 2 ttfp - ttfs - partials 0 "" truncated "the session ended without a final transcript after the end of speech: the server closed with code 1000: so it is" flags no_done,no_final_after_speech_end close 1000 end 250`},
		"nothing more":               {peer.Script{150 * msec, `{"type":"Metadata"}`, peer.Hangs{}}, `frames 2 ttfp - ttfs - partials 0 "" truncated "the session ended before the speech did" flags no_final_after_speech_end close 0 end 250`},
		"closes with error":          {peer.Script{150 * msec, peer.Closes(1011)}, `frames 2 ttfp - ttfs - partials 0 "" error "the server closed with code 1011: so it is" flags  close 1011 end 250`},
		"breaks off":                 {peer.Script{150 * msec, peer.Breaks{}}, `frames 2 ttfp - ttfs - partials 0 "" truncated "it broke off: websocket: close 1006 (abnormal closure): unexpected EOF" flags no_done,no_final_after_speech_end close 0 end 250`},
		"breaks off after the final": {peer.Script{350 * msec, ended, 10 * msec, peer.Breaks{}}, `frames 4 ttfp - ttfs 150 partials 0 "turn it off" truncated "it broke off: websocket: close 1006 (abnormal closure): unexpected EOF" flags no_done close 0 end 460`},
		"garbage":                    {peer.Script{150 * msec, "Results"}, `frames 2 ttfp - ttfs - partials 0 "" error "a message that cannot be read: invalid character 'R' looking for beginning of value" flags  close 0 end 250`},
		"its error":                  {peer.Script{150 * msec, `{"type":"Error","description":"no such model","variant":"v"}`}, `frames 2 ttfp - ttfs - partials 0 "" error "the server reports error v: no such model" flags  close 0 end 250`},
		"huge":                       {peer.Script{150 * msec, `"` + strings.Repeat("x", 17<<20) + `"`}, `frames 2 ttfp - ttfs - partials 0 "" error "the server sends a message longer than 16 MiB" flags  close 0 end 250`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got string
			bubble(t, session(t, "", tt.script, nil), Config{Protocol: DeepgramListen}, func(r *rig) {
				got = brief(r.hear(peer.Spoken(16000, 0, 300*msec, 100*msec), pipeline.Unknown).wait())
			})
			if got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func brief(r *pipeline.Transcription) string {
	ms := peer.MS
	return fmt.Sprintf("frames %d ttfp %s ttfs %s partials %d %q %s %q flags %s close %d end %s", r.Frames, ms(r.TTFP()), ms(r.TTFS()), r.Partials, r.Text, r.Outcome, r.Reason, strings.Join(r.Flags, ","), r.Close, ms(r.End))
}

// TestUnheard: a service that ends a session before it takes audio has heard nothing.
func TestUnheard(t *testing.T) {
	bubble(t, peer.Session{Greets: []string{`{"type":"Termination"}`}, Script: peer.Script{peer.Hangs{}}}.Serve(t), Config{Protocol: AssemblyAI}, func(r *rig) {
		if got, want := brief(r.hear(peer.Spoken(16000, 0, 300*msec, 100*msec), pipeline.Unknown).wait()), `frames 0 ttfp - ttfs - partials 0 "" truncated "the session ended before any audio was sent" flags  close 0 end 0`; got != want {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
	})
}

// TestEndsInSpeech: a service that ends a session with its last message while the user speaks has not
// heard all, whatever text came; once he has finished it has said what it heard.
func TestEndsInSpeech(t *testing.T) {
	const text = `{"type":"Results","is_final":true,"speech_final":true,"start":0,"duration":0.2,"channel":{"alternatives":[{"transcript":"a","words":[]}]}}`
	for wait, want := range map[time.Duration]string{
		150 * msec: `frames 2 ttfp - ttfs - partials 0 "a" truncated "the session ended before the speech did" flags no_final_after_speech_end close 0 end 250`,
		350 * msec: `frames 4 ttfp - ttfs 150 partials 0 "a" ok "" flags  close 0 end 450`,
	} {
		bubble(t, session(t, "", peer.Script{wait, text, `{"type":"Metadata"}`, peer.Hangs{}}, nil), Config{Protocol: DeepgramListen}, func(r *rig) {
			if got := brief(r.hear(peer.Spoken(16000, 0, 300*msec, 500*msec), pipeline.Unknown).wait()); got != want {
				t.Errorf("after %s\n got %s\nwant %s", wait, got, want)
			}
		})
	}
}

// TestUploads: the recording of 400 ms goes out when it is over.
func TestUploads(t *testing.T) {
	tests := map[string]struct {
		kind string
		body string
		want string
	}{
		"events":   {"text/event-stream", "data: {\"type\":\"transcript.text.delta\",\"delta\":\"a\"}\n\ndata: {\"type\":\"transcript.text.done\",\"text\":\"a b\"}\n\n", `frames 1 ttfp 0 ttfs 100 partials 1 "a b" ok "" flags  close 0 end 400`},
		"cut":      {"text/event-stream", "data: {\"type\":\"transcript.text.delta\",\"delta\":\"a\"}\n\n", `frames 1 ttfp 0 ttfs - partials 1 "" truncated "the session ended without a final transcript after the end of speech" flags no_done,no_final_after_speech_end close 0 end 400`},
		"no blank": {"text/event-stream", "data: {\"type\":\"transcript.text.done\",\"text\":\"a b\"}", `frames 1 ttfp - ttfs 100 partials 0 "a b" ok "" flags  close 0 end 400`},
		"json":     {"application/json; charset=utf-8", `{"text":"a b"}`, `frames 1 ttfp - ttfs 100 partials 0 "a b" ok "" flags  close 0 end 400`},
		"no text":  {"application/json", `{}`, `frames 1 ttfp - ttfs - partials 0 "" error "an answer without a text" flags  close 0 end 400`},
		"error":    {"application/json", `{"error":{"message":"no","code":"c"}}`, `frames 1 ttfp - ttfs - partials 0 "" error "the server reports error c: no" flags  close 0 end 400`},
		"page":     {"text/html", `<html>`, `frames 1 ttfp - ttfs - partials 0 "" error "content type \"text/html\", want text/event-stream or application/json" flags  close 0 end 400`},
		"empty":    {"text/html", ``, `frames 1 ttfp - ttfs - partials 0 "" error "content type \"text/html\", want text/event-stream or application/json" flags  close 0 end 400`},
	}
	for name, tt := range tests {
		bubble(t, peer.Handle(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadAll(r.Body)
			w.Header().Set("Content-Type", tt.kind)
			_, _ = io.WriteString(w, tt.body)
		}), Config{Protocol: OpenAITranscriptions}, func(r *rig) {
			h := r.hear(peer.Spoken(16000, 0, 300*msec, 100*msec), pipeline.Unknown)
			if got := brief(h.wait()); got != tt.want {
				t.Errorf("%s\n got %s\nwant %s", name, got, tt.want)
			}
		})
	}
}

// TestBegin: speech begins when it is said to. A session that is opened ahead is kept open,
// and what was spoken before it could be sent goes out late.
func TestBegin(t *testing.T) {
	var said []string
	script := peer.Script{350 * msec, ended, 20 * msec, `{"type":"Metadata"}`, peer.Hangs{}}
	note := func(at time.Duration, text string) { said = append(said, fmt.Sprintf("%d %s", at/msec, text)) }
	bubble(t, session(t, "", script, note), Config{Protocol: DeepgramListen}, func(r *rig) {
		h := r.hear(peer.Spoken(16000, 0, 300*msec, 100*msec), 9*time.Second).wait()
		if h.Ready != 0 || h.FirstFrame != 9100*msec || h.SpeechEnd != 9300*msec || h.TTFS() != 150*msec || h.Late != 0 {
			t.Errorf("ready %s, first frame %s, speech end %s, ttfs %s, late %s", h.Ready, h.FirstFrame, h.SpeechEnd, h.TTFS(), h.Late)
		}
	})
	same(t, "frames of text", said, []string{`4000 {"type":"KeepAlive"}`, `8000 {"type":"KeepAlive"}`, `9450 {"type":"CloseStream"}`})

	// The service greets after 250 ms: the frames that were due at 100 and 200 go out then.
	bubble(t, peer.Handle(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(250 * msec)
		up := websocket.Upgrader{}
		conn, err := up.Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_ = conn.WriteMessage(websocket.TextMessage, []byte(`{"type":"Connected"}`))
		for {
			if kind, data, err := conn.ReadMessage(); err != nil || kind == websocket.TextMessage && strings.Contains(string(data), "CloseStream") {
				return
			}
		}
	}), Config{Protocol: DeepgramFlux, Trail: msec}, func(r *rig) {
		h := r.hear(peer.Spoken(16000, 0, 300*msec, 100*msec), 0).wait()
		if h.Ready != 250*msec || h.FirstFrame != 250*msec || h.SpeechEnd != 300*msec || h.Late != 150*msec || h.Frames != 5 || h.LastFrame != 500*msec {
			t.Errorf("ready %s, frames %d from %s to %s, speech end %s, late %s", h.Ready, h.Frames, h.FirstFrame, h.LastFrame, h.SpeechEnd, h.Late)
		}
	})
}

// TestPatient: a speaker who waits for the service begins when it is ready, and who need not
// wait begins when told. Either is told again like that.
func TestPatient(t *testing.T) {
	for begin, want := range map[time.Duration]time.Duration{100 * msec: 250 * msec, 400 * msec: 400 * msec} {
		bubble(t, peer.Handle(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(250 * msec)
			up := websocket.Upgrader{}
			conn, err := up.Upgrade(w, r, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			_ = conn.WriteMessage(websocket.TextMessage, []byte(`{"type":"Connected"}`))
			for {
				if kind, data, err := conn.ReadMessage(); err != nil || kind == websocket.TextMessage && strings.Contains(string(data), "CloseStream") {
					return
				}
			}
		}), Config{Protocol: DeepgramFlux, Trail: msec, Patient: true}, func(r *rig) {
			h := r.hear(peer.Spoken(16000, 0, 300*msec, 100*msec), begin).wait()
			if h.FirstFrame != want+100*msec || h.SpeechEnd != want+300*msec || h.Late != 0 {
				t.Errorf("begins at %s: first frame %s, speech end %s, late %s", begin, h.FirstFrame, h.SpeechEnd, h.Late)
			}
		})
	}
}

// TestLinger: a final text that comes again while the session goes on is heard, and one that
// comes when it is over is not.
func TestLinger(t *testing.T) {
	for linger, want := range map[time.Duration]string{
		0:          `frames 4 ttfp - ttfs 150 partials 0 "turn it off" ok "" flags no_done close 1000 end 5450`,
		300 * msec: `frames 7 ttfp - ttfs 400 partials 0 "turn it off turn it off" ok "" flags no_done close 1000 end 5750`,
	} {
		script := peer.Script{350 * msec, ended, 250 * msec, ended, peer.Hangs{}}
		if linger == 0 {
			script = script[:2:2]
			script = append(script, peer.Hangs{})
		}
		bubble(t, session(t, "", script, nil), Config{Protocol: DeepgramListen, Linger: linger}, func(r *rig) {
			if got := brief(r.hear(peer.Spoken(16000, 0, 300*msec, 100*msec), pipeline.Unknown).wait()); got != want {
				t.Errorf("%s\n got %s\nwant %s", linger, got, want)
			}
		})
	}
}

// TestReadiness: a service that never says that it is ready has the limit for a first byte.
func TestReadiness(t *testing.T) {
	c := Config{Protocol: OpenAIRealtime}
	c.Limits.FirstByte = 4 * time.Second
	bubble(t, peer.Session{Greets: []string{`{"type":"session.created"}`}, Script: peer.Script{peer.Hangs{}}}.Serve(t), c, func(r *rig) {
		h := r.hear(peer.Spoken(24000, 0, 300*msec, 100*msec), pipeline.Unknown).wait()
		if h.Outcome != pipeline.Timeout || h.Reason != "no session.updated within 4s (--limit-first-byte)" || h.End != 4*time.Second {
			t.Errorf("%s %q at %s", h.Outcome, h.Reason, h.End)
		}
	})
}

// TestBlankBetween: white space that joins two texts joins them, and is no text.
func TestBlankBetween(t *testing.T) {
	r, _, err := Read(Config{Protocol: CartesiaSTT}, Recorded{SpeechEnd: 1, End: 9, Close: 1000, Messages: []talk.Message{
		{At: 2, Data: []byte(`{"type":"transcript","is_final":true,"text":"hello"}`)}, {At: 3, Data: []byte(`{"type":"transcript","is_final":true,"text":" "}`)},
		{At: 4, Data: []byte(`{"type":"transcript","is_final":true,"text":"there"}`)}, {At: 5, Data: []byte(`{"type":"transcript","is_final":true,"text":" "}`)},
	}})
	if err != nil || r.Text != "hello there" || r.Finals != 2 || r.LastFinal != 4 {
		t.Errorf("%q, %d finals, the last at %d, %v", r.Text, r.Finals, r.LastFinal, err)
	}
}

// TestLateLoop: what a record says does not depend on when the loop comes to it. Every record is
// made again from its bytes, which know only when they came.
func TestLateLoop(t *testing.T) {
	for _, p := range []Protocol{DeepgramListen, AssemblyAI, OpenAITranscriptions} {
		var h *pipeline.Transcription
		config := Config{Protocol: p}
		bubbleOn(t, func(l *pipeline.Wall) talk.Loop { return lateLoop{l} }, mocked(t, "hello"), config, func(r *rig) {
			h = r.hear(peer.Spoken(16000, 500*msec, time.Second, 100*msec), pipeline.Unknown).wait()
		})
		if h.Text != "hello" || p != OpenAITranscriptions && h.SpeechEnd != h.Ready+1500*msec {
			t.Errorf("%s: %s", p, figures(h))
		}
	}
}

// lateLoop is a loop that has always just handled something later than what comes in.
type lateLoop struct{ *pipeline.Wall }

func (l lateLoop) Post(stamp time.Duration, f func()) bool { return l.Wall.Post(stamp+msec, f) }

// TestSlowly: who speaks slowly has the time for it.
func TestSlowly(t *testing.T) {
	bubble(t, session(t, "", peer.Script{peer.Hangs{}}, nil), Config{Protocol: DeepgramListen, Pace: .01}, func(r *rig) {
		h := r.hear(peer.Spoken(16000, 0, 1300*msec, 100*msec), pipeline.Unknown).wait()
		if h.Outcome != pipeline.Truncated || h.SpeechEnd != 130*time.Second {
			t.Error(figures(h))
		}
	})
}

// TestForce: a service that has ended the turn by itself is not asked for its text any more.
func TestForce(t *testing.T) {
	var said []string
	note := func(at time.Duration, text string) { said = append(said, fmt.Sprintf("%d %s", at/msec, text)) }
	bubble(t, session(t, "", peer.Script{350 * msec, ended, peer.Hangs{}}, note), Config{Protocol: DeepgramListen, Force: true, ForceAfter: time.Second}, func(r *rig) {
		r.hear(peer.Spoken(16000, 0, 300*msec, 100*msec), pipeline.Unknown).wait()
	})
	same(t, "frames of text", said, []string{`450 {"type":"CloseStream"}`})
}

// TestFormatted: AssemblyAI tells the end of a turn once, or twice, and both times it is its end.
func TestFormatted(t *testing.T) {
	turn := func(formatted bool) string {
		return fmt.Sprintf(`{"type":"Turn","turn_order":0,"end_of_turn":true,"turn_is_formatted":%t,"transcript":"a"}`, formatted)
	}
	for want, script := range map[string]peer.Script{
		"turn end 150 final 250 ok": {350 * msec, turn(false), 100 * msec, turn(true), `{"type":"Termination"}`, peer.Hangs{}},
		"turn end 150 final 150 ok": {350 * msec, turn(true), `{"type":"Termination"}`, peer.Hangs{}},
	} {
		bubble(t, session(t, `{"type":"Begin"}`, script, nil), Config{Protocol: AssemblyAI, Format: true}, func(r *rig) {
			h := r.hear(peer.Spoken(16000, 0, 300*msec, 100*msec), pipeline.Unknown).wait()
			got := fmt.Sprintf("turn end %s final %s %s", peer.MS(pipeline.Since(h.SpeechEnd, h.TurnEnd)), peer.MS(h.TTFS()), h.Outcome)
			if got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

// TestPace sends four times as fast as speech.
func TestPace(t *testing.T) {
	bubble(t, session(t, "", peer.Script{85 * msec, ended, `{"type":"Metadata"}`, peer.Hangs{}}, nil), Config{Protocol: DeepgramListen, Pace: 4}, func(r *rig) {
		h := r.hear(peer.Spoken(16000, 0, 300*msec, 100*msec), pipeline.Unknown).wait()
		if h.FirstFrame != 25*msec || h.LastFrame != 100*msec || h.SpeechEnd != 75*msec || h.TTFS() != 35*msec {
			t.Errorf("frames from %s to %s, speech end %s, ttfs %s", h.FirstFrame, h.LastFrame, h.SpeechEnd, h.TTFS())
		}
	})
}

// TestCancel cancels in mid-speech, before an upload and by Close.
func TestCancel(t *testing.T) {
	v := peer.Spoken(16000, 0, 300*msec, 100*msec)
	bubble(t, session(t, "", peer.Script{50 * msec, interim, peer.Hangs{}}, nil), Config{Protocol: DeepgramListen}, func(r *rig) {
		h := r.hear(v, pipeline.Unknown)
		time.Sleep(250 * msec)
		r.Do(func() { r.client.Cancel(&h.Hearing) })
		if got := brief(h.wait()); got != `frames 2 ttfp 50 ttfs - partials 1 "" cancelled "cancelled by the asker" flags  close 0 end 250` {
			t.Error(got)
		}
		r.Do(func() { r.client.Cancel(&h.Hearing) })
		closed := r.hear(v, pipeline.Unknown)
		time.Sleep(150 * msec)
		r.client.Close()
		if got := closed.wait(); got.Outcome != pipeline.Cancelled || got.Reason != "the client was closed" || got.End != 400*msec {
			t.Errorf("%s %q at %s, want cancelled by Close", got.Outcome, got.Reason, got.End)
		}
	})
	bubble(t, peer.Handle(http.NotFound), Config{Protocol: OpenAITranscriptions}, func(r *rig) {
		h := r.hear(v, pipeline.Unknown)
		time.Sleep(250 * msec)
		r.Do(func() { r.client.Cancel(&h.Hearing) })
		if got := h.wait(); got.Outcome != pipeline.Cancelled || got.End != 250*msec || got.Frames != 0 {
			t.Errorf("%s at %s with %d frames, want cancelled unsent", got.Outcome, got.End, got.Frames)
		}
	})
}

func TestDropped(t *testing.T) {
	good := peer.Spoken(16000, 0, 300*msec, 100*msec)
	for want, v := range map[string]pipeline.Voice{
		"the recording has 100 samples a second: want 4000 to 192000": {Rate: 100, Samples: good.Samples, SpeechEnd: 0},
		"the recording is empty":                      {Rate: 16000, SpeechEnd: pipeline.Unknown},
		"speech ends 401ms into a recording of 400ms": {Rate: 16000, Samples: good.Samples, SpeechEnd: 401 * msec},
		"the recording has 16000 samples a second: openai-realtime-transcription takes [24000]": good,
	} {
		p := DeepgramListen
		if v.SpeechEnd == good.SpeechEnd {
			p = OpenAIRealtime
		}
		bubble(t, peer.Handle(http.NotFound), Config{Protocol: p}, func(r *rig) {
			if got := r.hear(v, pipeline.Unknown).wait(); got.Outcome != pipeline.Dropped || got.Reason != want {
				t.Errorf("%s %q, want dropped, %q", got.Outcome, got.Reason, want)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	good := Config{Protocol: AssemblyAI}
	good.URL = "https://api.test"
	for want, change := range map[string]func(c *Config){
		"": func(*Config) {},
		`unknown protocol "x" of speech to text; want openai-transcriptions, openai-realtime-transcription, deepgram-listen, deepgram-flux, assemblyai, cartesia-stt, cartesia-turns`: func(c *Config) { c.Protocol = "x" },
		"frames of 40ms: assemblyai takes no less than 50ms":                                                         func(c *Config) { c.Frame = 40 * msec },
		"frames of 2s: want 20ms to 1s":                                                                              func(c *Config) { c.Frame = 2 * time.Second },
		"pace of -1: want more than 0 and at most 100":                                                               func(c *Config) { c.Pace = -1 },
		"cartesia-turns cannot be asked for its final text; leave the end of a turn to it":                           func(c *Config) { c.Protocol, c.Force = CartesiaTurns, true },
		"final text 1s before the end of speech: want a time after it\nsilence of -1s after a recording is negative": func(c *Config) { c.ForceAfter, c.Trail = -time.Second, -time.Second },
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

// TestKeys: each vendor gets its key where it wants it, and nowhere else.
func TestKeys(t *testing.T) {
	want := map[Protocol]string{
		OpenAITranscriptions: "Authorization: Bearer s3cret-key", OpenAIRealtime: "Authorization: Bearer s3cret-key",
		DeepgramListen: "Authorization: Token s3cret-key", DeepgramFlux: "Authorization: Token s3cret-key",
		AssemblyAI: "Authorization: s3cret-key", CartesiaSTT: "X-Api-Key: s3cret-key", CartesiaTurns: "X-Api-Key: s3cret-key",
	}
	for _, name := range Protocols() {
		var got []string
		bubble(t, peer.Handle(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadAll(r.Body)
			for h, v := range r.Header {
				if line := h + ": " + v[0]; strings.Contains(line, "s3cret") {
					got = append(got, line)
				}
			}
			if strings.Contains(r.URL.String(), "s3cret") {
				t.Errorf("%s: the key is in %s", name, r.URL)
			}
			http.Error(w, "not "+r.Header.Get("Authorization")+r.Header.Get("X-Api-Key"), http.StatusUnauthorized)
		}), Config{Protocol: Protocol(name)}, func(r *rig) {
			h := r.hear(peer.Spoken(24000, 0, 300*msec, 100*msec), pipeline.Unknown)
			if got := h.wait(); got.Outcome != pipeline.Error || strings.Contains(got.Reason, "s3cret") || !strings.Contains(got.Reason, "******") {
				t.Errorf("%s: %s %q", name, got.Outcome, got.Reason)
			}
			r.client.Close()
			if len(r.Kept()) != 1 || strings.Contains(fmt.Sprintf("%s %s %v", r.Kept()[0].Ask, r.Kept()[0].Body, *r.Kept()[0]), "s3cret") {
				t.Errorf("%s: kept %v", name, r.Kept())
			}
		})
		same(t, name, got, []string{want[Protocol(name)]})
	}
}

// TestCase plays the case of a transcription over a connection in memory. Its audio has 100
// ms before the first frame goes out.
func TestCase(t *testing.T) {
	for _, c := range streamcase.Load(t, "") {
		if c.Protocol != "ws-transcription" {
			continue
		}
		var s peer.Script
		at := time.Duration(0)
		for _, f := range c.Frames {
			if f.Dir != "s2c" {
				continue
			}
			s = append(s, f.At.Duration()-at)
			at = f.At.Duration()
			if f.Opcode == "close" {
				s = append(s, peer.Closes(f.Code))
			} else {
				s = append(s, f.Text)
			}
		}
		speech := c.Session.SpeechEnd.Duration() + 100*msec
		v := peer.Spoken(24000, 0, speech, time.Second-speech)
		bubble(t, session(t, `{"type":"session.updated"}`, s, nil), Config{Protocol: OpenAIRealtime}, func(r *rig) {
			got := r.hear(v, pipeline.Unknown).wait()
			for _, diff := range streamcase.CompareTranscription(c.Expect, got, nil) {
				t.Errorf("%s: %s", c.ID, diff)
			}
			if got.Frames != 10 || got.FirstFrame != 100*msec {
				t.Errorf("%d frames from %s, want 10 from 100ms", got.Frames, got.FirstFrame)
			}
		})
	}
}

// FuzzDecoders: no message breaks a decoder or the record.
func FuzzDecoders(f *testing.F) {
	for _, seed := range []string{
		interim, ended, nothing, `{"type":"SpeechStarted","channel":[0,1]}`, `{"type":"TurnInfo","event":"EndOfTurn","transcript":"a","turn_index":1}`,
		`{"type":"Turn","end_of_turn":true,"turn_is_formatted":true,"transcript":"a"}`, `{"type":"transcript","is_final":true,"text":"a"}`, `{"type":"turn.end","transcript":"a"}`,
		`{"type":"conversation.item.input_audio_transcription.completed","transcript":"a","item_id":"i"}`, `{"type":"error","error":"x"}`,
		"data: {\"type\":\"transcript.text.done\",\"text\":\"a\"}\n\n", `{"text":"a"}`, "null", "[]", `{"channel":{"alternatives":[]}}`,
	} {
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, binary bool) {
		for _, p := range protocols {
			for _, on := range []bool{false, true} {
				c := Config{Protocol: p.name, Format: on, Force: on}
				r, failure, err := Read(c, Recorded{SpeechEnd: 1, Messages: []talk.Message{{At: 2, Binary: binary, Data: data}, {At: 3, Data: data}}, End: 4, Close: 1000})
				if err != nil || failure == nil && r.Outcome == pipeline.Error || failure != nil && r.Outcome != pipeline.Error {
					t.Errorf("%s: %s %q, failure %v, error %v", p.name, r.Outcome, r.Reason, failure, err)
				}
			}
		}
	})
}
