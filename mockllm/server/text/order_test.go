package text

import (
	"encoding/json"
	"strconv"
	"testing"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/anthropic"
)

// idle is a service whose loop never runs: its answers are composed and not sent.
func idle(tb testing.TB, c Config) *Service {
	tb.Helper()
	c.Loop, c.Ledger, c.Stopped = pipeline.NewWall(), ledger.New(ledger.Config{}), make(chan struct{})
	c.Models = []Model{{Name: "m", Context: 300, Shares: true, Build: slow}}
	s, err := New(c)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// checkWhole reports a generation whose parts and tokens do not fit each other.
func checkWhole(t *testing.T, g *generation) {
	t.Helper()
	at := 0
	for i, p := range g.parts {
		if p.from != at || p.to <= p.from || (p.kind == toolCall) != (p.call != nil) {
			t.Errorf("part %d is %+v, and begins at token %d", i, p, at)
		}
		at = p.to
	}
	if at == 0 || at != len(g.ends) || g.ends[at-1] != len(g.text) {
		t.Errorf("%d parts end at token %d of %d, the text of %d bytes at %v", len(g.parts), at, len(g.ends), len(g.text), g.ends)
	}
	if n := g.request.Tokens(); n != len(g.ends) || n > g.request.Limit {
		t.Errorf("the engine is asked for %d tokens, there are %d, the limit is %d", n, len(g.ends), g.request.Limit)
	}
}

// TestCompose: what an answer is made of, within its limit.
func TestCompose(t *testing.T) {
	type o = order
	limit := func(n int) *int { return &n }
	tools := []tool{{name: "f"}, {name: "g"}}
	for _, c := range []struct {
		name   string
		order  order
		parts  string // kinds with their tokens
		finish string
	}{
		{"words", o{answer: "a b c"}, "c3", "stop"},
		{"reasoning and words", o{answer: "a b", thought: "x y z"}, "t3 c2", "stop"},
		{"reasoning by itself", o{answer: "a b", thinks: true}, "t7 c2", "stop"},
		{"within a budget", o{answer: "a b", thinks: true, thinkingLimit: 5}, "t5 c2", "stop"},
		{"cut in the words", o{answer: "a b", thought: "x y", limit: limit(3)}, "t2 c1", "length"},
		{"cut behind the reasoning", o{answer: "a b", thought: "x y", limit: limit(2)}, "t2", "length"},
		{"cut in the reasoning", o{answer: "a b", thought: "x y", limit: limit(1)}, "t1", "length"},
		{"a stop string only in the reasoning", o{answer: "a b", thought: "x y", stop: []string{"y", "x a"}}, "t2 c2", "stop"},
		{"a stop string in the words", o{answer: "a b", thought: "x y", stop: []string{"b"}}, "t2 c2", "stop"},
		{"its own words, ignoring their end", o{ignoreEOS: true, limit: limit(40)}, "c40", "length"},
		{"the same after reasoning", o{ignoreEOS: true, thought: "x y", limit: limit(40)}, "t2 c38", "length"},
		{"at least so many", o{answer: "a", minTokens: 6}, "c6", "stop"},
		{"at least so many with reasoning", o{answer: "a", thought: "x y", minTokens: 6}, "t2 c4", "stop"},
		{"two calls", o{answer: "{}", tools: tools, named: []string{"f", "g"}}, "f2 g2", "tool_calls"},
		{"reasoning and a call", o{answer: "{}", thought: "x", tools: tools, named: []string{"f"}}, "t1 f2", "tool_calls"},
		{"a call that is cut", o{answer: "{}", tools: tools, named: []string{"f", "g"}, limit: limit(3)}, "f2 g1", "length"},
		{"a call as long as the limit", o{answer: "{}", tools: tools, named: []string{"f"}, limit: limit(2)}, "f2", "tool_calls"},
		{"a call with a stop string in it", o{answer: `{"a":1}`, stop: []string{"a"}, tools: tools, named: []string{"f"}}, "f7", "tool_calls"},
		{"JSON", o{format: json.RawMessage(`{"const":[1,2]}`)}, "c5", "stop"},
	} {
		s := idle(t, Config{ThinkingTokens: dist.ConstantCount(7)})
		c.order.model, c.order.prompt = "m", []string{"hello there"}
		g, fault := s.generation(openAI, c.order)
		if fault != nil {
			t.Errorf("%s: %v", c.name, fault)
			continue
		}
		checkWhole(t, g)
		if got := spell(g); got != c.parts || g.finish() != c.finish {
			t.Errorf("%s: %s, %s; want %s, %s", c.name, got, g.finish(), c.parts, c.finish)
		}
	}
}

// spell returns the parts of a generation with their tokens.
func spell(g *generation) string {
	text := ""
	for i, p := range g.parts {
		name := map[kind]string{content: "c", thinking: "t"}[p.kind]
		if p.call != nil {
			name = p.call.name
		}
		if i > 0 {
			text += " "
		}
		text += name + strconv.Itoa(p.to-p.from)
	}
	return text
}

// TestAnswerIsCachedByItsParts: a later prompt that sends the parts back as messages
// begins with the same tokens.
func TestAnswerIsCachedByItsParts(t *testing.T) {
	s := idle(t, Config{})
	g, fault := s.generation(openAI, order{model: "m", prompt: []string{"hi"}, answer: "words", thought: "hm", minTokens: 1})
	if fault != nil {
		t.Fatal(fault)
	}
	got, want := g.request.Blocks(nil, 1), token.Blocks(nil, 1, "hi", "hm", "words")
	if len(got) != 3 || got[2] != want[2] {
		t.Errorf("tokens of prompt, reasoning and words hash to %v, want %v", got, want)
	}
}

// FuzzRequests: no body of a request brings the server down, and what is understood
// becomes a whole answer.
func FuzzRequests(f *testing.F) {
	for _, body := range []string{
		`{"model":"m","messages":[{"role":"user","content":"a"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}],"tool_choice":"required","input":"a","max_tokens":9}`,
		`{"model":"m","max_tokens":3,"system":[{"type":"text","text":"s","cache_control":{}}],"messages":[{"role":"user","content":[{"type":"tool_result","content":[null]}]}],"mock_thinking":"a b"}`,
		`{"model":"m","prompt":"a","suffix":"b","stop":["x",""],"min_tokens":99999,"ignore_eos":true,"return_token_ids":true,"max_tokens":50}`,
		`{"model":"m","input":[null,{"type":"item_reference"},{"type":"function_call","arguments":{}}],"tools":[null],"reasoning":{"effort":"low"},"text":{"format":null},"tool_choice":{"type":"allowed_tools","tools":[null]}}`,
		`{"model":"m","messages":[null],"tools":[null],"tool_choice":null,"response_format":null,"chat_template_kwargs":null,"stream_options":null,"max_tokens":null}`,
		`{"model":"m","max_tokens":2,"messages":[{"role":"user","content":"a"}],"mock_tool":"f","tools":[{"name":"f","input_schema":{"items":1},"type":"function","function":{"name":"f","parameters":[]}}]}`,
		`{"model":"m","prompt":["a"],"content":"x","messages":[{"role":"user","content":"a","tool_calls":[{"function":null}]}],"max_tokens":-5,"max_completion_tokens":4611686018427387904}`,
	} {
		f.Add([]byte(body))
	}
	s := idle(f, Config{ThinkingTokens: dist.ConstantCount(3), ToolShare: .5})
	f.Fuzz(func(t *testing.T, body []byte) {
		var c wire.ChatRequest
		if json.Unmarshal(body, &c) == nil {
			tryOrder(t, s, openAI)(orderChat(&c))
		}
		var p wire.CompletionRequest
		if json.Unmarshal(body, &p) == nil {
			tryOrder(t, s, openAI)(orderCompletion(&p))
		}
		var q wire.ResponsesRequest
		if json.Unmarshal(body, &q) == nil {
			o, asked, fault := s.orderResponse(&q)
			if g := tryOrder(t, s, openAI)(o, fault); g != nil {
				form := s.newResponsesForm(g, &q, asked)
				checkStream(t, g, form)
				checkJSON(t, form.finish())
			}
		}
		var a anthropic.Request
		if json.Unmarshal(body, &a) == nil {
			if g := tryOrder(t, s, anthropicAPI)(orderMessages(&a)); g != nil && a.MaxTokens != nil {
				form := &anthropicForm{g: g, limit: *a.MaxTokens, marked: marked(&a)}
				checkStream(t, g, form)
				checkJSON(t, form.whole())
			}
		}
		var k wire.TokenizeRequest
		if json.Unmarshal(body, &k) == nil {
			checkJSON(t, tokenized(&k, 300))
		}
	})
}

// tryOrder composes the answer to an order that was understood.
func tryOrder(t *testing.T, s *Service, p *protocol) func(o order, fault *apiError) *generation {
	return func(o order, fault *apiError) *generation {
		if fault != nil {
			return nil
		}
		g, fault := s.generation(p, o)
		if fault != nil {
			return nil
		}
		checkWhole(t, g)
		return g
	}
}

// checkStream writes all of an answer, every token by itself.
func checkStream(t *testing.T, g *generation, f form) {
	t.Helper()
	b := f.open(nil, g)
	for n := range len(g.ends) {
		b = g.appendPieces(f, b, n, n+1)
	}
	b = f.end(b, g)
	var d wire.EventDecoder
	if err := d.Feed(b, 0, func(e wire.Event) bool {
		if !json.Valid(e.Data) {
			t.Errorf("event %s is no JSON: %s", e.Name, e.Data)
		}
		return true
	}); err != nil {
		t.Error(err)
	}
}

func checkJSON(t *testing.T, v any) {
	t.Helper()
	if _, err := json.Marshal(v); err != nil {
		t.Error(err)
	}
}
