package token

import (
	"slices"
	"testing"
)

// TestBlocks: what is a different token is a different block, and how tokens are
// spread over messages does not matter.
func TestBlocks(t *testing.T) {
	for _, c := range []struct {
		a, b []string
		same bool
	}{
		{[]string{"a b c d"}, []string{"a b c d"}, true},
		{[]string{"a b c d"}, []string{"a b", "c d"}, true},
		{[]string{"a b c d"}, []string{"a b", " c d"}, true},
		{[]string{"ab 12"}, []string{"ab", "12"}, true},
		{[]string{"f(x)"}, []string{"f", "(x)"}, true},
		{[]string{"a", "b"}, []string{"ab"}, false},
		{[]string{"x = 1"}, []string{"x=1"}, false},
		{[]string{"f(x)"}, []string{"f (x)"}, false},
		{[]string{"a b c d"}, []string{"a b c e"}, false},
		{[]string{"1234"}, []string{"123", "4"}, false},
		{[]string{"you\nme"}, []string{"you me"}, false},
	} {
		if got := slices.Equal(Blocks(nil, 1, c.a...), Blocks(nil, 1, c.b...)); got != c.same {
			t.Errorf("%q and %q have the same blocks: %v, want %v", c.a, c.b, got, c.same)
		}
	}
	one, three := Blocks(nil, 1, "a b c d e f g"), Blocks(nil, 3, "a b c d e f g")
	if len(three) != 2 || three[0] != one[2] || three[1] != one[5] {
		t.Errorf("blocks of three tokens are %v, want those of the third and the sixth token, %v", three, one)
	}
	if got := Blocks([]uint64{7}, 2, "a b c"); len(got) != 2 || got[0] != 7 {
		t.Errorf("3 tokens in blocks of 2 appended to [7] are %v, want 7 and one more", got)
	}
}
