package token

import (
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

func BenchmarkCount(b *testing.B) {
	text := Passage{{Name(1, "test"), 2000}}.Text()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Count(text)
	}
}
