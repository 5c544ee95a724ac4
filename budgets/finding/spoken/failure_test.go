package spoken

import (
	"encoding/base64"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/budgets/finding"
	"halfsecond/mockllm/server/voice/peer"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/audition"
	"halfsecond/pipeline/endpoint/audition/heard"
)

// TestNamed: what services call errors, and what their words mean. What an error is called
// beats the code with which the session then closes.
func TestNamed(t *testing.T) {
	for _, c := range []struct {
		reason string
		close  int
		want   string
	}{
		{"the server reports error rate_limit_exceeded: You exceeded your current quota", 0, "rate_limit"},
		{"the server reports error rate_limit_error: words", 1000, "rate_limit"},
		{"the server reports error concurrency_limited: words", 0, "rate_limit"},
		{"the server reports error session_expired: Your session hit the maximum duration of 60 minutes.", 1001, "session_expired"},
		{"the server reports error internal_error: words", 1000, "server_error"},
		{"the server reports error server_error", 1011, "server_error"},
		{"the server reports error INTERNAL_SERVER_ERROR: words", 0, "server_error"},
		{"the server reports error server_error: The model is overloaded", 0, "overloaded"},
		{"the server reports error server_overloaded: words", 1013, "overloaded"},
		{"the server reports error insufficient_quota: words", 1000, "payment"},
		{"the server reports error quota_exceeded: words", 0, "payment"},
		{"the server reports error invalid_api_key: words", 1000, "key"},
		{"the server reports error model_not_found: words", 1000, "model"},
		{"the server reports error voice_not_found: words", 1000, "voice"},
		{"the server reports error max_character_limit_exceeded: words", 0, "too_long"},
		{"the server reports error odd_thing: words", 1011, "error_in_session"},
		{"the server reports an error: words", 1011, "server_error"},
		{"the server reports error 1008: no such model", 1008, "model"},
		{"the server reports an error: the model is loading", 0, "overloaded"},
		{"the server reports an error: Loading model", 0, "overloaded"},
		{"the server reports an error: the sound was remodeled", 0, "error_in_session"},
		{"the server reports an error: an invoice is due", 0, "error_in_session"},
		{"the server reports an error: in the middle of it", 0, "error_in_session"},
		{"the server reports an error: we have no models of that name", 0, "model"},
		{"the server reports an error: the session was idle", 0, "idle_close"},
	} {
		r := pipeline.NewAnswered(1, 0)
		r.Outcome, r.Reason, r.Close, r.Transport.Status = pipeline.Error, c.reason, c.close, 101
		e := &heard.Endpoint{Kind: heard.Converses, Protocol: "openai-realtime", KeyGiven: true, Sessions: []heard.Session{{ID: 1, Answered: &r}}}
		if got := names(Of(e)); !slices.Equal(got, []string{c.want + " broken"}) {
			t.Errorf("%s, closed with %d: %q, want %s", c.reason, c.close, got, c.want)
		}
	}
}

// TestMoreScripts: what goes wrong, what it is called, and what cures it.
func TestMoreScripts(t *testing.T) {
	const (
		begun     = `{"type":"response.created","response":{"id":"a"}}`
		started   = `{"type":"input_audio_buffer.speech_started"}`
		stopped   = `{"type":"input_audio_buffer.speech_stopped"}`
		committed = `{"type":"input_audio_buffer.committed"}`
	)
	failing := func(status, details string) peer.Serve {
		return session(t, 2700*msec, stopped, begun, `{"type":"response.done","response":{"id":"a","status":"`+status+`","status_details":`+details+`}}`, peer.Hangs{})
	}
	pcm := map[string]string{"Content-Type": "audio/pcm"}
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 96_000)
	for i := range noise {
		noise[i] = byte(random.Int())
	}
	slowly := []any{}
	for range 10 {
		slowly = append(slowly, loud(100*msec), 200*msec)
	}
	late := strings.Replace(ended, "hello there", "  ", 1)
	for name, tt := range map[string]struct {
		protocol string
		serve    peer.Serve
		want     []string
		says     string // somewhere in the first finding
	}{
		"limit of a rate":       {"openai-realtime", session(t, `{"type":"error","error":{"type":"tokens","code":"rate_limit_exceeded","message":"no"}}`, peer.Closes(1001)), []string{"rate_limit broken"}, ""},
		"an answer's limit":     {"openai-realtime", failing("failed", `{"error":{"type":"server_error","code":"rate_limit_exceeded","message":"no"}}`), []string{"rate_limit broken"}, "no"},
		"an answer's failure":   {"openai-realtime", failing("failed", `{"error":{"type":"server_error","code":null,"message":"no"}}`), []string{"server_error broken"}, ""},
		"a filter":              {"openai-realtime", failing("incomplete", `{"reason":"content_filter"}`), []string{"incomplete broken"}, "a filter of the vendor's ended the answer"},
		"a limit of tokens":     {"openai-realtime", failing("incomplete", `{"reason":"max_output_tokens"}`), []string{"incomplete broken"}, "raise max_output_tokens"},
		"another reason":        {"openai-realtime", failing("incomplete", `{"reason":"why"}`), []string{"incomplete broken"}, "the answer is incomplete: why"},
		"given up":              {"openai-realtime", failing("cancelled", `{"reason":"turn_detected"}`), []string{"incomplete broken"}, "interrupt_response"},
		"never heard":           {"openai-realtime", session(t, peer.Hangs{}), []string{"no_answer broken"}, "the server never heard speech"},
		"never over":            {"openai-realtime", session(t, 500*msec, started, peer.Hangs{}), []string{"no_answer broken"}, "and never its end"},
		"never begun":           {"openai-realtime", session(t, 500*msec, started, 2200*msec, stopped, committed, peer.Hangs{}), []string{"no_answer broken"}, "create_response"},
		"words alone":           {"openai-realtime", session(t, 2700*msec, stopped, begun, `{"type":"response.output_text.delta","response_id":"a","delta":"hi"}`, `{"type":"response.done","response":{"id":"a","status":"completed"}}`, peer.Hangs{}), []string{"no_audio broken"}, "output_modalities"},
		"nothing in it":         {"openai-speech", responds(200, pcm, ""), []string{"no_audio broken"}, "0 messages or pieces, 0 bytes"},
		"closes in its midst":   {"deepgram-listen", session(t, 800*msec, partial, peer.Closes(1000)), []string{"cut broken"}, "the server itself closed the session before it was over"},
		"its words":             {"deepgram-listen", session(t, 800*msec, partial, peer.Closes(1000)), []string{"cut broken"}, "the server closed with code 1000: so it is"},
		"loading":               {"openai-speech", responds(200, map[string]string{"Content-Type": "application/json"}, `{"error":{"message":"model is loading"}}`), []string{"overloaded broken"}, "answered in words"},
		"loading, by status":    {"openai-speech", responds(400, nil, `{"error":{"message":"model is loading"}}`), []string{"overloaded broken"}, ""},
		"quota, by status":      {"elevenlabs-stream", responds(401, nil, `{"detail":{"status":"quota_exceeded","message":"no"}}`), []string{"payment broken"}, ""},
		"base64":                {"openai-speech", responds(200, map[string]string{"Content-Type": "application/json"}, `{"audio":"`+base64.StdEncoding.EncodeToString(loud(time.Second))+`"}`), []string{"audio_in_json broken"}, "base64"},
		"a page in the midst":   {"openai-speech", responds(200, pcm, string(loud(2*time.Second))+"<html>502</html>"), []string{"cut broken"}, "a web page came in its place"},
		"an error in the midst": {"openai-speech", responds(200, pcm, string(loud(2*time.Second))+`{"error":{"message":"oh","type":"server_error"}}`), []string{"server_error broken"}, "oh"},
		"words of an event":     {"cartesia-sse", responds(200, map[string]string{"Content-Type": "text/event-stream"}, "data: {\"error_code\":\"internal_error\",\"title\":\"Internal\",\"message\":\"oh\"}\n\n"), []string{"server_error broken"}, "the server reports error internal_error: oh"},
		"elsewhere by HTTP":     {"openai-speech", responds(307, map[string]string{"Location": "http://x/"}, ""), []string{"redirect broken"}, "nothing was sent there"},
		"a page":                {"deepgram-listen", responds(200, map[string]string{"Content-Type": "text/html"}, "<html>"), []string{"no_upgrade broken"}, "session 1: HTTP 200"},
		"an extension":          {"deepgram-listen", peer.Extends(t), []string{"no_upgrade broken"}, "permessage-deflate"},
		"an early header":       {"openai-speech", peer.Handle(peer.Body("audio/pcm", peer.Script{[]byte(header(24_000)), 100 * msec, loud(2 * time.Second)})), []string{"header_in_raw misleading", "first_byte note"}, ""},
		"noise":                 {"openai-speech", responds(200, pcm, string(noise)), []string{"noise note"}, "swapped"},
		"slow, and never over":  {"deepgram-speak", session(t, append(slowly, peer.Hangs{})...), []string{"timeout broken", "underruns slow"}, "raise --limit-gap 30s"},
		"never ends":            {"openai-speech", peer.Handle(peer.Body("audio/pcm", endless())), []string{"timeout broken", "odd_length misleading"}, "raise --limit-whole 2m0s"},
		"blank":                 {"deepgram-listen", session(t, 2800*msec, late, peer.Hangs{}), []string{"no_final broken"}, ""},
		"again, late":           {"deepgram-listen", session(t, 800*msec, partial, 1900*msec, ended, 250*msec, ended, bye, peer.Hangs{}), []string{"final_twice misleading"}, ""},
		"never parts":           {"deepgram-listen", session(t, 800*msec, partial, 1900*msec, ended, peer.Hangs{}), []string{"slow_parting note"}, "it went on for 5,0"},
		"never ready":           {"assemblyai", peer.Session{Script: peer.Script{peer.Hangs{}}}.Serve(t), []string{"timeout broken"}, "Begin did not come"},
		"greets alone":          {"openai-realtime", peer.Session{Greets: []string{`{"type":"session.created"}`}, Script: peer.Script{peer.Hangs{}}}.Serve(t), []string{"timeout broken"}, "it said session.created"},
		"stalls":                {"openai-realtime", session(t, 2700*msec, stopped, begun, peer.Hangs{}), []string{"timeout broken"}, "the answer came to a stop"},
	} {
		t.Run(name, func(t *testing.T) {
			e, found := examine(t, tt.serve, audition.Config{Protocol: tt.protocol})
			if got := names(found); !slices.Equal(got, tt.want) {
				t.Fatalf("found %q, want %q\n%+v", got, tt.want, found)
			}
			if all := told(found[0]); !strings.Contains(all, tt.says) {
				t.Errorf("%s\nwant %s in it", all, tt.says)
			}
			if !Measured(e) {
				t.Error("nothing was measured")
			}
		})
	}
}

func told(f finding.Finding) string {
	return f.Title + "\n" + strings.Join(f.Evidence, "\n") + "\n" + f.Fix
}

// endless is audio that does not end.
func endless() (s peer.Script) {
	for range 150 {
		s = append(s, loud(time.Second), time.Second)
	}
	return append(s, peer.Hangs{})
}

// TestLimits: the flag of a limit that was met, and the value that it had.
func TestLimits(t *testing.T) {
	for reason, want := range map[string]string{
		"no connection within 5s (--limit-connect)":                      "--limit-connect 5s",
		"no answer to the TLS handshake within 5s (--limit-connect)":     "--limit-connect 5s",
		"no response within 45s (--limit-first-byte)":                    "--limit-first-byte 45s",
		"no session.updated within 4s (--limit-first-byte)":              "--limit-first-byte 4s",
		"nothing came within 3s (--limit-gap)":                           "--limit-gap 3s",
		"the server did not read within 3s (--limit-gap)":                "--limit-gap 3s",
		"no end within 21.245s (--limit-whole 8s, and 13.245s for that)": "--limit-whole 8s",
		"no end within 8s (--limit-whole)":                               "--limit-whole 8s",
		"it broke off":                                                   "",
	} {
		if got := limitOf(reason); got != want {
			t.Errorf("%s: %q, want %q", reason, got, want)
		}
	}
}

// TestUntold says why a wait for silence is not told from recognition.
func TestUntold(t *testing.T) {
	b := healthy
	b.silence, b.tail = 900*msec, 900*msec
	for _, c := range []struct {
		protocol string
		sessions int
		want     string
	}{
		{"deepgram-listen", 1, "hold 2 sessions (--requests 2)"},
		{"cartesia-turns", 1, "this protocol has no way to ask for it"},
		{"cartesia-turns", 2, "this protocol has no way to ask for it"},
	} {
		v := &view{Endpoint: &heard.Endpoint{Protocol: c.protocol, Sessions: make([]heard.Session, c.sessions)}}
		if got := v.untold(); !strings.Contains(got, c.want) {
			t.Errorf("%s, %d sessions: %s", c.protocol, c.sessions, got)
		}
	}
	v := &view{Endpoint: &heard.Endpoint{Protocol: "deepgram-listen", Sessions: []heard.Session{{}, {Forced: true}}}}
	if got := v.untold(); !strings.Contains(got, "did not end well") {
		t.Error(got)
	}
	_, found := examine(t, b.serve(t), audition.Config{Protocol: "deepgram-listen", Sessions: 1})
	if len(found) != 1 || found[0].ID != "slow_final" || !strings.Contains(found[0].Evidence[0], "--requests 2") {
		t.Errorf("%+v", found)
	}
}

// TestNotTheTester: text that waited for a connection was not sent late by this machine.
func TestNotTheTester(t *testing.T) {
	for ready, want := range map[time.Duration][]string{500 * msec: nil, 10 * msec: {"sent_late note"}} {
		r := pipeline.NewSpeech(1, 0)
		r.Ready, r.Transport.Status = ready, 101
		e := &heard.Endpoint{Kind: heard.Speaks, Protocol: "deepgram-speak", Sessions: []heard.Session{{ID: 1, Speech: &r, Pace: heard.Pace{Frames: 1, Late: 510 * msec}}}}
		if got := names(tester(newView(e))); !slices.Equal(got, want) {
			t.Errorf("ready at %s: %q, want %q", ready, got, want)
		}
	}
}
