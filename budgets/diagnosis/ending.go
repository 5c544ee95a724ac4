package diagnosis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"halfsecond/pipeline"
)

// noticeable is the smallest gain that is worth a change of an agent's wiring, and most
// the share of turns from which on something is the rule: assumed.
const (
	noticeable = 20 * time.Millisecond
	most       = 0.5
)

// finalNeverFlagged finds turns that wait for a timer although the transcript is there.
func finalNeverFlagged(r *run) (Diagnosis, bool) {
	e := r.without(pipeline.SpanSTTTimer)
	share := r.critical(pipeline.SpanSTTTimer)
	if share < most || e.mean() < noticeable {
		return Diagnosis{}, false
	}
	d := Diagnosis{
		ID: FinalNeverFlagged, Cost: e.mean(), Title: "no final transcript is taken for one: a timer is waited out in its place",
		Evidence: []string{fmt.Sprintf("stt_timer is critical in %s of turns (%s)", percent(share), figures(r.lengths(pipeline.SpanSTTTimer)))},
		Fix:      cureFinal,
	}
	var early []time.Duration
	for i := range r.turns {
		t := &r.turns[i]
		if final, timer := t.end(pipeline.SpanSTTTail), t.end(pipeline.SpanSTTTimer); final != pipeline.Unknown && timer > final {
			early = append(early, timer-final)
		}
	}
	if len(early) > 0 {
		d.Evidence = append(d.Evidence, fmt.Sprintf("the text was there before the timer ended in %s, by %s", ofTurns(len(early), len(r.turns)), figures(early)))
	}
	if n := r.withoutFinal(); n > 0 {
		d.Evidence = append(d.Evidence, fmt.Sprintf("the recognizer sent no final text after the end of speech in %s", ofTurns(n, len(r.turns))))
	}
	d.Evidence = append(d.Evidence, e.String())
	return d, true
}

// withoutFinal counts the turns whose real recognizer sent no final text after the end of
// speech.
func (r *run) withoutFinal() int {
	n := 0
	for i := range r.turns {
		if slices.ContainsFunc(r.turns[i].Trace.Hearings, func(h pipeline.Transcription) bool { return slices.Contains(h.Flags, pipeline.FlagNoFinal) }) {
			n++
		}
	}
	return n
}

// endpointingAddsUp finds waits for silence, or for the transcript, that begin when the
// voice activity detector has done its waiting.
//
// A turn model takes up to 100 ms after the detector's stop (97 end to end in a log line
// of Pipecat's, PR pipecat-ai/pipecat#4098, 2025), and a transcript that is finalised there
// some tens: what is gained has to be more.
func endpointingAddsUp(r *run) (Diagnosis, bool) {
	const least = 100 * time.Millisecond
	e := r.with(beside)
	if median(e.gains()) <= least {
		return Diagnosis{}, false
	}
	d := Diagnosis{
		ID: EndpointingAddsUp, Cost: e.mean(), Title: "waits for the end of the turn follow each other where they could run side by side",
		Evidence: []string{"the detector reports the end of speech after vad_wait, " + figures(r.lengths(pipeline.SpanVADWait))},
		Fix:      cureAddsUp,
	}
	for _, stage := range []struct{ name, what string }{
		{pipeline.SpanEndOfTurn, "the wait for the end of the turn"}, {pipeline.SpanPolicyWait, "the agent's own wait"}, {pipeline.SpanSTTTail, "the transcript's tail"},
	} {
		if lengths := r.later(stage.name); len(lengths) > 0 && median(lengths) > 0 {
			d.Evidence = append(d.Evidence, fmt.Sprintf("%s (%s) begins only then in %s: %s", stage.what, stage.name, ofTurns(len(lengths), len(r.turns)), figures(lengths)))
		}
	}
	d.Evidence = append(d.Evidence, fmt.Sprintf("replies land at %s; if the waits counted from the end of speech they would at %s", figures(e.was), figures(e.would)))
	return d, true
}

// waits are the stages that could all count from the end of speech.
var waits = []string{pipeline.SpanSTTTail, pipeline.SpanEndOfTurn, pipeline.SpanPolicyWait}

// beside returns how long a span would take if its wait had begun at the end of speech,
// where it waits for another one.
func beside(t *turn, id pipeline.SpanID, took time.Duration) time.Duration {
	speech := t.first(pipeline.SpanVADWait)
	if speech == pipeline.NoSpan || !slices.Contains(waits, t.Trace.Spans[id].Name) {
		return took
	}
	start, end := t.countedFrom(t.Trace.Spans[speech].Start, id)
	return end - start
}

// countedFrom returns when a wait would start and end if it, and those that it waits for,
// counted from an instant. What waits for nothing of the kind stays as it was.
func (t *turn) countedFrom(speech time.Duration, id pipeline.SpanID) (start, end time.Duration) {
	s := &t.Trace.Spans[id]
	start, end = s.Start, s.End
	if !slices.Contains(waits, s.Name) {
		return start, end
	}
	if s.Name != pipeline.SpanSTTTail && t.fromSpeech() {
		return start, end
	}
	follows, latest := false, pipeline.Unknown
	for _, a := range s.After {
		_, until := t.countedFrom(speech, a)
		latest = max(latest, until)
		follows = follows || t.Trace.Spans[a].Name == pipeline.SpanVADWait || slices.Contains(waits, t.Trace.Spans[a].Name)
	}
	if !follows || latest == pipeline.Unknown {
		return start, end
	}
	return latest, max(latest, speech+s.For())
}

// fromSpeech reports whether the wait for the end of the turn counts from the end of speech,
// or may: the logs of others do not say.
func (t *turn) fromSpeech() bool {
	return t.Trace.Fact(pipeline.FactCountsFrom) == pipeline.CountsFromSpeech || t.Trace.Fact(pipeline.FactLog) != ""
}

// later returns how long those spans of a name took that would be shorter beside the
// detector's silence.
func (r *run) later(name string) []time.Duration {
	var lengths []time.Duration
	for i := range r.turns {
		t := &r.turns[i]
		if id := t.first(name); id != pipeline.NoSpan {
			if took := t.Trace.Spans[id].For(); beside(t, id, took) < took {
				lengths = append(lengths, took)
			}
		}
	}
	return lengths
}

// scoreThreshold finds turns that end after one of two waits with nothing between: a turn
// model's word, or its fallback.
func scoreThreshold(r *run) (Diagnosis, bool) {
	parts := []string{pipeline.SpanVADWait, pipeline.SpanEndOfTurn, pipeline.SpanPolicyWait}
	all := r.lengths(parts...)
	low, high, ok := twoModes(all)
	if !ok {
		return Diagnosis{}, false
	}
	quick := median(low)
	e := r.with(func(t *turn, id pipeline.SpanID, took time.Duration) time.Duration {
		wait, _ := t.took(parts...)
		switch s := t.Trace.Spans[id].Name; {
		case wait < high[0], s != pipeline.SpanEndOfTurn && s != pipeline.SpanPolicyWait:
			return took
		case s == pipeline.SpanEndOfTurn:
			return max(0, took-(wait-quick))
		default:
			end, _ := t.took(pipeline.SpanEndOfTurn)
			return max(0, took-max(0, wait-quick-end))
		}
	})
	d := Diagnosis{
		ID: ScoreThreshold, Cost: e.mean(), Title: fmt.Sprintf("the end of a turn takes %s or %s, by which side of a threshold its score falls on", ms(quick), ms(median(high))),
		Evidence: []string{fmt.Sprintf("from the end of speech at the agent to the decision: %s of turns take %s, the others %s; none takes between %s and %s",
			percent(float64(len(low))/float64(len(all))), figures(low), figures(high), ms(low[len(low)-1]), ms(high[0]))},
		Fix: cureThreshold,
	}
	if words := r.onBothSides(parts, high[0]); len(words) > 0 {
		d.Evidence = append(d.Evidence, "the same words are on both sides: "+strings.Join(words, ", "))
	}
	d.Evidence = append(d.Evidence, fmt.Sprintf("replies land at %s; if all were decided as the quick ones they would at %s", figures(e.was), figures(e.would)))
	return d, true
}

// twoModes splits values at the widest gap between neighbours. ok says that they lie in two
// heaps: the gap is one that a listener notices as a pause, half a second (assumed), and
// twice as wide as the middle half of either, and each has a twentieth of the values.
func twoModes(values []time.Duration) (low, high []time.Duration, ok bool) {
	const pause, least = 500 * time.Millisecond, 3
	sorted := slices.Sorted(slices.Values(values))
	each := max(least, len(sorted)/20)
	cut := 0
	for i := each; i <= len(sorted)-each; i++ {
		if cut == 0 || sorted[i]-sorted[i-1] > sorted[cut]-sorted[cut-1] {
			cut = i
		}
	}
	if cut == 0 {
		return nil, nil, false
	}
	low, high = sorted[:cut], sorted[cut:]
	gap := high[0] - low[len(low)-1]
	return low, high, gap >= pause && gap >= 2*max(middleHalf(low), middleHalf(high))
}

// middleHalf returns how far the quartiles of sorted values are apart.
func middleHalf(sorted []time.Duration) time.Duration {
	n := len(sorted)
	return sorted[(3*n-1)/4] - sorted[(n-1)/4]
}

// onBothSides returns words that were said in turns with a wait below the limit and in
// others, the most frequent first, three at most.
func (r *run) onBothSides(parts []string, limit time.Duration) []string {
	type count struct{ below, above int }
	counts := map[string]*count{}
	for i := range r.turns {
		t := &r.turns[i]
		words := said(t.Trace)
		wait, ok := t.took(parts...)
		if words == "" || !ok {
			continue
		}
		c := counts[words]
		if c == nil {
			c = &count{}
			counts[words] = c
		}
		if wait < limit {
			c.below++
		} else {
			c.above++
		}
	}
	var both []string
	for words, c := range counts {
		if c.below > 0 && c.above > 0 {
			both = append(both, words)
		}
	}
	slices.SortFunc(both, func(x, y string) int {
		return cmp.Or(cmp.Compare(counts[y].below+counts[y].above, counts[x].below+counts[x].above), cmp.Compare(x, y))
	})
	for i, words := range both {
		both[i] = fmt.Sprintf("%q (%d and %d turns)", words, counts[words].below, counts[words].above)
	}
	return both[:min(3, len(both))]
}

// said returns what the user said in a turn: the words where they are known, or else those
// that were heard; "" where there are none.
func said(t *pipeline.Trace) string {
	if words := t.Fact(pipeline.FactWords); words != "" || len(t.Hearings) == 0 {
		return words
	}
	return strings.ToLower(strings.Trim(t.Hearings[0].Text, " .,!?"))
}
