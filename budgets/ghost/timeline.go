package ghost

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
)

// Moment is a key or another step, and what followed from it.
type Moment struct {
	*pipeline.Trace
	Next    time.Duration // when the person's next step came; Unknown after the last
	Waited  time.Duration // until then it waited for its request to be due, or was overtaken
	Request *pipeline.Request
	Text    time.Duration // when its first character was there; Unknown where none came
	// Verdict is what the answer was worth that its text is of: its own request's, or an earlier
	// one's; NoVerdict where no text came, or nobody tells.
	Verdict document.Verdict
}

// What a window shows around one key: so long before and after it, and no more steps.
const (
	windowBefore = 2500 * time.Millisecond
	windowAfter  = 1500 * time.Millisecond
	windowMost   = 16
)

// Window returns what a person did around one key, a few seconds of it.
func (r *Run) Window(around *pipeline.Trace) (all []Moment) {
	events := slices.DeleteFunc(r.events(), func(x event) bool {
		off := x.trace.Due - around.Due
		return x.trace.Session != around.Session || off < -windowBefore || off > windowAfter
	})
	if at := slices.IndexFunc(events, func(x event) bool { return x.trace == around }); len(events) > windowMost {
		from := min(max(0, at-windowMost*2/3), len(events)-windowMost)
		events = events[from : from+windowMost]
	}
	for _, x := range events {
		m := momentOf(x)
		m.Verdict = r.verdictOf(x.trace)
		all = append(all, m)
	}
	return all
}

// verdictOf returns what the answer was worth that a step's text is of.
func (r *Run) verdictOf(t *pipeline.Trace) document.Verdict {
	v := Verdict(t)
	if n := len(t.Uses); n > 0 && (v == "" || v == document.NoVerdict) {
		v = document.NoVerdict
		if q := r.byID[t.Uses[n-1].Request]; q != nil {
			v = Verdict(q.Trace)
		}
	}
	return cmp.Or(v, document.NoVerdict)
}

func momentOf(x event) Moment {
	m := Moment{Trace: x.trace, Next: x.next, Waited: x.trace.Due, Text: x.trace.Mark(pipeline.MarkFirstCharacter)}
	switch {
	case len(x.trace.Requests) > 0:
		m.Request = &x.trace.Requests[len(x.trace.Requests)-1]
		m.Waited = m.Request.Due
	case m.Text != pipeline.Unknown:
		m.Waited = m.Text
	case x.next != pipeline.Unknown && x.trace.Fact(pipeline.FactHeld) == "":
		m.Waited = min(x.next, m.Due+Pause)
	}
	return m
}

// Ends returns when a moment's request was over for the person: closed, or answered; Unknown
// where that is not known.
func (m *Moment) Ends() time.Duration {
	switch {
	case m.Request == nil:
		return pipeline.Unknown
	case m.Request.Closed != pipeline.Unknown:
		return m.Request.Closed
	case m.Request.LastOutput != pipeline.Unknown:
		return m.Request.LastOutput
	}
	return m.Request.End
}

// Closed returns when a moment's request was closed; Unknown where it was not, or there is none.
func (m *Moment) Closed() time.Duration {
	if m.Request == nil {
		return pipeline.Unknown
	}
	return m.Request.Closed
}

// Typed returns what was typed, or the kind of key or step where that is not told.
func (m *Moment) Typed() string {
	return cmp.Or(m.Fact(pipeline.FactTyped), m.Fact(pipeline.FactClass), m.Kind)
}

// Fate returns what became of a moment, in words: where its text came from, or why there was
// none, and the verdict of each text.
func (m *Moment) Fate() string {
	source := m.Fact(pipeline.FactSource)
	switch {
	case m.Fact(pipeline.FactSaved) != "":
		return m.Fact(pipeline.FactSaved) + " characters accepted"
	case m.Outcome != pipeline.OK:
		return strings.ReplaceAll(whyNot(m.Trace), "_", " ")
	case m.Text != pipeline.Unknown && source != pipeline.SourceNetwork:
		return m.judged(source)
	case m.Text != pipeline.Unknown:
		return strings.ReplaceAll(string(m.Verdict), "_", " ")
	case m.Request != nil:
		return m.judged(whyNot(m.Trace))
	case m.Fact(pipeline.FactHeld) == pipeline.HeldByHold:
		return HeldBack
	case m.Fact(pipeline.FactHeld) != "":
		return "held: " + strings.ReplaceAll(m.Fact(pipeline.FactHeld), "_", " ")
	case m.Next == pipeline.Unknown:
		return "nothing asked"
	}
	return "overtaken"
}

// judged adds the verdict to words, where there is one and they do not say it.
func (m *Moment) judged(words string) string {
	if m.Verdict != document.NoVerdict && m.Verdict != "" && string(m.Verdict) != words {
		words += ": " + string(m.Verdict)
	}
	return strings.ReplaceAll(words, "_", " ")
}

// Typical returns the keys of the median and of the longest time to the first character, of the
// opportunities that landed; nil where none did.
func (r *Run) Typical() (middle, worst *pipeline.Trace) {
	keys := slices.DeleteFunc(r.Opportunities(), func(t *pipeline.Trace) bool { return Landed(t) == pipeline.Unknown })
	if len(keys) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(keys, func(a, b *pipeline.Trace) int { return cmp.Compare(Landed(a), Landed(b)) })
	return keys[(len(keys)-1)/2], keys[len(keys)-1]
}
