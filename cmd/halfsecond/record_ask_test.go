package main

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"halfsecond/mockllm/token"
)

// TestQuestions: each request has its prompt, and together they have as many tokens as was
// said before.
func TestQuestions(t *testing.T) {
	for name, q := range map[string]questions{
		"a file":          {lines: []string{"One.", "How are you today?", "Tell me more about that."}},
		"without meaning": {tokens: 30, salt: 7},
	} {
		for n := range 8 {
			want := 0
			for i := range n {
				want += token.Count(q.text(i))
			}
			if got := q.count(n); got != want {
				t.Errorf("%s: %d tokens in %d prompts, want %d", name, got, n, want)
			}
		}
		if q.text(0) == q.text(1) || (q.text(0) == q.text(3)) != (len(q.lines) > 0) {
			t.Errorf("%s: %q, %q, %q, %q", name, q.text(0), q.text(1), q.text(2), q.text(3))
		}
	}
}

// TestTooMuchIsAsked: what is over a cap is said at once, however much it is.
func TestTooMuchIsAsked(t *testing.T) {
	most := recordAsking{}
	most.addGuard(pflag.NewFlagSet("", pflag.ContinueOnError)) // its defaults
	most.requests, most.prompt, most.answer, most.maxTokens = mostAsked, mostAsked, mostAsked, mostAsked
	q, err := most.questions()
	if err := errors.Join(err, most.validate()); err != nil {
		t.Fatal(err)
	}
	if e := most.estimate(q); e.Tokens() != 2*mostAsked*mostAsked || most.over(priced{Estimate: e}) == nil {
		t.Errorf("%+v, want it over the cap", e)
	}
	most.requests = math.MaxInt
	if err := most.validate(); err == nil || !strings.Contains(err.Error(), "--requests 9223372036854775807: want at most 1000000000") {
		t.Errorf("error %v", err)
	}
}
