package fim

import (
	"slices"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		name, prompt string
		want         []Part
	}{
		{"Qwen", "<|fim_prefix|>a(<|fim_suffix|>)<|fim_middle|>", []Part{{Outside, "<|fim_prefix|>"}, {Before, "a("}, {Outside, "<|fim_suffix|>"}, {After, ")"}, {Outside, "<|fim_middle|>"}}},
		{
			"a file before it, the line behind the middle token", "<|file_sep|>x\ny<|fim_prefix|>a\n<|fim_suffix|>c<|fim_middle|>b",
			[]Part{{Outside, "<|file_sep|>x\ny<|fim_prefix|>"}, {Before, "a\n"}, {Outside, "<|fim_suffix|>"}, {After, "c"}, {Outside, "<|fim_middle|>"}, {Typed, "b"}},
		},
		{"spaces belong to the tokens", "<PRE> a <SUF>b <MID>", []Part{{Outside, "<PRE> "}, {Before, "a"}, {Outside, " <SUF>"}, {After, "b"}, {Outside, " <MID>"}}},
		{"suffix first, files before the text", "[SUFFIX]b[PREFIX]+++++ y.go\na", []Part{{Outside, "[SUFFIX]"}, {After, "b"}, {Outside, "[PREFIX]+++++ y.go\n"}, {Before, "a"}}},
		{"a name without an end", "[SUFFIX]b[PREFIX]+++++ y.go", []Part{{Outside, "[SUFFIX]"}, {After, "b"}, {Outside, "[PREFIX]+++++ y.go"}}},
	} {
		if got, ok := Split(c.prompt); !ok || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q gives %q, %v; want %q", c.name, c.prompt, got, ok, c.want)
		}
	}
	if got, ok := Split("no hole"); ok {
		t.Errorf("a text without a hole gives %q", got)
	}
}

// FuzzSplit: the parts of a prompt are the prompt, and its texts are those of the hole.
func FuzzSplit(f *testing.F) {
	for _, prompt := range []string{
		"<|repo_name|>r\n<|file_sep|>a/b.py\n<|fim_prefix|>p<|fim_suffix|>s<|fim_middle|>t", "<PRE>  <SUF> <MID>", "<PRE> <SUF>b <MID> a",
		"[SUFFIX]b[PREFIX]+++++ x.go\nx\n+++++ y.go\na", "[PREFIX]a[SUFFIX]b", "<|fim_prefix|><|fim_suffix|><|fim_middle|>",
	} {
		f.Add(prompt)
	}
	f.Fuzz(func(t *testing.T, prompt string) {
		parts, ok := Split(prompt)
		h, found := Find(prompt)
		if ok != found {
			t.Fatalf("%q: split %v, found %v", prompt, ok, found)
		}
		var all strings.Builder
		texts := map[PartKind]string{}
		for _, p := range parts {
			all.WriteString(p.Text)
			texts[p.Kind] += p.Text
		}
		if ok && (all.String() != prompt || texts[Before]+texts[Typed] != h.Before || texts[After] != h.After) {
			t.Errorf("%q gives %q, hole %+v", prompt, parts, h)
		}
	})
}
