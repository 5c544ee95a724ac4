package document

import (
	"fmt"
	"testing"
	"unicode/utf8"

	"halfsecond/pipeline/dist"
)

func TestDocument(t *testing.T) {
	var d Document
	for _, c := range []struct {
		name  string
		do    func()
		want  string // | is the cursor
		after int    // bytes after the cursor that the editor added
	}{
		{"open", func() { d.Open("f\nend", 1) }, "f|\nend", 0},
		{"pair", func() { d.Apply(Edit{1, 0, "()", 2}) }, "f(|)\nend", 1},
		{"inner pair", func() { d.Apply(Edit{2, 0, "[]", 3}) }, "f([|])\nend", 2},
		{"char", func() { d.Apply(Edit{3, 0, "ä", 5}) }, "f([ä|])\nend", 2},
		{"overtype", func() { d.Apply(Edit{5, 1, "]", 6}) }, "f([ä]|)\nend", 1},
		{"backspace", func() { d.Apply(Edit{5, 1, "", 5}) }, "f([ä|)\nend", 1},
		{"edit elsewhere", func() { d.Apply(Edit{9, 1, "D", 10}) }, "f([ä)\nenD|", 0},
		{"move", func() { d.Move(0) }, "|f([ä)\nenD", 0},
		{"move nowhere", func() { d.Move(0) }, "|f([ä)\nenD", 0},
		{"replace", func() { d.Apply(Edit{0, 7, "g", 1}) }, "g|enD", 0},
		{"block", func() { d.Apply(Edit{1, 0, "{\n\t\n}", 4}) }, "g{\n\t|\n}enD", 2},
	} {
		c.do()
		text := d.Text()
		if got := text[:d.Cursor()] + "|" + text[d.Cursor():]; got != c.want || d.closed != c.after || d.Len() != len(text) {
			t.Errorf("%s: %q, %d added, %d bytes; want %q, %d added", c.name, got, d.closed, d.Len(), c.want, c.after)
		}
	}
}

// walk makes n random edits and moves at character boundaries.
func walk(seed uint64, n int, d *Document, after func(i int)) {
	r := dist.Stream(seed, "walk")
	pieces := []string{"", "a", "word", "\n\t\t", "  ", " ", "123456789", "é", "日本", "x = y[1]", ")", "averyveryverylongidentifier"}
	place := func(from int) int {
		text := d.Text()
		at := from + r.IntN(len(text)-from+1)
		for at < len(text) && !utf8.RuneStart(text[at]) {
			at++
		}
		return at
	}
	for i := range n {
		switch r.IntN(8) {
		case 0:
			d.Move(place(0))
		case 1:
			e := Edit{Offset: place(0), Insert: pieces[r.IntN(len(pieces))]}
			e.Delete = min(place(e.Offset)-e.Offset, 40)
			for !utf8.RuneStart((d.Text() + "x")[e.Offset+e.Delete]) {
				e.Delete++
			}
			e.Cursor = e.Offset + len(e.Insert)
			d.Apply(e)
		case 2:
			if _, size := utf8.DecodeLastRuneInString(d.Text()[:d.Cursor()]); size > 0 {
				d.Apply(Edit{Offset: d.Cursor() - size, Delete: size, Cursor: d.Cursor() - size})
			}
		default:
			s := pieces[r.IntN(len(pieces))]
			d.Apply(Edit{Offset: d.Cursor(), Insert: s, Cursor: d.Cursor() + len(s)})
		}
		after(i)
	}
}

// What a snapshot reads never changes.
func TestSnapshotsStay(t *testing.T) {
	type kept struct {
		Snapshot
		text string
	}
	var d Document
	var all []kept
	walk(1, 2000, &d, func(i int) {
		if i%3 == 0 {
			all = append(all, kept{d.Snapshot(), d.Text()})
		}
	})
	for i, k := range all {
		if got := string(k.before) + k.after; got != k.text {
			t.Fatalf("snapshot %d became %q, was %q", i, got, k.text)
		}
	}
}

func ExampleDocument() {
	var d Document
	d.Open("fmt", 3)
	d.Apply(Edit{Offset: 3, Insert: "()", Cursor: 4})
	fmt.Println(d.Text(), d.Cursor())
	// Output: fmt() 4
}
