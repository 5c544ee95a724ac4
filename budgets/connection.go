package budgets

import (
	"time"

	"halfsecond/pipeline"
)

// connectionMetrics say what a connection costs. A request that found one open waited
// for nothing of it and is in none of the first three.
var connectionMetrics = []Metric{
	part("dns", "looking up the host: its end - its start", "requests that waited for it", func(r *pipeline.Request) time.Duration { return r.Transport.DNS }),
	part("connect", "opening the connection (TCP): its end - its start", "requests that waited for it", func(r *pipeline.Request) time.Duration { return r.Transport.Connect }),
	part("tls", "shaking hands on the connection (TLS): its end - its start", "requests that waited for it", func(r *pipeline.Request) time.Duration { return r.Transport.TLS }),
	{
		Name: "reused_share", Unit: Share, Formula: "requests on a connection that was open before / requests with a response", Over: "requests with a response",
		gather: func(traces []pipeline.Trace, p *Pool) {
			eachRequest(traces, func(r *pipeline.Request) {
				if r.Transport.Status > 0 {
					p.put(flag(r.Transport.Reused))
				}
			})
		},
	},
}

// part makes a metric of requests that only some of them have: those that ended ok and
// of which the part is known.
func part(name, formula, over string, of func(r *pipeline.Request) time.Duration) Metric {
	return Metric{
		Name: name, Unit: Duration, Formula: formula, Over: over, rests: restsOnStage, stage: modelStage,
		gather: func(traces []pipeline.Trace, p *Pool) {
			eachRequest(traces, func(r *pipeline.Request) {
				if d := of(r); r.Outcome == pipeline.OK && d != pipeline.Unknown {
					p.add(float64(d))
				}
			})
		},
	}
}
