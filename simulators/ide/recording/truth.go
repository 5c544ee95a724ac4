package recording

import (
	"strings"

	"halfsecond/simulators/ide/typing"
)

// follower finds the text that follows each step until something else happens.
type follower struct {
	text  strings.Builder // what is typed in one go
	steps []followed      // of that go, and the one before it
}

// followed is a step whose truth is being found: it is what comes behind at.
type followed struct {
	truth *string
	at    int
}

// do does a step of the document. Its truth is written by a later do or end,
// nil for none.
func (f *follower) do(d *page, s *typing.Step, truth *string) {
	if text, ok := added(d, s); ok {
		f.text.WriteString(text)
	} else {
		f.end()
	}
	d.do(s)
	if s.Kind != typing.Open && truth != nil {
		f.steps = append(f.steps, followed{truth, f.text.Len()})
	}
}

// end says that nothing goes on with what was typed.
func (f *follower) end() {
	text := f.text.String()
	for _, k := range f.steps {
		*k.truth = text[k.at:]
	}
	f.text.Reset()
	f.steps = f.steps[:0]
}

// added returns the text that a step adds at the cursor, when it does no more
// than that. A step that replaces the text around the cursor by the same text
// with more in between adds what is in between.
func added(d *page, s *typing.Step) (text string, ok bool) {
	e := s.Edit
	switch {
	case s.Kind == typing.Key && s.Class != typing.Backspace:
		return e.Typed(d.cursor)
	case s.Kind != typing.Change:
		return "", false
	}
	before := d.cursor - e.Offset // replaced by the same text
	if before < 0 || before > e.Delete || before > len(e.Insert) || e.Cursor < d.cursor || e.Cursor > e.Offset+len(e.Insert) {
		return "", false
	}
	old := d.between(e.Offset, e.Offset+e.Delete)
	if old[:before] != e.Insert[:before] || !strings.HasSuffix(e.Insert[before:], old[before:]) {
		return "", false
	}
	return e.Insert[before : e.Cursor-e.Offset], true
}
