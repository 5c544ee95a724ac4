package ide

import (
	"strings"
	"testing"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline/dist"
)

func drawn(a *answers, user, key int, truth string) answer {
	return a.draw(dist.Stream(1, "answer", user, key), truth)
}

func TestAnswers(t *testing.T) {
	right, wrong := newAnswers(1, 1, 6), newAnswers(1, 0, 6)
	for _, c := range []struct {
		name, truth string
		want        string // of a right answer; none is right where this is empty
		tokens      int
	}{
		{"rest of the line", "x + y\n\tz", "x + y", 3},
		{"cut at the limit", "a, b, c, d, e, f", "a, b, c,", 6},
		{"at the end of the line", "\n\treturn x\n}", "\n\treturn x", 3},
		{"blank lines", "\n\n\n\tz", "\n\n\n\tz", 2},
		{"blanks at the end of the line", "  \nz", "  \nz", 2},
		{"last line", "x", "x", 1},
		{"nothing follows", "", "", 6},
		{"only blanks follow", "\n\n", "", 6},
	} {
		if got := drawn(right, 0, 0, c.truth); c.want != "" && (got.text != c.want || got.tokens != c.tokens || !got.right) {
			t.Errorf("%s: right answer %+v, want %q of %d tokens", c.name, got, c.want, c.tokens)
		}
		got := drawn(wrong, 0, 0, c.truth)
		if got.right || got.tokens != c.tokens || token.Count(got.text) != c.tokens || !strings.HasPrefix(got.text, "¶") {
			t.Errorf("%s: wrong answer %+v, want %d tokens from ¶ on", c.name, got, c.tokens)
		}
	}
	if got := drawn(right, 0, 0, ""); got.right || got.tokens != 6 {
		t.Errorf("answer where nothing follows = %+v, want a wrong one of 6 tokens", got)
	}
	if got := drawn(wrong, 0, 0, "¶ 12"); !strings.HasPrefix(got.text, "§") {
		t.Errorf("wrong answer where ¶ follows = %+v, want another sign", got)
	}
}

// Which answers are right depends on user and key alone.
func TestShareOfRightAnswers(t *testing.T) {
	a := newAnswers(1, .3, 4)
	n := 0
	for key := range 10_000 {
		if drawn(a, 7, key, "truth").right {
			n++
		}
	}
	if n < 2800 || n > 3200 {
		t.Errorf("%d of 10,000 answers are right, want 3,000 within 200", n)
	}
}
