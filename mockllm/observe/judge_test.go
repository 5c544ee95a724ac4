package observe

import (
	"testing"
	"time"

	"halfsecond/pipeline/document"
)

const ms100 = 100 * time.Millisecond

// TestVerdicts: an answer is judged when its first token comes, beside the last prompt
// before that, and again beside the next one.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer string
		before func(d *desk) // done and asked while it is under way; nil for nothing
		after  func(d *desk) // done and asked when it is there; nil for nothing
		first  document.Verdict
		next   document.Verdict
		kept   string
	}{
		{"nobody did anything", "sole", nil, nil, document.Exact, document.NoVerdict, ""},
		{"typed into it", "sole", nil, func(d *desk) { d.put("so") }, document.Exact, document.TypedThrough, "so"},
		{"typed into it while it came", "sole", func(d *desk) { d.put("s") }, func(d *desk) { d.put("o") }, document.TypedThrough, document.TypedThrough, "so"},
		{"typed something else", "sole", nil, func(d *desk) { d.put("f") }, document.Exact, document.Diverged, ""},
		{"typed something else while it came", "sole", func(d *desk) { d.put("f") }, func(d *desk) { d.put("g") }, document.Diverged, document.Diverged, ""},
		{"typed the start and something else", "sole", nil, func(d *desk) { d.put("sof") }, document.Exact, document.Diverged, "so"},
		{"typed all of it", "sole", func(d *desk) { d.put("sole") }, nil, document.UsedUp, document.NoVerdict, ""},
		{"accepted", "sole", nil, func(d *desk) { d.put("sole") }, document.Exact, document.UsedUp, "sole"},
		{"took back", "sole", nil, func(d *desk) { d.back(1) }, document.Exact, document.Undone, ""},
		{"went elsewhere", "sole", func(d *desk) { d.cursor = 0 }, nil, document.Moved, document.NoVerdict, ""},
		{"nothing to see", " \n", nil, func(d *desk) { d.put("x") }, document.Exact, document.Empty, ""},
	} {
		d := newDesk("con|\nthe end of it\n")
		n := d.ask(0)
		if c.before != nil {
			c.before(d)
			d.ask(ms100 / 2)
		}
		d.answered(n, ms100, c.answer)
		if c.after != nil {
			c.after(d)
			d.ask(2 * ms100)
		}
		_, requests := d.o.look()
		v := group(requests)[0].visits[0]
		if v.onArrival != c.first || v.afterwards != c.next || v.Answer[:v.kept] != c.kept {
			t.Errorf("%s: %s when it came, %s afterwards, kept %q; want %s, %s, %q", c.name, v.onArrival, v.afterwards, v.Answer[:v.kept], c.first, c.next, c.kept)
		}
	}
}

// TestAccepted: text that equals an answer, or its first lines, was accepted; less of it was
// typed, and so was text that no answer had said yet.
func TestAccepted(t *testing.T) {
	const answer = "sole.log(x)\nreturn x\n"
	for _, c := range []struct {
		name, text string
		after      time.Duration
		want       Kind
	}{
		{"all of it", answer, time.Second, Accepted},
		{"all but the blanks at its end", "sole.log(x)\nreturn x", time.Second, Accepted},
		{"its first line", "sole.log(x)", time.Second, Accepted},
		{"its first line with the end", "sole.log(x)\n", time.Second, Accepted},
		{"a part of its first line", "sole.", time.Second, Typed},
		{"a part of it at once", "sole.log", ms100, Inserted},
		{"all of it before it was there", "sole.log(x)", 0, Inserted},
		{"something else", "tinue", time.Second, Typed},
	} {
		d := newDesk("con|\nthe end of it\n")
		n := d.ask(0)
		d.answered(n, ms100, answer)
		d.put(c.text)
		d.ask(c.after)
		_, requests := d.o.look()
		if got := group(requests)[0].visits[1].step.kind; got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
