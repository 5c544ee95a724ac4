package syntax

import "testing"

// counter is a checker for which a text parses that begins with o, and that cannot tell of
// one that begins with u.
type counter struct{ asked map[string]int }

func (c counter) Check(text string) Result {
	c.asked[text]++
	return Result{Known: text[0] != 'u', OK: text[0] == 'o', At: -1}
}

func TestMemory(t *testing.T) {
	c := counter{map[string]int{}}
	m := Remember(c, 2)
	for _, text := range []string{"o1", "n2", "o1", "n2", "u3", "u3", "o4", "o1", "n2", "o4", "o1"} {
		if r := m.Check(text); r.OK != (text[0] == 'o') || r.Known != (text[0] != 'u') {
			t.Errorf("%s: %+v", text, r)
		}
	}
	// o4 puts o1 out, then o1 n2, n2 o4, and so on.
	for text, want := range map[string]int{"o1": 3, "n2": 2, "u3": 2, "o4": 2} {
		if got := c.asked[text]; got != want {
			t.Errorf("%s was asked about %d times, want %d", text, got, want)
		}
	}
}
