package cases

import (
	"slices"

	"halfsecond/budgets/ghost"
	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
)

// counts counts requests and answers.
func (t *told) counts() {
	n := map[string]int{"requests": len(t.Requests), "warm_ups": t.WarmUps, "loads": t.loads, "dials": t.dials}
	for _, name := range countedOfRequests {
		n[name] += 0
	}
	for i := range t.Requests {
		count(&t.Requests[i], n)
	}
	if t.setup.Plugin.Protocol != "lsp" {
		n["late_answers_to_cancelled"], n["cancelled_answers"], n["unanswered"] = 0, 0, 0
	}
	limited := 0
	for _, x := range t.Keys {
		switch x.Fact(pipeline.FactSource) {
		case pipeline.SourceReuse:
			n["typed_as_suggested"]++
		case pipeline.SourceCache:
			n["cache_hits"]++
		}
		refused := func(r pipeline.Request) bool { return r.Outcome == pipeline.Refused }
		if x.Fact(pipeline.FactHeld) == "limit" || slices.ContainsFunc(x.Requests, refused) {
			limited++
		}
	}
	for name, count := range n {
		t.all[name] = float64(count)
	}
	t.all["limited_keys_share"] = share(limited, len(t.Keys))
	t.all["max_in_flight"] = float64(t.MostInFlight())
	t.all["cold_first_text_min"], t.all["warm_first_text_p99"] = nil, nil
	c := t.Cold()
	t.all["cold_requests"] = float64(c.N)
	if len(c.Cold) > 0 {
		t.all["cold_first_text_min"] = ms(c.Cold[0])
	}
	if n := len(c.Warm); n > 0 {
		t.all["warm_first_text_p99"] = ms(c.Warm[quantile.P99.Rank(n)-1]) // of however few
	}
}

// countedOfRequests are the counts that count adds to.
var countedOfRequests = []string{
	"closed_on_wire", "closed_by_editor", "closed_by_served", "cancelled_in_editor", "stale_answers", "wasted_answers", "wasted_prefills",
	"refused", "late_answers_to_cancelled", "cancelled_answers", "protocol_errors", "unanswered", "typed_as_suggested", "cache_hits",
	"stored_answers",
}

// count adds a request to the counts.
func count(r *ghost.Request, n map[string]int) {
	add := func(name string, on bool) {
		if on {
			n[name]++
		}
	}
	by := r.Trace.Fact(pipeline.FactGivenUp)
	closed := r.Closed != pipeline.Unknown
	add("closed_on_wire", closed)
	add("closed_by_editor", by == pipeline.ClosedByEditor)
	add("closed_by_served", by == pipeline.ClosedByServed)
	add("cancelled_in_editor", by != "")
	add("stale_answers", ghost.Stale(ghost.Last(r.Trace)))
	add("wasted_answers", r.OutputTokens > 0 && wasted(r))
	add("wasted_prefills", closed && r.Scheduled != pipeline.Unknown && r.Scheduled <= r.Closed && r.AtClose.Output == 0)
	add("refused", r.Outcome == pipeline.Refused)
	add("unanswered", r.End == pipeline.Unknown)
	add("late_answers_to_cancelled", closed && r.Finish != "")
	add("cancelled_answers", closed && r.Finish == "" && r.End != pipeline.Unknown)
	add("stored_answers", r.Trace.Fact(pipeline.FactStored) != "")
}
