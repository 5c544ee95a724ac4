package ide

import (
	"strings"
	"testing"

	"halfsecond/mockllm/token"
	"halfsecond/simulators/ide/syntax"
	"halfsecond/simulators/ide/typing"
)

func drawn(a *answers, user, key int, truth string) answer {
	return a.draw(asker{user: user, number: key}, truth)
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

// Broken answers are as many as were asked for, begin as what is typed, and break a
// document in the eyes of a parser. The others are what they would be without.
func TestBrokenAnswers(t *testing.T) {
	text, err := typing.Text("go-handler")
	if err != nil {
		t.Fatal(err)
	}
	const share, most = .3, 24
	whole, some := newAnswers(1, .8, most), newAnswers(1, .8, most)
	some.broken, some.language = share, "go"
	asked, broken, seen, breaks := 0, 0, 0, 0
	end := len(text) - 400
	for at := 0; at < end; at += 5 {
		truth := text[at:end]
		got, without := drawn(some, 2, at, truth), drawn(whole, 2, at, truth)
		asked++
		if !got.broken {
			if got.text != without.text || got.tokens != without.tokens || got.right != without.right {
				t.Fatalf("at %d %+v, without the setting %+v", at, got, without)
			}
			continue
		}
		broken++
		first := strings.IndexFunc(truth, func(c rune) bool { return c > ' ' })
		if !got.right || got.tokens > most || token.Count(got.text) != got.tokens || !strings.HasPrefix(got.text, truth[:first+1]) || strings.HasPrefix(truth, got.text+"\n") {
			t.Fatalf("at %d %+v", at, got)
		}
		if inComment(text, at) {
			continue // where a parser sees nothing
		}
		seen++
		p := syntax.Place{Before: text[:at], After: text[end:], Will: truth}
		if v := syntax.Judge(syntax.Go{}, p, got.text, false); v.Verdict == syntax.Breaks {
			breaks++
		} else {
			t.Logf("%q and %q: %s", text[max(0, at-40):at], got.text, v.Verdict)
		}
	}
	if got := float64(broken) / float64(asked); got < share-.03 || got > share+.03 {
		t.Errorf("%d of %d answers are broken, want %v", broken, asked, share)
	}
	if got := float64(breaks) / float64(seen); seen < 200 || got < .97 {
		t.Errorf("%d of %d broken answers outside of comments break a document", breaks, seen)
	}
}

// inComment reports whether a comment is on the line of a place, or on the next where it
// ends.
func inComment(text string, at int) bool {
	from := strings.LastIndexByte(text[:at], '\n') + 1
	rest := text[at:]
	end := at + len(rest) - len(strings.TrimLeft(rest, " \t\n"))
	line, _, _ := strings.Cut(text[end:], "\n")
	return strings.Contains(text[from:end]+line, "//")
}

// An answer for which there is no room to go wrong is shorter, and a single token whole.
func TestBrokenWithinTheLimit(t *testing.T) {
	for most, want := range map[int]bool{1: false, 2: true, 3: true, 4: true} {
		a := newAnswers(1, 1, most)
		a.broken = 1
		for key := range 50 {
			got := drawn(a, 0, key, "a b c d e f")
			if got.broken != want || got.tokens > most || token.Count(got.text) != got.tokens {
				t.Errorf("at most %d tokens: %+v", most, got)
			}
		}
	}
}
