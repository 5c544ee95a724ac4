package grid

import (
	"slices"

	"halfsecond/budgets"
	"halfsecond/pipeline"
)

// Served is what the server of a cell says of its own time, beside what was measured of
// the requests that had no company. A sample is empty where it does not say that.
type Served struct {
	TTFT                 Sample // ours: sent to first output
	Queue, Load, Prefill Sample // its own words
	Rest                 Sample // request by request: ours less these
	TPOT                 Sample // ours: first output to last over the tokens between
	Pace                 Sample // its decode over as many
}

// Says reports whether the server says anything to compare.
func (s *Served) Says() bool { return len(s.Prefill) > 0 || len(s.Pace) > 0 }

// served returns what the server says of the requests of these traces.
func served(a *budgets.Analysis, traces []pipeline.Trace) Served {
	values := func(name string) Sample {
		if p := a.Pool(name); p != nil {
			return p.Values
		}
		return nil
	}
	s := Served{
		TTFT: values("service_ttft"), TPOT: values("tpot"), Rest: values("before_first"),
		Queue: values("server_queue"), Load: values("server_load"), Prefill: values("server_prefill"),
	}
	for i := range traces {
		for j := range traces[i].Requests {
			r := &traces[i].Requests[j]
			if r.Outcome == pipeline.OK && r.OutputTokens > 1 && r.Server.Decode != pipeline.Unknown {
				s.Pace = append(s.Pace, float64(r.Server.Decode)/float64(r.OutputTokens-1))
			}
		}
	}
	slices.Sort(s.Pace)
	return s
}
