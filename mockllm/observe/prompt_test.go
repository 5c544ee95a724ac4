package observe

import (
	"slices"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		name, prompt  string
		before, after string
		sections      string // their names, in order
	}{
		{"fill in the middle", "<|file_sep|>x\n<|fim_prefix|>a(<|fim_suffix|>)<|fim_middle|>b", "a(b", ")", "context prefix context suffix context line"},
		{"suffix first", "[SUFFIX]z[PREFIX]a", "a", "z", "context suffix context prefix"},
		{
			"minuet, behind its examples", "system\n<contextAfterCursor>\nold\n<contextBeforeCursor>\nexample <cursorPosition>answer# language: go\n<contextAfterCursor>\n}\n\n<contextBeforeCursor>\nfunc f() {\n\t<cursorPosition>",
			"func f() {\n\t", "}\n", "context suffix prefix context",
		},
		{"minuet, the text before the cursor first", "s<contextBeforeCursor>\na(<cursorPosition>\n<contextAfterCursor>\n)", "a(", ")", "context prefix suffix"},
		{"hole filler", "fill\n<QUERY>\na {{FILL_HERE}}\n</QUERY>\nnow\n<QUERY>\nb({{FILL_HERE}})\n</QUERY>\nTASK: Fill the {{FILL_HERE}} hole.", "b(", ")", "context prefix suffix context"},
	} {
		p, ok := Split(c.prompt)
		var names []string
		for _, s := range p.Sections {
			names = append(names, s.Name)
		}
		if !ok || p.Before != c.before || p.After != c.after || !slices.Equal(names, strings.Fields(c.sections)) {
			t.Errorf("%s: %q, %q, sections %q, %v; want %q, %q, %s", c.name, p.Before, p.After, names, ok, c.before, c.after, c.sections)
		}
	}
	for _, text := range []string{"", "Hello", "<cursorPosition><contextBeforeCursor>\n", "<QUERY>\n\n</QUERY>", "</QUERY> {{FILL_HERE}} <QUERY>\n"} {
		if p, ok := Split(text); ok {
			t.Errorf("%q gives %+v, want no hole", text, p)
		}
	}
}

// FuzzSplitPrompt: nothing that is sent breaks the splitting, and no text is made up.
func FuzzSplitPrompt(f *testing.F) {
	for _, text := range []string{
		"<|fim_prefix|>a<|fim_suffix|>b<|fim_middle|>c", "[SUFFIX]b[PREFIX]+++++ y.go\na", "<contextAfterCursor>\n<contextBeforeCursor>\n<cursorPosition>",
		"<contextBeforeCursor>\n<cursorPosition><contextAfterCursor>\n", "<QUERY>\n{{FILL_HERE}}\n</QUERY>", "<QUERY>\n</QUERY>{{FILL_HERE}}\n</QUERY>",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, ok := Split(text)
		if !ok {
			return
		}
		size := 0
		for _, s := range p.Sections {
			if size += len(s.Text); !strings.Contains(text, s.Text) {
				t.Fatalf("%q: section %s is %q, which is not in it", text, s.Name, s.Text)
			}
		}
		if size > len(text) || len(p.Before)+len(p.After) > size {
			t.Fatalf("%q: sections of %d bytes, %d before and %d after the cursor", text, size, len(p.Before), len(p.After))
		}
	})
}
