package assemblyai

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/assemblyai"
)

// tellAssembly tells of a message of /v3/ws in a line: words that are not final are in
// brackets.
func tellAssembly(t *testing.T) func([]byte) string {
	return func(b []byte) string {
		m := voicetest.Parsed[assemblyai.Turn](t, b)
		if m.Type != assemblyai.TypeTurn {
			return anID.ReplaceAllString(string(b), `"id":"ID"`)
		}
		marks, open := "", ""
		if m.EndOfTurn {
			marks += " end"
		}
		if m.TurnIsFormatted {
			marks += " formatted"
		}
		for _, w := range m.Words {
			if !w.WordIsFinal {
				open += " [" + w.Text + "]"
			}
		}
		if m.Utterance != "" {
			open += fmt.Sprintf(" said %q", m.Utterance)
		}
		return fmt.Sprintf("%d %g%s %q%s", m.TurnOrder, m.Confidence, marks, m.Transcript, open)
	}
}

const ms = time.Millisecond

var anID = regexp.MustCompile(`"id":"[0-9a-f-]{36}"`)

const assemblyPath = "/v3/ws?sample_rate=16000&speech_model=universal-streaming-english"

// assembling is a service with that model that hears those texts.
func assembling(t *testing.T, texts ...string) *voicetest.Rig {
	return voicetest.Start(t, talk.Config{}, func(h *talk.Host, mux *http.ServeMux) {
		(&Service{Host: h, Ears: &ear.Models{Host: h, STT: voicetest.Verbal, Transcript: texts}}).Handle(mux)
	})
}

// TestAssemblyAI: a turn from .5 to 1.5 s. Words come one by one, the last of them not
// final; after a pause of half the silence that ends the turn what was said is told;
// after 400 ms the turn has ended, and comes again as it is written.
func TestAssemblyAI(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := assembling(t, "Hello there, good day.")
		defer r.Stop()
		l := r.Call(assemblyPath+"&format_turns=true", tellAssembly(t))
		l.Speak(voicetest.Silent(500*ms, voicetest.Rate), voicetest.Voiced(1000*ms, voicetest.Rate), voicetest.Silent(900*ms, voicetest.Rate))
		l.Command(`{"type":"Terminate"}`)
		l.Expect(
			`0 {"type":"Begin","id":"ID","expires_at":946695600}`,
			`600 {"type":"SpeechStarted","timestamp":500}`,
			`1040 0 0 "" [hello]`,
			`1340 0 0 "hello" [there]`,
			`1540 0 0 "hello there" [good]`,
			`1900 0 0.6039 "hello there good" [day] said "Hello there, good day."`,
			`2000 0 0.8431 end "hello there good day"`,
			`2200 0 0.8431 end formatted "Hello there, good day."`,
			`2610 {"type":"Termination","audio_duration_seconds":2,"session_duration_seconds":2}`,
			`2610 websocket: close 1000 (normal): Session Ended`,
		)
		e := r.Last()
		if e.Protocol != "assemblyai" || e.Model != "universal-streaming-english" || e.AudioIn != 2400*ms || e.Outcome != pipeline.OK {
			t.Errorf("the ledger has %+v", e)
		}
	})
}

// TestAssemblyAIUnfinished: a turn whose text is not over waits for the longer silence,
// and what is said then belongs to the next one.
func TestAssemblyAIUnfinished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := assembling(t, "The number is, let me see, four two four two")
		defer r.Stop()
		l := r.Call(assemblyPath, tellAssembly(t))
		l.Speak(voicetest.Silent(200*ms, voicetest.Rate), voicetest.Voiced(700*ms, voicetest.Rate), voicetest.Silent(1500*ms, voicetest.Rate), voicetest.Voiced(1900*ms, voicetest.Rate), voicetest.Silent(600*ms, voicetest.Rate))
		l.Command(`{"type":"Terminate"}`)
		l.Expect(
			`0 {"type":"Begin","id":"ID","expires_at":946695600}`,
			`300 {"type":"SpeechStarted","timestamp":200}`,
			`640 0 0 "" [the]`,
			`1040 0 0 "the" [number]`,
			`2200 0 0.4987 end "the number is" said "The number is,"`,
			`2500 {"type":"SpeechStarted","timestamp":2400}`,
			`2840 1 0 "" [let]`,
			`2940 1 0 "let" [me]`,
			`3140 1 0 "let me" [see]`,
			`3440 1 0 "let me see" [four]`,
			`3640 1 0 "let me see four" [two]`,
			`3940 1 0 "let me see four two" [four]`,
			`4140 1 0 "let me see four two four" [two]`,
			`4700 1 0.6039 "let me see four two four" [two] said "let me see, four two four two"`,
			`4800 1 0.8431 end "let me see four two four two"`,
			`4910 {"type":"Termination","audio_duration_seconds":4,"session_duration_seconds":4}`,
			`4910 websocket: close 1000 (normal): Session Ended`,
		)
	})
}

// TestAssemblyAIPause: in a pause that is too short to end the turn what was said is
// told, and it is not told again at the end.
func TestAssemblyAIPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := assembling(t, "Yes. I am a voice agent.")
		defer r.Stop()
		l := r.Call(assemblyPath+"&min_turn_silence=600", tellAssembly(t))
		l.Speak(voicetest.Silent(200*ms, voicetest.Rate), voicetest.Voiced(800*ms, voicetest.Rate), voicetest.Silent(500*ms, voicetest.Rate), voicetest.Voiced(600*ms, voicetest.Rate), voicetest.Silent(1000*ms, voicetest.Rate))
		l.Command(`{"type":"Terminate"}`)
		l.Expect(
			`0 {"type":"Begin","id":"ID","expires_at":946695600}`,
			`300 {"type":"SpeechStarted","timestamp":200}`,
			`540 0 0 "" [yes]`,
			`640 0 0 "yes" [i]`,
			`840 0 0 "yes i" [am]`,
			`940 0 0 "yes i am" [a]`,
			`1400 0 0.7507 "yes i am a voice" [agent] said "Yes. I am a voice agent."`,
			`2800 0 0.9379 end "yes i am a voice agent"`,
			`3110 {"type":"Termination","audio_duration_seconds":3,"session_duration_seconds":3}`,
			`3110 websocket: close 1000 (normal): Session Ended`,
		)
	})
}

// TestAssemblyAIForce: the client ends a turn, and changes when turns end.
func TestAssemblyAIForce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := assembling(t, "one two three", "four five")
		defer r.Stop()
		l := r.Call(assemblyPath, tellAssembly(t))
		l.Command(`{"type":"ForceEndpoint"}`)
		l.Speak(voicetest.Silent(200*ms, voicetest.Rate), voicetest.Voiced(800*ms, voicetest.Rate))
		l.Command(`{"type":"ForceEndpoint"}`)
		l.Command(`{"type":"UpdateConfiguration","min_turn_silence":150,"max_turn_silence":200,"end_of_turn_confidence_threshold":1,"format_turns":true}`)
		l.Speak(voicetest.Silent(700*ms, voicetest.Rate), voicetest.Voiced(600*ms, voicetest.Rate), voicetest.Silent(700*ms, voicetest.Rate))
		l.Command(`{"type":"Terminate"}`)
		l.Expect(
			`0 {"type":"Begin","id":"ID","expires_at":946695600}`,
			`310 {"type":"SpeechStarted","timestamp":200}`,
			`650 0 0 "" [one]`,
			`850 0 0 "one" [two]`,
			`1310 0 0 end "one two three" said "one two three"`,
			`1510 0 0 end formatted "one two three"`,
			`1830 {"type":"SpeechStarted","timestamp":1700}`,
			`2170 1 0 "" [four]`,
			`2470 1 0 "four" [five]`,
			`2730 1 0.3706 "four" [five] said "four five"`,
			`2730 1 0.6039 end "four five"`,
			`2930 1 0.6039 end formatted "four five"`,
			`3240 {"type":"Termination","audio_duration_seconds":3,"session_duration_seconds":3}`,
			`3240 websocket: close 1000 (normal): Session Ended`,
		)
	})
}

// TestAssemblyAIPro: Universal-3 Pro tells of words after some speech and in pauses, and
// ends a turn with one message, formatted.
func TestAssemblyAIPro(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := assembling(t, "My name is Sonny, and I am calling about my last bill.")
		defer r.Stop()
		l := r.Call("/v3/ws?speech_model=u3-rt-pro&format_turns=true", tellAssembly(t))
		l.Speak(voicetest.Silent(200*ms, voicetest.Rate), voicetest.Voiced(1000*ms, voicetest.Rate), voicetest.Silent(400*ms, voicetest.Rate), voicetest.Voiced(1600*ms, voicetest.Rate), voicetest.Silent(600*ms, voicetest.Rate))
		l.Command(`{"type":"Terminate"}`)
		l.Expect(
			`0 {"type":"Begin","id":"ID","expires_at":946695600}`,
			`1040 {"type":"SpeechStarted","timestamp":200,"confidence":0.906}`,
			`1040 0 0 "My name is" [My] [name] [is]`,
			`1440 0 0 "My name is Sonny," [My] [name] [is] [Sonny,]`,
			`3600 0 1 end formatted "My name is Sonny, and I am calling about my last bill." said "My name is Sonny, and I am calling about my last bill."`,
			`3810 {"type":"Termination","audio_duration_seconds":3,"session_duration_seconds":3}`,
			`3810 websocket: close 1000 (normal): Session Ended`,
		)
	})
}

// TestAssemblyAIClose: a turn ends with the session.
func TestAssemblyAIClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := assembling(t, "Hello there.")
		defer r.Stop()
		l := r.Call("/v3/ws?format_turns=true&encoding=pcm_mulaw&sample_rate=16000", tellAssembly(t))
		for samples := append(voicetest.Silent(200*ms, voicetest.Rate), voicetest.Voiced(500*ms, voicetest.Rate)...); len(samples) > 0; samples = samples[1600:] {
			time.Sleep(voicetest.Beat)
			l.Send(websocket.BinaryMessage, audio.Encode(nil, samples[:1600], audio.MuLaw))
		}
		l.Command(`{"type":"Terminate"}`)
		l.Expect(
			`0 {"type":"Begin","id":"ID","expires_at":946695600}`,
			`0 {"type":"Warning","warning_code":3006,"warning":"speech_model is missing, which the service refuses: universal-streaming-english is used"}`,
			`300 {"type":"SpeechStarted","timestamp":200}`,
			`740 0 0 "" [hello]`,
			`1000 0 0 end "hello there" said "Hello there."`,
			`1200 0 0 end formatted "Hello there."`,
			`1200 {"type":"Termination","audio_duration_seconds":0,"session_duration_seconds":1}`,
			`1200 websocket: close 1000 (normal): Session Ended`,
		)
	})
}

// TestAssemblyAIMessages has the messages as they are sent.
func TestAssemblyAIMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := assembling(t, "Hi, Bob.")
		defer r.Stop()
		l := r.Call(assemblyPath+"&format_turns=true", func(b []byte) string { return anID.ReplaceAllString(string(b), `"id":"ID"`) })
		l.Speak(voicetest.Silent(200*ms, voicetest.Rate), voicetest.Voiced(500*ms, voicetest.Rate), voicetest.Silent(1000*ms, voicetest.Rate))
		l.Command(`{"type":"Terminate"}`)
		l.Expect(
			`0 {"type":"Begin","id":"ID","expires_at":946695600}`,
			`300 {"type":"SpeechStarted","timestamp":200}`,
			`540 {"turn_order":0,"turn_is_formatted":false,"end_of_turn":false,"transcript":"","end_of_turn_confidence":0,"words":[{"start":200,"end":311,"text":"hi","confidence":0.906,"word_is_final":false}],"utterance":"","type":"Turn"}`,
			`640 {"turn_order":0,"turn_is_formatted":false,"end_of_turn":false,"transcript":"hi","end_of_turn_confidence":0,"words":[{"start":200,"end":311,"text":"hi","confidence":0.906,"word_is_final":true},{"start":311,"end":478,"text":"bob","confidence":0.921,"word_is_final":false}],"utterance":"","type":"Turn"}`,
			`1100 {"turn_order":0,"turn_is_formatted":false,"end_of_turn":false,"transcript":"hi","end_of_turn_confidence":0.6039,"words":[{"start":200,"end":404,"text":"hi","confidence":0.906,"word_is_final":true},{"start":404,"end":710,"text":"bob","confidence":0.921,"word_is_final":false}],"utterance":"Hi, Bob.","type":"Turn"}`,
			`1200 {"turn_order":0,"turn_is_formatted":false,"end_of_turn":true,"transcript":"hi bob","end_of_turn_confidence":0.8431,"words":[{"start":200,"end":404,"text":"hi","confidence":0.906,"word_is_final":true},{"start":404,"end":710,"text":"bob","confidence":0.921,"word_is_final":true}],"utterance":"","type":"Turn"}`,
			`1400 {"turn_order":0,"turn_is_formatted":true,"end_of_turn":true,"transcript":"Hi, Bob.","end_of_turn_confidence":0.8431,"words":[{"start":200,"end":404,"text":"Hi,","confidence":0.906,"word_is_final":true},{"start":404,"end":710,"text":"Bob.","confidence":0.921,"word_is_final":true}],"utterance":"","type":"Turn"}`,
			`1910 {"type":"Termination","audio_duration_seconds":1,"session_duration_seconds":1}`,
			`1910 websocket: close 1000 (normal): Session Ended`,
		)
	})
}

// TestAssemblyAILengths: a message of audio has 50 to 1000 ms.
func TestAssemblyAILengths(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := assembling(t)
		defer r.Stop()
		for _, d := range []time.Duration{50 * ms, 1000 * ms} {
			l := r.Call(assemblyPath, tellAssembly(t))
			l.Send(websocket.BinaryMessage, make([]byte, 2*audio.Samples(d, voicetest.Rate)))
			l.Command(`{"type":"Terminate"}`)
			if got := l.All(); len(got) != 3 || !strings.HasSuffix(got[2], "websocket: close 1000 (normal): Session Ended") {
				t.Errorf("%s: %q", d, got)
			}
			l.Conn.Close()
		}
		for _, d := range []time.Duration{49 * ms, 1001 * ms} {
			l := r.Call(assemblyPath, func(b []byte) string { return voicetest.Parsed[assemblyai.Error](t, b).Error })
			l.Send(websocket.BinaryMessage, make([]byte, 2*audio.Samples(d, voicetest.Rate)))
			problem := fmt.Sprintf("Input Duration Error: Input Duration Violation: %d.0 ms. Expected between 50 and 1000 ms", d/ms)
			l.Expect("20 "+problem, "20 websocket: close 3007: "+problem)
		}
	})
}

// TestAssemblyAIIdle: a session with an inactivity timeout ends that long after the last
// audio or KeepAlive, and any session after three hours.
func TestAssemblyAIIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := assembling(t)
		defer r.Stop()
		l := r.Call(assemblyPath+"&inactivity_timeout=5", tellAssembly(t))
		time.Sleep(4 * time.Second)
		l.Command(`{"type":"KeepAlive"}`)
		time.Sleep(4 * time.Second)
		l.Speak(voicetest.Silent(voicetest.Beat, voicetest.Rate))
		l.Expect(
			`0 {"type":"Begin","id":"ID","expires_at":946695600}`,
			`13110 {"type":"Error","error_code":3005,"error":"Session Cancelled: No audio or KeepAlive for the inactivity_timeout of 5 s"}`,
			`13110 websocket: close 3005: Session Cancelled: No audio or KeepAlive for the inactivity_timeout of 5 s`,
		)
		l = r.Call(assemblyPath, tellAssembly(t))
		l.Expect(
			`13110 {"type":"Begin","id":"ID","expires_at":946695613}`,
			`10813110 {"type":"Error","error_code":3008,"error":"Session Expired: Maximum session duration exceeded"}`,
			`10813110 websocket: close 3008: Session Expired: Maximum session duration exceeded`,
		)
	})
}

func TestAssemblyAIBadInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := assembling(t)
		defer r.Stop()
		long := strings.Repeat("x", 200)
		for sent, want := range map[string]string{
			`{`:                 `Invalid JSON: {`,
			`[]`:                `Invalid Message: []`,
			`{"type":"Resume"}`: `Invalid Message Type: {"type":"Resume"}`,
			`{"type":"UpdateConfiguration","max_turn_silence":-1}`: `Input Validation Error: max_turn_silence is -1: want a number from 0 to 60000`,
			long: `Invalid JSON: ` + long,
		} {
			l := r.Call(assemblyPath, func(b []byte) string {
				if m := voicetest.Parsed[assemblyai.Error](t, b); m.Type == assemblyai.TypeError {
					return fmt.Sprintf("%d %s", m.Code, m.Error)
				}
				return ""
			})
			l.Command(sent)
			at := int(time.Since(r.From) / ms)
			reason := want
			if len(reason) > 123 {
				reason = "See Error message for details"
			}
			l.Expect(fmt.Sprintf("%d 3006 %s", at, want), fmt.Sprintf("%d websocket: close 3006: %s", at, reason))
		}
		for query, want := range map[string]string{
			"sample_rate=0":                      `sample_rate is "0": want a whole number from 4000 to 192000`,
			"encoding=aac":                       `encoding is "aac": want pcm_s16le, pcm_mulaw, opus, ogg_opus`,
			"format_turns=1":                     `format_turns is "1": want true, false`,
			"inactivity_timeout=4":               `inactivity_timeout is "4": want a whole number from 5 to 3600`,
			"end_of_turn_confidence_threshold=2": `end_of_turn_confidence_threshold is "2": want a number from 0 to 1`,
			"speech_model=u3-rt-pro&min_turn_silence=forever": `min_turn_silence is "forever": want a whole number from 0 to 60000`,
		} {
			l := r.Call("/v3/ws?"+query, func(b []byte) string { return voicetest.Parsed[assemblyai.Error](t, b).Error })
			at := int(time.Since(r.From) / ms)
			l.Expect(fmt.Sprintf("%d Input Validation Error: %s", at, want), fmt.Sprintf("%d websocket: close 3006: Input Validation Error: %s", at, want))
		}
	})
}

// FuzzListening: no handshake and no message makes a session panic.
func FuzzListening(f *testing.F) {
	for _, s := range [][2]string{
		{"speech_model=u3-rt-pro&inactivity_timeout=5&format_turns=true", `{"type":"UpdateConfiguration","min_turn_silence":-1}`},
		{"encoding=opus&sample_rate=1", `{"type":"ForceEndpoint"}`},
		{"mock_answer=", "null"}, {"%zz", "[]"}, {"model=a;b", `{"type":1}`},
	} {
		f.Add(s[0], s[1], []byte("OggS\x00\x02 and RIFF"))
	}
	f.Fuzz(func(t *testing.T, query, message string, audio []byte) {
		p := &talk.Params{Values: (&url.URL{RawQuery: query}).Query()}
		if o := optionsOf(p); p.Fault == nil {
			h := voicetest.Alone()
			ears := &ear.Models{Host: h, STT: voicetest.Patient, Transcript: []string{"Good day."}}
			v := h.Visit(talk.NewSocket(h), httptest.NewRequest("GET", "/", nil), "fuzz", "m", "id")
			voicetest.Fuzz(newSession(v, ears, o), audio, []byte(message))
		}
	})
}
