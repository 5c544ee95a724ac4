package serve

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// idle is a service whose loop never runs: its answers are composed and not sent.
func idle(tb testing.TB, c Config) *Service {
	tb.Helper()
	c.Loop, c.Ledger, c.Stopped = pipeline.NewWall(), ledger.New(ledger.Config{}), make(chan struct{})
	c.Models = []Model{{Name: "m", Context: 300, Shares: true, Build: slots}}
	s, err := New(c)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// asked is a request.
func asked() *http.Request { return httptest.NewRequest("POST", "/", nil) }

// checkWhole reports a generation whose parts and tokens do not fit each other.
func checkWhole(t *testing.T, g *Generation) {
	t.Helper()
	at := 0
	for i, p := range g.Parts {
		if p.from != at || p.to <= p.from || (p.Kind == ToolCall) != (p.Call != nil) {
			t.Errorf("part %d is %+v, and begins at token %d", i, p, at)
		}
		at = p.to
	}
	if at == 0 || at != len(g.ends) || g.ends[at-1] != len(g.Text) {
		t.Errorf("%d parts end at token %d of %d, the text of %d bytes at %v", len(g.Parts), at, len(g.ends), len(g.Text), g.ends)
	}
	if n := g.Request.Tokens(); n != len(g.ends) || n > g.Request.Limit {
		t.Errorf("the engine is asked for %d tokens, there are %d, the limit is %d", n, len(g.ends), g.Request.Limit)
	}
}

// TestCompose: what an answer is made of, within its limit.
func TestCompose(t *testing.T) {
	type o = Order
	limit := func(n int) *int { return &n }
	tools := []Tool{{Name: "f"}, {Name: "g"}}
	for _, c := range []struct {
		name   string
		order  Order
		parts  string // kinds with their tokens
		finish string
	}{
		{"words", o{Answer: "a b c"}, "c3", "stop"},
		{"reasoning and words", o{Answer: "a b", Thought: "x y z"}, "t3 c2", "stop"},
		{"reasoning by itself", o{Answer: "a b", Thinks: true}, "t7 c2", "stop"},
		{"within a budget", o{Answer: "a b", Thinks: true, ThinkingLimit: 5}, "t5 c2", "stop"},
		{"cut in the words", o{Answer: "a b", Thought: "x y", Limit: limit(3)}, "t2 c1", "length"},
		{"cut behind the reasoning", o{Answer: "a b", Thought: "x y", Limit: limit(2)}, "t2", "length"},
		{"cut in the reasoning", o{Answer: "a b", Thought: "x y", Limit: limit(1)}, "t1", "length"},
		{"a stop string only in the reasoning", o{Answer: "a b", Thought: "x y", Stop: []string{"y", "x a"}}, "t2 c2", "stop"},
		{"a stop string in the words", o{Answer: "a b", Thought: "x y", Stop: []string{"b"}}, "t2 c2", "stop"},
		{"its own words, ignoring their end", o{IgnoreEOS: true, Limit: limit(40)}, "c40", "length"},
		{"the same after reasoning", o{IgnoreEOS: true, Thought: "x y", Limit: limit(40)}, "t2 c38", "length"},
		{"at least so many", o{Answer: "a", MinTokens: 6}, "c6", "stop"},
		{"at least so many with reasoning", o{Answer: "a", Thought: "x y", MinTokens: 6}, "t2 c4", "stop"},
		{"two calls", o{Answer: "{}", Tools: tools, Named: []string{"f", "g"}}, "f2 g2", "tool_calls"},
		{"reasoning and a call", o{Answer: "{}", Thought: "x", Tools: tools, Named: []string{"f"}}, "t1 f2", "tool_calls"},
		{"a call that is cut", o{Answer: "{}", Tools: tools, Named: []string{"f", "g"}, Limit: limit(3)}, "f2 g1", "length"},
		{"a call as long as the limit", o{Answer: "{}", Tools: tools, Named: []string{"f"}, Limit: limit(2)}, "f2", "tool_calls"},
		{"a call with a stop string in it", o{Answer: `{"a":1}`, Stop: []string{"a"}, Tools: tools, Named: []string{"f"}}, "f7", "tool_calls"},
		{"JSON", o{Format: json.RawMessage(`{"const":[1,2]}`)}, "c5", "stop"},
	} {
		s := idle(t, Config{ThinkingTokens: dist.ConstantCount(7)})
		c.order.Model, c.order.Prompt = "m", []string{"hello there"}
		g, fault := s.Generation(&Protocol{}, asked(), 0, c.order)
		if fault != nil {
			t.Errorf("%s: %v", c.name, fault)
			continue
		}
		checkWhole(t, g)
		if got := spell(g); got != c.parts || g.Finish() != c.finish {
			t.Errorf("%s: %s, %s; want %s, %s", c.name, got, g.Finish(), c.parts, c.finish)
		}
	}
}

// spell returns the parts of a generation with their tokens.
func spell(g *Generation) string {
	text := ""
	for i, p := range g.Parts {
		name := map[Kind]string{Content: "c", Thinking: "t"}[p.Kind]
		if p.Call != nil {
			name = p.Call.Name
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
	g, fault := s.Generation(&Protocol{}, asked(), 0, Order{Model: "m", Prompt: []string{"hi"}, Answer: "words", Thought: "hm", MinTokens: 1})
	if fault != nil {
		t.Fatal(fault)
	}
	got, want := g.Request.Blocks(nil, 1), token.Blocks(nil, 1, "hi", "hm", "words")
	if len(got) != 3 || got[2] != want[2] {
		t.Errorf("tokens of prompt, reasoning and words hash to %v, want %v", got, want)
	}
}

func TestNewRefusesShares(t *testing.T) {
	c := Config{ToolShare: 1.5}
	if _, err := New(c); err == nil || err.Error() != "share of answers that call a tool is 1.5: it must be from 0 to 1" {
		t.Errorf("a share of 1.5: %v", err)
	}
}

func slots(l pipeline.Scheduler) engine.Engine {
	return engine.NewSlots(l, engine.SlotsConfig{Service: engine.Fixed{}, Slots: 1, MaxContext: 1000})
}
