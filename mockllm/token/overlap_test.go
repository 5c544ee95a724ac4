package token

import (
	"slices"
	"strings"
	"testing"

	"halfsecond/pipeline/dist"
)

// common counts the tokens that two rows have in common by their hashes.
func common(a, b []string) (n int) {
	x, y := Blocks(nil, 1, a...), Blocks(nil, 1, b...)
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return n
}

// TestOverlap: whatever changes from one row of texts to the next, they share the tokens whose
// hashes they share.
func TestOverlap(t *testing.T) {
	pieces := []string{"a", "b", "word", " ", "\n", "1", "123456", ";", "é", "日本", "averyverylongidentifier", ""}
	for seed := range uint64(300) {
		r := dist.Stream(seed, "overlap")
		var o Overlap
		var row []string
		for step := range 60 {
			next := slices.Clone(row)
			for len(next) == 0 || r.IntN(8) == 0 {
				next = append(next, pieces[r.IntN(len(pieces))])
			}
			switch i := r.IntN(len(next)); r.IntN(8) {
			case 0:
				next = next[:i+1]
			case 1:
				next = slices.Insert(next, i, pieces[r.IntN(len(pieces))])
			case 2: // nothing
			case 3, 4: // anywhere, even within a character
				from := r.IntN(len(next[i]) + 1)
				next[i] = next[i][:from] + pieces[r.IntN(len(pieces))] + next[i][min(len(next[i]), from+r.IntN(9)):]
			default:
				next[i] += pieces[r.IntN(len(pieces))]
			}
			if got, want := o.Shared(next), common(row, next); got != want {
				t.Fatalf("seed %d, step %d: %q after %q shares %d, want %d", seed, step, next, row, got, want)
			}
			row = next
		}
	}
}

// TestOverlapCutsWhatIsNew: of a long text that goes on nearly all tokens are known, and need no
// look at the text; of one that is another from its start on, none is.
func TestOverlapCutsWhatIsNew(t *testing.T) {
	text := strings.Repeat("word ", 10_000)
	var o Overlap
	o.Shared([]string{text + "a"})
	o.Shared([]string{text + "aa"})
	for _, c := range []struct{ same, known int }{{len(text) + 2, 9_999}, {len(text) - 2, 9_998}, {10, 1}, {0, 0}} {
		if o.keep(0, c.same, false); len(o.ends[0]) != c.known {
			t.Errorf("%d bytes alike: %d tokens known, want %d", c.same, len(o.ends[0]), c.known)
		}
	}
}
