package observe

import (
	"strings"
	"unicode/utf8"

	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
)

// followed is for how many later requests of its document an answer is looked for in the
// text: longer than anybody types along a suggestion, a request at each key; assumed.
const followed = 64

// asked is an answer, and the document as it was when it was asked for.
type asked struct {
	*visit
	document.Snapshot
	index int
}

// play makes the edits of a document again, one request after the other. It says what was
// done before each, and what became of the answers.
func (t *text) play() {
	var d document.Document
	d.Open(t.opening, t.visits[0].edit.Cursor)
	var under []asked // answers that may still stand in the text, the latest last
	for i := range t.visits {
		v := &t.visits[i]
		v.onArrival, v.afterwards = document.NoVerdict, document.NoVerdict
		v.step = step{kind: Opened, from: d.Cursor()}
		if i > 0 {
			v.step = t.done(&d, i, under)
		}
		under = weigh(&d, v, under, i)
		under = append(under, asked{v, d.Snapshot(), i})
	}
	for i := range t.visits {
		if v := &t.visits[i]; v.onArrival == document.NoVerdict && v.Answer != "" && v.First != pipeline.Unknown {
			v.onArrival = document.Exact // nothing was asked since
		}
	}
}

// done makes the edit before a request, and says what it was.
func (t *text) done(d *document.Document, i int, under []asked) step {
	v := &t.visits[i]
	e, erased := v.edit, ""
	if e.Delete > 0 {
		erased = d.Text()[e.Offset : e.Offset+e.Delete]
	}
	s := stepOf(e, d.Cursor(), erased, v.Arrived-t.since(i))
	if (s.kind == Typed || s.kind == Inserted) && saidBefore(d, v, under) {
		s.kind, s.keys = Accepted, nil
	}
	switch s.kind {
	case Same:
	case Moved:
		d.Move(e.Cursor)
	default:
		d.Apply(e)
	}
	return s
}

// saidBefore reports whether what an edit puts at the cursor is what an answer said would
// follow there, to its end or to the end of one of its lines.
func saidBefore(d *document.Document, v *visit, under []asked) bool {
	typed, ok := v.edit.Typed(d.Cursor())
	if !ok || utf8.RuneCountInString(typed) < 2 {
		return false
	}
	for _, a := range under {
		if a.First == pipeline.Unknown || a.First > v.Arrived {
			continue
		}
		if _, rest := d.Judge(&a.Snapshot, a.Answer); saidWhole(typed, rest) {
			return true
		}
	}
	return false
}

// saidWhole reports whether a text is all of an answer, but for blanks at its end, or all of its
// first lines.
func saidWhole(typed, answer string) bool {
	if !strings.HasPrefix(answer, typed) || !document.Visible(typed) {
		return false
	}
	rest := answer[len(typed):]
	return !document.Visible(rest) || rest[0] == '\n' || strings.HasSuffix(typed, "\n")
}

// weigh judges answers beside a request, and returns those that may still stand in the text.
func weigh(d *document.Document, v *visit, under []asked, i int) []asked {
	kept := under[:0]
	for _, a := range under {
		if a.Answer == "" || a.First == pipeline.Unknown || i-a.index > followed {
			continue
		}
		verdict, _ := d.Judge(&a.Snapshot, a.Answer)
		if !document.Visible(a.Answer) {
			verdict = document.Empty
		}
		if v.Arrived <= a.First {
			a.onArrival = verdict
			kept = append(kept, a)
			continue
		}
		if a.onArrival == document.NoVerdict {
			a.onArrival = document.Exact
		}
		if a.afterwards == document.NoVerdict {
			a.afterwards = verdict
		}
		if typed, ok := strings.CutPrefix(string(d.Before()), string(a.Before())); ok {
			a.kept = max(a.kept, prefixed(typed, a.Answer))
		}
		if verdict == document.Exact || verdict == document.TypedThrough {
			kept = append(kept, a)
		}
	}
	return kept
}
