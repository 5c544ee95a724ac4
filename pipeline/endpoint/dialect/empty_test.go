package dialect

import (
	"testing"

	"halfsecond/pipeline"
)

// TestEmpty: an answer is empty where it ended ok and nothing of it came, as a stream or as a
// whole; not where it is a call of a tool, reasoning or white space, nor where it failed.
func TestEmpty(t *testing.T) {
	const stop, done = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n", "data: [DONE]\n\n"
	chunk := func(delta string) string {
		return `data: {"choices":[{"index":0,"delta":` + delta + `}]}` + "\n\n"
	}
	for name, c := range map[string]struct {
		kind, body string
		empty      bool
	}{
		"nothing":         {"text/event-stream", chunk(`{"role":"assistant"}`) + stop + done, true},
		"an empty text":   {"text/event-stream", chunk(`{"content":""}`) + stop + done, true},
		"a word":          {"text/event-stream", chunk(`{"content":"a"}`) + stop + done, false},
		"white space":     {"text/event-stream", chunk(`{"content":" "}`) + stop + done, false},
		"reasoning":       {"text/event-stream", chunk(`{"reasoning_content":"a"}`) + stop + done, false},
		"a tool":          {"text/event-stream", chunk(`{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{}"}}]}`) + stop + done, false},
		"broken off":      {"text/event-stream", chunk(`{"role":"assistant"}`), false},
		"whole":           {"application/json", `{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}]}`, false},
		"whole, nothing":  {"application/json", `{"choices":[{"index":0,"message":{"content":""},"finish_reason":"stop"}]}`, true},
		"whole, an error": {"application/json", `{"error":{"message":"no"}}`, false},
	} {
		rec := pipeline.NewRequest(1, 0)
		if readBody(openAIChat, c.kind, c.body).Fill(&rec); rec.Empty != c.empty {
			t.Errorf("%s: empty %v (%v, %s), want %v", name, rec.Empty, rec.Outcome, rec.Reason, c.empty)
		}
	}
}
