package spoken

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/budgets/finding"
	"halfsecond/mockllm/server/voice"
	"halfsecond/mockllm/server/voice/peer"
	realtimemock "halfsecond/mockllm/server/voice/realtime"
	"halfsecond/mockllm/speech"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/endpoint/audition"
	"halfsecond/pipeline/endpoint/audition/heard"
	"halfsecond/pipeline/endpoint/talk"
)

const msec = time.Millisecond

type closer struct{}

func (closer) Close() {}

// examine has an endpoint of a protocol examined in a bubble, two sessions of it.
func examine(t *testing.T, serve peer.Serve, c audition.Config) (e *heard.Endpoint, found []finding.Finding) {
	t.Helper()
	peer.Bubble(t, serve, func(*peer.Rig) (closer, error) { return closer{}, nil }, func(r *peer.Rig, _ closer) {
		r.Reach(&c.Reach)
		c.Loop, c.Sessions, c.Model = r.Loop, cmp.Or(c.Sessions, 2), model(c.Protocol)
		if audition.KindOf(c.Protocol) == heard.Speaks {
			c.Voice, c.Text = "v", "A text of forty characters, more or less"
		} else {
			c.Samples = peer.Spoken(audition.Rate(c.Protocol, 16_000), 500*msec, 2000*msec, 300*msec)
			c.Recording = heard.Recording{Rate: c.Samples.Rate, Length: c.Samples.Length(), SpeechFrom: 500 * msec, SpeechTo: 2500 * msec}
		}
		var err error
		if e, err = audition.Run(r.T.Context(), c); err != nil {
			t.Fatal(err)
		}
		found = Of(e)
		for _, f := range found {
			if text := fmt.Sprint(f); strings.Contains(text, peer.Key) || f.Title == "" || f.Fix == "" || len(f.Evidence) == 0 {
				t.Errorf("a finding with the key in it, or with something missing: %s", text)
			}
		}
	})
	return e, found
}

func model(protocol string) string {
	if protocol == "deepgram-flux" {
		return "flux-general-en"
	}
	return "m"
}

// behaviour is how the mock hears, speaks and answers.
type behaviour struct {
	tail, silence time.Duration // of a final, and that ends a turn
	every         time.Duration // between interims
	first, lead   time.Duration // of speech
	speed         float64
	think         time.Duration // of an answer
	chunk         time.Duration
	interim       time.Duration
}

// healthy is one of which there is nothing to say.
var healthy = behaviour{tail: 200 * msec, silence: 300 * msec, every: 500 * msec, first: 150 * msec, lead: 50 * msec, speed: 2, think: 250 * msec, interim: 40 * msec}

func (b behaviour) serve(t *testing.T) peer.Serve {
	says := speech.TTS{FirstByte: dist.Constant(b.first), Speed: b.speed, Chunk: b.chunk, Lead: b.lead}
	return peer.Mock(t, voice.Config{
		STT: func(string) speech.STT {
			return speech.STT{Final: dist.Constant(b.tail), Interim: dist.Constant(b.interim), Every: b.every, MaxSpan: 5 * time.Second, Turn: speech.Turn{Silence: b.silence}}
		},
		TTS: func(string) speech.TTS { return says },
		Realtime: func(model string) realtimemock.Model {
			return realtimemock.Model{Name: model, FirstAudio: dist.Constant(b.think), FirstText: dist.Constant(b.think), Token: 10 * msec, Voice: says}
		},
		Transcript: []string{"hello there good day"}, Replies: []string{"A text of forty characters, more or less"},
	})
}

// names returns findings as "id severity".
func names(found []finding.Finding) (all []string) {
	for _, f := range found {
		all = append(all, f.ID+" "+string(f.Severity))
	}
	return all
}

// TestHealthy: of an endpoint that does well there is nothing to say but what its protocol
// brings with it.
func TestHealthy(t *testing.T) {
	want := map[string][]string{
		"openai-transcriptions":         {"no_partials note"}, // text begins when the upload has ended
		"openai-realtime-transcription": {"no_partials note"}, // and here when the turn has
	}
	for _, p := range audition.Protocols() {
		e, found := examine(t, healthy.serve(t), audition.Config{Protocol: p})
		if got := names(found); !slices.Equal(got, want[p]) {
			t.Errorf("%s: found %q, want %q\n%v", p, got, want[p], found)
		}
		if finding.Wrong(found) || !Measured(e) {
			t.Errorf("%s: wrong %t, measured %t", p, finding.Wrong(found), Measured(e))
		}
	}
}

// TestMock changes one thing at a time.
func TestMock(t *testing.T) {
	for name, tt := range map[string]struct {
		protocol string
		change   func(b *behaviour)
		want     []string
		title    string
	}{
		"long silence":        {"deepgram-listen", func(b *behaviour) { b.silence = 900 * msec }, []string{"endpoint_wait slow"}, "the final text waits 720 ms for silence to go on, not for recognition"},
		"slow recognition":    {"deepgram-listen", func(b *behaviour) { b.tail = 800 * msec }, []string{"slow_final slow"}, "recognition takes 800 ms after the end of speech"},
		"slow upload":         {"openai-transcriptions", func(b *behaviour) { b.tail = 800 * msec }, []string{"slow_final slow", "no_partials note"}, ""},
		"nobody can tell":     {"cartesia-turns", func(b *behaviour) { b.silence, b.tail = 900*msec, 900*msec }, []string{"slow_final slow"}, "the final text comes late after the end of speech"},
		"late partials":       {"deepgram-listen", func(b *behaviour) { b.every = 1600 * msec }, []string{"late_partial slow"}, ""},
		"no partials":         {"deepgram-listen", func(b *behaviour) { b.every = 30 * time.Second }, []string{"no_partials note"}, ""},
		"leading silence":     {"openai-speech", func(b *behaviour) { b.lead = 250 * msec }, []string{"leading_silence slow"}, "the speech begins with 250 ms of silence"},
		"its leading silence": {"openai-realtime", func(b *behaviour) { b.lead = 250 * msec }, []string{"leading_silence slow"}, ""},
		"too slow to play":    {"deepgram-speak", func(b *behaviour) { b.speed = .5 }, []string{"underruns slow"}, "audio comes more slowly than it plays: a player runs dry"},
		"whole":               {"cartesia-socket", func(b *behaviour) { b.first, b.speed = 900*msec, 0 }, []string{"held_whole slow"}, ""},
		"whole, and at once":  {"cartesia-socket", func(b *behaviour) { b.speed = 0 }, nil, ""},
		"turn of a realtime":  {"openai-realtime", func(b *behaviour) { b.think = 700 * msec }, []string{"slow_answer slow"}, "the answer begins to sound 700 ms after it was begun"},
	} {
		t.Run(name, func(t *testing.T) {
			b := healthy
			tt.change(&b)
			_, found := examine(t, b.serve(t), audition.Config{Protocol: tt.protocol})
			if got := names(found); !slices.Equal(got, tt.want) || tt.title != "" && found[0].Title != tt.title {
				t.Errorf("found %q, want %q, %q\n%v", got, tt.want, tt.title, found)
			}
		})
	}
}

// responds serves one answer to whatever is posted.
func responds(status int, header map[string]string, body string) peer.Serve {
	return peer.Handle(func(w http.ResponseWriter, _ *http.Request) {
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	})
}

// loud returns so much audio that can be heard, 24,000 samples a second.
func loud(d time.Duration) []byte {
	return bytes.Repeat([]byte{0, 0x20}, int(d*24_000/time.Second))
}

// header is that of a WAV of such a rate.
func header(rate uint32) string {
	b := []byte("RIFF\xff\xff\xff\xffWAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x10\x00data\xff\xff\xff\xff")
	binary.LittleEndian.PutUint32(b[24:], rate)
	return string(b)
}

// session serves a script once there is audio or text.
func session(t *testing.T, s ...any) peer.Serve {
	v := peer.Session{Script: s, Greets: []string{`{"type":"session.updated"}`, `{"type":"Begin"}`}}
	v.Begins = func(text string, binary bool) bool {
		return binary || strings.Contains(text, "append") || strings.Contains(text, "Speak")
	}
	return v.Serve(t)
}

const (
	partial = `{"type":"Results","is_final":false,"channel":{"alternatives":[{"transcript":"hello"}]}}`
	unended = `{"type":"Results","is_final":true,"channel":{"alternatives":[{"transcript":"hello there"}]}}`
	ended   = `{"type":"Results","is_final":true,"speech_final":true,"channel":{"alternatives":[{"transcript":"hello there"}]}}`
	bye     = `{"type":"Metadata"}`
)

// spoken is a final text of a stretch of audio in seconds, and turn one of a turn.
func spoken(start, duration float64) string {
	return fmt.Sprintf(`{"start":%g,"duration":%g,%s`, start, duration, ended[1:])
}

func turn(order int) string {
	return fmt.Sprintf(`{"type":"Turn","turn_order":%d,"end_of_turn":true,"transcript":"hello there"}`, order)
}

// TestScripts: what goes wrong, and what it is called. The script of a service that hears
// begins at 20 ms, with the first frame; the speech ends at 2500.
func TestScripts(t *testing.T) {
	delta := `{"type":"response.output_audio.delta","response_id":"a","item_id":"i","delta":"` + base64.StdEncoding.EncodeToString(loud(time.Second)) + `"}`
	for name, tt := range map[string]struct {
		protocol string
		samples  string
		serve    peer.Serve
		want     []string
	}{
		"no key":                 {"deepgram-listen", "", responds(401, nil, `{"err_msg":"no"}`), []string{"key broken"}},
		"no key by HTTP":         {"openai-speech", "", responds(403, nil, `{"error":{"message":"no"}}`), []string{"key broken"}},
		"no credit":              {"elevenlabs-stream", "", responds(402, nil, ""), []string{"payment broken"}},
		"rate":                   {"openai-realtime", "", responds(429, map[string]string{"Retry-After": "3"}, ""), []string{"rate_limit broken"}},
		"elsewhere":              {"deepgram-speak", "", responds(307, map[string]string{"Location": "http://x/"}, ""), []string{"redirect broken"}},
		"no upgrade":             {"assemblyai", "", responds(200, nil, "hello"), []string{"no_upgrade broken"}},
		"model":                  {"deepgram-listen", "", responds(400, nil, `{"err_msg":"no such model"}`), []string{"model broken"}},
		"voice":                  {"elevenlabs-stream", "", responds(404, nil, `{"detail":"voice not found"}`), []string{"voice broken"}},
		"path":                   {"cartesia-turns", "", responds(404, nil, "nothing here"), []string{"path broken"}},
		"failed":                 {"openai-transcriptions", "", responds(500, nil, "oh"), []string{"server_error broken"}},
		"failed model":           {"openai-speech", "", responds(503, nil, `{"error":{"message":"The model is overloaded"}}`), []string{"overloaded broken"}},
		"refused":                {"openai-transcriptions", "", responds(422, nil, "what?"), []string{"refused broken"}},
		"mp3":                    {"openai-speech", "", responds(200, map[string]string{"Content-Type": "audio/mpeg"}, "ID3"), []string{"compressed broken"}},
		"no audio":               {"openai-speech", "", responds(200, map[string]string{"Content-Type": "audio/pcm"}, ""), []string{"no_audio broken"}},
		"silent":                 {"openai-speech", "", responds(200, map[string]string{"Content-Type": "audio/pcm"}, string(make([]byte, 96_000))), []string{"silent broken"}},
		"header in raw":          {"openai-speech", "", responds(200, map[string]string{"Content-Type": "audio/pcm"}, header(24_000)+string(loud(2*time.Second))), []string{"header_in_raw misleading"}},
		"other rate":             {"openai-speech", "wav", responds(200, map[string]string{"Content-Type": "audio/wav"}, header(16_000)+string(loud(2*time.Second))), []string{"sample_rate misleading"}},
		"other rate in the type": {"openai-speech", "", responds(200, map[string]string{"Content-Type": "audio/pcm;rate=16000"}, string(loud(2*time.Second))), []string{"sample_rate misleading"}},
		"odd length":             {"openai-speech", "", responds(200, map[string]string{"Content-Type": "audio/pcm"}, string(loud(20*time.Second))), []string{"odd_length misleading"}},
		"header first":           {"openai-speech", "wav", peer.Handle(peer.Body("audio/wav", peer.Script{[]byte(header(24_000)), 100 * msec, loud(2 * time.Second)})), []string{"first_byte note"}},
		"clumps":                 {"deepgram-speak", "", session(t, loud(time.Second), 1500*msec, loud(time.Second), `{"type":"Flushed"}`, peer.Hangs{}), []string{"underruns slow"}},
		"never a final":          {"deepgram-listen", "", session(t, 800*msec, partial, peer.Hangs{}), []string{"no_final broken"}},
		"nothing heard":          {"deepgram-listen", "", session(t, 5*time.Second, `{"type":"Metadata"}`, peer.Hangs{}), []string{"no_final broken"}},
		"ends in mid-speech":     {"deepgram-listen", "", session(t, `{"type":"Metadata"}`, peer.Hangs{}), []string{"cut broken"}},
		"nothing said":           {"deepgram-listen", "", peer.Session{Script: peer.Script{peer.Hangs{}}}.Serve(t), []string{"nothing_said broken"}},
		"no answer to a text":    {"elevenlabs-socket", "", peer.Session{Script: peer.Script{peer.Hangs{}}}.Serve(t), []string{"timeout broken"}},
		"never flagged":          {"deepgram-listen", "", session(t, 800*msec, partial, 1900*msec, unended, 3200*msec, bye, peer.Hangs{}), []string{"never_flagged broken"}},
		"twice":                  {"deepgram-listen", "", session(t, 800*msec, partial, 1900*msec, ended, ended, bye, peer.Hangs{}), []string{"final_twice misleading"}},
		"in a pause":             {"deepgram-listen", "", session(t, 800*msec, ended, 1900*msec, partial, ended[:60]+strings.Replace(ended[60:], "hello", "good", 1), bye, peer.Hangs{}), []string{"turn_cut note", "no_partials note"}},
		"closed idle":            {"deepgram-listen", "", session(t, 100*msec, peer.Closes(1011)), []string{"server_error broken"}},
		"its error":              {"deepgram-listen", "", session(t, `{"type":"Error","description":"what is that?"}`), []string{"error_in_session broken"}},
		"breaks off":             {"openai-realtime", "", session(t, 100*msec, peer.Breaks{}), []string{"cut broken"}},
		"garbage":                {"openai-realtime", "", session(t, 100*msec, "{"), []string{"unreadable broken"}},
		"wrong acceptance":       {"deepgram-listen", "", responds(101, map[string]string{"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": "AAAA"}, ""), []string{"no_upgrade broken"}},
		"another protocol":       {"deepgram-listen", "", session(t, 100*msec, "hello"), []string{"unreadable broken"}},
		"binary":                 {"deepgram-listen", "", session(t, 100*msec, []byte("hello")), []string{"unreadable broken"}},
		"rate limited":           {"openai-realtime", "", session(t, 100*msec, `{"type":"error","error":{"type":"invalid_request_error","code":"rate_limit_exceeded","message":"wait"}}`), []string{"rate_limit broken"}},
		"expired":                {"openai-realtime", "", session(t, 100*msec, `{"type":"error","error":{"type":"invalid_request_error","code":"session_expired","message":"60 minutes"}}`), []string{"session_expired broken"}},
		"failed in a session":    {"openai-realtime", "", session(t, 100*msec, `{"type":"error","error":{"type":"server_error","code":"internal_error","message":"oh"}}`), []string{"server_error broken"}},
		"overloaded":             {"openai-realtime", "", session(t, 100*msec, `{"type":"error","error":{"type":"server_error","code":"overloaded","message":"try again"}}`), []string{"overloaded broken"}},
		"nothing in an upload":   {"openai-transcriptions", "", responds(200, map[string]string{"Content-Type": "application/json"}, `{"text":""}`), []string{"no_final broken"}},
		"half an upload":         {"openai-transcriptions", "", responds(200, map[string]string{"Content-Type": "text/event-stream"}, "data: {\"type\":\"transcript.text.delta\",\"delta\":\"a\"}\n\n"), []string{"cut broken", "no_partials note"}},
		"breaks off at once":     {"deepgram-listen", "", session(t, peer.Breaks{}), []string{"cut broken"}},
		"breaks off midway":      {"deepgram-listen", "", session(t, 800*msec, partial, peer.Breaks{}), []string{"cut broken"}},
		"breaks off after early": {"deepgram-listen", "", session(t, 800*msec, ended, peer.Breaks{}), []string{"cut broken", "turn_cut note"}},
		"closes midway":          {"deepgram-listen", "", session(t, 800*msec, partial, peer.Closes(1000)), []string{"cut broken"}},
		"empty final":            {"deepgram-listen", "", session(t, 2800*msec, strings.Replace(ended, "hello there", "", 1), peer.Hangs{}), []string{"no_final broken"}},
		"words for audio":        {"openai-speech", "", responds(200, map[string]string{"Content-Type": "application/json"}, `{"error":{"message":"voice not found: v"}}`), []string{"voice broken"}},
		"a page for audio":       {"openai-speech", "", responds(200, map[string]string{"Content-Type": "text/html"}, `<html>Welcome</html>`), []string{"path broken"}},
		"mp3 as samples":         {"openai-speech", "", responds(200, map[string]string{"Content-Type": "audio/pcm"}, "ID3\x04"+string(loud(2*time.Second))), []string{"compressed broken"}},
		"said twice":             {"deepgram-listen", "", session(t, 800*msec, spoken(0, 1), 1900*msec, spoken(1, 1.5), bye, peer.Hangs{}), []string{"turn_cut note", "no_partials note"}},
		"of one stretch":         {"deepgram-listen", "", session(t, 2600*msec, spoken(0, 2.5), 320*msec, spoken(0, 2.5), bye, peer.Hangs{}), []string{"final_twice misleading", "no_partials note"}},
		"turns of one text":      {"assemblyai", "", session(t, 800*msec, turn(0), 1900*msec, turn(1), `{"type":"Termination"}`, peer.Hangs{}), []string{"turn_cut note", "no_partials note"}},
		"a turn twice":           {"assemblyai", "", session(t, 2600*msec, turn(0), 100*msec, turn(0), `{"type":"Termination"}`, peer.Hangs{}), []string{"final_twice misleading", "no_partials note"}},
		"into the speech": {"openai-realtime", "", session(t, 800*msec, `{"type":"input_audio_buffer.speech_stopped"}`, `{"type":"response.created","response":{"id":"a"}}`, 100*msec, delta,
			`{"type":"response.done","response":{"id":"a","status":"completed"}}`, peer.Hangs{}), []string{"no_answer broken", "turn_cut note"}},
		"stopped late": {"openai-realtime", "", session(t, 3500*msec, `{"type":"input_audio_buffer.speech_stopped"}`, `{"type":"response.created","response":{"id":"a"}}`, 100*msec, delta,
			`{"type":"response.done","response":{"id":"a","status":"completed"}}`, peer.Hangs{}), []string{"endpoint_wait slow"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, found := examine(t, tt.serve, audition.Config{Protocol: tt.protocol, Format: tt.samples})
			if got := names(found); !slices.Equal(got, tt.want) {
				t.Errorf("found %q, want %q\n%v", got, tt.want, found)
			}
		})
	}
}

// TestCodes: what close codes and the words of errors mean.
func TestCodes(t *testing.T) {
	for words, want := range map[string]string{
		"4001 Not Authorized": "key", "1008 Unauthorized Connection: Missing Authorization header": "key", "1008 Unauthorized Connection: Too many concurrent sessions": "rate_limit",
		"3009 x": "rate_limit", "4002 Insufficient funds": "payment", "1011 NET-0001": "idle_close", "1011 NET-0000": "server_error", "1008 DATA-0000": "audio_format",
		"1008 DATA-0001": "too_long", "1008 input_timeout_exceeded": "idle_close", "4031 Session idle for too long": "idle_close", "1000 connection idle timeout": "",
		"3007 Input Duration Violation: 20 ms": "frame_size", "3007 Audio Transmission Rate Exceeded": "too_fast", "3008 Session Expired": "session_expired",
		"1013 try again": "overloaded", "1012 restart": "server_error", "1008 Insufficient permissions": "key", "1008 insufficient_quota": "payment", "1008 insufficient audio": "error_in_session", "1009 big": "frame_size", "1008 no such voice": "voice", "1008 unknown model": "model", "1008 The model is overloaded": "overloaded", "1007 what": "error_in_session",
	} {
		number, text, _ := strings.Cut(words, " ")
		var close int
		fmt.Sscan(number, &close)
		r := pipeline.NewTranscription(1, 0)
		r.Outcome, r.Close, r.Reason, r.Transport.Status = pipeline.Error, close, "the server closed with code "+words, 101
		e := &heard.Endpoint{Kind: heard.Listens, Protocol: "assemblyai", KeyGiven: true, Sessions: []heard.Session{{ID: 1, Transcription: &r, Closing: text}}}
		got := ""
		if f, ok := newView(e).failure(&e.Sessions[0]); ok && close != 1000 {
			got = f.ID
		}
		if got != want {
			t.Errorf("%s: %q, want %q", words, got, want)
		}
	}
}

// TestVendors: a number is only of the vendor that documents it.
func TestVendors(t *testing.T) {
	for protocol, want := range map[string]string{"assemblyai": "key", "deepgram-listen": "error_in_session"} {
		r := pipeline.NewTranscription(1, 0)
		r.Outcome, r.Close, r.Reason, r.Transport.Status = pipeline.Error, 4001, "the server closed with code 4001: whatever", 101
		e := &heard.Endpoint{Kind: heard.Listens, Protocol: protocol, Sessions: []heard.Session{{ID: 1, Transcription: &r, Closing: "whatever"}}}
		if got := names(Of(e)); !slices.Equal(got, []string{want + " broken"}) {
			t.Errorf("%s: %q, want %s", protocol, got, want)
		}
	}
}

// TestTimedOut: a time limit that ends what still comes is told from one that ends a silence.
func TestTimedOut(t *testing.T) {
	for reason, want := range map[string]string{
		"nothing came or went within 30s (--limit-gap)": "the session came to a stop", "no end within 5s (--limit-whole)": "the answer was still coming when its time was up",
	} {
		r := pipeline.NewSpeech(1, 0)
		r.Outcome, r.Reason, r.End, r.Transport.Status = pipeline.Timeout, reason, 5*time.Second, 200
		e := &heard.Endpoint{Kind: heard.Speaks, Protocol: "openai-speech", Sessions: []heard.Session{{ID: 1, Speech: &r, Events: []talk.Event{{At: 4900 * msec}}}}}
		if found := Of(e); len(found) != 1 || found[0].ID != "timeout" || found[0].Title != want {
			t.Errorf("%s: %v", reason, found)
		}
		e.Sessions[0].Events[0].At = time.Second
		if found := Of(e); strings.Contains(found[0].Title, "coming") {
			t.Errorf("%s: %s, though nothing came for 4 s", reason, found[0].Title)
		}
	}
}

// TestPage: the page names every finding.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/doctor.md")
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, c := range codes {
		ids = append(ids, c.id)
	}
	for _, file := range []string{"refusal.go", "failure.go", "final.go", "answer.go", "sound.go", "connection.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(text), `ID: "`)[1:] {
			id, _, _ := strings.Cut(part, `"`)
			ids = append(ids, id)
		}
	}
	if len(ids) < 30 {
		t.Errorf("%d findings in the files", len(ids))
	}
	for _, id := range ids {
		if !strings.Contains(string(page), "| "+id+" |") {
			t.Errorf("docs/doctor.md says nothing of %s", id)
		}
	}
}
