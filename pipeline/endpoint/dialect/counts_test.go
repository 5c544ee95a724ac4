package dialect

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/exchange"
)

// TestCountsThatAreNone: in every protocol a count that a server writes as a text, or below
// zero, or as 0 for an answer that came, leaves that of the prompt, is itself unknown, and
// is told.
func TestCountsThatAreNone(t *testing.T) {
	chat := event(`{"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}`)
	read := func(p Protocol, body string) *reply.Reply {
		d, err := Of(p)
		if err != nil {
			t.Fatal(err)
		}
		kind := "text/event-stream"
		if body[0] == '{' {
			kind = "application/x-ndjson"
		}
		return readBody(d, kind, body)
	}
	for p, body := range map[Protocol]string{
		OpenAIChat:        chat + event(`{"choices":[],"usage":{"prompt_tokens":50,"completion_tokens":N}}`) + done,
		OpenAICompletions: event(`{"choices":[{"index":0,"text":"Hi","finish_reason":"stop"}]}`) + event(`{"choices":[],"usage":{"prompt_tokens":50,"completion_tokens":N}}`) + done,
		MistralFIM:        chat + event(`{"choices":[],"usage":{"prompt_tokens":50,"completion_tokens":N}}`) + done,
		OpenAIResponses: event(`{"type":"response.output_text.delta","delta":"Hi"}`) +
			event(`{"type":"response.completed","response":{"status":"completed","usage":{"input_tokens":50,"output_tokens":N}}}`),
		Anthropic: event(`{"type":"message_start","message":{"usage":{"input_tokens":50,"output_tokens":N}}}`) +
			event(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}`) +
			event(`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":N}}`) + event(`{"type":"message_stop"}`),
		Gemini: event(`{"candidates":[{"content":{"parts":[{"text":"Hi"}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":50,"candidatesTokenCount":N}}`),
		OllamaChat: `{"message":{"role":"assistant","content":"Hi"},"done":false}` + "\n" +
			`{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":50,"eval_count":N}` + "\n",
		LlamaCompletion: event(`{"index":0,"content":"Hi","stop":false}`) + event(`{"index":0,"content":"","stop":true,"stop_type":"eos","tokens_evaluated":50,"tokens_predicted":N}`),
	} {
		for count, want := range map[string]string{
			`"20"`: "a text as ", `null`: "", `-7`: "-7 as ", `[20]`: "a list as ", `20.5`: "the number 20.5 as ", `0`: "no token in an answer of 1 chunk",
		} {
			r := read(p, strings.ReplaceAll(body, "N", count))
			said := strings.Join(slices.Concat(r.Impossible, r.Unreadable), "; ")
			if r.Outcome != pipeline.OK || r.OutputTokens() != pipeline.UnknownCount || r.PromptTokens() != 50 || r.TokenSource != "none" || !strings.Contains(said, want) {
				t.Errorf("%s, %s: %s, %d and %d tokens by %s, %q; want ok, 50 and an unknown number, %q",
					p, count, r.Outcome, r.PromptTokens(), r.OutputTokens(), r.TokenSource, said, want)
			}
		}
		if r := read(p, strings.ReplaceAll(body, "N", "20")); r.OutputTokens() != 20 || r.PromptTokens() != 50 || len(r.Impossible)+len(r.Unreadable) > 0 {
			t.Errorf("%s: %d and %d tokens, %q, %q; want 50 and 20", p, r.PromptTokens(), r.OutputTokens(), r.Impossible, r.Unreadable)
		}
	}
}

// TestHashedTellsTheSame: without its texts an exchange tells the same counts and the same reason
// for its end, what cannot be counted of so short a request among them.
func TestHashedTellsTheSame(t *testing.T) {
	x := &exchange.Exchange{Protocol: string(OpenAIChat), Status: 200, How: exchange.EOF, Ask: []byte(`{"a":1}`), Headers: [][2]string{{"Content-Type", "text/event-stream"}}}
	x.Add(1, []byte(event(`{"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"max tokens"}],"usage":{"prompt_tokens":500000,"completion_tokens":1}}`)+done))
	var b bytes.Buffer
	w, err := exchange.NewWriter(&b, exchange.Header{Hashed: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(x); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	f, err := exchange.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	hashed, err := f.Next()
	if err != nil {
		t.Fatal(err)
	}
	for name, one := range map[string]*exchange.Exchange{"as it came": x, "hashed": hashed} {
		r, err := Reread(one)
		if err != nil {
			t.Fatal(err)
		}
		if r.PromptTokens() != pipeline.UnknownCount || len(r.Impossible) != 1 || r.Answer().Finish != "max tokens" || one.Asked() != 7 {
			t.Errorf("%s: prompt %d, finish %q, %q, asked with %d bytes; want none, max tokens, one that cannot be, 7", name, r.PromptTokens(), r.Answer().Finish, r.Impossible, one.Asked())
		}
	}
}
