package prompt

import (
	"testing"

	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
)

// TestTyped: what is typed of the line is told apart where it goes behind the suffix, and is in
// the text as well, for servers that have no field for it.
func TestTyped(t *testing.T) {
	var d document.Document
	d.Open("a\n  b()\nc\n", 5)
	for layout, want := range map[Layout]pipeline.Prompt{
		LineAfterMiddle: {Text: "a\n  b", Suffix: "()\nc\n", Typed: "  b"},
		PSM:             {Text: "a\n  b", Suffix: "()\nc\n"},
		PrefixOnly:      {Text: "a\n  b"},
	} {
		b, err := NewBuilder(Shape{Layout: layout, Prefix: Size{N: All}, Suffix: Size{N: All}})
		if err != nil {
			t.Fatal(err)
		}
		p := b.Build(&d)
		if got := p.Text(); got != want {
			t.Errorf("%s: %+v, want %+v", layout, got, want)
		}
	}
}
