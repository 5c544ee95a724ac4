package others

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"halfsecond/pipeline"
)

// unknown is what was not logged.
const unknown = pipeline.Unknown

// longest is the longest time that a part of a turn may take. What is longer is a number in
// another unit than it should be.
const longest = 10 * time.Minute

// shortest is the shortest time that a whole turn may take, from the end of speech to sound:
// audio comes in frames of 10 ms and more, as in WebRTC, and before the next of them is there
// nobody knows that speech is over. What is shorter is a number in another unit.
const shortest = 10 * time.Millisecond

// alike is how far apart two instants may be that two lines of a program took of the same
// event.
const alike = 5 * time.Millisecond

// turn is what was logged of one turn. Its instants count from the end of the user's speech,
// as the agent heard it.
type turn struct {
	call   string
	number string        // as the source numbers it in its call; "" when it does not
	clock  time.Duration // when the user's speech ended, since 1970; unknown where a source has no clock
	stages []stage
	sent   time.Duration // first audio leaves the agent
	heard  time.Duration // first audible sample at the ear

	outcome  pipeline.Outcome
	reason   string
	facts    []pipeline.Fact
	overfull bool // its stages add up to more than the whole
}

func newTurn(call, number string) *turn {
	return &turn{call: call, number: number, clock: unknown, sent: unknown, heard: unknown}
}

// stage is a stage of a turn, in its place.
type stage struct {
	name     string
	from, to time.Duration
	// loose is true where the end was computed and not logged: it may lie a little behind
	// the start of what waited for it.
	loose bool
}

// step is a stage of which only the length is known.
type step struct {
	name  string
	takes time.Duration // unknown for one that was not logged
}

// add puts a stage where it was; one without a known length is left out.
func (t *turn) add(name string, from, to time.Duration) {
	if from != unknown && to != unknown && to >= from {
		t.stages = append(t.stages, stage{name: name, from: from, to: to})
	}
}

// addLoose is add for a stage whose end was computed.
func (t *turn) addLoose(name string, from, to time.Duration) {
	n := len(t.stages)
	t.add(name, from, to)
	for i := n; i < len(t.stages); i++ {
		t.stages[i].loose = true
	}
}

func (t *turn) fact(name, value string) {
	if value != "" {
		t.facts = append(t.facts, pipeline.Fact{Name: name, Value: value})
	}
}

// lay places stages of which only lengths are known. Each of the fronts begins with the end of
// speech; the reply ends where it is sent, or where that is not known begins with the last of
// the fronts. A front is over where a length is not known: what follows then is part of the
// reply, for it is known only to come before that.
func (t *turn) lay(fronts [][]step, reply []step) { t.layFrom(0, fronts, reply) }

// layFrom is lay where the end of speech is at the agent at an instant after it.
func (t *turn) layFrom(arrived time.Duration, fronts [][]step, reply []step) {
	ready := arrived
	var moved []step
	for _, front := range fronts {
		at := arrived
		for i, s := range front {
			if s.takes == unknown {
				moved = append(moved, front[i+1:]...)
				break
			}
			t.addLoose(s.name, at, at+s.takes)
			at += s.takes
		}
		ready = max(ready, at)
	}
	reply = slices.Concat(moved, reply)
	whole := time.Duration(0)
	for _, s := range reply {
		whole += known(s.takes)
	}
	at := ready
	if lands := t.lands(); lands != unknown {
		at = lands - whole
		t.overfull = at < ready
	}
	for _, s := range reply {
		if s.takes != unknown {
			t.add(s.name, at, at+s.takes)
			at += s.takes
		}
	}
}

// whole returns why a turn cannot take so long, by the name of the figure; nil where it can,
// or is not known.
func whole(name string, d time.Duration) error {
	if d == unknown || d >= shortest {
		return nil
	}
	ms := float64(d) / float64(time.Millisecond)
	return fmt.Errorf("%s is %s ms: no turn takes less than %s from the end of speech to sound; want ms, not seconds, and nothing where it is not known", name, strconv.FormatFloat(ms, 'g', -1, 64), shortest)
}

// lands returns when the reply is where its clock stops.
func (t *turn) lands() time.Duration {
	if t.heard != unknown {
		return t.heard
	}
	return t.sent
}

// known returns a length, 0 for one that is not known.
func known(d time.Duration) time.Duration {
	if d == unknown {
		return 0
	}
	return d
}

func (t *turn) has(names ...string) bool {
	return slices.ContainsFunc(t.stages, func(s stage) bool { return slices.Contains(names, s.name) })
}

// settle says how the turn ended, where its source did not. One whose audio was logged ended
// ok, even if nobody logged when it began.
func (t *turn) settle() {
	for _, at := range []*time.Duration{&t.sent, &t.heard} {
		if *at != unknown && (*at < 0 || *at > longest) {
			t.outcome, t.reason = pipeline.Truncated, fmt.Sprintf("incomplete log: the reply is %s after the end of the user's speech, which cannot be", *at)
			*at = unknown
		}
	}
	switch {
	case t.outcome != pipeline.OK:
	case t.sent != unknown, t.heard != unknown, t.has(pipeline.SpanTTSFirstAudio, pipeline.SpanModelAudio):
	default:
		t.outcome, t.reason = pipeline.Truncated, "incomplete log: there is no first audio of the reply"
	}
}

// trace returns the turn, of a source, as a trace that is due when the user's mouth closes.
func (t *turn) trace(source string, set Settings, due time.Duration) pipeline.Trace {
	out := pipeline.Trace{Kind: pipeline.KindVoice, Due: due, End: unknown, Outcome: t.outcome, Reason: pipeline.Printable(t.reason)}
	arrived := due // when the end of speech is at the agent
	way := pipeline.NoSpan
	if set.Uplink != nil && t.heard == unknown {
		arrived += *set.Uplink
		way = out.Add(pipeline.Span{Name: pipeline.SpanUplink, Start: due, End: arrived, Simulated: true})
	}
	t.link(&out, arrived, way)
	if t.sent != unknown {
		out.Marks = append(out.Marks, pipeline.Mark{Name: pipeline.MarkReplySent, At: arrived + t.sent})
	}
	switch {
	case t.heard != unknown:
		out.Marks = append(out.Marks, pipeline.Mark{Name: pipeline.MarkReplyHeard, At: arrived + t.heard})
	case t.sent != unknown && set.Playout != nil:
		heard := arrived + t.sent + *set.Playout
		out.Add(pipeline.Span{Name: pipeline.SpanPlayout, Start: arrived + t.sent, End: heard, Simulated: true}, ends(out.Spans, arrived+t.sent)...)
		out.Marks = append(out.Marks, pipeline.Mark{Name: pipeline.MarkReplyHeard, At: heard})
	}
	if t.clock != unknown {
		out.End = due
		for _, s := range out.Spans {
			out.End = max(out.End, s.End)
		}
		for _, m := range out.Marks {
			out.End = max(out.End, m.At)
		}
	}
	out.Facts = []pipeline.Fact{{Name: pipeline.FactLog, Value: source}, {Name: "call", Value: t.call}}
	if t.number != "" {
		out.Facts = append(out.Facts, pipeline.Fact{Name: "turn", Value: t.number})
	}
	out.Facts = append(out.Facts, t.facts...)
	return out
}

// link adds the stages to a trace, each after those before it in the pipeline that had ended
// when it began.
func (t *turn) link(out *pipeline.Trace, arrived time.Duration, way pipeline.SpanID) {
	t.tighten()
	slices.SortStableFunc(t.stages, func(a, b stage) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(order(a.name), order(b.name)))
	})
	first := pipeline.SpanID(len(out.Spans))
	for i, s := range t.stages {
		var after []pipeline.SpanID
		for j, before := range t.stages[:i] {
			if before.to <= s.from && precedes(before.name, s.name) {
				after = append(after, first+pipeline.SpanID(j))
			}
		}
		after = latest(out.Spans, after)
		if len(after) == 0 && s.from >= 0 {
			after = []pipeline.SpanID{way}
		}
		out.Add(pipeline.Span{Name: s.name, Start: arrived + s.from, End: arrived + s.to}, after...)
	}
}

// precedes reports whether a stage may wait for another: what finds the end of the turn comes
// in any order.
func precedes(before, name string) bool {
	return order(before) <= order(name) || order(before) <= order(pipeline.SpanEndOfTurn) && order(name) >= order(pipeline.SpanVADWait)
}

// tighten cuts ends that were computed where they reach a little beyond the start of what
// waited for them.
func (t *turn) tighten() {
	for i := range t.stages {
		s := &t.stages[i]
		if !s.loose {
			continue
		}
		for _, next := range t.stages {
			if over := s.to - next.from; over > 0 && over <= alike && next.from >= s.from && order(next.name) > order(s.name) {
				s.to = next.from
			}
		}
	}
}

// latest leaves out of the spans, in ascending order, those that another of them waited for.
func latest(spans []pipeline.Span, ids []pipeline.SpanID) (out []pipeline.SpanID) {
	waited := map[pipeline.SpanID]bool{}
	var mark func(id pipeline.SpanID)
	mark = func(id pipeline.SpanID) {
		for _, a := range spans[id].After {
			if !waited[a] {
				waited[a] = true
				mark(a)
			}
		}
	}
	for _, id := range slices.Backward(ids) {
		if !waited[id] {
			out = append(out, id)
			mark(id)
		}
	}
	slices.Reverse(out)
	return out
}

// ends returns the spans that a playout which begins at an instant waited for.
func ends(spans []pipeline.Span, at time.Duration) []pipeline.SpanID {
	var ids []pipeline.SpanID
	for i, s := range spans {
		if s.End <= at {
			ids = append(ids, pipeline.SpanID(i))
		}
	}
	return latest(spans, ids)
}
