package serve

import (
	"strings"
	"testing"
)

// TestCalled is the rule of when tools are called, and which.
func TestCalled(t *testing.T) {
	f, g := Tool{Name: "f"}, Tool{Name: "g"}
	both := []Tool{f, g}
	for _, c := range []struct {
		name  string
		share float64
		order Order
		want  string // names; "?" for one of both
	}{
		{"no tools", 1, Order{}, ""},
		{"free, no share", 0, Order{Tools: both}, ""},
		{"free, full share", 1, Order{Tools: both}, "?"},
		{"free, dictated answer", 1, Order{Tools: both, Answer: "hello"}, ""},
		{"free, after a result", 1, Order{Tools: both, AfterTool: true}, ""},
		{"named by mock_tool", 0, Order{Tools: both, Named: []string{"g", "f"}}, "g f"},
		{"named, one at a time", 0, Order{Tools: both, Named: []string{"g", "f"}, Single: true}, "g"},
		{"named, after a result", 0, Order{Tools: both, Named: []string{"g"}, AfterTool: true}, ""},
		{"forbidden", 1, Order{Tools: both, Named: []string{"g"}, Choice: Never}, ""},
		{"demanded", 0, Order{Tools: both, Choice: Required}, "?"},
		{"demanded, dictated arguments", 0, Order{Tools: both, Choice: Required, Answer: "{}"}, "?"},
		{"demanded after a result", 0, Order{Tools: both, Choice: Required, AfterTool: true}, "?"},
		{"demanded by name", 0, Order{Tools: both, Choice: Required, Named: []string{"f"}}, "f"},
	} {
		s := &Service{Config: Config{ToolShare: c.share}}
		for seed := range uint64(20) {
			var names []string
			for _, t := range s.called(c.order, seed) {
				names = append(names, t.Name)
			}
			got := strings.Join(names, " ")
			if c.want == "?" && (got == "f" || got == "g") {
				got = "?"
			}
			if got != c.want {
				t.Errorf("%s: calls %q, want %q", c.name, got, c.want)
				break
			}
		}
	}
}

// TestToolShare: the share holds over many prompts, and one prompt is always answered
// alike.
func TestToolShare(t *testing.T) {
	s := &Service{Config: Config{ToolShare: .25}}
	o := Order{Tools: []Tool{{Name: "f"}, {Name: "g"}}}
	n, first := 0, 0
	for seed := range uint64(10_000) {
		called := s.called(o, seed)
		if len(called) > 0 {
			n++
			if called[0].Name == "f" {
				first++
			}
		}
		if again := s.called(o, seed); len(again) != len(called) {
			t.Fatalf("seed %d calls %v and then %v", seed, called, again)
		}
	}
	if n != 2445 || first != 1207 { // expected 2500 and half of them; the deviations are 43 and 25
		t.Errorf("%d of 10,000 call a tool, %d of them the first", n, first)
	}
}
