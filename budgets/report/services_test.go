package report

import (
	"strings"
	"testing"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// TestServices: a report of speech services begins with their names, and its section on endpoints
// says how their connections were opened.
func TestServices(t *testing.T) {
	llm := trace.Endpoint{Stage: "llm", URL: "https://llm.test/v1", Protocol: "openai-chat", Model: "m"}
	stt := trace.Endpoint{Stage: "stt", URL: "wss://stt.test:1/x", Protocol: "deepgram-listen", Model: "nova-3"}
	tts := trace.Endpoint{Stage: "tts", URL: "https://tts.test", Protocol: "openai-speech", Model: "tts-1"}
	bot := trace.Endpoint{Stage: "speech_to_speech", URL: "ws://127.0.0.1:8765/ws", Protocol: "twilio-media-streams"}
	cold, coldTTS := stt, tts
	cold.Cold, coldTTS.Cold = true, true
	for _, tt := range []struct {
		all        []trace.Endpoint
		names, how string
	}{
		{[]trace.Endpoint{llm}, "", "a connection is kept for the next request."},
		{[]trace.Endpoint{stt, llm, tts}, "stt: nova-3 by deepgram-listen at stt.test:1 · llm: m by openai-chat at llm.test · tts: tts-1 by openai-speech at tts.test", "a session lasts for a turn, or for a call"},
		{[]trace.Endpoint{bot}, "speech_to_speech: a bot by twilio-media-streams at 127.0.0.1:8765", "speech_to_speech: a bot at ws://127.0.0.1:8765/ws by twilio-media-streams; a session lasts"},
		{[]trace.Endpoint{cold}, "stt: nova-3 by deepgram-listen at stt.test:1", "each turn opens a session."},
		{[]trace.Endpoint{tts}, "tts: tts-1 by openai-speech at tts.test", "opened before there is any."},
		{[]trace.Endpoint{coldTTS}, "tts: tts-1 by openai-speech at tts.test", "each request opens a connection."},
	} {
		if got := services(tt.all); got != tt.names {
			t.Errorf("%s, want %s", got, tt.names)
		}
		if got := placeWords(&tt.all[0]); !strings.Contains(got, tt.how) {
			t.Errorf("%s, want %s in it", got, tt.how)
		}
	}
}

// TestAskedWith: the report says what stood for the user's words.
func TestAskedWith(t *testing.T) {
	with := func(values ...string) (all []pipeline.Trace) {
		for _, v := range values {
			all = append(all, pipeline.Trace{Facts: []pipeline.Fact{{Name: pipeline.FactAskedWith, Value: v}}})
		}
		return append(all, pipeline.Trace{})
	}
	for want, traces := range map[string][]pipeline.Trace{
		"": with(),
		"The language model was asked with what the recognizer heard.":            with("heard", "heard"),
		"what the recognizer heard in 1 of 2 turns; in the others it had heard n": with("heard", "made_up"),
	} {
		if got := askedWith(traces); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%q, want %q in it", got, want)
		}
	}
}
