package recording

import (
	"time"

	"halfsecond/simulators/ide/typing"
)

// event is a step of a session, in its place among those of all documents.
type event struct {
	document *recording
	step     int // of its document
	at       time.Duration
	place    place
	truth    string // of a key, as far as it is typed before another document is opened
}

// place says where the person is when a step is done.
type place uint8

const (
	here      place = iota // in that document
	coming                 // goes there with it
	elsewhere              // in another one
)

// findWay says where the person is at each step, and what is typed in one go there.
//
// The person goes to a document by a key or a move of the cursor in it. What else is
// done to another one is no work of the person there: a file is loaded, or changed by
// a rename.
func findWay(order []event) {
	var at *recording
	texts := map[*recording]*page{}
	var follows follower
	for i := range order {
		e := &order[i]
		s := &e.document.steps[e.step]
		if texts[e.document] == nil {
			texts[e.document] = &page{}
		}
		e.place = placeOf(at, e.document, s)
		if e.place == elsewhere {
			texts[e.document].do(s)
			continue
		}
		if e.place == coming {
			follows.end()
			at = e.document
		}
		truth := &e.truth
		if e.document.told[e.step] {
			e.truth, truth = s.Truth, nil
		}
		follows.do(texts[e.document], s, truth)
	}
	follows.end()
}

// placeOf says where the person, who is in the document at, is when a step of d is done.
func placeOf(at, d *recording, s *typing.Step) place {
	switch {
	case at == d:
		return here
	case s.Kind == typing.Key || s.Kind == typing.Move || at == nil && s.Kind == typing.Change:
		return coming
	}
	return elsewhere
}

// Whole returns what the person did in the whole session, in order of time. Where the
// person goes to another document there is an Open with its text as it is by then,
// which is also what a first move of the cursor there is; the step that the person
// goes there with follows at the same instant. A document that something else changes
// meanwhile is so when it is opened. Truth is that of Replay, but ends where another
// document is opened.
func (s *Session) Whole() typing.Source {
	return &whole{order: s.order, texts: map[*recording]*page{}}
}

type whole struct {
	order  []event
	texts  map[*recording]*page
	begun  bool
	last   time.Duration
	came   bool // the Open before the next step was handed out
	bursts typing.Bursts
}

// Next implements typing.Source.
func (w *whole) Next() (typing.Step, bool) {
	for len(w.order) > 0 {
		e := &w.order[0]
		d := w.texts[e.document]
		if d == nil {
			d = &page{}
			w.texts[e.document] = d
		}
		s := e.document.steps[e.step]
		switch {
		case e.place == coming && !w.came:
			w.came = true
			return w.open(e, d, &s), true
		case e.place == elsewhere:
			d.do(&s)
			w.order = w.order[1:]
			continue
		}
		d.do(&s)
		w.order, w.came = w.order[1:], false
		s.Truth = e.truth
		return w.hand(e, s), true
	}
	return typing.Step{}, false
}

// open returns the step that opens the document of an event. A move is done with it.
func (w *whole) open(e *event, d *page, s *typing.Step) typing.Step {
	if s.Kind == typing.Move {
		d.do(s)
		w.order, w.came = w.order[1:], false
	}
	return w.hand(e, typing.Step{Kind: typing.Open, Text: d.String(), Cursor: d.cursor})
}

// hand gives a step its gap and its burst, and one that opens a document its number.
func (w *whole) hand(e *event, s typing.Step) typing.Step {
	if s.Kind == typing.Open {
		s.Document = e.document.id + 1
	}
	if s.Gap = e.at - w.last; !w.begun {
		s.Gap = 0
	}
	w.begun, w.last = true, e.at
	s.Burst = w.bursts.Of(&s)
	return s
}
