package observe

import (
	"fmt"
	"slices"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
	"halfsecond/pipeline/quantile"
)

const (
	// limitTimes is how many times what is used a limit may be, and limitTokens is a limit
	// that is never too large: some lines. Both are assumed.
	limitTimes  = 4
	limitTokens = 128
)

// unusedTokens finds limits of the answer far above what is taken of it.
func unusedTokens(v *view) (Finding, bool) {
	var limits, taken, kept []int
	v.visits(func(r, _ *visit) {
		if r.First == pipeline.Unknown || r.over() == pipeline.Unknown {
			return
		}
		limits, taken = append(limits, r.MaxTokens), append(taken, r.taken())
		if r.kept > 0 || r.afterwards == document.TypedThrough || r.afterwards == document.UsedUp {
			kept = append(kept, token.Count(r.Answer[:r.kept]))
		}
	})
	used, which, ok := nearlyAll(taken)
	if !ok {
		return Finding{}, false
	}
	limit := middle(limits)
	evidence := []string{fmt.Sprintf("max_tokens %d in the middle, and %d tokens %s until the answer ended or the client left, of %d answers", limit, used, which, len(taken))}
	if stood, which, ok := nearlyAll(kept); ok {
		used = min(used, max(1, stood))
		evidence = append(evidence, fmt.Sprintf("of %d answers something stood in the text later: %d tokens %s", len(kept), stood, which))
	}
	if limit != 0 && (limit < limitTokens || limit < limitTimes*used) {
		return Finding{}, false
	}
	unused := 1 - share(used, max(limit, used))
	if limit == 0 {
		unused = 1
		evidence[0] = fmt.Sprintf("no limit, and %d tokens %s until the answer ended or the client left, of %d answers", used, which, len(taken))
	}
	return Finding{
		ID: "max_tokens_unused", Share: unused, Title: "max_tokens is far above what is used",
		Evidence: evidence,
		Fix:      fmt.Sprintf("set it to about %d: a model that does not find an end runs to the limit, and holds its slot that long", max(16, 2*used)),
	}, true
}

// nearlyAll returns what nearly all values are within, and which one that is: the 95th percentile,
// or the largest where there are too few for one. It is false of fewer than leastSeen.
func nearlyAll(values []int) (v int, which string, ok bool) {
	if v, ok := quantile.Of(values, quantile.P95); ok {
		return v, "at p95", true
	}
	if len(values) < leastSeen {
		return 0, "", false
	}
	return slices.Max(values), "at most", true
}
