package converse

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/mockllm/server/voice/peer"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/talk"
)

func created(id string) string {
	return `{"type":"response.created","response":{"id":"` + id + `","status":"in_progress"}}`
}

func delta(id string) string {
	loud := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{0x48, 0x01}, 240)) // 10 ms
	return `{"type":"response.output_audio.delta","response_id":"` + id + `","item_id":"i","content_index":0,"delta":"` + loud + `"}`
}

func done(id, status, more string) string {
	return `{"type":"response.done","response":{"id":"` + id + `","status":"` + status + `"` + more + `}}`
}

func brief(r *pipeline.Answered) string {
	ms := peer.MS
	return fmt.Sprintf("created %s audible %s done %s samples %d text %q %s %s %q close %d end %s", ms(r.ResponseCreated), ms(r.FirstAudible), ms(r.ResponseDone), r.Samples, r.Text, r.Status, r.Outcome, r.Reason, r.Close, ms(r.End))
}

// TestBadSessions: 300 ms of speech and 100 ms of silence begin at 0, the first frame goes
// out at 100 and speech ends at 300.
func TestBadSessions(t *testing.T) {
	const usage = `,"usage":{"input_tokens":5,"output_tokens":7,"input_token_details":{"cached_tokens":3}}`
	tests := map[string]struct {
		script peer.Script
		want   string
	}{
		"whole":               {peer.Script{400 * msec, created("a"), 100 * msec, delta("a"), 10 * msec, done("a", "completed", usage), peer.Hangs{}}, `created 500 audible 600 done 610 samples 240 text "" completed ok "" close 1000 end 610`},
		"never":               {peer.Script{peer.Hangs{}}, `created - audible - done - samples 0 text ""  truncated "no answer began within 10s of the end of speech" close 1000 end 10300`},
		"never ends":          {peer.Script{400 * msec, created("a"), delta("a"), peer.Hangs{}}, `created 500 audible 500 done - samples 240 text ""  timeout "nothing came within 30s (--limit-gap)" close 0 end 30500`},
		"closes":              {peer.Script{400 * msec, created("a"), delta("a"), 10 * msec, peer.Closes(1000)}, `created 500 audible 500 done - samples 240 text ""  truncated "the session ended before the answer did: the server closed with code 1000: so it is" close 1000 end 510`},
		"closes with error":   {peer.Script{400 * msec, peer.Closes(1011)}, `created - audible - done - samples 0 text ""  error "the server closed with code 1011: so it is" close 1011 end 500`},
		"breaks off":          {peer.Script{400 * msec, created("a"), peer.Breaks{}}, `created 500 audible - done - samples 0 text ""  truncated "it broke off: websocket: close 1006 (abnormal closure): unexpected EOF" close 0 end 500`},
		"error":               {peer.Script{400 * msec, `{"type":"error","error":{"message":"no","code":"c"}}`, peer.Hangs{}}, `created - audible - done - samples 0 text ""  error "the server reports error c: no" close 1000 end 500`},
		"error without words": {peer.Script{400 * msec, `{"type":"error"}`, peer.Hangs{}}, `created - audible - done - samples 0 text ""  error "the server reports an error" close 1000 end 500`},
		"harmless error":      {peer.Script{400 * msec, `{"type":"error","error":{"code":"response_cancel_not_active"}}`, created("a"), delta("a"), done("a", "completed", ""), peer.Hangs{}}, `created 500 audible 500 done 500 samples 240 text "" completed ok "" close 1000 end 500`},
		"garbage":             {peer.Script{400 * msec, "{", peer.Hangs{}}, `created - audible - done - samples 0 text ""  error "a message that cannot be read: unexpected end of JSON input" close 0 end 500`},
		"bad base64":          {peer.Script{400 * msec, created("a"), `{"type":"response.output_audio.delta","response_id":"a","delta":"?"}`}, `created 500 audible - done - samples 0 text ""  error "audio that cannot be read: illegal base64 data at input byte 0" close 0 end 500`},
		"huge":                {peer.Script{400 * msec, strings.Repeat("x", 17<<20)}, `created - audible - done - samples 0 text ""  error "the server sends a message longer than 16 MiB" close 0 end 500`},
		"text alone":          {peer.Script{400 * msec, created("a"), `{"type":"response.output_text.delta","response_id":"a","delta":"hi"}`, done("a", "completed", ""), peer.Hangs{}}, `created 500 audible - done 500 samples 0 text "hi" completed error "no audio came" close 1000 end 500`},
		"beta's names":        {peer.Script{400 * msec, created("a"), strings.Replace(delta("a"), "output_audio", "audio", 1), `{"type":"response.audio_transcript.delta","response_id":"a","delta":"hi"}`, done("a", "completed", ""), peer.Hangs{}}, `created 500 audible 500 done 500 samples 240 text "hi" completed ok "" close 1000 end 500`},
		"failed":              {peer.Script{400 * msec, created("a"), done("a", "failed", `,"status_details":{"error":{"code":"server_error","message":"oh"}}`), peer.Hangs{}}, `created 500 audible - done 500 samples 0 text "" failed error "the server reports error server_error: oh" close 1000 end 500`},
		"incomplete":          {peer.Script{400 * msec, created("a"), delta("a"), done("a", "incomplete", `,"status_details":{"reason":"max_output_tokens"}`), peer.Hangs{}}, `created 500 audible 500 done 500 samples 240 text "" incomplete truncated "the answer is incomplete: max_output_tokens" close 1000 end 500`},
		"given up":            {peer.Script{400 * msec, created("a"), delta("a"), done("a", "cancelled", `,"status_details":{"reason":"turn_detected"}`), peer.Hangs{}}, `created 500 audible 500 done 500 samples 240 text "" cancelled truncated "the server gave the answer up: turn_detected" close 1000 end 500`},
		// The server takes a pause for the end of the turn, and gives that answer up.
		"false start": {peer.Script{100 * msec, created("a"), delta("a"), 50 * msec, done("a", "cancelled", ""), 300 * msec, created("b"), delta("a"), 10 * msec, delta("b"), done("a", "completed", ""), 10 * msec, done("b", "completed", ""), peer.Hangs{}}, `created 550 audible 560 done 570 samples 240 text "" completed ok "" close 1000 end 570`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, session(t, tt.script, nil), Config{}, func(r *rig) {
				a := r.speak(pipeline.Turn{Voice: spoken(0, 300*msec, 100*msec)}).wait()
				if got := brief(a); got != tt.want {
					t.Errorf("\n got %s\nwant %s", got, tt.want)
				}
				if name == "whole" && (a.InputTokens != 5 || a.OutputTokens != 7 || a.CachedTokens != 3) {
					t.Errorf("%d, %d and %d tokens, want 5, 7 and 3", a.InputTokens, a.OutputTokens, a.CachedTokens)
				}
			})
		})
	}
}

// TestStalls: once the answer has begun the server is to speak, whatever the client sends. Before
// it is ready it has the limit for a first byte.
func TestStalls(t *testing.T) {
	c := Config{}
	c.Limits.Gap, c.Limits.FirstByte = 3*time.Second, 4*time.Second
	for want, serve := range map[string]peer.Serve{
		"nothing came within 3s (--limit-gap) at 3510":              session(t, peer.Script{400 * msec, created("a"), delta("a"), 10 * msec, delta("a"), peer.Hangs{}}, nil),
		"no session.updated within 4s (--limit-first-byte) at 4000": peer.Session{Greets: []string{`{"type":"session.created"}`}, Script: peer.Script{peer.Hangs{}}}.Serve(t),
		" at 3500": session(t, peer.Script{400 * msec, created("a"), delta("a"), 3*time.Second - msec, delta("a"), msec, done("a", "completed", ""), peer.Hangs{}}, nil),
		"the model began to answer before the end of speech, and not within 10s of it at 10300": session(t, peer.Script{100 * msec, created("a"), delta("a"), 50 * msec, done("a", "cancelled", ""), peer.Hangs{}}, nil),
	} {
		bubble(t, serve, c, func(r *rig) {
			a := r.speak(pipeline.Turn{Voice: spoken(0, 300*msec, 100*msec)}).wait()
			if got := fmt.Sprintf("%s at %s", a.Reason, peer.MS(a.End)); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}

// TestRate: the session says how many samples a second the answers have; a rate that cannot be is
// none.
func TestRate(t *testing.T) {
	for rate, want := range map[string]string{"16000": "16000 15ms", "24000": "24000 10ms", "7": "24000 10ms", `"fast"`: "24000 10ms"} {
		s := peer.Session{
			Greets: []string{`{"type":"session.updated","session":{"audio":{"output":{"format":{"type":"audio/pcm","rate":` + rate + `}}}}}`},
			Begins: func(text string, _ bool) bool { return strings.Contains(text, "append") },
			Script: peer.Script{100 * msec, created("a"), done("a", "cancelled", ""), 300 * msec, created("b"), delta("b"), done("b", "completed", ""), peer.Hangs{}},
		}
		bubble(t, s.Serve(t), Config{}, func(r *rig) {
			a := r.speak(pipeline.Turn{Voice: spoken(0, 300*msec, 100*msec)}).wait()
			if got := fmt.Sprintf("%d %s", a.Rate, pipeline.SamplesLast(a.Samples, a.Rate)); got != want {
				t.Errorf("rate %s: %s, want %s", rate, got, want)
			}
		})
	}
}

// TestEvents: how an answer ended is told with its end.
func TestEvents(t *testing.T) {
	for more, want := range map[string]string{
		`failed","status_details":{"error":{"code":"server_error","message":"oh"}},"x":"`: "the server reports error server_error: oh",
		`incomplete","status_details":{"reason":"content_filter"},"x":"`:                  "the answer is incomplete: content_filter",
		"completed": "",
	} {
		bubble(t, session(t, peer.Script{400 * msec, created("a"), delta("a"), done("a", more, ""), peer.Hangs{}}, nil), Config{}, func(r *rig) {
			r.speak(pipeline.Turn{Voice: spoken(0, 300*msec, 100*msec)}).wait()
			r.client.Close()
			var last talk.Event
			if _, err := Retell(r.Kept()[0], func(e talk.Event) { last = e }); err != nil || last.Kind != talk.KindEnd || last.Text != want {
				t.Errorf("%+v, %v; want %q", last, err, want)
			}
		})
	}
}

// TestPatient: a patient speaker begins when the session is ready.
func TestPatient(t *testing.T) {
	for patient, want := range map[bool]string{false: "0..300 late 150", true: "250..550 late 0"} {
		serve := peer.Handle(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(250 * msec)
			up := websocket.Upgrader{}
			conn, err := up.Upgrade(w, r, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			_ = conn.WriteMessage(websocket.TextMessage, []byte(`{"type":"session.updated"}`))
			for range 5 {
				_, _, _ = conn.ReadMessage()
			}
		})
		bubble(t, serve, Config{Patient: patient}, func(r *rig) {
			a := &answered{Turn: pipeline.Turn{Voice: spoken(0, 300*msec, 100*msec), Record: pipeline.NewAnswered(r.ID(), 0)}, done: make(chan struct{})}
			a.Done = func() { close(a.done) }
			peer.Expect(r.Rig, a.Record.ID, &a.Record, outcome, retell)
			r.Do(func() { r.client.Start(&a.Turn) })
			got := a.wait()
			if text := fmt.Sprintf("%s..%s late %s", peer.MS(got.SpeechEnd-300*msec), peer.MS(got.SpeechEnd), peer.MS(got.Late)); text != want {
				t.Errorf("patient %t: %s, want %s", patient, text, want)
			}
		})
	}
}

// TestSession: what the client says to begin with, in both manners, and its key, which
// stands nowhere else.
func TestSession(t *testing.T) {
	for want, c := range map[string]Config{
		`{"session":{"audio":{"input":{"format":{"type":"audio/pcm","rate":24000},"transcription":{"language":"en","model":"t"},"turn_detection":{"silence_duration_ms":300,"type":"server_vad"}},"output":{"format":{"type":"audio/pcm","rate":24000},"voice":"marin"}},"instructions":"be kind","output_modalities":["audio"],"type":"realtime"},"type":"session.update"}`: {Transcriber: "t", Language: "en", EndSilence: 300 * msec, Voice: "marin", Instructions: "be kind"},
		`{"session":{"audio":{"input":{"format":{"type":"audio/pcm","rate":24000},"turn_detection":{"eagerness":"low","type":"semantic_vad"}},"output":{"format":{"type":"audio/pcm","rate":24000}}},"output_modalities":["audio"],"type":"realtime"},"type":"session.update"}`:                                                                                              {Eagerness: "low"},
		`{"session":{"input_audio_format":"pcm16","input_audio_transcription":{"model":"t"},"modalities":["audio","text"],"output_audio_format":"pcm16","turn_detection":null,"voice":"alloy"},"type":"session.update"}`:                                                                                                                                                     {Beta: true, Manual: true, Transcriber: "t", Voice: "alloy"},
	} {
		var said []string
		note := func(r *http.Request, text string) {
			said = append(said, text)
			if r.Header.Get("Authorization") != "Bearer s3cret-key" || strings.Contains(r.URL.String(), "s3cret") || (r.Header.Get("OpenAI-Beta") == "realtime=v1") != c.Beta {
				t.Errorf("%s with %v", r.URL, r.Header)
			}
		}
		bubble(t, session(t, peer.Script{400 * msec, created("a"), delta("a"), done("a", "completed", ""), `{"type":"conversation.item.input_audio_transcription.completed","transcript":"s3cret-key"}`, peer.Hangs{}}, note), c, func(r *rig) {
			r.speak(pipeline.Turn{Voice: spoken(0, 300*msec, 100*msec)}).wait()
			r.client.Close()
			if x := r.Kept()[0]; strings.Contains(fmt.Sprintf("%s %s %v", x.Ask, x.Body, *x), "s3cret") || x.Status != 101 || x.Protocol != Name {
				t.Errorf("kept %+v", x)
			}
		})
		if said[0] != want {
			t.Errorf("got  %s\nwant %s", said[0], want)
		}
		if commits := len(said) > 2; commits != c.Manual {
			t.Errorf("said %q", said)
		}
	}
}

func TestCancel(t *testing.T) {
	bubble(t, session(t, peer.Script{50 * msec, created("a"), delta("a"), peer.Hangs{}}, nil), Config{}, func(r *rig) {
		for range 2 {
			start := r.Now()
			a := r.speak(pipeline.Turn{Voice: spoken(0, 300*msec, 100*msec)})
			time.Sleep(250 * msec)
			r.Do(func() { r.client.Cancel(&a.Turn) })
			got := a.wait()
			r.Do(func() { r.client.Cancel(&a.Turn) })
			if got.Outcome != pipeline.Cancelled || got.End-start != 250*msec || got.Frames != 2 || got.CutIns != 1 || got.CutInPlayed != 10*msec {
				t.Errorf("%s at %s after %d frames, %d cut-ins, %s of them played", got.Outcome, got.End-start, got.Frames, got.CutIns, got.CutInPlayed)
			}
		}
		a := r.speak(pipeline.Turn{Voice: spoken(0, 300*msec, 100*msec)})
		time.Sleep(250 * msec)
		r.client.Close()
		if got := a.wait(); got.Outcome != pipeline.Cancelled || got.Reason != "the client was closed" {
			t.Errorf("%s %q", got.Outcome, got.Reason)
		}
	})
}

// TestCancelUnsent: what cannot be sent may be given up before that is told.
func TestCancelUnsent(t *testing.T) {
	bubble(t, session(t, nil, nil), Config{}, func(r *rig) {
		slow := spoken(0, 300*msec, 100*msec)
		slow.Rate = 16_000
		a := &answered{Turn: pipeline.Turn{Voice: slow, Record: pipeline.NewAnswered(r.ID(), 0)}, done: make(chan struct{})}
		a.Done = func() { close(a.done) }
		r.Do(func() { r.client.Start(&a.Turn); r.client.Cancel(&a.Turn) })
		if got := a.wait(); got.Outcome != pipeline.Dropped {
			t.Errorf("%s %q", got.Outcome, got.Reason)
		}
	})
}

// TestAfterwards: what the server takes for speech once it answers is not the turn that it
// answers; what it hears while it answers a pause is.
func TestAfterwards(t *testing.T) {
	stopped, committed := `{"type":"input_audio_buffer.speech_stopped"}`, `{"type":"input_audio_buffer.committed","item_id":"u"}`
	for want, script := range map[string]peer.Script{
		"stopped 450 committed 450": {350 * msec, stopped, committed, created("a"), 100 * msec, delta("a"), stopped, committed, done("a", "completed", ""), peer.Hangs{}},
		"stopped 500 committed 500": {100 * msec, stopped, committed, created("a"), 300 * msec, stopped, committed, done("a", "cancelled", ""), created("b"), delta("b"), done("b", "completed", ""), peer.Hangs{}},
	} {
		bubble(t, session(t, script, nil), Config{}, func(r *rig) {
			a := r.speak(pipeline.Turn{Voice: spoken(0, 300*msec, 100*msec)}).wait()
			if got := fmt.Sprintf("stopped %s committed %s", peer.MS(a.SpeechStopped), peer.MS(a.Committed)); got != want || a.Outcome != pipeline.OK {
				t.Errorf("got %s, want %s, %s", got, want, a.Outcome)
			}
		})
	}
}

// TestInterruptsAnswer: the user interrupts the answer, and none that the server has given up
// by then.
func TestInterruptsAnswer(t *testing.T) {
	script := peer.Script{100 * msec, created("a"), delta("a"), 50 * msec, done("a", "cancelled", ""), 300 * msec, created("b")}
	for range 10 { // 100 ms
		script = append(script, delta("b"))
	}
	script = append(script, 400*msec, done("b", "completed", ""), peer.Hangs{})
	bubble(t, session(t, script, nil), Config{}, func(r *rig) {
		over := spoken(0, 50*msec, 0)
		a := r.speak(pipeline.Turn{Voice: spoken(0, 300*msec, 100*msec), Interruption: &over, InterruptAfter: 80 * msec}).wait()
		// Audible at 550; the first frame after 630 has what is said from 630 on.
		if a.Interrupted != 630*msec {
			t.Errorf("interrupted at %s, want 630ms", a.Interrupted)
		}
	})
}

func TestDropped(t *testing.T) {
	good := spoken(0, 300*msec, 100*msec)
	slow, still := good, good
	slow.Rate, still.SpeechEnd = 16_000, pipeline.Unknown
	for want, turn := range map[string]pipeline.Turn{
		"the recording has 16000 samples a second: openai-realtime takes 24000": {Voice: slow},
		"the recording is empty": {Voice: good, Interruption: &pipeline.Voice{Rate: 24_000}},
		"where speech ends in a recording of 400ms is not known: nothing is answered without it": {Voice: still},
		"an interruption 1ms before the answer is heard":                                         {Voice: good, InterruptAfter: -msec},
	} {
		bubble(t, session(t, nil, nil), Config{}, func(r *rig) {
			if got := r.speak(turn).wait(); got.Outcome != pipeline.Dropped || got.Reason != want {
				t.Errorf("%s %q, want dropped, %q", got.Outcome, got.Reason, want)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	for want, c := range map[string]Config{
		"": {},
		`eagerness "x": want low, medium, high or auto`:               {Eagerness: "x"},
		"the turn ends by silence or by eagerness: want one of them":  {Eagerness: "low", EndSilence: 1},
		"a manual turn has no silence or eagerness that ends it":      {Manual: true, EndSilence: 1},
		"frames of 1ms: want 20ms to 1s":                              {Frame: msec},
		"a commit 1ms before the end of speech: want a time after it": {CommitAfter: -msec},
	} {
		c.URL = "wss://api.test/v1/realtime"
		got := ""
		if err := c.Check(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// FuzzEvents: no message breaks a turn. Nothing goes anywhere.
func FuzzEvents(f *testing.F) {
	for _, seed := range []string{
		created("a"), delta("a"), done("a", "completed", ""), done("", "cancelled", `,"usage":{"input_tokens":null}`), `{"type":"error"}`, `{"type":"session.updated"}`,
		`{"type":"conversation.item.input_audio_transcription.completed","transcript":"a"}`, `{"type":"input_audio_buffer.speech_started"}`, `{"response":null}`, "null", "[]",
	} {
		f.Add([]byte(created("a")), []byte(seed), []byte(delta("a")))
	}
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		loop := pipeline.NewWall()
		client, err := NewClient(Config{Config: talk.Config{URL: "ws://127.0.0.1:1"}, Model: "m"}, loop)
		if err != nil {
			t.Fatal(err)
		}
		turn := pipeline.Turn{Record: pipeline.NewAnswered(1, 0), Done: func() {}, Voice: spoken(0, msec, 0), Begin: pipeline.Unknown}
		on := newCall(client)
		on.line = &talk.Line{}
		on.enter(newFlight(client, &turn))
		for i, data := range [][]byte{a, b, c} {
			e, err := read(talk.Message{Data: data})
			if err == nil {
				on.take(&e, time.Duration(i))
			}
		}
		on.land(&talk.End{Transport: pipeline.NewTransport()})
		client.Close()
	})
}
