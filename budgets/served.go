package budgets

import (
	"time"

	"halfsecond/pipeline"
)

// whoSays is the population of what a server tells of its own time.
const whoSays = "requests of which the server says it"

// serverMetrics are what a server says of its own time, by its own clock, and what is
// left of ours.
var serverMetrics = []Metric{
	part("server_queue", "time that the server says it queued", whoSays, func(r *pipeline.Request) time.Duration { return r.Server.Queue }),
	part("server_load", "time that the server says it loaded the model", whoSays, func(r *pipeline.Request) time.Duration { return r.Server.Load }),
	part("server_prefill", "time that the server says it spent on the prompt", whoSays, func(r *pipeline.Request) time.Duration { return r.Server.Prefill }),
	part("server_decode", "time that the server says it spent on the tokens after the first", whoSays, func(r *pipeline.Request) time.Duration { return r.Server.Decode }),
	part("server_total", "time that the server says the whole took", whoSays, func(r *pipeline.Request) time.Duration { return r.Server.Total }),
	part("before_first", "what of service_ttft the server does not account for: network, proxies, and work before its clock starts: "+
		"(first output - sent) - (its queue + load + prefill, as far as it says them)", "requests of which the server says its prefill", beforeFirst),
	part("outside_server", "what of service_e2e the server does not account for: (last output - sent) - server_total", whoSays, outsideServer),
}

// beforeFirst returns what of the time from sent to the first output the server does
// not account for, Unknown unless it says how long it spent on the prompt. It is
// negative where the server counts more than passed here: its clocks may overlap.
func beforeFirst(r *pipeline.Request) time.Duration {
	rest := pipeline.Since(r.Sent, r.FirstOutput)
	if rest == pipeline.Unknown || r.Server.Prefill == pipeline.Unknown {
		return pipeline.Unknown
	}
	for _, own := range []time.Duration{r.Server.Queue, r.Server.Load, r.Server.Prefill} {
		if own != pipeline.Unknown {
			rest -= own
		}
	}
	return rest
}

// outsideServer returns what of the time from sent to the last output the server does
// not account for, Unknown unless it says how long the whole took.
func outsideServer(r *pipeline.Request) time.Duration {
	rest := pipeline.Since(r.Sent, r.LastOutput)
	if rest == pipeline.Unknown || r.Server.Total == pipeline.Unknown {
		return pipeline.Unknown
	}
	return rest - r.Server.Total
}
