package frontier

import (
	"cmp"
	"slices"
	"time"

	"halfsecond/budgets"
	"halfsecond/budgets/ghost"
	"halfsecond/pipeline"
	"halfsecond/pipeline/price"
	"halfsecond/pipeline/trace"
)

// Figures are what one run with some settings tells.
type Figures struct {
	Keys          int
	Opportunities int         // keys after which the plugin's own rules would ask
	Inside        ghost.Share // of opportunities, whose first character was there within the limit
	First         ghost.Times // first character - key, of opportunities that landed
	Useful        ghost.Share // of opportunities, whose own request's answer was useful
	Flashes       ghost.Share // of suggestions that appeared, those that nobody can read
	Requests      int         // sent, warm-ups aside
	UsefulAnswers int
	WastedPrompt  int           // tokens evaluated for answers that were not useful
	WastedOutput  int           // and generated
	Accepted      int           // suggestions
	Saved         int           // characters of those
	Busy          time.Duration // the model worked on at least one request, warm-ups among them
	Tokens        price.Tokens  // of all requests, of warm-ups too, as far as they were counted
	Missed        []Missed      // budgets that the run does not hold; none of one that holds all
}

// Of tells of a run. The limit is that of the first character after an opportunity.
func Of(run trace.Run, limit budgets.Limit) (f Figures, err error) {
	a, err := budgets.Analyse(run)
	if err != nil {
		return f, err
	}
	r := a.Ghost()
	seen, worth, waste, all := r.Seen(), r.Worth(), r.Waste(), allOf(r)
	f = Figures{
		Keys: len(r.Keys), Useful: worth.OfOpportunities, Flashes: ghost.Share{N: seen.Flashes, Of: seen.Suggestions},
		Requests: r.Sent(), UsefulAnswers: waste.Useful, WastedPrompt: waste.WastedPrompt, WastedOutput: waste.WastedOutput,
		Accepted: seen.Accepted, Saved: seen.Saved, Busy: busy(all), Tokens: tokens(all),
	}
	pool := a.Landing()
	f.Opportunities, f.Inside.Of = pool.Population, pool.Population
	for _, v := range pool.Values {
		f.First = append(f.First, time.Duration(v))
		if limit.Holds(v) {
			f.Inside.N++
		}
	}
	for i := range a.Judgements {
		if m, missed := missedOf(&a.Judgements[i]); missed {
			f.Missed = append(f.Missed, m)
		}
	}
	return f, nil
}

// allOf returns every request of a run, warm-ups among them: accelerators work on those too,
// and a service charges for them.
func allOf(r *ghost.Run) []ghost.Request { return slices.Concat(r.Warming, r.Requests) }

// busy returns for how long the model worked on at least one request, whether or not anybody
// waited for it any more.
func busy(requests []ghost.Request) (sum time.Duration) {
	type stretch struct{ from, to time.Duration }
	var all []stretch
	for i := range requests {
		q := &requests[i]
		if from, to := q.Served(); from != pipeline.Unknown && to > from {
			all = append(all, stretch{from, to})
		}
	}
	slices.SortFunc(all, func(a, b stretch) int { return cmp.Compare(a.from, b.from) })
	at := time.Duration(-1)
	for _, s := range all {
		if begin := max(at, s.from); s.to > begin {
			sum, at = sum+s.to-begin, s.to
		}
	}
	return sum
}

// tokens adds up what a service would count, by the asker's own count where nobody counted.
func tokens(requests []ghost.Request) (sum price.Tokens) {
	for i := range requests {
		q := &requests[i]
		prompt, output, _, _ := q.Tokens()
		sum = sum.Add(price.Tokens{Prompt: max(0, prompt), Cached: max(0, q.CachedTokens), Output: max(0, output)})
	}
	return sum
}

// perKey returns so many for each key; nothing is known where there are no keys.
func (f *Figures) perKey(n int) (each float64, known bool) {
	if f.Keys == 0 {
		return 0, false
	}
	return float64(n) / float64(f.Keys), true
}

// wasted returns the tokens that were computed for nobody, for each useful answer; nothing is
// known where there is none.
func (f *Figures) wasted() (each float64, known bool) {
	return f.forUseful(f.WastedPrompt + f.WastedOutput)
}

func (f *Figures) forUseful(tokens int) (each float64, known bool) {
	if f.UsefulAnswers == 0 {
		return 0, false
	}
	return float64(tokens) / float64(f.UsefulAnswers), true
}
