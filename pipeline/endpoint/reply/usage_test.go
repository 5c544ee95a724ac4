package reply

import (
	"math"
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
		impossible string
	}{
		{"as usual", Usage{100, 20, none, 50}, 500, &Usage{100, 20, none, 50}, ""},
		{"all cached", Usage{100, 20, none, 100}, 500, &Usage{100, 20, none, 100}, ""},
		{"hidden reasoning", Usage{100, 90_000, 89_000, none}, 500, &Usage{100, 90_000, 89_000, none}, ""},
		{"instructions of the server's own", Usage{30_000, 20, none, none}, 500, &Usage{30_000, 20, none, none}, ""},
		{"request unknown", Usage{1_000_000, 20, none, none}, 0, &Usage{1_000_000, 20, none, none}, ""},
		{"prompt beyond the request", Usage{1_000_000, 20, none, none}, 500, &Usage{none, 20, none, none}, "a prompt of 1000000 tokens in a request of 500 bytes"},
		{"prompt", Usage{math.MaxInt, 20, none, none}, 0, &Usage{none, 20, none, none}, "a prompt of more than 100000000 tokens"},
		{"answer", Usage{100, 1_000_000_000, none, none}, 500, nil, "an answer of more than 100000000 tokens"},
		{"cached", Usage{100, 20, none, 500}, 500, &Usage{none, 20, none, none}, "500 tokens in the cache of a prompt of 100"},
		{"cached alone", Usage{none, 20, none, math.MaxInt}, 500, &Usage{none, 20, none, none}, "a prompt of more than 100000000 tokens"},
	}
	for _, tt := range tests {
		got, impossible := tt.told.believed(tt.request)
		if impossible != tt.impossible || (got == nil) != (tt.want == nil) || got != nil && *got != *tt.want {
			t.Errorf("%s: %+v, %q; want %+v, %q", tt.name, got, impossible, tt.want, tt.impossible)
		}
	}
	if got, impossible := (*Usage)(nil).believed(500); got != nil || impossible != "" {
		t.Errorf("no usage: %+v, %q", got, impossible)
	}
}

// TestRunningImpossible: a running count that cannot be adds no tokens to a chunk.
func TestRunningImpossible(t *testing.T) {
	var c tally
	if got := c.take(&Usage{Completion: 3}, nil, true); got != 3 {
		t.Errorf("%d tokens, want 3", got)
	}
	if got := c.take(&Usage{Completion: math.MaxInt}, nil, true); got != pipeline.UnknownCount {
		t.Errorf("%d tokens, want none known", got)
	}
}
