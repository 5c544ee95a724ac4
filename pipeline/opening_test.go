package pipeline

import "testing"

// TestFollowing: how many tokens came after the first output is what the server counted on, or
// else what chunks and bytes tell, and never more than all but one.
func TestFollowing(t *testing.T) {
	for _, c := range []struct {
		name           string
		tokens, chunks int
		opening        Opening
		want           Following
	}{
		{"nobody counted", UnknownCount, 5, Opening{}, Following{}},
		{"one token", 1, 1, Opening{}, Following{}},
		{"chunks nobody saw", 100, 0, Opening{}, Following{Most: 99, Likely: 99, Least: 99}},
		{"a token a chunk", 100, 100, Opening{}, Following{Most: 99, Likely: 99, Least: 99}},
		{"an end that is counted", 100, 99, Opening{}, Following{Most: 99, Likely: 99, Least: 99}},
		{"letters", 25, 100, Opening{}, Following{Most: 24, Likely: 24, Least: 24}},
		{"80 of 100, as counted", 100, 2, Opening{Chunks: 1, Tokens: 80, Bytes: 390, Of: 500}, Following{Most: 99, Likely: 20, Least: 20, Counted: true}},
		{"all counted before the last chunk", 100, 5, Opening{Chunks: 1, Tokens: 100}, Following{Most: 99, Least: 4}},
		{"80 of 100, by its bytes", 100, 2, Opening{Chunks: 1, Bytes: 400, Of: 500}, Following{Most: 99, Likely: 20, Least: 10}},
		{"4 of 20", 20, 5, Opening{Chunks: 1, Bytes: 20, Of: 100}, Following{Most: 19, Likely: 16, Least: 12}},
		{"4 of 200", 200, 50, Opening{Chunks: 1, Bytes: 20, Of: 1000}, Following{Most: 199, Likely: 196, Least: 192}},
		{"a file without bytes", 31, 16, Opening{}, Following{Most: 30, Least: 15}},
		{"a last chunk of little", 100, 3, Opening{Chunks: 1, Bytes: 999, Of: 1000}, Following{Most: 99, Likely: 2, Least: 2}},
		{"a first chunk of little", 16, 2, Opening{Chunks: 1, Bytes: 1, Of: 1000}, Following{Most: 15, Likely: 15, Least: 15}},
		{"a start that was held", 100, 100, Opening{Chunks: 80, Bytes: 400, Of: 500}, Following{Most: 99, Likely: 20, Least: 20}},
		{"letters whose start was held", 25, 100, Opening{Chunks: 80, Bytes: 80, Of: 100}, Following{Most: 24, Likely: 5, Least: 2.5}},
		{"400 tokens of reasoning not sent", 500, 100, Opening{Chunks: 1, Bytes: 5, Of: 500, Unsent: 400}, Following{Most: 499, Likely: 99, Least: 99}},
		{"reasoning that may be a summary", 1300, 20, Opening{Chunks: 1, Bytes: 430, Of: 4300, Sure: 400}, Following{Most: 1299, Likely: 1170, Least: 400}},
		{"less than is sure", 1300, 20, Opening{Chunks: 1, Bytes: 4300 - 215, Of: 4300, Sure: 400}, Following{Most: 1299, Likely: 65, Least: 32.5}},
		{"more tokens than bytes", 500, 10, Opening{Chunks: 1}, Following{Most: 499, Least: 9}},
	} {
		r := NewRequest(1, 0)
		r.OutputTokens, r.Chunks, r.Opening = c.tokens, c.chunks, c.opening
		if got := r.Following(); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	tape := NewRequest(1, 0)
	tape.Simulated, tape.OutputTokens, tape.Chunks = true, 31, 16
	if got, want := tape.Following(), (Following{Most: 30, Least: 15}); got != want {
		t.Errorf("given again from a tape: %+v, want %+v", got, want)
	}
	tape.Chunks = 31 // a modelled answer has as many as tokens
	if got, want := tape.Following(), (Following{Most: 30, Likely: 30, Least: 30}); got != want {
		t.Errorf("modelled: %+v, want %+v", got, want)
	}
}
