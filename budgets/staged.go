package budgets

import (
	"time"

	"halfsecond/budgets/ghost"
	"halfsecond/pipeline"
)

// stager tells keys by the stages of a report rather than by their spans: what owns an overrun
// and what would cure it is said in the words of the report.
type stager struct {
	run   *ghost.Run
	usual map[string]time.Duration // the median of each stage of the keys that landed
	// hold is how long the plugin holds text back, counted from the key: as the run says, or the
	// keys tell whose text waited for its end; 0 where neither does.
	hold time.Duration
}

func newStager(run *ghost.Run, hold time.Duration, all []landed) *stager {
	s := &stager{run: run, usual: usualOf(run), hold: hold}
	if hold > 0 {
		return s
	}
	for _, l := range all {
		if stages, _ := run.Stages(l.trace); stages[ghost.Hold] > 0 && (s.hold == 0 || heldOf(stages) < s.hold) {
			s.hold = heldOf(stages)
		}
	}
	return s
}

// usualOf returns the median of each stage of the keys that landed, 0 where nobody told it.
func usualOf(run *ghost.Run) map[string]time.Duration {
	usual := map[string]time.Duration{}
	for _, s := range run.StageTimes() {
		if m := median(s.Times); m != pipeline.Unknown {
			usual[s.Stage.String()] = m
		}
	}
	return usual
}

// heldOf returns how long after the editor took a key its text was held back.
func heldOf(s ghost.Stages) time.Duration {
	return s.Sum() - max(s[ghost.KeyWait], 0) - max(s[ghost.Render], 0)
}

// landed returns a trace whose spans are the stages of one that landed, one after the other;
// only the hold runs beside the others, since it is counted from the key. Text that was there
// sooner than a hold ends was not held.
func (s *stager) landed(t *pipeline.Trace) *pipeline.Trace {
	stages, _ := s.run.Stages(t)
	held := heldOf(stages)
	switch {
	case stages[ghost.Hold] > 0:
	case held < s.hold:
		held = 0
	default:
		held = s.hold
	}
	c := chain{t: &pipeline.Trace{Kind: t.Kind, Session: t.Session, Index: t.Index, Due: t.Due, Marks: t.Marks}, at: t.Due}
	c.add(ghost.KeyWait, stages[ghost.KeyWait])
	from, after := c.at, c.last
	for stage := ghost.Prepare; stage < ghost.Hold; stage++ {
		c.add(stage, stages[stage])
	}
	if held > 0 {
		c.join(c.t.Add(pipeline.Span{Name: ghost.Hold.String(), Start: from, End: from + held}, after...))
	}
	c.add(ghost.Render, stages[ghost.Render])
	return c.t
}

// lost returns what is known of a key that was given up at a stage, if it was: what comes
// after that one is taken to be as long as it usually is.
func (s *stager) lost(t *pipeline.Trace) (l lost, ok bool) {
	l, ok = lostOf(t)
	if !ok {
		return l, false
	}
	l.before = nil
	at := t.Due
	for _, span := range t.Spans {
		if span.End != pipeline.Unknown && span.End > at {
			l.before = append(l.before, leg{span.Name, span.End - at})
			at = span.End
		}
	}
	past := false
	for _, stage := range ghost.AllStages() {
		switch usual := s.usual[stage.String()]; {
		case !past || stage == ghost.Unsplit || usual <= 0:
		case stage == ghost.Hold:
		case stage == ghost.Render:
			l.last = leg{stage.String(), usual}
		default:
			l.after = append(l.after, leg{stage.String(), usual})
		}
		past = past || stage.String() == l.stage
	}
	if s.hold > 0 {
		l.beside = leg{ghost.Hold.String(), s.hold}
	}
	return l, true
}

// unlanded returns what is known of the stages of one that did not land: its own waits, and
// the stage at which its request was given up, which is open.
func unlanded(t *pipeline.Trace) *pipeline.Trace {
	out := &pipeline.Trace{Kind: t.Kind, Session: t.Session, Index: t.Index, Due: t.Due, Requests: t.Requests}
	last, begun := pipeline.NoSpan, pipeline.Unknown
	for _, s := range t.Spans {
		if s.Name == pipeline.SpanLineBuffer && s.End == pipeline.Unknown {
			begun = s.Start
		}
		if s.End != pipeline.Unknown && s.End > s.Start && !ofRequest(s.Name) {
			last = out.Add(pipeline.Span{Name: s.Name, Start: s.Start, End: s.End}, last)
		}
	}
	if len(t.Requests) == 0 {
		return out
	}
	r := t.Requests[len(t.Requests)-1]
	if r.Closed != pipeline.Unknown {
		r.End = r.Closed // the server may have heard of it later
	}
	out.Requests = []pipeline.Request{r}
	if r.Sent == pipeline.Unknown || r.End == pipeline.Unknown {
		return out
	}
	at := r.Sent
	for _, s := range wayOf(&r, begun) {
		if s.until == pipeline.Unknown || s.until >= r.End {
			out.Add(pipeline.Span{Name: s.stage.String(), Start: at, End: pipeline.Unknown}, last)
			break
		}
		if s.until > at {
			last = out.Add(pipeline.Span{Name: s.stage.String(), Start: at, End: s.until}, last)
			at = s.until
		}
	}
	return out
}

// ofRequest reports whether a span is of a key's request, whose stages its record tells.
func ofRequest(span string) bool {
	return span == pipeline.SpanLLMFirstToken || span == pipeline.SpanLLMWhole || span == pipeline.SpanLLMLoad
}

// step is a stage of a request and when it was over; Unknown where it was not.
type step struct {
	stage ghost.Stage
	until time.Duration
}

// wayOf returns the stages of a request that did not bring a landing, as far as they are told.
// Begun is since when its text waited for the rest of its line, Unknown where it did not.
func wayOf(r *pipeline.Request, begun time.Duration) []step {
	if r.Scheduled == pipeline.Unknown && !r.Simulated {
		return []step{{ghost.Unsplit, pipeline.Unknown}}
	}
	shifted := func(at, by time.Duration) time.Duration {
		if at == pipeline.Unknown {
			return at
		}
		return at + by
	}
	return []step{
		{ghost.Send, r.Sent + r.Way.Out}, {ghost.ServerQueue, shifted(r.Scheduled, r.Way.Out)},
		{ghost.Prefill, shifted(r.FirstOutput, -r.Way.Back)},
		{ghost.FirstToken, shifted(begun, -r.Way.Back)}, {ghost.Transfer, begun}, {ghost.LineBuffer, pipeline.Unknown},
	}
}

// chain is a trace in the making, whose spans follow each other.
type chain struct {
	t    *pipeline.Trace
	at   time.Duration     // when what there is has ended
	last []pipeline.SpanID // what ended then, or waits to be joined
}

// add adds a stage that takes some time, or brings together what ran beside each other.
func (c *chain) add(stage ghost.Stage, takes time.Duration) {
	if takes = max(takes, 0); takes > 0 || len(c.last) > 1 {
		c.last = []pipeline.SpanID{c.t.Add(pipeline.Span{Name: stage.String(), Start: c.at, End: c.at + takes}, c.last...)}
		c.at += takes
	}
}

// join has what comes next wait for a span beside the chain too.
func (c *chain) join(beside pipeline.SpanID) {
	c.last = append(c.last[:len(c.last):len(c.last)], beside)
	c.at = max(c.at, c.t.Spans[beside].End)
}
