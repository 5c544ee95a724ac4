package typing

import (
	"strings"
	"testing"

	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/document"
)

// taking does the steps of a typist, and takes suggestions in between as an editor
// would: after a step is pulled, before it is done.
type taking struct {
	*testing.T
	y    Source
	d    document.Document
	next Step
	last Step

	replaces bool   // a suggestion replaces the rest of its line
	truth    string // behind the last one
}

func take(t *testing.T, y Source) *taking {
	a := &taking{T: t, y: y}
	a.pull()
	return a
}

func (a *taking) pull() { a.next, _ = a.y.Next() }

func (a *taking) step() {
	a.last = a.next
	a.last.Do(&a.d)
	a.pull()
}

// accept takes a suggestion and returns what is done next.
func (a *taking) accept(text string) Step {
	e := a.d.Suggestion(text)
	if a.replaces {
		e.Delete = len(a.d.RestOfLine())
	}
	removed := a.d.After()[:e.Delete]
	a.d.Apply(e)
	a.truth = a.y.(Accepter).Accepted(e, removed)
	a.pull()
	return a.next
}

// show returns the document with its cursor as |.
func (a *taking) show() string { return string(a.d.Before()) + "|" + a.d.After() }

// typed types until the text before the cursor ends with that.
func (a *taking) typed(end string) *taking {
	for !strings.HasSuffix(string(a.d.Before()), end) {
		a.step()
	}
	return a
}

func TestAccepted(t *testing.T) {
	const text = "x = f(a[1], g(2))\ny = 3\n"
	for _, c := range []struct {
		name, after, taken string
		next, then         string // document after the step that comes next, and after the one behind it
	}{
		{"right", "x", " = f", "x = f(|)", "x = f(a|)"},
		{"right, with a bracket that stays open", "x", " = f(", "x = f(a|", "x = f(a[|]"},
		{"right, and the open bracket is closed", "x", " = f(a[1], g(2", "x = f(a[1], g(2)|", "x = f(a[1], g(2))|"},
		{"right, and closes what the editor closed", "a[", "1], g(2))", "x = f(a[1], g(2))\n|", "x = f(a[1], g(2))\ny|"},
		{"right, and closes half of it", "a[", "1]", "x = f(a[1],|)", "x = f(a[1], |)"},
		{"right, over the line", "g(2", "))\ny =", "x = f(a[1], g(2))\ny = |", "x = f(a[1], g(2))\ny = 3|"},
		{"wrong", "x", " := f", "x|", "x |"},
		{"wrong in its end", "x", " = f(b", "x|", "x |"},
		{"wrong, and closes what the editor closed", "a[", "2], 3)", "x = f(a[|])", "x = f(a[1|])"},
		{"right and more", "y = ", "3\n\n", "x = f(a[1], g(2))\ny = |", "x = f(a[1], g(2))\ny = 3|"},
	} {
		person, err := NewTypist(text, Profile{})
		if err != nil {
			t.Fatal(err)
		}
		a := take(t, person.Type(1, 0)).typed(c.after)
		a.accept(c.taken)
		a.step()
		if got := a.show(); got != c.next {
			t.Errorf("%s: comes to %q, want %q", c.name, got, c.next)
		}
		if wrong := strings.Contains(c.name, "wrong") || strings.Contains(c.name, "more"); wrong != (a.last.Kind == Change) {
			t.Errorf("%s: next comes %+v", c.name, a.last)
		}
		if got := string(a.d.Before()) + a.last.Truth; got != text && a.last.Kind == Change {
			t.Errorf("%s: once it is taken back the text will be %q", c.name, got)
		}
		if a.step(); a.show() != c.then {
			t.Errorf("%s: comes to %q, want %q", c.name, a.show(), c.then)
		}
		for a.next.Kind != Open {
			a.step()
		}
		if a.d.Text() != text {
			t.Errorf("%s: ends with %q", c.name, a.d.Text())
		}
	}
}

// A suggestion that replaces the rest of the line takes brackets with it that the editor
// closed: what it does not close is typed again, and comes back when it is wrong.
func TestAcceptedInPlaceOfTheLine(t *testing.T) {
	for _, c := range []struct{ name, after, taken, truth, next, then string }{
		{"right", "a[", "1], g(2))", "\ny = 3\n", "x = f(a[1], g(2))\n|", "x = f(a[1], g(2))\ny|"},
		{"right, and closes half of it", "a[", "1]", ", g(2))\ny = 3\n", "x = f(a[1],|", "x = f(a[1], |"},
		{"wrong", "a[", "2]", "", "x = f(a[|])", "x = f(a[1|])"},
	} {
		person, err := NewTypist("x = f(a[1], g(2))\ny = 3\n", Profile{})
		if err != nil {
			t.Fatal(err)
		}
		a := take(t, person.Type(1, 0)).typed(c.after)
		a.replaces = true
		a.accept(c.taken)
		if a.truth != c.truth {
			t.Errorf("%s: the truth is %q, want %q", c.name, a.truth, c.truth)
		}
		a.step()
		if got := a.show(); got != c.next {
			t.Errorf("%s: comes to %q, want %q", c.name, got, c.next)
		}
		if a.step(); a.show() != c.then {
			t.Errorf("%s: comes to %q, want %q", c.name, a.show(), c.then)
		}
		for a.next.Kind != Open {
			a.step()
		}
		if a.d.Text() != person.text {
			t.Errorf("%s: ends with %q", c.name, a.d.Text())
		}
	}
}

// A suggestion that ends the text ends the round.
func TestAcceptedToTheEnd(t *testing.T) {
	person, err := NewTypist("ab\n", Profile{})
	if err != nil {
		t.Fatal(err)
	}
	if s := take(t, person.Type(1, 0)).typed("a").accept("b\n"); s.Kind != Open || s.Gap < ShortestGap {
		t.Errorf("after the end comes %+v, want a new document", s)
	}
}

// Two wrong ones in a row are taken back together.
func TestAcceptedTwice(t *testing.T) {
	person, err := NewTypist("f(a[1])\n", Profile{})
	if err != nil {
		t.Fatal(err)
	}
	a := take(t, person.Type(1, 0)).typed("a[")
	a.accept("2]")
	a.accept("1)")
	if a.show() != "f(a[2]1)|" {
		t.Fatalf("came to %q", a.show())
	}
	a.step()
	if a.show() != "f(a[|])" || a.last.Kind != Change {
		t.Errorf("%+v comes to %q", a.last, a.show())
	}
	for a.next.Kind != Open {
		a.step()
	}
	if a.d.Text() != person.text {
		t.Errorf("ended with %q", a.d.Text())
	}
}

// The step that never happened draws again what it drew.
func TestAcceptedNothing(t *testing.T) {
	person := typist(t, "go-handler", "expert")
	want := firstKeys(person.Type(1, 0), 3000)
	a := take(t, person.Type(1, 0))
	for i := range want {
		a.y.(Accepter).Accepted(document.Edit{}, "")
		for a.pull(); a.next.Kind != Key; a.pull() {
			a.last = a.next
		}
		if a.next != want[i] {
			t.Fatalf("key %d is %+v, want %+v", i, a.next, want[i])
		}
		a.step()
	}
}

// Whatever is taken, and whenever, the text stands there in the end.
func TestAcceptedAnything(t *testing.T) {
	p := Profile{Slips: .05, Rethinks: .3, Jumps: .2, Pastes: .02, HoldFirst: 500e6, HoldNext: 33e6, Lines: 30}
	for seed, name := range append(TextNames(), "f(a[1](b{2}[3](4, (5))))\nx((y)[z], {1: [2]})\n") {
		text, err := Text(name)
		if err != nil {
			text, p.Lines = name, 0
		}
		person, err := NewTypist(text, p)
		if err != nil {
			t.Fatal(err)
		}
		acceptAnything(t, person, uint64(seed), false)
		acceptAnything(t, person, uint64(seed), true)
	}
}

// acceptAnything has a person take one suggestion in ten keys, right and wrong, for
// 300 rounds.
func acceptAnything(t *testing.T, person *Typist, seed uint64, replaces bool) {
	t.Helper()
	r := dist.Stream(seed, "taking")
	right, wrong := 0, 0
	a := take(t, person.Type(seed, 0))
	a.replaces = replaces
	for rounds := 0; rounds < 300; {
		if a.next.Kind == Open && a.d.Opened() > 0 {
			if rounds++; a.d.Text() != person.text {
				t.Fatalf("round %d ended with %q", rounds, a.d.Text())
			}
		}
		a.step()
		if a.last.Kind != Key || r.IntN(10) > 0 {
			continue
		}
		truth := a.last.Truth
		suggested := truth[:r.IntN(min(len(truth), 80)+1)]
		if r.IntN(4) == 0 {
			suggested += []string{"x", "})", "foo(bar)\n\t", "]"}[r.IntN(4)]
		}
		if suggested == "" {
			continue
		}
		if r.IntN(8) == 0 {
			a.accept(suggested)
			suggested = "zz)"
		}
		if s := a.accept(suggested); s.Kind == Change && s.Edit.Delete > 0 {
			wrong++
		} else {
			right++
		}
	}
	if right < 300 || wrong < 200 {
		t.Errorf("%d were right and %d wrong, want many of both", right, wrong)
	}
}

// On another line, and while backspace is held, what follows there can be taken too.
func TestAcceptedAside(t *testing.T) {
	for _, c := range []struct {
		name    string
		profile Profile
		begins  func(a *taking) bool
	}{
		{"on another line", Profile{Jumps: 1}, func(a *taking) bool {
			return a.last.Kind == Key && a.last.Class == Backspace && a.next.Class != Backspace && a.next.Kind == Key
		}},
		{"while backspace is held", Profile{Rethinks: 1, HoldFirst: 500e6, HoldNext: 33e6}, func(a *taking) bool {
			return a.last.Class == Backspace && a.last.Kind == Key && a.next.Class == Backspace
		}},
	} {
		person, err := NewTypist("first line\nsecond line\n", c.profile)
		if err != nil {
			t.Fatal(err)
		}
		a := take(t, person.Type(1, 0))
		for a.step(); !c.begins(a); {
			a.step()
		}
		whole := string(a.d.Before()) + a.last.Truth[:2]
		if s := a.accept(a.last.Truth[:2]); s.Kind == Change {
			t.Errorf("%s: %+v takes it back", c.name, s)
		}
		if got := string(a.d.Before()); got != whole {
			t.Errorf("%s: came to %q, want %q", c.name, got, whole)
		}
		for a.next.Kind != Open {
			a.step()
		}
		if a.d.Text() != person.text {
			t.Errorf("%s: ended with %q", c.name, a.d.Text())
		}
	}
}
