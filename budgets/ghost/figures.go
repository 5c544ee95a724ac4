package ghost

import (
	"time"

	"halfsecond/pipeline"
)

// Figures are all that is told of a run.
type Figures struct {
	Keys, Opportunities int
	First               First // of opportunities
	BySource            []BySource
	Censored            Censored
	Stages              []StageTimes
	Worth               Worth
	Seen                Seen
	Requests            int // sent, warm-ups aside
	WarmUps             int
	Ledger              []Entry
	Waste               Waste
	Prefix              Prefix
	Edges               Edges
	Regret              Regret
	Cold                Cold
}

// Figures tells of the run.
func (r *Run) Figures() *Figures {
	f := &Figures{
		Keys: len(r.Keys), BySource: r.BySource(), Censored: r.Censored(), Worth: r.Worth(), Seen: r.Seen(),
		Requests: r.Sent(), WarmUps: r.WarmUps, Ledger: r.Ledger(), Waste: r.Waste(), Prefix: r.Prefix(), Edges: r.Edges(), Regret: r.Regret(), Cold: r.Cold(),
	}
	keys := r.Opportunities()
	f.Opportunities, f.First, f.Stages = len(keys), firstOf(keys), r.StageTimes()
	return f
}

// StageTimes is how long one stage took, over opportunities that landed.
type StageTimes struct {
	Stage   Stage
	Times   Times // of those of which it is told
	Untold  int   // of which it is not
	Longest int   // in how many it took the longest of all stages
}

// StageTimes tells how long each stage took, over opportunities that landed; a stage that took
// no time in any of them, and was told of all, is left out.
func (r *Run) StageTimes() (all []StageTimes) {
	table := make([]StageTimes, stageCount)
	for _, t := range r.Opportunities() {
		s, ok := r.Stages(t)
		if !ok {
			continue
		}
		longest := KeyWait
		for _, stage := range AllStages() {
			table[stage].add(s[stage])
			if s[stage] > s[longest] {
				longest = stage
			}
		}
		table[longest].Longest++
	}
	for i := range table {
		x := &table[i]
		x.Stage, x.Times = Stage(i), timesOf(x.Times)
		if x.Times.Sum() > 0 || x.Untold > 0 && Stage(i) != Unsplit {
			all = append(all, *x)
		}
	}
	return all
}

func (x *StageTimes) add(d time.Duration) {
	if x.Times = append(x.Times, d); d == pipeline.Unknown {
		x.Untold++
	}
}
