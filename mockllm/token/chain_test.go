package token

import (
	"slices"
	"testing"

	"halfsecond/pipeline/dist"
)

// TestChain: whatever changes from one row of texts to the next, a Chain has the hashes that
// Blocks has.
func TestChain(t *testing.T) {
	pieces := []string{"a", "word", " ", "\n\t", "123456", "é", "日本", "averyveryverylongidentifier", "<", "fim_prefix", "()", "x = y"}
	var c Chain
	r := dist.Stream(1, "chain")
	text := ""
	for i := range 4000 {
		from := r.IntN(len(text) + 1)
		switch r.IntN(6) {
		case 0: // anywhere, even within a character
			text = text[:from] + pieces[r.IntN(len(pieces))] + text[min(len(text), from+r.IntN(9)):]
		case 1:
			text = text[:from]
		default:
			text += pieces[r.IntN(len(pieces))]
		}
		size := 1 + 15*r.IntN(2)*r.IntN(2)
		texts := []string{text, pieces[r.IntN(len(pieces))], "and an answer"}[:1+r.IntN(3)]
		got, want := c.Blocks(nil, size, texts...), Blocks(nil, size, texts...)
		if !slices.Equal(got, want) {
			t.Fatalf("row %d, blocks of %d of %q: %x, want %x", i, size, texts, got, want)
		}
	}
	if got := c.Blocks([]uint64{7}, 16); !slices.Equal(got, []uint64{7}) {
		t.Errorf("of no text: %x, want what was there", got)
	}
}
