package document

import "testing"

func TestJudge(t *testing.T) {
	key := func(s string) func(*Document) {
		return func(d *Document) {
			for _, c := range s {
				d.Apply(Edit{Offset: d.Cursor(), Insert: string(c), Cursor: d.Cursor() + len(string(c))})
			}
		}
	}
	back := func(n int) func(*Document) {
		return func(d *Document) {
			for range n {
				d.Apply(Edit{Offset: d.Cursor() - 1, Delete: 1, Cursor: d.Cursor() - 1})
			}
		}
	}
	for _, c := range []struct {
		name    string
		text    string
		since   []func(*Document)
		verdict Verdict
		rest    string
	}{
		{"nothing happened", "sole", nil, Exact, "sole"},
		{"typed the start", "sole", []func(*Document){key("so")}, TypedThrough, "le"},
		{"typed all", "sole", []func(*Document){key("sole")}, UsedUp, ""},
		{"typed more", "sole", []func(*Document){key("sole.")}, UsedUp, ""},
		{"typed something else", "sole", []func(*Document){key("f")}, Diverged, ""},
		{"typed something else in the end", "sole", []func(*Document){key("sof")}, Diverged, ""},
		{"typed and took back", "sole", []func(*Document){key("x"), back(1)}, Exact, "sole"},
		{"took back", "sole", []func(*Document){back(1)}, Undone, ""},
		{"took back and typed again", "sole", []func(*Document){back(2), key("on")}, Exact, "sole"},
		{"took back and typed on", "sole", []func(*Document){back(1), key("ns")}, TypedThrough, "ole"},
		{"took back and typed else", "sole", []func(*Document){back(1), key("x")}, Diverged, ""},
		{"moved away", "sole", []func(*Document){func(d *Document) { d.Move(0) }}, Moved, ""},
		{"moved on", "sole", []func(*Document){func(d *Document) { d.Move(7) }}, Moved, ""},
		{"moved away and typed", "sole", []func(*Document){func(d *Document) { d.Move(1) }, key("so")}, Moved, ""},
		{"moved away and back", "sole", []func(*Document){func(d *Document) { d.Move(0); d.Move(6) }}, Exact, "sole"},
		{"other document", "sole", []func(*Document){func(d *Document) { d.Open("ab\ncon\n", 6) }}, Moved, ""},
		{"a pair that the editor closed", "(x)", []func(*Document){func(d *Document) { d.Apply(Edit{6, 0, "()", 7}) }}, TypedThrough, "x)"},
		{"closed again", "(x);", []func(*Document){
			func(d *Document) { d.Apply(Edit{6, 0, "()", 7}) }, key("x"), func(d *Document) { d.Apply(Edit{8, 1, ")", 9}) },
		}, TypedThrough, ";"},
		{"an edit before", "sole", []func(*Document){func(d *Document) { d.Apply(Edit{0, 1, "b", 1}); d.Move(6) }}, Diverged, ""},
		{"an edit after", "sole", []func(*Document){func(d *Document) { d.Apply(Edit{6, 1, "", 6}) }}, Moved, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var d Document
			d.Open("ab\ncon\n", 6)
			asked := d.Snapshot()
			for _, f := range c.since {
				f(&d)
			}
			if v, rest := d.Judge(&asked, c.text); v != c.verdict || rest != c.rest {
				t.Errorf("%q with cursor at %d: %s, rest %q; want %s, %q", d.Text(), d.Cursor(), v, rest, c.verdict, c.rest)
			}
		})
	}
}

// A request that left inside of a pair is still right after its end is typed.
func TestJudgeFromInsideAPair(t *testing.T) {
	var d Document
	d.Open("f;", 1)
	d.Apply(Edit{1, 0, "()", 2})
	asked := d.Snapshot()
	d.Apply(Edit{2, 0, "x", 3})
	d.Apply(Edit{3, 1, ")", 4})
	if v, rest := d.Judge(&asked, "x) + 1"); v != TypedThrough || rest != " + 1" {
		t.Errorf("judge = %s, %q; want typed_through and \" + 1\"", v, rest)
	}
}

// A document that was supposed is the one that the edit makes, closed brackets and all.
func TestSupposing(t *testing.T) {
	var d Document
	d.Open("f;", 1)
	d.Apply(Edit{1, 0, "()", 2})
	accepted := d.Suggestion("x, y")
	asked := d.Supposing(accepted)
	if v, _ := d.Judge(&asked, "z"); v != Undone {
		t.Errorf("before it is accepted the verdict is %s, want undone", v)
	}
	d.Apply(accepted)
	if v, rest := d.Judge(&asked, "z"); v != Exact || rest != "z" {
		t.Errorf("then it is %s, %q; want exact", v, rest)
	}
}
