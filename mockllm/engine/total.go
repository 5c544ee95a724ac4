package engine

// Total returns the sum of the statistics of engines that run side by side, field by
// field.
func Total(all ...Stats) (sum Stats) {
	for _, s := range all {
		sum.Submitted += s.Submitted
		sum.Finished += s.Finished
		sum.Cancelled += s.Cancelled
		sum.Refused += s.Refused
		sum.Failed += s.Failed
		sum.Waiting += s.Waiting
		sum.Running += s.Running
		sum.BlocksUsed += s.BlocksUsed
		sum.BlocksCached += s.BlocksCached
		sum.BlocksTotal += s.BlocksTotal
		sum.BlocksSlow += s.BlocksSlow
		sum.BytesMoved += s.BytesMoved
		sum.TokensMoved += s.TokensMoved
		sum.PromptTokens += s.PromptTokens
		sum.OutputTokens += s.OutputTokens
		sum.Preemptions += s.Preemptions
		sum.Steps += s.Steps
		sum.BlocksPeak += s.BlocksPeak
		sum.BlocksHeld += s.BlocksHeld
		sum.StepsFull += s.StepsFull
		sum.PrefixQueries += s.PrefixQueries
		sum.PrefixHits += s.PrefixHits
		sum.Evictions += s.Evictions
		sum.Drafted += s.Drafted
		sum.Accepted += s.Accepted
		sum.Loads += s.Loads
	}
	return sum
}

// Then returns the statistics of an engine and of those that it replaced. They never ran
// at once, so the peak is the highest of theirs.
func Then(past, now Stats) Stats {
	sum := Total(past, now)
	sum.BlocksPeak = max(past.BlocksPeak, now.BlocksPeak)
	return sum
}

// Gone returns what stays of the statistics when the engine is no more: what was
// done, without requests or memory.
func (s Stats) Gone() Stats {
	s.Waiting, s.Running = 0, 0
	s.BlocksUsed, s.BlocksCached, s.BlocksTotal, s.BlocksSlow = 0, 0, 0, 0
	return s
}
