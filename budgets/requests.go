package budgets

import (
	"math"
	"slices"
	"time"

	"halfsecond/pipeline"
)

// allRequests is the population of the metrics of requests. An ok request whose
// value nobody could observe is left out of it; one that failed is not.
const allRequests = "requests"

// modelStage is the stage that a request's own durations belong to.
const modelStage = pipeline.SpanLLMFirstToken

// pace is the metric that is no latency but a rhythm.
const pace = "tpot"

// IsPace reports whether the metric of that name is a rhythm rather than a latency: the
// time between two tokens or two chunks.
func IsPace(name string) bool { return name == pace || name == "icl" }

// requestMetrics are those of every kind, from the requests of the traces. What counts
// from due is what a user waits; what counts from sent, the service time, leaves out
// how late the request went out.
var requestMetrics = slices.Concat([]Metric{
	request("ttft", "time to first token: first output of any kind, reasoning and tool calls included - due",
		func(r *pipeline.Request) time.Duration { return pipeline.Since(r.Due, r.FirstOutput) }),
	request("service_ttft", "first output of any kind - sent",
		func(r *pipeline.Request) time.Duration { return pipeline.Since(r.Sent, r.FirstOutput) }),
	tokenPace,
	interChunk,
	request("longest_gap", "longest time between two output chunks of a request: its worst stall; of requests whose chunks did not all come in one read",
		func(r *pipeline.Request) time.Duration {
			if r.Transport.Burst {
				return pipeline.Unknown
			}
			return r.LongestGap
		}),
	tokenRate,
	request("e2e", "end to end: last output - due", func(r *pipeline.Request) time.Duration { return pipeline.Since(r.Due, r.LastOutput) }),
	request("service_e2e", "last output - sent", func(r *pipeline.Request) time.Duration { return pipeline.Since(r.Sent, r.LastOutput) }),
	request("ttfb", "time to first byte of the body, whatever it is - due", func(r *pipeline.Request) time.Duration { return pipeline.Since(r.Due, r.FirstByte) }),
	request("ttfo", "first output that is not reasoning - due", func(r *pipeline.Request) time.Duration { return pipeline.Since(r.Due, r.FirstText) }),
	request("ttfv", "first output with a visible character, reasoning left out - due", func(r *pipeline.Request) time.Duration { return pipeline.Since(r.Due, r.FirstSeen) }),
	request("llm_queue", "model begins to work on it - sent, without waiting for it to be loaded", func(r *pipeline.Request) time.Duration {
		queue := pipeline.Since(r.Sent, r.Scheduled)
		if queue != pipeline.Unknown && r.Loading > 0 {
			queue -= r.Loading
		}
		return queue
	}),
	request("llm_prefill", "first output - model begins to work on it", func(r *pipeline.Request) time.Duration {
		prefill := pipeline.Since(r.Scheduled, r.FirstOutput)
		if prefill != pipeline.Unknown {
			prefill -= r.Way.Out + r.Way.Back // the record has the one without the way there and the other with the way back
		}
		return prefill
	}),
	aggregateRate,
	cachedShare,
}, connectionMetrics, serverMetrics)

// interChunk holds every gap that a client saw. Over the mean of each request a stall
// would vanish.
var interChunk = Metric{
	Name: "icl", Unit: Duration,
	Formula: "inter-chunk latency: each time between two output chunks that came after each other, within 0.2 % of what it was, 0 in one read; " +
		"of requests whose chunks did not all come in one read. A chunk may hold several tokens. Of a simulated request, whose chunks nobody " +
		"saw: (last output - first output) / (output chunks - 1)",
	Over:  "gaps of all requests, one that failed counting as one",
	rests: restsOnStage, stage: modelStage,
	gather: func(traces []pipeline.Trace, p *Pool) {
		eachRequest(traces, func(r *pipeline.Request) {
			mean := chunkGap(r)
			if r.Outcome != pipeline.OK || mean == pipeline.Unknown || len(r.Gaps) == 0 || r.LongestGap == pipeline.Unknown {
				p.put(okOnly(r.Outcome)(float64(mean), observed(mean != pipeline.Unknown)))
				return
			}
			for _, g := range r.Gaps {
				for range g.N {
					p.add(float64(min(g.For, r.LongestGap))) // what is rounded up is no longer than the longest
				}
			}
		})
	},
}

// chunkGap returns the mean gap between output chunks, Unknown where it cannot be told.
func chunkGap(r *pipeline.Request) time.Duration {
	span := pipeline.Since(r.FirstOutput, r.LastOutput)
	if span == pipeline.Unknown || r.Chunks < 2 || r.Transport.Burst {
		return pipeline.Unknown
	}
	return time.Duration(math.Round(float64(span) / float64(r.Chunks-1)))
}

// request makes a metric of requests. of gives a duration, Unknown when it
// cannot be told.
func request(name, formula string, of func(r *pipeline.Request) time.Duration) Metric {
	return Metric{
		Name: name, Unit: Duration, Formula: formula, Over: allRequests, rests: restsOnStage, stage: modelStage,
		gather: func(traces []pipeline.Trace, p *Pool) {
			eachRequest(traces, func(r *pipeline.Request) {
				d := of(r)
				p.put(okOnly(r.Outcome)(float64(d), observed(d != pipeline.Unknown)))
			})
		},
	}
}

func observed(known bool) standing {
	if known {
		return present
	}
	return unseen
}

var aggregateRate = Metric{
	Name: "aggregate_tps", Unit: TokenRate, Formula: "output tokens of all requests, as the server counts them, and at least one for each chunk of what broke off / time of the run", Over: "the whole run", whole: true,
	gather: func(traces []pipeline.Trace, p *Pool) {
		tokens, known := 0, false
		eachRequest(traces, func(r *pipeline.Request) {
			if r.OutputTokens > 0 || r.OutputTokens == 0 && r.Chunks == 0 { // 0 for what came is no count
				tokens, known = tokens+r.Output(), true
			}
		})
		if w := window(traces); w > 0 && known {
			p.add(float64(tokens) / w.Seconds())
		}
	},
}

// cachedShare leaves out the requests of which nobody says it: most endpoints do not,
// and a client never learns it of what it gave up.
var cachedShare = Metric{
	Name: "cached_share", Unit: Share, Formula: "prompt tokens that the model had in its cache / prompt tokens", Over: "requests of which the model says it",
	gather: func(traces []pipeline.Trace, p *Pool) {
		eachRequest(traces, func(r *pipeline.Request) {
			if r.Outcome == pipeline.OK && r.CachedTokens != pipeline.UnknownCount && r.PromptTokens > 0 {
				p.add(float64(r.CachedTokens) / float64(r.PromptTokens))
			}
		})
	},
}

// FailedShare is the share of requests that failed; one that was given up did not. It is no metric
// of a report, which counts requests by how they ended.
var FailedShare = Metric{
	Name: "failed_share", Unit: Share, Formula: "requests that ended neither ok nor cancelled / requests", Over: allRequests,
	gather: func(traces []pipeline.Trace, p *Pool) {
		eachRequest(traces, func(r *pipeline.Request) {
			p.put(flag(r.Outcome != pipeline.OK && r.Outcome != pipeline.Cancelled))
		})
	},
}

func eachRequest(traces []pipeline.Trace, f func(r *pipeline.Request)) {
	for i := range traces {
		for j := range traces[i].Requests {
			f(&traces[i].Requests[j])
		}
	}
}
