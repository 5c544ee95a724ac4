package typing

import (
	"testing"

	"halfsecond/pipeline/document"
)

// listed is typing that was written down; sure is one behind which suggestions may be taken.
type listed struct{ steps []Step }

func (l *listed) Next() (Step, bool) {
	if len(l.steps) == 0 {
		return Step{}, false
	}
	s := l.steps[0]
	l.steps = l.steps[1:]
	return s, true
}

type sure struct {
	listed
	took string
}

func (s *sure) Accepted(e document.Edit, _ string) (truth string) {
	s.took = e.Insert
	return ""
}

// TestFocused: the focus comes once, behind the document that is opened, and takes no time.
func TestFocused(t *testing.T) {
	f := Focused(&listed{[]Step{{Kind: Open, Gap: 5}, {Kind: Key, Gap: 7}, {Kind: Open, Gap: 9}}})
	want := []Step{{Kind: Open, Gap: 5}, {Kind: Focus}, {Kind: Key, Gap: 7}, {Kind: Open, Gap: 9}}
	for i, w := range want {
		if s, ok := f.Next(); !ok || s != w {
			t.Errorf("step %d is %+v, %t, want %+v", i, s, ok, w)
		}
	}
	if s, ok := f.Next(); ok {
		t.Errorf("one more step: %+v", s)
	}
	if _, accepts := f.(Accepter); accepts {
		t.Error("typing that takes nothing accepts")
	}
	y := &sure{}
	if a, accepts := Focused(y).(Accepter); !accepts {
		t.Error("typing that takes suggestions does not accept")
	} else if a.Accepted(document.Edit{Insert: "x"}, ""); y.took != "x" {
		t.Errorf("%q was accepted, want x", y.took)
	}
}
