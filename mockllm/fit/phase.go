package fit

// Phase is the part of a request that a measurement times.
type Phase string

// The phases of a request.
const (
	Prefill Phase = "prefill" // the prompt is read in
	Decode  Phase = "decode"  // the answer is written
)

// Phase returns what a row times, or "" when it is both at once, as in an aggregate rate,
// or mostly waiting, as in the TTFT of several clients of a closed loop.
func (r Row) Phase() Phase {
	switch {
	case r.Metric == PrefillRate, r.Metric == TTFT && (r.Batch == 1 || !r.ClosedLoop()):
		return Prefill
	case r.Metric == DecodeRate, r.Metric == TPOT:
		return Decode
	}
	return ""
}
