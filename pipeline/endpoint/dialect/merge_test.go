package dialect

import (
	"strings"
	"testing"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
)

// TestEachCountByItself: of each count the last one that is stated holds, be it in another
// message than those that it is added to.
func TestEachCountByItself(t *testing.T) {
	const none = pipeline.UnknownCount
	message := func(start, end string) string {
		return event(`{"type":"message_start","message":{"usage":{`+start+`}}}`) +
			event(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi there"}}`) +
			event(`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{`+end+`}}`) + event(`{"type":"message_stop"}`)
	}
	const all = `"input_tokens":10,"cache_creation_input_tokens":200,"cache_read_input_tokens":1000,"output_tokens":1`
	candidates := func(counts ...string) (body string) {
		for _, c := range counts {
			body += event(`{"candidates":[{"content":{"parts":[{"text":"Hi there"}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":5,` + c + `}}`)
		}
		return body
	}
	for _, c := range []struct {
		name, body string
		dialect    *Dialect
		want       reply.Usage
	}{
		{"the answer", message(all, `"output_tokens":3`), anthropicMessages, reply.Usage{Prompt: 1210, Completion: 3, Reasoning: none, Cached: 1000}},
		{"the input again", message(all, `"input_tokens":10,"output_tokens":3`), anthropicMessages, reply.Usage{Prompt: 1210, Completion: 3, Reasoning: none, Cached: 1000}},
		{"another input", message(all, `"input_tokens":12,"output_tokens":3`), anthropicMessages, reply.Usage{Prompt: 1212, Completion: 3, Reasoning: none, Cached: 1000}},
		{"the cache again", message(all, `"cache_read_input_tokens":1000,"output_tokens":3`), anthropicMessages, reply.Usage{Prompt: 1210, Completion: 3, Reasoning: none, Cached: 1000}},
		{"another that was written", message(all, `"cache_creation_input_tokens":0,"output_tokens":3`), anthropicMessages, reply.Usage{Prompt: 1010, Completion: 3, Reasoning: none, Cached: 1000}},
		{"null", message(all, `"input_tokens":null,"cache_creation_input_tokens":null,"cache_read_input_tokens":null,"output_tokens":3`), anthropicMessages, reply.Usage{Prompt: 1210, Completion: 3, Reasoning: none, Cached: 1000}},
		{"all zeros", message(all, `"input_tokens":0,"output_tokens":0`), anthropicMessages, reply.Usage{Prompt: 1210, Completion: 1, Reasoning: none, Cached: 1000}},
		{"the cache at the end alone", message(`"input_tokens":10,"output_tokens":1`, `"cache_read_input_tokens":1000,"output_tokens":3`), anthropicMessages, reply.Usage{Prompt: 1010, Completion: 3, Reasoning: none, Cached: 1000}},
		{"no input", message(`"output_tokens":1`, `"cache_read_input_tokens":1000,"output_tokens":3`), anthropicMessages, reply.Usage{Prompt: none, Completion: 3, Reasoning: none, Cached: 1000}},
		{"a cache that cannot be read", message(`"input_tokens":10,"cache_read_input_tokens":"1000","output_tokens":1`, `"output_tokens":3`), anthropicMessages, reply.Usage{Prompt: none, Completion: 3, Reasoning: none, Cached: none}},
		{"thinking", message(all, `"output_tokens":30,"output_tokens_details":{"thinking_tokens":20}`), anthropicMessages, reply.Usage{Prompt: 1210, Completion: 30, Reasoning: 20, Cached: 1000}},
		{"thoughts first alone", candidates(`"candidatesTokenCount":100,"thoughtsTokenCount":50`, `"candidatesTokenCount":200`), geminiContent, reply.Usage{Prompt: 5, Completion: 250, Reasoning: 50, Cached: none}},
		{"many thoughts first alone", candidates(`"candidatesTokenCount":100,"thoughtsTokenCount":900`, `"candidatesTokenCount":200`), geminiContent, reply.Usage{Prompt: 5, Completion: 1100, Reasoning: 900, Cached: none}},
		{"more thoughts alone", candidates(`"candidatesTokenCount":100,"thoughtsTokenCount":50`, `"thoughtsTokenCount":60`), geminiContent, reply.Usage{Prompt: 5, Completion: 160, Reasoning: 60, Cached: none}},
		{"thoughts alone", candidates(`"thoughtsTokenCount":60`), geminiContent, reply.Usage{Prompt: 5, Completion: 60, Reasoning: 60, Cached: none}},
		{"thoughts that cannot be read", candidates(`"candidatesTokenCount":100,"thoughtsTokenCount":"50"`), geminiContent, reply.Usage{Prompt: 5, Completion: none, Reasoning: none, Cached: none}},
	} {
		r := readBody(c.dialect, "text/event-stream", c.body)
		if said := strings.Join(r.Impossible, "; "); r.Usage == nil || *r.Usage != c.want || said != "" {
			t.Errorf("%s: %+v, %q; want %+v", c.name, r.Usage, said, c.want)
		}
	}
}

// TestCountsOfList: the pieces of Gemini's list form are read as those of its stream are.
func TestCountsOfList(t *testing.T) {
	piece := func(counts string) string {
		return `{"candidates":[{"content":{"parts":[{"text":"Hi"}]},"finishReason":"STOP"}],"usageMetadata":{` + counts + `}}`
	}
	first, second := piece(`"promptTokenCount":5,"candidatesTokenCount":100,"thoughtsTokenCount":50,"cachedContentTokenCount":3`), piece(`"candidatesTokenCount":200`)
	want := reply.Usage{Prompt: 5, Completion: 250, Reasoning: 50, Cached: 3}
	for contentType, body := range map[string]string{"text/event-stream": event(first) + event(second), "application/json": "[" + first + "," + second + "]"} {
		if r := readBody(geminiContent, contentType, body); r.Usage == nil || *r.Usage != want {
			t.Errorf("%s: %+v, want %+v", contentType, r.Usage, want)
		}
	}
}

// TestOtherChoice: an answer is that of choice 0, or of the first one that came where that did
// not; it ends well where the server said why it ended.
func TestOtherChoice(t *testing.T) {
	choice := func(index, text, finish string) string {
		return event(`{"choices":[{"index":` + index + `,"delta":{"content":"` + text + `"},"finish_reason":` + finish + `}]}`)
	}
	for _, c := range []struct {
		name  string
		reads []string
		want  pipeline.Outcome
		text  string
	}{
		{"1 alone", []string{choice("1", "Hi", "null"), choice("1", " you", `"stop"`)}, pipeline.OK, "Hi you"},
		{"1 alone, cut", []string{choice("1", "Hi", "null"), choice("1", " you", "null")}, pipeline.Truncated, "Hi you"},
		{"1 before 0, which is cut", []string{choice("1", "Hi", `"stop"`), choice("0", "you", "null")}, pipeline.Truncated, "you"},
		{"1 before 0", []string{choice("1", "Hi", "null"), choice("0", "you", `"stop"`)}, pipeline.OK, "you"},
		{"2 before 1", []string{choice("2", "Hi", "null"), choice("1", "you", `"stop"`)}, pipeline.OK, "you"},
	} {
		r := reread(t, OpenAIChat, c.reads...)
		rec := pipeline.NewRequest(1, 0)
		r.Fill(&rec)
		if r.Answer().Text != c.text || rec.Outcome != c.want || rec.Empty || rec.Chunks == 0 || rec.Whole() {
			t.Errorf("%s: %v, %q, %d chunks, empty %t, whole %t; want %v, %q", c.name, rec.Outcome, r.Answer().Text, rec.Chunks, rec.Empty, rec.Whole(), c.want, c.text)
		}
	}
}
