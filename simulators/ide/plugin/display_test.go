package plugin

import (
	"strings"
	"testing"

	"halfsecond/pipeline/document"
)

func lines(err error) []string { return strings.Split(err.Error(), "\n") }

// TestPart: how much is shown of an answer, while it comes and when all of it is there.
func TestPart(t *testing.T) {
	for _, c := range []struct {
		lines           Lines
		text            string
		coming, isWhole string
	}{
		{LinesAll, "a\nb", "a\nb", "a\nb"},
		{LinesWhole, "a\nb", "a\n", "a\nb"},
		{LinesWhole, "a", "", "a"},
		{LinesFirst, "a\nb", "a", "a"},
		{LinesFirst, "\n  a\nb", "\n  a", "\n  a"},
		{LinesFirst, "a", "", "a"},
		{LinesEnd, "a\nb", "", "a\nb"},
	} {
		d := Display{Lines: c.lines}
		if coming, whole := d.Part(c.text, false), d.Part(c.text, true); coming != c.coming || whole != c.isWhole {
			t.Errorf("%s of %q: %q, and whole %q; want %q and %q", c.lines, c.text, coming, whole, c.coming, c.isWhole)
		}
	}
}

// TestFits: a suggestion that replaces the rest of the line has to have its characters.
func TestFits(t *testing.T) {
	insert, replace := Display{}, Display{Accept: AcceptReplace}
	for _, c := range []struct {
		suggestion, after string
		fits              bool
	}{
		{"x)", ")", true}, {"x, y);", ");", true}, {"x", ")", false}, {"x)", "", true}, {"x", "  ", true},
		{"a)b(", "()", false}, {"é)", "é)", true}, {"x\n)", ")", false},
	} {
		if got := replace.Fits(c.suggestion, c.after); got != c.fits {
			t.Errorf("%q before %q fits: %t, want %t", c.suggestion, c.after, got, c.fits)
		}
		if !insert.Fits(c.suggestion, c.after) {
			t.Errorf("%q does not go before %q", c.suggestion, c.after)
		}
	}
}

// TestDoubles: what stands twice once a suggestion is accepted.
func TestDoubles(t *testing.T) {
	for _, c := range []struct {
		suggestion, after string
		doubles           bool
	}{
		{"x)", ")", true}, {"g(a)", ")", false}, {"x);", ");", true}, {"x", ")", false}, {"x)", "", false},
		{`name"`, `"`, true}, {"g(a))", ")", true}, {"a ", " ", false}, {"len(x)", "]", false},
	} {
		d := Display{}
		if got := d.Doubles(c.suggestion, c.after); got != c.doubles {
			t.Errorf("%q before %q doubles: %t, want %t", c.suggestion, c.after, got, c.doubles)
		}
		replace := Display{Accept: AcceptReplace}
		if replace.Doubles(c.suggestion, c.after) {
			t.Errorf("%q doubles what it replaces", c.suggestion)
		}
	}
}

// TestTriggers: where a plugin does not ask, and by which rule.
func TestTriggers(t *testing.T) {
	for _, c := range []struct {
		name     string
		triggers Triggers
		text     string // | is the cursor
		want     string
	}{
		{"anywhere", Triggers{}, "// fo|o", ""},
		{"moves are no place", Triggers{Moves: true, Changes: true}, "// fo|o", ""},
		{"in a word", Triggers{NotInWord: true}, "fo|o", "in_word"},
		{"before an underscore", Triggers{NotInWord: true}, "fo|_", "in_word"},
		{"at the end of a word", Triggers{NotInWord: true}, "fo|(x)", ""},
		{"at the end of the text", Triggers{NotInWord: true}, "fo|", ""},
		{"closing signs", Triggers{After: AfterClosing}, "f(a|));\nrest", ""},
		{"more than closing signs", Triggers{After: AfterClosing}, "f(a|, b)", "text_after"},
		{"blanks", Triggers{After: AfterNothing}, "f| \t\nrest", ""},
		{"a bracket", Triggers{After: AfterNothing}, "f(|)", "text_after"},
		{"a comment", Triggers{Comment: "//"}, "x := 1 // so|", "comment"},
		{"a comment of the line above", Triggers{Comment: "//"}, "// so\nx|", ""},
		{"a sign in quotes", Triggers{Comment: "//"}, `u := "http://|`, ""},
		{"a sign behind an escaped quote", Triggers{Comment: "//"}, `u := "\"//|`, ""},
		{"a sign behind raw quotes", Triggers{Comment: "//"}, "u := `\\` // |", "comment"},
		{"a short line", Triggers{LeastLine: 3}, "\t  ab|", "short_line"},
		{"a line that is long enough", Triggers{LeastLine: 3}, "\t  äbc|", ""},
	} {
		before, after, _ := strings.Cut(c.text, "|")
		var d document.Document
		d.Open(before+after, len(before))
		if got := c.triggers.Refuse(&d); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
