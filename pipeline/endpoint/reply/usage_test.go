package reply

import (
	"math"
	"strings"
	"testing"

	"halfsecond/pipeline"
)

// TestBelieved: what a server cannot have counted is left out, and named.
func TestBelieved(t *testing.T) {
	none := pipeline.UnknownCount
	tests := []struct {
		name       string
		told       Usage
		request    int // bytes
		want       *Usage
		impossible string // all of it
	}{
		{"as usual", Usage{100, 20, none, 50}, 500, &Usage{100, 20, none, 50}, ""},
		{"all cached", Usage{100, 20, none, 100}, 500, &Usage{100, 20, none, 100}, ""},
		{"hidden reasoning", Usage{100, 90_000, 89_000, none}, 500, &Usage{100, 90_000, 89_000, none}, ""},
		{"instructions of the server's own", Usage{30_000, 20, none, none}, 500, &Usage{30_000, 20, none, none}, ""},
		{"request unknown", Usage{1_000_000, 20, none, none}, 0, &Usage{1_000_000, 20, none, none}, ""},
		{"prompt beyond the request", Usage{1_000_000, 20, none, none}, 500, &Usage{none, 20, none, none}, "a prompt of 1000000 tokens in a request of 500 bytes"},
		{"prompt", Usage{math.MaxInt, 20, none, none}, 0, &Usage{none, 20, none, none}, "a prompt of more than 100000000 tokens"},
		{"answer", Usage{100, 1_000_000_000, 7, none}, 500, &Usage{100, none, none, none}, "an answer of more than 100000000 tokens"},
		{"all", Usage{1_000_000_000, 1_000_000_000, 7, none}, 500, nil, "an answer of more than 100000000 tokens; a prompt of more than 100000000 tokens"},
		{"cached", Usage{100, 20, none, 500}, 500, &Usage{100, 20, none, none}, "500 tokens in the cache of a prompt of 100"},
		{"more reasoning than answer", Usage{100, 20, 500, none}, 500, &Usage{100, 20, none, none}, "500 tokens of reasoning in an answer of 20"},
		{"no token", Usage{100, 0, none, none}, 500, &Usage{100, none, none, none}, "no token in an answer of 20 chunks"},
		{"cached alone", Usage{none, 20, none, math.MaxInt}, 500, &Usage{none, 20, none, none}, "a prompt of more than 100000000 tokens"},
	}
	for _, tt := range tests {
		got, said := tt.told.believed(tt.request, answered{"20 chunks", true})
		impossible := strings.Join(said, "; ")
		if impossible != tt.impossible || (got == nil) != (tt.want == nil) || got != nil && *got != *tt.want {
			t.Errorf("%s: %+v, %q; want %+v, %q", tt.name, got, impossible, tt.want, tt.impossible)
		}
	}
	if got, impossible := (*Usage)(nil).believed(500, answered{"20 chunks", true}); got != nil || impossible != nil {
		t.Errorf("no usage: %+v, %q", got, impossible)
	}
	if got, impossible := (&Usage{100, 0, 5, none}).believed(500, answered{"3 chunks", false}); *got != (Usage{100, none, none, none}) || impossible != nil {
		t.Errorf("broken off: %+v, %q; want the answer not counted, and no word", got, impossible)
	}
	if got, impossible := (&Usage{100, 0, none, none}).believed(500, answered{"", true}); got.Completion != 0 || impossible != nil {
		t.Errorf("an empty answer: %+v, %q; want 0 tokens", got, impossible)
	}
}

// TestOddCounts: what a server states in place of a number of tokens is told, unless it
// states a number as well; the words of a text are not.
func TestOddCounts(t *testing.T) {
	none := pipeline.UnknownCount
	for _, c := range []struct {
		messages             []string
		known                *Usage
		negative, unreadable string
	}{
		{[]string{`{"choices":[],"usage":{"prompt_tokens":50,"completion_tokens":20}}`}, &Usage{50, 20, none, none}, "", ""},
		{[]string{`{"usage":{"prompt_tokens":"50 secret","completion_tokens" : "20"}}`}, nil, "", "a text as prompt_tokens; a text as completion_tokens"},
		{[]string{`{"usage":{"prompt_tokens":-5,"completion_tokens":-7}}`}, nil, "-5 as prompt_tokens; -7 as completion_tokens", ""},
		{[]string{`{"usage":{"prompt_tokens":50.5,"completion_tokens":20}}`}, &Usage{none, 20, none, none}, "", "the number 50.5 as prompt_tokens"},
		{[]string{`{"usage":{"prompt_tokens":50,"completion_tokens":` + strings.Repeat("9", 40) + `}}`}, nil, "", "the number " + strings.Repeat("9", 20) + "... as completion_tokens"},
		{[]string{`{"usage":{"prompt_tokens":null,"completion_tokens":[20]}}`}, nil, "", "a list as completion_tokens"},
		{[]string{`{"usage":{"prompt_tokens":"1"}}`, `{"usage":{"prompt_tokens":1,"completion_tokens":2}}`}, &Usage{1, 2, none, none}, "", ""},
		{[]string{`{"usageMetadata":{"promptTokenCount":{},"candidatesTokenCount":true}}`}, nil, "", "an object as promptTokenCount; true or false as candidatesTokenCount"},
		{[]string{`{"done":true,"prompt_eval_count":-1,"eval_count":9}`}, &Usage{none, 9, none, none}, "-1 as prompt_eval_count", ""},
		{[]string{`{"usage":{"prompt_tokens":5,"completion_tokens":9,"prompt_tokens_details":{"cached_tokens":"4"}}}`}, &Usage{5, 9, none, none}, "", "a text as cached_tokens"},
		{[]string{`{"choices":[{"delta":{"content":"\"completion_tokens\": \"a\""}}]}`, `{"choices":[{"delta":{"content":"prompt_tokens"}}]}`, `{"x":"prompt_tokens"}`}, nil, "", ""},
	} {
		var o oddCounts
		for _, m := range c.messages {
			o.look([]byte(m))
		}
		negative, unreadable := o.told(c.known)
		if got := strings.Join(negative, "; "); got != c.negative {
			t.Errorf("%s: negative %q, want %q", c.messages, got, c.negative)
		}
		if got := strings.Join(unreadable, "; "); got != c.unreadable {
			t.Errorf("%s: unreadable %q, want %q", c.messages, got, c.unreadable)
		}
	}
}

// TestRunningImpossible: a running count that cannot be adds no tokens to a chunk.
func TestRunningImpossible(t *testing.T) {
	var c tally
	count := func(n int) growth {
		u := NewCounts()
		u.Answer = n
		return c.take(&u, nil, kinds{others: true})
	}
	if got, want := count(3), (growth{answer: 3}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := count(math.MaxInt); got != unknownGrowth {
		t.Errorf("%+v, want none known", got)
	}
}
