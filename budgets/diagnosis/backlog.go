package diagnosis

import (
	"fmt"
	"slices"
	"time"

	"halfsecond/pipeline"
)

// shared is a part of the agent that all calls share, by the span in which a turn waits for
// it while it does the work of others.
type shared struct{ id, span, name, work, cure string }

var (
	detectors   = shared{VADBehind, pipeline.SpanVADBacklog, "voice activity detection", "real time: audio waits", cureVAD}
	recognizers = shared{STTBehind, pipeline.SpanSTTQueue, "speech to text", "calls speak: words wait", cureSTT}
	models      = shared{LLMBehind, pipeline.SpanLLMQueue, "the language model", "calls ask: requests wait", cureLLM}
	voices      = shared{TTSBehind, pipeline.SpanTTSQueue, "text to speech", "calls answer: replies wait", cureTTS}
)

// behind finds workers of whom more is asked than they can do, or about as much.
func (x shared) behind(r *run) (Diagnosis, bool) {
	d := Diagnosis{ID: x.id, Fix: x.cure}
	growth, grows := x.growth(r)
	switch {
	case grows:
		d.Title = fmt.Sprintf("%s is slower than %s for it, the longer the later", x.name, x.work)
		d.Evidence = []string{growth}
	case x.busy(r):
		d.Title = fmt.Sprintf("%s is as slow as %s for it all the time", x.name, x.work)
		d.Evidence = []string{fmt.Sprintf("%s takes %s, over all turns, and no longer at the end of the run than in its middle: who waits for an answer asks no more", x.span, figures(x.waits(r.turns)))}
	default:
		return Diagnosis{}, false
	}
	e := r.without(x.span)
	d.Cost = e.mean()
	d.Evidence = append(d.Evidence, fmt.Sprintf("it is critical in %s of turns; %s", percent(r.critical(x.span)), e))
	return d, true
}

// growth says by how much the waits are longer in the last third of turns than in the first.
// A queue comes and goes: it grows where the middle halves of the two do not overlap.
func (x shared) growth(r *run) (words string, grows bool) {
	const least = 50 * time.Millisecond // assumed
	n := len(r.turns) / 3
	if n < fewest {
		return "", false
	}
	early, late := r.turns[:n], r.turns[len(r.turns)-n:]
	first, last := x.waits(early), x.waits(late)
	before, after := median(first), median(last)
	between := median(due(late)) - median(due(early))
	if more := after - before; more < least || 3*more < after || between <= 0 || last[(n-1)/4] <= first[(3*n-1)/4] {
		return "", false
	}
	second := time.Duration(float64(after-before) / between.Seconds())
	return fmt.Sprintf("%s was %s in the first third of turns and %s in the last, %s later (medians): %s more for each second", x.span, ms(before), ms(after), ms(between), ms(second)), true
}

// busy reports whether turns wait as a rule, and for long: half of them for as long as a
// listener may notice (assumed).
func (x shared) busy(r *run) bool {
	const least = 200 * time.Millisecond
	return r.critical(x.span) >= most && median(x.waits(r.turns)) >= least
}

// waits returns what turns waited, the shortest first.
func (x shared) waits(turns []turn) []time.Duration {
	behind := make([]time.Duration, len(turns))
	for i := range turns {
		behind[i], _ = turns[i].took(x.span)
	}
	slices.Sort(behind)
	return behind
}

func due(turns []turn) []time.Duration {
	at := make([]time.Duration, len(turns))
	for i := range turns {
		at[i] = turns[i].Trace.Due
	}
	return at
}
