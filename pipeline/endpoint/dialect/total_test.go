package dialect

import (
	"fmt"
	"strings"
	"testing"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
)

// TestCountedBeside: reasoning that a server counts beside its answer is counted with it, and
// what was cached that it counts beside the prompt with that, as far as the total tells; a
// total that fits neither way leaves it impossible, and what it has beside is told.
func TestCountedBeside(t *testing.T) {
	none := pipeline.UnknownCount
	rest := func(n int) string {
		return fmt.Sprintf("%d tokens in the total beside the prompt and the answer, of which nothing says what they are", n)
	}
	for _, c := range []struct {
		name, counts string // of a prompt of 12, behind its count
		want         reply.Usage
		impossible   string
	}{
		{"Grok's", `"completion_tokens":2,"total_tokens":331,"completion_tokens_details":{"reasoning_tokens":317}`, reply.Usage{Prompt: 12, Completion: 319, Reasoning: 317, Cached: none}, ""},
		{"Grok's, a long answer", `"completion_tokens":400,"total_tokens":729,"completion_tokens_details":{"reasoning_tokens":317}`, reply.Usage{Prompt: 12, Completion: 717, Reasoning: 317, Cached: none}, ""},
		{"OpenAI's", `"completion_tokens":400,"total_tokens":412,"completion_tokens_details":{"reasoning_tokens":317}`, reply.Usage{Prompt: 12, Completion: 400, Reasoning: 317, Cached: none}, ""},
		{"OpenAI's, without total", `"completion_tokens":400,"completion_tokens_details":{"reasoning_tokens":317}`, reply.Usage{Prompt: 12, Completion: 400, Reasoning: 317, Cached: none}, ""},
		{"more than the answer, without total", `"completion_tokens":2,"completion_tokens_details":{"reasoning_tokens":317}`, reply.Usage{Prompt: 12, Completion: 319, Reasoning: 317, Cached: none}, ""},
		{"more than the answer, which has all of the total", `"completion_tokens":2,"total_tokens":14,"completion_tokens_details":{"reasoning_tokens":317}`, reply.Usage{Prompt: 12, Completion: 2, Reasoning: none, Cached: none}, "317 tokens of reasoning in an answer of 2"},
		{"more than the total has beside", `"completion_tokens":2,"total_tokens":200,"completion_tokens_details":{"reasoning_tokens":317}`, reply.Usage{Prompt: 12, Completion: 2, Reasoning: none, Cached: none}, "317 tokens of reasoning in an answer of 2; " + rest(186)},
		{"a rest, and no reasoning", `"completion_tokens":151,"total_tokens":553`, reply.Usage{Prompt: 12, Completion: 151, Reasoning: none, Cached: none}, rest(390)},
		{"a rest, and no count of the answer", `"completion_tokens":0,"total_tokens":72`, reply.Usage{Prompt: 12, Completion: none, Reasoning: none, Cached: none}, "no token in an answer of 1 chunk; " + rest(60)},
		{"a rest that was written to a cache", `"completion_tokens":2,"total_tokens":1514,"prompt_tokens_details":{"cached_tokens":0}`, reply.Usage{Prompt: 12, Completion: 2, Reasoning: none, Cached: 0}, rest(1500)},
		{"a rest of which some was cached", `"completion_tokens":2,"total_tokens":1514,"prompt_tokens_details":{"cached_tokens":1000}`, reply.Usage{Prompt: 1012, Completion: 2, Reasoning: none, Cached: 1000}, rest(500)},
		{"reasoning in the answer, and a rest", `"completion_tokens":400,"total_tokens":1912,"completion_tokens_details":{"reasoning_tokens":317}`, reply.Usage{Prompt: 12, Completion: 400, Reasoning: 317, Cached: none}, rest(1500)},
		{"Grok's, and a rest", `"completion_tokens":2,"total_tokens":831,"completion_tokens_details":{"reasoning_tokens":317}`, reply.Usage{Prompt: 12, Completion: 319, Reasoning: 317, Cached: none}, rest(500)},
		{"no reasoning by its count, and a rest", `"completion_tokens":2,"total_tokens":1514,"completion_tokens_details":{"reasoning_tokens":0}`, reply.Usage{Prompt: 12, Completion: 2, Reasoning: 0, Cached: none}, rest(1500)},
		{"no reasoning", `"completion_tokens":151,"total_tokens":163`, reply.Usage{Prompt: 12, Completion: 151, Reasoning: none, Cached: none}, ""},
		{"a prompt without what was cached", `"completion_tokens":151,"total_tokens":1163,"prompt_tokens_details":{"cached_tokens":1000}`, reply.Usage{Prompt: 1012, Completion: 151, Reasoning: none, Cached: 1000}, ""},
		{"a long prompt without the little that was cached", `"completion_tokens":151,"total_tokens":170,"prompt_tokens_details":{"cached_tokens":7}`, reply.Usage{Prompt: 19, Completion: 151, Reasoning: none, Cached: 7}, ""},
		{"a prompt without what was cached, and reasoning in the answer", `"completion_tokens":400,"total_tokens":1412,"prompt_tokens_details":{"cached_tokens":1000},"completion_tokens_details":{"reasoning_tokens":317}`, reply.Usage{Prompt: 1012, Completion: 400, Reasoning: 317, Cached: 1000}, ""},
		{"a prompt without what was cached, and no reasoning", `"completion_tokens":400,"total_tokens":1412,"prompt_tokens_details":{"cached_tokens":1000},"completion_tokens_details":{"reasoning_tokens":0}`, reply.Usage{Prompt: 1012, Completion: 400, Reasoning: 0, Cached: 1000}, ""},
		{"what was cached and reasoning, both beside", `"completion_tokens":2,"total_tokens":1331,"prompt_tokens_details":{"cached_tokens":1000},"completion_tokens_details":{"reasoning_tokens":317}`, reply.Usage{Prompt: 1012, Completion: 319, Reasoning: 317, Cached: 1000}, ""},
		{"some in the cache, of which the total has nothing beside", `"completion_tokens":2,"total_tokens":14,"prompt_tokens_details":{"cached_tokens":1000}`, reply.Usage{Prompt: 12, Completion: 2, Reasoning: none, Cached: none}, "1000 tokens in the cache of a prompt of 12"},
		{"more in the cache than the total has beside", `"completion_tokens":2,"total_tokens":314,"prompt_tokens_details":{"cached_tokens":1000}`, reply.Usage{Prompt: 12, Completion: 2, Reasoning: none, Cached: none}, "1000 tokens in the cache of a prompt of 12; " + rest(300)},
		{"reasoning alone", `"total_tokens":163,"completion_tokens_details":{"reasoning_tokens":3}`, reply.Usage{Prompt: 12, Completion: none, Reasoning: none, Cached: none}, ""},
		{"an answer in quotes", `"completion_tokens":"151","total_tokens":163`, reply.Usage{Prompt: 12, Completion: none, Reasoning: none, Cached: none}, ""},
	} {
		counts := `"prompt_tokens":12,` + c.counts
		responses := strings.NewReplacer("prompt_tokens", "input_tokens", "completion_tokens", "output_tokens").Replace(counts)
		for d, body := range map[*Dialect]string{
			openAIChat: event(`{"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}`) + event(`{"choices":[],"usage":{`+counts+`}}`) + done,
			openAIResponses: event(`{"type":"response.output_text.delta","delta":"Hi"}`) +
				event(`{"type":"response.completed","response":{"status":"completed","usage":{`+responses+`}}}`),
		} {
			r := readBody(d, "text/event-stream", body)
			if said := strings.Join(r.Impossible, "; "); r.Usage == nil || *r.Usage != c.want || said != c.impossible {
				t.Errorf("%s, %s: %s, %q; want %+v, %q", c.name, d.Protocol, fmt.Sprintf("%+v", r.Usage), said, c.want, c.impossible)
			}
		}
	}
}

// TestReasoningBehindItsTotal: what a total has beside is explained by reasoning that is counted
// behind it.
func TestReasoningBehindItsTotal(t *testing.T) {
	r := readBody(openAIChat, "text/event-stream", event(`{"choices":[{"index":0,"delta":{"content":"Hi"}}],"usage":{"prompt_tokens":12,"completion_tokens":2,"total_tokens":331}}`)+
		stop+event(`{"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":2,"completion_tokens_details":{"reasoning_tokens":317}}}`)+done)
	if want := (reply.Usage{Prompt: 12, Completion: 319, Reasoning: 317, Cached: pipeline.UnknownCount}); r.Usage == nil || *r.Usage != want || len(r.Impossible) > 0 || r.Beside != 0 {
		t.Errorf("%+v, %q, %d beside; want %+v", r.Usage, r.Impossible, r.Beside, want)
	}
}

// TestReasoningThatCame: the rest of a total is reasoning where the answer brought some that
// nobody counts, be it streamed or whole, unless it may as well be of a cache.
func TestReasoningThatCame(t *testing.T) {
	none := pipeline.UnknownCount
	for usage, want := range map[string]reply.Usage{
		`{"prompt_tokens":12,"completion_tokens":151,"total_tokens":553}`:                                                      {Prompt: 12, Completion: 541, Reasoning: 390, Cached: none},
		`{"prompt_tokens":12,"completion_tokens":151,"total_tokens":553,"prompt_tokens_details":{"cached_tokens":0}}`:          {Prompt: 12, Completion: 151, Reasoning: none, Cached: 0},
		`{"prompt_tokens":12,"completion_tokens":151,"total_tokens":553,"completion_tokens_details":{"reasoning_tokens":100}}`: {Prompt: 12, Completion: 151, Reasoning: 100, Cached: none},
		`{"prompt_tokens":12,"completion_tokens":541,"total_tokens":553,"completion_tokens_details":{"reasoning_tokens":390}}`: {Prompt: 12, Completion: 541, Reasoning: 390, Cached: none},
	} {
		streamed := readBody(openAIChat, "text/event-stream", event(`{"choices":[{"index":0,"delta":{"reasoning_content":"Hm"}}]}`)+
			event(`{"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}`)+event(`{"choices":[],"usage":`+usage+`}`)+done)
		whole := readBody(openAIChat, "application/json", `{"choices":[{"index":0,"message":{"reasoning_content":"Hm","content":"Hi"},"finish_reason":"stop"}],"usage":`+usage+`}`)
		for name, r := range map[string]*reply.Reply{"streamed": streamed, "whole": whole} {
			doubtful := want.Completion == 151
			if r.Usage == nil || *r.Usage != want || (r.Beside > 0) != doubtful || len(r.Impossible) > 0 != doubtful {
				t.Errorf("%s, %s: %+v, %d beside, %q; want %+v", name, usage, r.Usage, r.Beside, r.Impossible, want)
			}
		}
	}
}

// TestMangled: a letter is lost only where something was read of its event.
func TestMangled(t *testing.T) {
	hi := event(`{"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}`)
	for _, c := range []struct {
		name, body string
		want       int
	}{
		{"in the answer", event("{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\xff\"}}]}") + hi + done, 1},
		{"in a last event without its blank line", hi + "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\xff\"}}]}\n", 1},
		{"where the body ends", hi + "data: {\"a\":\"\xc3", 0},
		{"in an event by a name of its own", hi + "event: ping\ndata: caf\xe9\n\n" + done, 0},
	} {
		if r := readBody(openAIChat, "text/event-stream", c.body); r.Mangled != c.want || r.Unread != 0 {
			t.Errorf("%s: %d events mangled, %d unread; want %d, 0", c.name, r.Mangled, r.Unread, c.want)
		}
	}
}
