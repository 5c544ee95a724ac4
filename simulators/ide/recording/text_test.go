package recording

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
)

// A text is what a plain string becomes by the same edits, and its positions are those
// of a count from the start.
func TestTextIsAString(t *testing.T) {
	pieces := []string{"", "a", "é", "😀", "\n", "x😀y", strings.Repeat("long ", 40)}
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 0))
		var got text
		var want []rune
		for range 200 {
			units := func(n int) int { return len(utf16.Encode(want[:n])) }
			from := r.IntN(len(want) + 1)
			to := from + r.IntN(min(len(want)-from, 9)+1)
			end, errEnd := got.offset(units(to))
			start, err := got.offset(units(from))
			if err != nil || errEnd != nil || start != len(string(want[:from])) || end != len(string(want[:to])) {
				t.Fatalf("offsets %d and %d of %q are %d and %d (%v, %v)", units(from), units(to), string(want), start, end, err, errEnd)
			}
			if at := got.units(end); at != units(to) {
				t.Fatalf("byte %d of %q is at %d, want %d", end, string(want), at, units(to))
			}
			if part := got.between(start, end); part != string(want[from:to]) {
				t.Fatalf("between %d and %d of %q stands %q", start, end, string(want), part)
			}
			piece := pieces[r.IntN(len(pieces))]
			got.replace(start, end, piece)
			want = append(append(append([]rune{}, want[:from]...), []rune(piece)...), want[to:]...)
			if got.String() != string(want) || got.len() != len(string(want)) {
				t.Fatalf("the text became %q of %d bytes, want %q", got.String(), got.len(), string(want))
			}
		}
	}
}

func TestTextPositionsOutside(t *testing.T) {
	for _, c := range []struct {
		text  string
		units int
		want  string
	}{
		{"", -1, "position -1 is outside of the text"},
		{"", 1, "position 1 is outside of the text"},
		{"ab", 3, "position 3 is outside of the text"},
		{"é", 2, "position 2 is outside of the text"},
		{"a😀b", 2, "position 2 is inside of a character"},
		{"a😀b", 5, "position 5 is outside of the text"},
	} {
		of := textOf(c.text)
		for range 2 { // the gap may be anywhere
			if at, err := of.offset(c.units); err == nil || err.Error() != c.want {
				t.Errorf("offset(%d) of %q = %d, %v, want %q", c.units, c.text, at, err, c.want)
			}
			of.seek(of.len())
		}
	}
}

// An edit beside the one before it makes no long text anew.
func TestTextEditsWhereItIs(t *testing.T) {
	for _, filler := range []string{"x", "é"} {
		long := textOf(strings.Repeat(filler, 1<<20))
		at, err := long.offset(1 << 19)
		if err != nil {
			t.Fatal(err)
		}
		long.replace(at, at, strings.Repeat("-", 64)) // which makes the gap
		if n := testing.AllocsPerRun(100, func() {
			at, _ := long.offset(1 << 19)
			long.replace(at, at+1, "+")
			if long.at != at+1 {
				t.Fatalf("the gap is at %d, want %d", long.at, at+1)
			}
		}); n != 0 {
			t.Errorf("an edit of a text of %q allocates %v times, want 0", filler, n)
		}
	}
}
