package token

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func split(text string) []string {
	var got []string
	for len(text) > 0 {
		n := Next(text)
		got = append(got, text[:n])
		text = text[n:]
	}
	return got
}

func TestNext(t *testing.T) {
	for text, want := range map[string][]string{
		"":                            nil,
		"Good morning.":               {"Good", " mornin", "g", "."},
		"x := 12345":                  {"x", " :", "=", " 123", "45"},
		"if err != nil {\n\t\treturn": {"if", " err", " !", "=", " nil", " {", "\n\t\t", "return"},
		"a  b":                        {"a", "  ", "b"},
		"end\n next":                  {"end", "\n", " next"},
		"snake_case(é)":               {"snake_", "case", "(", "é", ")"},
		" ":                           {" "},
		"你好":                          {"你好"},
		"\xff\xfe":                    {"\xff", "\xfe"},
	} {
		if got := split(text); !slices.Equal(got, want) {
			t.Errorf("tokens of %q = %q, want %q", text, got, want)
		}
	}
}

// FuzzNext: tokens join to the text, and a prefix of n tokens has n tokens.
func FuzzNext(f *testing.F) {
	f.Add("func main() {\n\tfmt.Println(\"hi\") // 3.14\n}")
	f.Fuzz(func(t *testing.T, text string) {
		tokens := split(text)
		if strings.Join(tokens, "") != text {
			t.Fatalf("tokens of %q do not join to it", text)
		}
		if Count(text) != len(tokens) {
			t.Fatalf("Count(%q) = %d, want %d", text, Count(text), len(tokens))
		}
		for n := range len(tokens) + 1 {
			if got, want := Prefix(text, n), strings.Join(tokens[:n], ""); got != want {
				t.Fatalf("Prefix(%q, %d) = %q, want %q", text, n, got, want)
			}
		}
	})
}

func TestWordsAreTokens(t *testing.T) {
	for _, w := range vocabulary {
		if Count(w) != 1 || Count(" "+w) != 1 {
			t.Errorf("%q is not one token", w)
		}
	}
}

func TestWriteExactCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		if got := Count(Words(r, n)); got != n {
			t.Errorf("Words(%d) has %d tokens", n, got)
		}
		for _, first := range []int{1, 2, 12, n, n + 5} {
			text := Reply(r, n, first)
			if got := Count(text); got != n {
				t.Errorf("Reply(%d, %d) has %d tokens", n, first, got)
			}
			if n > 0 && !strings.HasSuffix(Prefix(text, min(first, n)), ".") {
				t.Errorf("Reply(%d, %d) = %q: no sentence ends at token %d", n, first, text, first)
			}
			if n > first && strings.ContainsAny(Prefix(text, first-1), ".!?") {
				t.Errorf("Reply(%d, %d) = %q: a sentence ends before token %d", n, first, text, first)
			}
		}
	}
}

func BenchmarkCount(b *testing.B) {
	text := Words(rand.New(rand.NewPCG(1, 2)), 2000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Count(text)
	}
}
