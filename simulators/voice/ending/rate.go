package ending

import (
	"errors"
	"slices"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
)

// Share is a share with the interval of Wilson at 95 %.
type Share struct{ Value, Low, High float64 }

// share returns counted as a share of n times repeats, with the interval of n: the
// repeats of a turn have the same pauses, and tell nothing new about others.
func share(counted, n, repeats int) Share {
	if n == 0 {
		return Share{High: 1}
	}
	s := Share{Value: float64(counted) / float64(n*repeats)}
	s.Low, s.High = quantile.Proportion{Share: s.Value, N: float64(n)}.Wilson(.95)
	return s
}

// Rate is what a policy costs over a number of turns, on either side.
type Rate struct {
	Turns, Pauses, Repeats int // Pauses are those inside the turns

	CutIn   Share // of turns that were committed in a pause
	Audible Share // of turns in which the reply was heard before the user went on
	// Cut is the share of pauses in which the turn was committed, each judged as if none before had been:
	// the false cutoffs of eot-bench.
	Cut Share

	// From the true end of speech, at the agent, until the turn is committed. A
	// quantile that needs more trials is pipeline.Unknown; see package quantile.
	Mean, P50, P95 time.Duration
	Sure           float64 // share of true ends that were not left to the fallback or the timeout

	Early       float64       // share of true ends at which a reply may begin on trial
	Lead        time.Duration // by which it then is ahead, on average
	FalseStarts float64       // replies on trial that begin inside a turn, a turn
}

// KindRate is the Rate over the turns of one kind.
type KindRate struct {
	Kind Kind
	Rate
}

// Run says how often each turn is tried, and with which draws.
type Run struct {
	Seed    uint64
	Repeats int // 0 is 1
}

// Measure tries every turn, and returns the rates over all of them and over each kind that
// occurs, in the order of Kinds.
func (s Setup) Measure(turns []Turn, run Run) (all Rate, byKind []KindRate, err error) {
	if err := s.validate(turns, run); err != nil {
		return Rate{}, nil, err
	}
	total := tally{repeats: max(1, run.Repeats)}
	perKind := map[Kind]*tally{}
	for i := range turns {
		t := &turns[i]
		k := perKind[t.Kind]
		if k == nil {
			k = &tally{repeats: total.repeats}
			perKind[t.Kind] = k
		}
		total.turn(t)
		k.turn(t)
		for n := range total.repeats {
			trial := s.Try(t, run.Seed, t.ID, n)
			total.add(&trial)
			k.add(&trial)
		}
	}
	for _, kind := range kinds {
		if k := perKind[kind]; k != nil {
			byKind = append(byKind, KindRate{kind, k.rate()})
		}
	}
	return total.rate(), byKind, nil
}

func (s Setup) validate(turns []Turn, run Run) error {
	switch {
	case s.Policy == nil:
		return errors.New("no policy")
	case len(turns) == 0:
		return errors.New("no turns")
	case run.Repeats < 0:
		return errors.New("repeats are below 0")
	case !(s.Scores.Threshold > 0 && s.Scores.Threshold < 1):
		return errors.New("the scores' threshold is not above 0 and below 1")
	}
	return s.Policy.Validate()
}

// tally counts trials.
type tally struct {
	turns, pauses, repeats int
	cutIn, audible, cuts   int
	sure, early, false     int
	lead                   time.Duration
	delays                 []time.Duration
}

func (y *tally) turn(t *Turn) {
	y.turns++
	y.pauses += len(t.Pauses)
}

func (y *tally) add(t *Trial) {
	y.cutIn += count(t.CutIn)
	y.audible += count(t.Audible)
	y.cuts += t.Cuts
	y.false += t.FalseStarts
	y.sure += count(t.End.Why != Fallback && t.End.Why != Timeout)
	if t.End.Early != pipeline.Unknown {
		y.early++
		y.lead += max(0, t.Commit-t.End.Early)
	}
	y.delays = append(y.delays, t.Commit)
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (y *tally) rate() Rate {
	n := float64(len(y.delays))
	slices.Sort(y.delays)
	mean, _ := quantile.Mean(y.delays)
	return Rate{
		Turns: y.turns, Pauses: y.pauses, Repeats: y.repeats,
		CutIn: share(y.cutIn, y.turns, y.repeats), Audible: share(y.audible, y.turns, y.repeats), Cut: share(y.cuts, y.pauses, y.repeats),
		Mean: time.Duration(mean), P50: sortedQuantile(y.delays, quantile.P50), P95: sortedQuantile(y.delays, quantile.P95),
		Sure: float64(y.sure) / n, Early: float64(y.early) / n, Lead: y.lead / time.Duration(max(1, y.early)), FalseStarts: float64(y.false) / n,
	}
}

func sortedQuantile(sorted []time.Duration, q quantile.Q) time.Duration {
	if d, ok := quantile.OfSorted(sorted, q); ok {
		return d
	}
	return pipeline.Unknown
}
