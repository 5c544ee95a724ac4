package ide

import (
	"strconv"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
)

// sourceNone is the source of a key for which nothing could be shown.
const sourceNone = "none"

// key is a key, or another step that may ask, whose trace is still open. The trace and what
// nearly every trace has are one block of memory.
type key struct {
	pipeline.Trace
	spans [3]pipeline.Span
	marks [4]pipeline.Mark
	facts [8]pipeline.Fact

	opportunity bool
	verdict     document.Verdict // when text of its request's answer last came
	arrival     document.Verdict // when enough of it to be shown first was there; "" where it never was
	ahead       bool             // text of it came before what it supposes had happened
	right       string           // "yes" or "no": whether it is what will be typed; "" where no text came
	holding     bool             // text was there for it, and was held back
	source      string
	class       string
	held        string   // why nothing was asked, or not at once
	givenUp     string   // who gave its request up
	saved       int      // characters of the suggestion that it accepted
	typed       string   // what was typed, where that is told
	differs     *drift   // from the prompt before, where that is told
	request     *request // nil when nothing was asked, and again when that has ended
	joined      *request // the request of an earlier key whose text came while this was the last
	past        bool     // something else happened in the editor since
	anew        bool     // it typed into what is shown, and is asked about all the same
	guessed     bool     // what follows its answer was asked for
	stored      bool     // and it is in the cache
	flashes     int      // how often it was hidden before it counts as shown
	probes      int      // how often it is asked for again after a server refused it
	handed      bool

	handled time.Duration // by the editor's thread
	ready   time.Duration // the plugin is prepared, and the wait begins
	waits   time.Duration // until then, the wait of the rules
}

// newKey begins the trace of a key that came at an instant.
func (e *Editor) newKey(class string, came time.Duration) *key {
	k := e.begin(pipeline.KindIDE, e.typed, class, came)
	e.typed++
	return k
}

// newStep begins the trace of a step that is no key.
func (e *Editor) newStep(class string, came time.Duration) *key {
	k := e.begin(pipeline.KindStep, e.other, class, came)
	e.other++
	return k
}

func (e *Editor) begin(kind string, index int, class string, came time.Duration) *key {
	now := e.sim.config.Loop.Now()
	k := &key{verdict: document.NoVerdict, source: sourceNone, class: class, handled: now, ready: now, waits: now}
	k.Trace = pipeline.Trace{Kind: kind, Session: e.user, Index: index, Due: came, End: now, Spans: k.spans[:0], Marks: k.marks[:0]}
	if now > came {
		k.Add(pipeline.Span{Name: pipeline.SpanKeyWait, Start: came, End: now, Simulated: true})
	}
	if e.sim.config.Late != nil {
		k.Late = e.sim.config.Late()
	}
	return k
}

// waited adds the spans of what a key waits for before its request is sent now, and returns
// the last.
func (k *key) waited(now time.Duration) pipeline.SpanID {
	last := pipeline.SpanID(len(k.Spans) - 1) // its wait for the thread, or a request that was refused, if any
	add := func(name string, from, to time.Duration) {
		last = k.Add(pipeline.Span{Name: name, Start: from, End: to, Simulated: true}, last)
	}
	if k.probes == 0 {
		if k.ready > k.handled {
			add(pipeline.SpanPrepare, k.handled, k.ready)
		}
		add(pipeline.SpanDebounce, k.ready, k.waits)
	}
	if now > k.waits {
		add(pipeline.SpanClientQueue, k.waits, now)
	}
	return last
}

// heldFor adds the time for which text was there and not shown, until now; the last of it is
// its way to the screen.
func (k *key) heldFor(from, now, render time.Duration) {
	from = max(from, k.Due)
	if now <= from || k.landed() {
		return
	}
	last := pipeline.SpanID(len(k.Spans) - 1)
	for _, p := range []pipeline.Part{{Name: pipeline.SpanHold, End: max(from, now-render)}, {Name: pipeline.SpanRender, End: now}} {
		if p.End > from {
			last = k.Add(pipeline.Span{Name: p.Name, Start: from, End: p.End, Simulated: true}, last)
			from = p.End
		}
	}
}

// buffered adds the time for which text was there and waited for the rest of its line, until
// an instant; Unknown for one whose request was given up before.
func (k *key) buffered(from, until time.Duration) {
	if from = max(from, k.Due); !k.landed() && (until == pipeline.Unknown || until > from) {
		k.Add(pipeline.Span{Name: pipeline.SpanLineBuffer, Start: from, End: until, Simulated: true}, pipeline.SpanID(len(k.Spans)-1))
	}
}

// land marks the first character or line that can be shown for this key.
func (k *key) land(name string, at time.Duration) {
	if k.Mark(name) == pipeline.Unknown {
		k.Marks = append(k.Marks, pipeline.Mark{Name: name, At: at})
		k.End = max(k.End, at)
	}
}

// landWith marks what can be shown for this key with a text, of which whole says that nothing
// more will come.
func (k *key) landWith(text string, whole bool, at time.Duration) {
	k.land(pipeline.MarkFirstCharacter, at)
	if whole || document.LineEnd(text) >= 0 {
		k.land(pipeline.MarkFirstLine, at)
	}
	if whole {
		k.land(pipeline.MarkLastCharacter, at)
	}
}

// landed reports whether there was something to show for this key.
func (k *key) landed() bool { return k.Mark(pipeline.MarkFirstCharacter) != pipeline.Unknown }

// served reports whether there was something to show for this key that makes asking
// needless.
func (k *key) served() bool { return k.landed() && !k.anew }

// take adds the record of the key's request, which has ended. What was asked for again is
// as it ended then; what was given up did not fail.
func (k *key) take(r *pipeline.Request) {
	k.request = nil
	k.Requests = append(k.Requests, *r)
	if r.End != pipeline.Unknown {
		k.End = max(k.End, r.End)
	}
	switch {
	case r.Closed != pipeline.Unknown || r.Outcome == pipeline.Cancelled:
	case r.Outcome == pipeline.OK:
		k.Outcome, k.Reason = pipeline.OK, ""
	default:
		k.Outcome, k.Reason = r.Outcome, r.Reason
	}
}

// hand gives the trace of a key away once nothing can concern it any more.
func (e *Editor) hand(k *key) {
	if k != nil && k.past && k.request == nil && !k.handed && !e.needs(k) {
		e.done(k.finish())
	}
}

// needs reports whether what is shown, waits to be or may be asked for ahead concerns a key.
func (e *Editor) needs(k *key) bool {
	return e.screen.owner == k || e.screen.held != nil && e.screen.held.key == k || e.guess != nil && e.guess.key == k
}

// finish returns the trace.
func (k *key) finish() *pipeline.Trace {
	k.handed, k.joined = true, nil
	k.Facts = append(k.facts[:0],
		pipeline.Fact{Name: pipeline.FactOpportunity, Value: yesNo(k.opportunity)},
		pipeline.Fact{Name: pipeline.FactVerdict, Value: string(k.verdict)},
		pipeline.Fact{Name: pipeline.FactSource, Value: k.source},
		pipeline.Fact{Name: pipeline.FactClass, Value: k.class},
	)
	if v := k.worth(); v != k.verdict {
		k.fact(pipeline.FactArrival, string(v))
	}
	k.fact(pipeline.FactRight, k.right)
	if k.holding && !k.landed() && k.held == "" {
		k.held = pipeline.HeldByHold
	}
	k.fact(pipeline.FactHeld, k.held)
	k.fact(pipeline.FactGivenUp, k.givenUp)
	if k.stored {
		k.fact(pipeline.FactStored, "yes")
	}
	if k.flashes > 0 {
		k.fact(pipeline.FactFlashes, strconv.Itoa(k.flashes))
	}
	if k.saved > 0 {
		k.fact(pipeline.FactSaved, strconv.Itoa(k.saved))
	}
	if d := k.differs; d != nil {
		k.fact(pipeline.FactDiffersAt, strconv.Itoa(d.at))
		k.fact(pipeline.FactDiffersBy, string(d.by))
	}
	k.fact(pipeline.FactTyped, k.typed)
	return &k.Trace
}

// worth returns what its request's answer was worth on arrival: when enough of it to be shown
// first was there, whatever was typed later, or else when text of it last came.
func (k *key) worth() document.Verdict {
	switch {
	case k.arrival != "":
		return k.arrival
	case k.ahead && k.verdict == document.NoVerdict:
		return document.Ahead
	}
	return k.verdict
}

// fact adds a fact that few keys have.
func (k *key) fact(name, value string) {
	if value != "" {
		k.Facts = append(k.Facts, pipeline.Fact{Name: name, Value: value})
	}
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
