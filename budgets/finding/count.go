package finding

import (
	"fmt"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/probe/seen"
)

// counts finds counts of the server that cannot be, and such that cannot be read.
func counts(v *view) []Finding {
	return append(v.counted(Finding{
		ID: "impossible_count", Title: "the server counts tokens that cannot be: its counts, and what is computed of them, are not to be believed",
		Fix: "have the server, or the gateway before it, count the tokens of this request alone; until then take tokens and cost from elsewhere",
	}, func(r *seen.Request) []string { return saying("it counts ", r.Reply.Impossible) }),
		v.counted(Finding{
			ID: "unreadable_count", Title: "the server sends counts of tokens that cannot be read, so that they are taken as missing",
			Fix: "have the server, or the gateway before it, state each count as a whole number, as JSON has it without quotes; many clients end in an exception here",
		}, func(r *seen.Request) []string { return saying("it states ", r.Reply.Unreadable) })...)
}

// saying puts words before each of some.
func saying(words string, all []string) (said []string) {
	for _, one := range all {
		said = append(said, words+one)
	}
	return said
}

// counted returns the finding of the answers whose counts are wrong in a way; none where
// there is no such answer.
func (v *view) counted(f Finding, wrong func(*seen.Request) []string) []Finding {
	f.Severity, f.Cost = Misleading, pipeline.Unknown
	requests := 0
	for _, r := range v.ok {
		said := wrong(r)
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
