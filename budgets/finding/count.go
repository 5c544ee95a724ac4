package finding

import (
	"fmt"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/probe/seen"
)

// counts finds counts of the server that cannot be.
func counts(v *view) []Finding {
	f := Finding{
		ID: "impossible_count", Severity: Misleading, Cost: pipeline.Unknown, Title: "the server counts tokens that cannot be: its counts, and what is computed of them, are not to be believed",
		Fix: "have the server, or the gateway before it, count the tokens of this request alone; until then take tokens and cost from elsewhere",
	}
	requests := 0
	for _, r := range v.ok {
		said := impossible(r)
		if len(said) == 0 {
			continue
		}
		if requests++; requests > 1 {
			continue
		}
		for _, s := range said {
			f.Evidence = append(f.Evidence, v.which(r)+": "+s)
		}
	}
	if requests == 0 {
		return nil
	}
	if requests > 1 {
		f.Evidence = append(f.Evidence, fmt.Sprintf("%d of %d answers have such counts", requests, len(v.ok)))
	}
	return []Finding{f}
}

// impossible says which counts of a request cannot be: those that its reader did not take,
// and those that what came belies.
func impossible(r *seen.Request) []string {
	var said []string
	if r.Reply.Impossible != "" {
		said = append(said, "it counts "+r.Reply.Impossible)
	}
	u := r.Reply.Usage
	if u == nil {
		return said
	}
	if u.Reasoning > u.Completion {
		said = append(said, fmt.Sprintf("it counts %d tokens of reasoning in an answer of %d", u.Reasoning, u.Completion))
	}
	if u.Completion == 0 && r.Record.Chunks > 0 {
		said = append(said, fmt.Sprintf("it counts no token in an answer of %d chunks", r.Record.Chunks))
	}
	return said
}
