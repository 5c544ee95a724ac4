package observe

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestSteps: what was done between two prompts is told from the prompts.
func TestSteps(t *testing.T) {
	for _, c := range []struct {
		name  string
		text  string
		do    func(d *desk)
		after time.Duration
		want  Kind
		keys  []string
	}{
		{"nothing", "a|b", func(*desk) {}, time.Second, Same, nil},
		{"a key", "a|b", func(d *desk) { d.put("x") }, time.Second, Typed, []string{"x"}},
		{"several keys", "a|b", func(d *desk) { d.put("xyé") }, time.Second, Typed, []string{"x", "y", "é"}},
		{"a pair", "f|;", func(d *desk) { d.put("(|)") }, time.Second, Typed, []string{"("}},
		{"the end of a line, with its indent", "f {|\n}", func(d *desk) { d.put("\n\t\tx") }, time.Second, Typed, []string{"\n\t\t", "x"}},
		{"backspaces", "help|;", func(d *desk) { d.back(2) }, time.Second, Erased, []string{"p", "l"}},
		{"more than anybody types in that time", "a|b", func(d *desk) { d.put("a pasted line") }, 100 * time.Millisecond, Inserted, nil},
		{"as much in time enough", "a|b", func(d *desk) { d.put("a typed") }, time.Second, Typed, strings.Split("a typed", "")},
		{"a few at once", "a|b", func(d *desk) { d.put("abc") }, time.Millisecond, Typed, []string{"a", "b", "c"}},
		{"a backspace in a pair", "f(|);", func(d *desk) { d.back(1); d.text = "f;" }, time.Second, Erased, []string{"("}},
		{"a deletion on both sides", "f(|x;", func(d *desk) { d.back(1); d.text = "f;" }, time.Second, Edited, nil},
		{"a move", "one two| three", func(d *desk) { d.cursor = 3 }, time.Second, Moved, nil},
		{"an edit elsewhere", "import a\n\nlonger text|", func(d *desk) { d.text = "import b, a\n\nlonger text"; d.cursor = len(d.text) }, time.Second, Edited, nil},
		{"typed over what was there", "one two| three", func(d *desk) { d.back(3); d.put("2") }, time.Second, Edited, nil},
	} {
		d := newDesk(c.text)
		d.ask(time.Second)
		c.do(d)
		d.ask(c.after)
		_, requests := d.o.look()
		texts := group(requests)
		if len(texts) != 1 {
			t.Errorf("%s: %d documents, want 1", c.name, len(texts))
			continue
		}
		got := texts[0].visits[1].step
		if got.kind != c.want || !slices.Equal(got.keys, c.keys) {
			t.Errorf("%s: %s %q, want %s %q", c.name, got.kind, got.keys, c.want, c.keys)
		}
		if known := texts[0].known; known != d.text || texts[0].cursor != d.cursor {
			t.Errorf("%s: the text is %q with cursor at %d, want %q at %d", c.name, known, texts[0].cursor, d.text, d.cursor)
		}
	}
}

// TestDocumentsApart: prompts of two files that a person goes back and forth between are of
// two documents, over one connection, and a small file is not taken for a large one.
func TestDocumentsApart(t *testing.T) {
	a, b := newDesk("package a\n\nfunc long() string {\n\treturn |\n}\n"), newDesk("import os\n\ndef f():\n    |\n")
	b.o = a.o
	for i, key := range "abcdef" {
		for _, d := range []*desk{a, b} {
			d.put(string(key))
			d.template.Connection, d.template.Use = 1, i+1
			d.now = max(a.now, b.now)
			d.ask(time.Second)
		}
	}
	r := a.o.Report(true)
	if len(r.Documents) != 2 {
		t.Fatalf("%d documents, want 2", len(r.Documents))
	}
	for _, d := range r.Documents {
		if d.Requests != 6 || d.Typed != 5 || d.Steps[5].Text != "f" {
			t.Errorf("document %d has %d requests and %d keys, the last %q; want 6, 5 and f", d.ID, d.Requests, d.Typed, d.Steps[5].Text)
		}
	}
}

// TestTwoOfOneText: two people who type the same text at different places are told apart,
// however near.
func TestTwoOfOneText(t *testing.T) {
	text := lines(120)
	for _, places := range [][2]int{{40, 1500}, {600, 720}, {720, 600}} {
		a, b := newDesk(text[:places[0]]+"|"), newDesk(text[:places[1]]+"|")
		b.o = a.o
		for range 30 {
			for _, d := range []*desk{a, b} {
				d.put(text[d.cursor : d.cursor+1])
				d.now = max(a.now, b.now)
				d.ask(50 * time.Millisecond)
			}
		}
		r := a.o.Report(false)
		if len(r.Documents) != 2 || r.Documents[0].Typed != 29 || r.Documents[1].Typed != 29 {
			t.Errorf("%d: %d documents, %d keys in the first; want 2 of 29 keys", places, len(r.Documents), r.Documents[0].Typed)
		}
	}
}

// TestLargeEdits: one person who pastes, thinks better of it, and pastes again is at one
// document.
func TestLargeEdits(t *testing.T) {
	d := newDesk(lines(20) + "|" + lines(3))
	d.ask(time.Second)
	paste := strings.Repeat("pasted ", 20)
	d.put(paste)
	d.ask(10 * time.Millisecond)
	d.put("x")
	d.ask(time.Second)
	d.back(len(paste) + 1)
	d.ask(10 * time.Millisecond)
	d.put("y")
	d.ask(time.Second)
	d.put(paste)
	d.ask(10 * time.Millisecond)
	r := d.o.Report(false)
	var kinds []Kind
	for _, s := range r.Documents[0].Steps {
		kinds = append(kinds, s.Kind)
	}
	if want := []Kind{Opened, Inserted, Typed, Edited, Typed, Inserted}; len(r.Documents) != 1 || !slices.Equal(kinds, want) {
		t.Errorf("%d documents, steps %q; want 1, %q", len(r.Documents), kinds, want)
	}
}

// TestWindows: a sliding window shows more of the text when the cursor goes back, and the
// recording begins with all that was ever seen.
func TestWindows(t *testing.T) {
	text := lines(30)
	d := newDesk(text + "|")
	d.window, d.suffix = 120, 60
	d.ask(time.Second)
	d.put("x")
	d.ask(time.Second)
	d.cursor -= 60
	d.ask(time.Second)
	d.put("y")
	d.ask(time.Second)
	_, requests := d.o.look()
	texts := group(requests)
	if len(texts) != 1 {
		t.Fatalf("%d documents, want 1", len(texts))
	}
	var kinds []Kind
	for _, v := range texts[0].visits {
		kinds = append(kinds, v.step.kind)
	}
	if want := []Kind{Opened, Typed, Moved, Typed}; !slices.Equal(kinds, want) {
		t.Errorf("steps %q, want %q", kinds, want)
	}
	if got, want := texts[0].opening, text[len(text)+1-180:]; got != want {
		t.Errorf("it began as %q, want %q", got, want)
	}
	if got, want := texts[0].known, d.text[len(d.text)-181:]; got != want {
		t.Errorf("it is %q now, want %q", got, want)
	}
}
