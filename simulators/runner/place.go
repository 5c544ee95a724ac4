package runner

import (
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/trace"
)

// Place returns what a trace file says of an endpoint, and of how it is asked.
func Place(e endpoint.Config, perUser int) trace.Endpoint {
	l := e.Limits.WithDefaults()
	bytes := e.MaxBytes
	if bytes == 0 {
		bytes = reply.DefaultMaxBytes
	}
	return trace.Endpoint{
		Stage: "llm", URL: e.ShownURL(), Protocol: string(e.Protocol), Model: e.Model,
		MaxRequests: e.MaxRequests, MaxTokens: e.MaxTokens, MaxCost: e.MaxCost, PerUser: perUser, Cold: e.Cold,
		Limits: trace.Limits{Connect: l.Connect, FirstByte: l.FirstByte, Gap: l.Gap, Whole: l.Whole, Bytes: bytes},
		Price:  e.Price,
	}
}

// used returns what was used of the endpoint; none on other targets.
func (r *run) used() []trace.Used {
	if c, ok := r.direct.(*endpoint.Client); ok && r.settings.Target == Endpoint {
		return []trace.Used{{Model: r.settings.Endpoint.Model, Tally: c.Used()}}
	}
	return nil
}
