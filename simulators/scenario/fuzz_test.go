package scenario

import (
	"reflect"
	"testing"

	"halfsecond/pipeline/strict"
)

// A file never makes Parse panic, every problem has a place in the file, and what
// is read means the same when it is written out and read again.
func FuzzParse(f *testing.F) {
	for _, name := range append(Names(), Examples()...) {
		text, _ := Source(name)
		f.Add([]byte(text))
	}
	f.Add([]byte(wrong))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse("fuzz.yaml", data, nil)
		if err != nil {
			checkProblems(t, err)
			return
		}
		again, err := Parse("canonical.yaml", []byte(s.Canonical()), nil)
		if err != nil {
			t.Fatalf("canonical text does not parse: %v\n%s", err, s.Canonical())
		}
		if s.Hash() != again.Hash() || s.Canonical() != again.Canonical() || !reflect.DeepEqual(withoutPlaces(s), withoutPlaces(again)) {
			t.Fatalf("canonical text reads differently:\n%s\n%s", s.Canonical(), again.Canonical())
		}
	})
}

func checkProblems(t *testing.T, err error) {
	t.Helper()
	list := problems(err)
	if len(list) == 0 {
		t.Fatalf("error without a problem: %v", err)
	}
	for _, p := range list {
		if p.File == "" || p.Line < 1 || p.Column < 1 || p.Message == "" {
			t.Fatalf("problem without a place or a message: %+v", p)
		}
	}
}

// withoutPlaces returns a copy that does not say where in the file budgets were.
func withoutPlaces(s *Scenario) *Scenario {
	c := *s
	c.Budgets = nil
	for _, b := range s.Budgets {
		c.Budgets = append(c.Budgets, Budget{Expression: b.Expression})
	}
	return &c
}

// problems returns the problems that Parse joined.
func problems(err error) []strict.Problem {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil
	}
	var list []strict.Problem
	for _, e := range joined.Unwrap() {
		list = append(list, e.(strict.Problem))
	}
	return list
}
