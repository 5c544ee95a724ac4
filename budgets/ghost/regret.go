package ghost

import (
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
)

// Regret is what the debounce costs.
type Regret struct {
	// Late are the keys whose own answer was useful and was waited for by the debounce: sent
	// at once it would have been the same answer to the same text, sooner by as long as Waited
	// says, if the server had then been as fast. What another rule held for longer, such as
	// a throttle, would have been no sooner.
	Late   Share // of all keys
	Waited Times
	// Missed are the keys that the next step overtook before the debounce was over, although
	// text of a request sent at once would have been there before that step, by the run's
	// median from the key to the text without the debounce. Whether it had been right nobody
	// knows.
	Missed  Share         // of all keys
	Service time.Duration // that median; Unknown where too few answers came
}

// Regret tells what the debounce costs.
func (r *Run) Regret() (g Regret) {
	var after, waited []time.Duration
	for _, t := range r.Keys {
		s, ok := r.Stages(t)
		late := ok && t.Fact(pipeline.FactSource) == pipeline.SourceNetwork && s[Debounce] > 0 && t.Fact(pipeline.FactHeld) == "" && r.Useful(t)
		if g.Late.add(late); late {
			waited = append(waited, s[Debounce])
			after = append(after, Landed(t)-s[Debounce])
		}
	}
	g.Waited = timesOf(waited)
	g.Service = timesOf(after).Quantile(quantile.P50)
	for _, x := range r.events() {
		if x.trace.Kind == pipeline.KindIDE {
			g.Missed.add(g.Service != pipeline.Unknown && overtaken(x) && x.next-x.trace.Due > g.Service)
		}
	}
	return g
}

// overtaken reports whether the next step came before a rule had said anything of a key but to
// wait.
func overtaken(x event) bool {
	t := x.trace
	return x.next != pipeline.Unknown && len(t.Requests) == 0 && len(t.Uses) == 0 && !Opportunity(t) && Landed(t) == pipeline.Unknown && t.Fact(pipeline.FactHeld) == ""
}
