package ide

import (
	"fmt"
	"slices"
	"testing"

	"halfsecond/simulators/ide/plugin"
)

// told has a rig say what it is told of answers.
func told(r *rig) *[]string {
	var all []string
	r.config.Answered = func(a Answered) {
		all = append(all, fmt.Sprintf("%d %s|%s|%s|%d %q will %q cut %v stands %v",
			a.Request, a.Asked.Before(), a.Text, a.Asked.After(), a.Asked.Closed(), a.Text, a.Will, a.Cut, a.Stands))
	}
	return &all
}

// Answers are told of as they came, beside the document that they were asked for: right ones,
// those that were cut, those that only stand for something, and those that the editor gave up
// without closing their request. Requests that were closed, and
// answers without anything to see, are no answers.
func TestAnswered(t *testing.T) {
	for name, c := range map[string]struct {
		change func(r *rig)
		says   []string // of a model behind a socket; the modelled one where there is none
		finish string
		want   []string
	}{
		"right":           {want: []string{`1 ab|cdef|-|0 "cdef" will "cdef" cut false stands false`}},
		"cut":             {change: func(r *rig) { r.config.Plugin.MaxTokens = 1 }, want: []string{`1 ab|cdef|-|0 "cdef" will "cdef gh" cut true stands false`}},
		"stands":          {change: func(r *rig) { r.config.Right = 0 }, want: []string{`1 ab|¶ |-|0 "¶ " will "cdef" cut false stands true`}},
		"dropped":         {change: func(r *rig) { r.config.Plugin.Cancel = plugin.CancelDiscard }, want: []string{`1 ab|cdef|-|0 "cdef" will "cdef" cut false stands false`}},
		"real":            {says: []string{"xy"}, want: []string{`1 ab|xy|-|0 "xy" will "cdef" cut false stands false`}},
		"real and cut":    {says: []string{"xy"}, finish: "max_tokens", want: []string{`1 ab|xy|-|0 "xy" will "cdef" cut true stands false`}},
		"nothing to see":  {says: []string{" "}},
		"nothing at all ": {says: []string{""}},
	} {
		r := newRig(t, 1, 50*ms, 10*ms)
		if c.says != nil {
			r.config.LLM = &spoken{loop: r.loop, after: 50 * ms, says: c.says, finish: c.finish}
		}
		line := "abcdef"
		if name == "cut" {
			line = "abcdef gh"
		}
		if c.change != nil {
			c.change(r)
		}
		got := told(r)
		r.play(open("a", "-").will(line).key(0, "b"))
		if name == "stands" && len(*got) == 1 { // how long the nonsense is does not matter here
			if a := (*got)[0]; a[len(a)-len("cut false stands true"):] != "cut false stands true" {
				t.Errorf("%s: told %q", name, a)
			}
			continue
		}
		if !slices.Equal(*got, c.want) {
			t.Errorf("%s: told %q, want %q", name, *got, c.want)
		}
	}
	r := newRig(t, 1, 50*ms, 10*ms)
	r.config.Plugin.Cancel = plugin.CancelWire
	got := told(r)
	r.play(open("", "").will("abcdef").key(0, "a").key(20*ms, "b").key(40*ms, "c"))
	if want := []string{`3 abc|def||0 "def" will "def" cut false stands false`}; !slices.Equal(*got, want) {
		t.Errorf("of requests that were closed: told %q, want %q", *got, want)
	}

	// What the editor gave up and did not close came whole all the same: it is told of by what
	// was asked for, though nobody saw it.
	r = newRig(t, 1, 50*ms, 10*ms)
	r.config.Plugin.Cancel = plugin.CancelDiscard
	got = told(r)
	r.play(open("", "").will("abcdef").key(0, "a").key(20*ms, "b").key(40*ms, "c"))
	want := []string{
		`1 a|bcdef||0 "bcdef" will "bcdef" cut false stands false`,
		`2 ab|cdef||0 "cdef" will "cdef" cut false stands false`,
		`3 abc|def||0 "def" will "def" cut false stands false`,
	}
	if !slices.Equal(*got, want) {
		t.Errorf("of answers that were dropped: told %q, want %q", *got, want)
	}
}
