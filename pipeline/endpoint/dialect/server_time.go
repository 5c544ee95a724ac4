package dialect

import (
	"time"

	"halfsecond/pipeline"
)

// longest is the longest span that a server is believed.
const longest = 365 * 24 * time.Hour

// span returns a span in nanoseconds that may be missing, Unknown when it is none:
// negative, not a number, or longer than a year.
func span(ns *float64) time.Duration {
	if ns == nil || !(*ns >= 0 && *ns <= float64(longest)) {
		return pipeline.Unknown
	}
	return time.Duration(*ns)
}

// timedServer reads the times of a llama.cpp server, in ms.
func timedServer(promptMS, predictedMS *float64) pipeline.ServerTime {
	t := pipeline.NewServerTime()
	t.Prefill, t.Decode = span(nanoseconds(promptMS)), span(nanoseconds(predictedMS))
	return t
}

func nanoseconds(ms *float64) *float64 {
	if ms == nil {
		return nil
	}
	ns := *ms * float64(time.Millisecond)
	return &ns
}
