package pipeline

import "testing"

// TestTokensOfACutAnswer: the count of an answer that did not end well may be one of its
// beginning, and each chunk that came has a token at least; what is added is estimated.
func TestTokensOfACutAnswer(t *testing.T) {
	for _, c := range []struct {
		name                     string
		outcome                  Outcome
		counted, chunks          int
		output, tokens, estimate int
	}{
		{"ok", OK, 1, 40, 1, 1, 0},
		{"cut", Truncated, 1, 40, 40, 40, 39},
		{"cancelled", Cancelled, 1, 40, 40, 40, 39},
		{"counted more", Timeout, 50, 40, 50, 50, 0},
		{"nobody counted", Truncated, UnknownCount, 40, UnknownCount, 40, 40},
		{"nothing came", Error, UnknownCount, 0, UnknownCount, 0, 0},
	} {
		r := NewRequest(1, 0)
		r.Sent, r.Outcome, r.PromptTokens, r.OutputTokens, r.Chunks = 0, c.outcome, 10, c.counted, c.chunks
		prompt, tokens, estimated, ok := r.Tokens()
		if r.Output() != c.output || prompt != 10 || tokens != c.tokens || estimated != c.estimate || !ok {
			t.Errorf("%s: Output() = %d, want %d; Tokens() = %d, %d, %d, %t, want 10, %d, %d, true", c.name, r.Output(), c.output, prompt, tokens, estimated, ok, c.tokens, c.estimate)
		}
	}
}
