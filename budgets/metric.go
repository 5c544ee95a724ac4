package budgets

import (
	"slices"

	"halfsecond/budgets/ghost"
	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
)

// Metric is a named number of a run. Its values come from traces alone.
type Metric struct {
	Name    string
	Unit    Unit
	Formula string // how one value is made, in words
	Over    string // what the population is, in words
	Caveat  string // what to know of its values, a sentence without its stop; it is no part of how they are made
	rests   rest
	stage   string // of restsOnStage
	whole   bool   // one value for the whole run
	gather  func(traces []pipeline.Trace, p *Pool)
	// split tells the traces of a whole run apart, where what one gives depends on others; nil
	// where each gives what it gives alone.
	split func(traces []pipeline.Trace) []ghost.Share
}

// rest says on which stages the spread of a metric rests.
type rest uint8

const (
	restsOnNothing rest = iota
	restsOnStage        // on Metric.stage
	restsOnPath         // on the stages that were critical
)

// single reports whether only the mean of the metric says anything.
func (m Metric) single() bool { return m.whole || m.Unit == Share }

// Pool is the values of a metric over a run.
//
// Only interactions and requests with outcome ok give a value to a pool of
// durations; the others, and those that ended without the value ever coming,
// are members of the population all the same, so that a share counts them as
// not inside.
type Pool struct {
	Metric     Metric
	Values     []float64 // ascending, in the unit's base
	Population int       // members that a share is taken over
	Unseen     int       // members that ended ok, but nobody could observe the value: outside the population
	// Slow are the values, ascending, where each may be that of a slower model than it is
	// taken for, Quick the same as far as it is one for certain, and Several is how many may;
	// nil and 0 where none may. See tokenPace.
	Slow, Quick []float64
	Several     int
}

// collect returns the pool of the metric over the traces.
func collect(m Metric, traces []pipeline.Trace) Pool {
	p := Pool{Metric: m}
	m.gather(traces, &p)
	slices.Sort(p.Values)
	slices.Sort(p.Slow)
	slices.Sort(p.Quick)
	if p.Several == 0 {
		p.Slow, p.Quick = nil, nil
	}
	return p
}

// Of returns what one interaction, and its requests, give to the metric.
func (m Metric) Of(t *pipeline.Trace) Pool { return collect(m, []pipeline.Trace{*t}) }

// Whole reports whether the metric has one value for the whole run, and none for a
// single interaction.
func (m Metric) Whole() bool { return m.whole }

// Quantile returns the q-quantile of the values. ok is false when there are too
// few, and for a metric of which only the mean says anything.
func (p *Pool) Quantile(q quantile.Q) (v float64, ok bool) {
	if p.Metric.single() {
		return 0, false
	}
	return quantile.OfSorted(p.Values, q)
}

// Mean returns the mean of the values, and whether there is one. That of
// durations is rounded to a nanosecond.
func (p *Pool) Mean() (v float64, ok bool) { return mean(p.Values, p.Metric.Unit) }

func (p *Pool) add(v float64) {
	p.Values = append(p.Values, v)
	p.Population++
}

// put files one member under what is known of it.
func (p *Pool) put(v float64, s standing) {
	switch s {
	case present:
		p.add(v)
	case missing:
		p.Population++
	case unseen:
		p.Unseen++
	}
}

// standing is what a member is to a population.
type standing uint8

const (
	outside standing = iota // none of its members
	missing                 // a member without a value: it failed, or the value never came
	unseen                  // it ended ok, but nobody could observe the value
	present                 // a member with a value
)

// latency makes a metric of interactions. of gives the value of one, whatever
// its outcome; only ok interactions keep theirs.
func latency(name, formula, over string, of func(t *pipeline.Trace) (float64, standing)) Metric {
	return Metric{
		Name: name, Unit: Duration, Formula: formula, Over: over, rests: restsOnPath,
		gather: func(traces []pipeline.Trace, p *Pool) {
			for i := range traces {
				p.put(okOnly(traces[i].Outcome)(of(&traces[i])))
			}
		},
	}
}

// okOnly turns the value of a member that did not end ok into a missing one.
func okOnly(o pipeline.Outcome) func(v float64, s standing) (float64, standing) {
	return func(v float64, s standing) (float64, standing) {
		if o != pipeline.OK && s != outside {
			return 0, missing
		}
		return v, s
	}
}

// tally makes a metric of interactions whose outcome does not matter.
func tally(name string, u Unit, formula, over string, of func(t *pipeline.Trace) (float64, standing)) Metric {
	return Metric{
		Name: name, Unit: u, Formula: formula, Over: over,
		gather: func(traces []pipeline.Trace, p *Pool) {
			for i := range traces {
				p.put(of(&traces[i]))
			}
		},
	}
}

// stageMetric makes the metric of the spans with that name.
func stageMetric(name string) Metric {
	return Metric{
		Name: name, Unit: Duration, Formula: "length of the span " + name, Over: "interactions that reached it",
		rests: restsOnStage, stage: name,
		gather: func(traces []pipeline.Trace, p *Pool) {
			for i := range traces {
				for j := range traces[i].Spans {
					if s := &traces[i].Spans[j]; s.Name == name {
						p.put(okOnly(traces[i].Outcome)(transcribed(&traces[i], s)(spanLength(s))))
					}
				}
			}
		},
	}
}

func spanLength(s *pipeline.Span) (float64, standing) {
	if s.Start == pipeline.Unknown || s.End == pipeline.Unknown {
		return 0, missing
	}
	return float64(s.For()), present
}

// flag returns 1 for true and 0 for false, so that the mean is a share.
func flag(on bool) (float64, standing) {
	if on {
		return 1, present
	}
	return 0, present
}

// Percentiles reports whether percentiles of the metric say anything.
func (p *Pool) Percentiles() bool { return !p.Metric.single() }
