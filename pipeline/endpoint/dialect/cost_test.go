package dialect

import (
	"io"
	"net/http"
	"testing"
	"time"

	"halfsecond/pipeline/endpoint/reply"
)

// tokenOf are messages with one token each, as servers of the protocols write them.
var tokenOf = map[Protocol]string{
	OpenAIChat:        event(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1730000000,"model":"m","choices":[{"index":0,"delta":{"content":" token"},"logprobs":null,"finish_reason":null}]}`),
	OpenAICompletions: event(`{"id":"cmpl-1","object":"text_completion","created":1730000000,"model":"m","choices":[{"index":0,"text":" token","logprobs":null,"finish_reason":null}]}`),
	OpenAIResponses: "event: response.output_text.delta\n" +
		event(`{"type":"response.output_text.delta","sequence_number":7,"item_id":"msg_1","output_index":0,"content_index":0,"delta":" token","logprobs":[]}`),
	Anthropic:       "event: content_block_delta\n" + event(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" token"}}`),
	Gemini:          event(`{"candidates":[{"content":{"parts":[{"text":" token"}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":1,"totalTokenCount":10},"modelVersion":"m"}`),
	OllamaChat:      `{"model":"m","created_at":"2026-11-30T10:00:00.000000000Z","message":{"role":"assistant","content":" token"},"done":false}` + "\n",
	LlamaCompletion: event(`{"index":0,"content":" token","tokens":[1],"stop":false,"id_slot":-1,"tokens_predicted":3,"tokens_evaluated":9}`),
}

// endless is a body that says the same in each read, so many times.
type endless struct {
	text string
	left int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	e.left--
	return copy(p, e.text), nil
}

// read reads an answer of n such messages.
func (d *Dialect) readTokens(text string, n int) *reply.Reply {
	kind := "text/event-stream"
	if text[0] == '{' {
		kind = "application/x-ndjson"
	}
	return reply.Read(reply.Response{
		Status: 200, Header: http.Header{"Content-Type": {kind}}, Body: &endless{text, n},
		Decoder: d.NewDecoder(), Endless: d.Endless, Clock: func() time.Duration { return 0 },
	}, nil)
}

// BenchmarkRead reads answers of 1,000 tokens, one in each read, without a connection.
func BenchmarkRead(b *testing.B) {
	const tokens = 1000
	for _, d := range all {
		text, ok := tokenOf[d.Protocol]
		if !ok {
			continue // it has the messages of another
		}
		b.Run(string(d.Protocol), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if r := d.readTokens(text, tokens); len(r.Answer().Outputs) != tokens {
					b.Fatalf("%d output chunks, want %d", len(r.Answer().Outputs), tokens)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*tokens), "ns/token")
		})
	}
}
