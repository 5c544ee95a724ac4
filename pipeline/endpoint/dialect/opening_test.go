package dialect

import (
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/exchange"
)

// TestOpening: what came with the first output is told where that may be several tokens, and
// only there.
func TestOpening(t *testing.T) {
	hi, used := delta(`"content":"Hi, "`), func(n, reasoning string) string {
		return event(`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":` + n + `,"completion_tokens_details":{"reasoning_tokens":` + reasoning + `}}}`)
	}
	candidate := func(text, n string) string {
		return event(`{"candidates":[{"content":{"parts":[{"text":"` + text + `"}]},"index":0}],"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":` + n + `}}`)
	}
	thought := func(text, counts string) string {
		return event(`{"candidates":[{"content":{"parts":[{"text":"` + text + `"}]},"index":0}],"usageMetadata":{"promptTokenCount":5,` + counts + `}}`)
	}
	counted := func(kind, text, n, more string) string {
		return event(`{"choices":[{"index":0,"delta":{"` + kind + `":"` + text + `"}}],"usage":{"prompt_tokens":5,"completion_tokens":` + n + more + `}}`)
	}
	long := strings.Repeat("word ", 100)
	stopped := event(`{"candidates":[{"finishReason":"STOP","index":0}]}`)
	for _, c := range []struct {
		name     string
		protocol Protocol
		reads    []string
		want     pipeline.Opening
	}{
		{"a token a chunk", OpenAIChat, []string{hi, hi, hi, stop + used("3", "0") + done}, pipeline.Opening{}},
		{"an end that is counted", OpenAIChat, []string{hi, hi, hi, stop + used("4", "0") + done}, pipeline.Opening{}},
		{"several a chunk", OpenAIChat, []string{delta(`"content":"中文"`), hi, stop + used("5", "0") + done}, pipeline.Opening{Chunks: 1, Bytes: 6, Of: 10}},
		{"two chunks in one read", OpenAIChat, []string{hi + hi, hi, stop + used("3", "0") + done}, pipeline.Opening{Chunks: 2, Bytes: 8, Of: 12}},
		{"all in one read", OpenAIChat, []string{hi + hi, stop + used("30", "0") + done}, pipeline.Opening{}},
		{"nobody counted", OpenAIChat, []string{hi + hi, hi, stop + done}, pipeline.Opening{}},
		{"reasoning that is not sent", OpenAIChat, []string{hi, hi, stop + used("102", "100") + done}, pipeline.Opening{Chunks: 1, Bytes: 4, Of: 8, Unsent: 100}},
		{"reasoning that is sent", OpenAIChat, []string{delta(`"reasoning_content":"So, he"`), hi, stop + used("5", "3") + done}, pipeline.Opening{Chunks: 1, Bytes: 6, Of: 10, Sure: 2}},
		{"reasoning that is too short by itself", OpenAIChat, []string{delta(`"reasoning_content":"So, h"`), hi, stop + used("5", "3") + done}, pipeline.Opening{Chunks: 1, Of: 4, Unsent: 3}},
		{"reasoning half as long as text", OpenAIChat, []string{delta(`"reasoning_content":"So, her"`), hi + hi, stop + used("5", "3") + done}, pipeline.Opening{Chunks: 1, Bytes: 7, Of: 15, Sure: 2}},
		{"reasoning that is too short beside the text", OpenAIChat, []string{delta(`"reasoning_content":"So, he"`), hi + hi + hi, stop + used("5", "3") + done}, pipeline.Opening{Chunks: 1, Of: 12, Unsent: 3}},
		{"letters behind reasoning that is not sent", OpenAIChat, []string{delta(`"content":"H"`), delta(`"content":"i"`), delta(`"content":","`), delta(`"content":" "`), stop + used("4", "2") + done}, pipeline.Opening{Chunks: 1, Bytes: 1, Of: 4, Unsent: 2}},
		{"more tokens than bytes", OpenAIChat, []string{hi, hi, stop + used("9", "0") + done}, pipeline.Opening{Chunks: 1}},
		{"a running count", Gemini, []string{candidate("Hi there, ", "4"), candidate("and more", "6") + event(`{"candidates":[{"finishReason":"STOP","index":0}]}`)},
			pipeline.Opening{Chunks: 1, Tokens: 4, Bytes: 10, Of: 18}},
		{"two of a running count", Gemini, []string{candidate("Hi ", "2") + candidate("there, ", "4"), candidate("and more", "6") + event(`{"candidates":[{"finishReason":"STOP","index":0}]}`)},
			pipeline.Opening{Chunks: 2, Bytes: 10, Of: 18}},
		{"a running count of reasoning alone", Gemini, []string{thought(long, `"thoughtsTokenCount":900`), thought(long, `"candidatesTokenCount":200,"thoughtsTokenCount":900`) + stopped},
			pipeline.Opening{Chunks: 1, Bytes: 500, Of: 1000, Unsent: 900}},
		{"a running count with reasoning", Gemini, []string{thought(long, `"candidatesTokenCount":1,"thoughtsTokenCount":900`), thought(long, `"candidatesTokenCount":200,"thoughtsTokenCount":900`) + stopped},
			pipeline.Opening{Chunks: 1, Tokens: 901, Bytes: 500, Of: 1000, Unsent: 900}},
		{"reasoning that is counted at the end", Gemini, []string{thought(long, `"candidatesTokenCount":100`), thought(long, `"candidatesTokenCount":200,"thoughtsTokenCount":900`) + stopped},
			pipeline.Opening{Chunks: 1, Bytes: 500, Of: 1000, Unsent: 900}},
		{"little reasoning that is counted at the end", Gemini, []string{thought(long, `"candidatesTokenCount":100`), thought(long, `"candidatesTokenCount":200,"thoughtsTokenCount":50`) + stopped},
			pipeline.Opening{Chunks: 1, Bytes: 500, Of: 1000, Unsent: 50}},
		{"reasoning that is counted before the text", Gemini, []string{event(`{"usageMetadata":{"promptTokenCount":5,"thoughtsTokenCount":50}}`),
			thought(long, `"candidatesTokenCount":100,"thoughtsTokenCount":50`), thought(long, `"candidatesTokenCount":200,"thoughtsTokenCount":50`) + stopped},
			pipeline.Opening{Chunks: 1, Tokens: 150, Bytes: 500, Of: 1000, Unsent: 50}},
		{"reasoning that is counted in part", Gemini, []string{thought(long, `"candidatesTokenCount":100,"thoughtsTokenCount":30`), thought(long, `"candidatesTokenCount":200,"thoughtsTokenCount":50`) + stopped},
			pipeline.Opening{Chunks: 1, Bytes: 500, Of: 1000, Unsent: 50}},
		{"thoughts that come", Gemini, []string{thought(long+`","thought":true,"x":"`, `"thoughtsTokenCount":900`), thought(long, `"candidatesTokenCount":50,"thoughtsTokenCount":900`),
			thought(long, `"candidatesTokenCount":100,"thoughtsTokenCount":900`) + stopped}, pipeline.Opening{Chunks: 1, Tokens: 900, Of: 1000, Unsent: 900}},
		{"reasoning that comes", OpenAIChat, []string{counted("reasoning_content", long, "60", `,"completion_tokens_details":{"reasoning_tokens":60}`), counted("content", long, "160", `,"completion_tokens_details":{"reasoning_tokens":60}`), stop + used("160", "60") + done},
			pipeline.Opening{Chunks: 1, Tokens: 60, Bytes: 500, Of: 1000}},
		{"reasoning in the answer, told of at the end", OpenAIChat, []string{counted("content", long, "150", ""), counted("content", long, "250", ""), stop + used("250", "50") + done},
			pipeline.Opening{Chunks: 1, Bytes: 500, Of: 1000, Unsent: 50}},
		{"reasoning in the answer, 0 until the end", OpenAIChat, []string{counted("content", long, "150", `,"completion_tokens_details":{"reasoning_tokens":0}`), counted("content", long, "250", ""), stop + used("250", "50") + done},
			pipeline.Opening{Chunks: 1, Bytes: 500, Of: 1000, Unsent: 50}},
		{"reasoning beside the answer, 0 until the end", OpenAIChat, []string{counted("content", long, "150", `,"total_tokens":155`), counted("content", long, "250", `,"total_tokens":305,"completion_tokens_details":{"reasoning_tokens":50}`), stop + done},
			pipeline.Opening{Chunks: 1, Bytes: 500, Of: 1000, Unsent: 50}},
		{"tokens that only the total has", OpenAIChat, []string{counted("reasoning_content", long, "1", `,"total_tokens":106`), counted("content", long, "101", `,"total_tokens":206`), stop + done},
			pipeline.Opening{Chunks: 1, Bytes: 500, Of: 1000, Sure: 101}},
	} {
		r := reread(t, c.protocol, c.reads...)
		rec := pipeline.NewRequest(1, 0)
		if r.Fill(&rec); rec.Opening != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, rec.Opening, c.want)
		}
	}
}

// reread returns what is made of a stream that came in such reads, one each second.
func reread(t *testing.T, p Protocol, reads ...string) *reply.Reply {
	t.Helper()
	x := &exchange.Exchange{Protocol: string(p), Status: 200, Headers: [][2]string{{"Content-Type", "text/event-stream"}}, How: exchange.EOF}
	for i, r := range reads {
		x.Add(time.Duration(i+1)*time.Second, []byte(r))
	}
	x.End = time.Duration(len(reads)+1) * time.Second
	r, err := Reread(x)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
