package recording_test

import (
	"testing"
	"time"
	"unicode/utf16"

	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/plugin"
)

// nearby is the rule about moves that the session is replayed with.
var nearby = stated().Triggers.Nearby

// traveller is where the person is in a document of the session.
type traveller struct {
	text16
	trail  plugin.Trail
	edited time.Duration // the last edit, until its own selection has come
	own    bool          // that is to come
}

// at returns the document up to the cursor.
func (p *traveller) at() *document.Document {
	var d document.Document
	before := string(utf16.Decode(p.text[:p.cursor]))
	d.Open(before, len(before))
	return &d
}

// move returns which rule a move of the cursor comes under: "" for none, "selects" for one
// that selects text, "edit" for the selection that an edit itself leaves.
func (p *traveller) move(e *event) string {
	p.cursor = e.Sel[0][1]
	own := p.own && e.at()-p.edited <= 50*ms
	p.own = false
	switch selects := len(e.Sel) > 1 || e.Sel[0][0] != e.Sel[0][1]; {
	case own:
		p.trail.Changed(&nearby, p.at(), e.at())
		return "edit"
	case selects:
		return "selects"
	}
	return p.trail.Moved(&nearby, p.at(), e.at())
}

// TestMovesThatAsk: after which moves of the cursor that lasted 60 ms the session has a call,
// by the rule that they come under.
func TestMovesThatAsk(t *testing.T) {
	all, asked := events(t), calls(t)
	documents := map[int]*traveller{}
	type tally struct{ moves, asked int }
	got := map[string]tally{}
	for i := range all {
		e := &all[i]
		switch p := documents[e.Doc]; e.Ev {
		case "content":
			documents[e.Doc] = &traveller{text16: text16{text: utf16.Encode([]rune(e.Text))}}
		case "edit":
			p.edit(e)
			p.edited, p.own = e.at(), true
			p.trail.Changed(&nearby, p.at(), e.at())
		case "sel":
			rule := p.move(e)
			if until := lasts(all[i:]); until >= e.at()+60*ms {
				n := got[rule]
				n.moves++
				if calledFor(asked, e, until) {
					n.asked++
				}
				got[rule] = n
			}
		}
	}
	for rule, want := range map[string]tally{"": {473, 419}, "same_line": {407, 40}, "late_move": {350, 7}, "selects": {180, 0}} {
		if got[rule] != want {
			t.Errorf("under rule %q %+v, want %+v", rule, got[rule], want)
		}
	}
}

// lasts returns until when the first of some events is the last in its document.
func lasts(from []event) time.Duration {
	for i := range from[1:] {
		if e := &from[1+i]; e.Doc == from[0].Doc {
			return e.at()
		}
	}
	return 1 << 62
}

// calledFor reports whether a move that lasted until then was asked for.
func calledFor(asked []call, e *event, until time.Duration) bool {
	for i := range asked {
		if c := &asked[i]; c.document == e.Doc && c.at >= e.at()+30*ms && c.at < min(until, e.at()+120*ms) {
			return true
		}
	}
	return false
}
