package main

import (
	"cmp"
	"fmt"
	"slices"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/exchange"
)

// recordFailure is why some of the exchanges that record keeps are no good answers, as
// the client of a run would have it.
type recordFailure struct {
	Outcome string `json:"outcome"`
	Reason  string `json:"reason"`
	N       int    `json:"n"`

	outcome pipeline.Outcome
}

// recordFailures are those of a cassette, by outcome and how many there are.
type recordFailures []recordFailure

// unkeptWords stand for those of a server, which may repeat what it was asked.
const unkeptWords = "(words that are not kept)"

// add counts an exchange, unless it ended ok. With hashed no words of the server are kept.
func (fs *recordFailures) add(x *exchange.Exchange, hashed bool) error {
	r, err := dialect.Reread(x)
	if err != nil {
		return err
	}
	if hashed {
		r.HideWords(func(string) string { return unkeptWords })
	}
	outcome, reason := r.Ending()
	if outcome == pipeline.OK {
		return nil
	}
	reason = endpoint.Key{}.Tidy(reason)
	for i := range *fs {
		if f := &(*fs)[i]; f.outcome == outcome && f.Reason == reason {
			f.N++
			return nil
		}
	}
	*fs = append(*fs, recordFailure{outcome.String(), reason, 1, outcome})
	return nil
}

// sort puts them in order.
func (fs recordFailures) sort() {
	slices.SortFunc(fs, func(a, b recordFailure) int {
		return cmp.Or(cmp.Compare(a.outcome, b.outcome), cmp.Compare(b.N, a.N), cmp.Compare(a.Reason, b.Reason))
	})
}

// mostFailures is how many reasons the page has; the document has all.
const mostFailures = 8

// words returns a line for each of the first reasons.
func (fs recordFailures) words() (text string) {
	others := 0
	for i, f := range fs {
		if i >= mostFailures {
			others += f.N
			continue
		}
		text += fmt.Sprintf("of them %d ended %s: %s\n", f.N, f.Outcome, f.Reason)
	}
	if others > 0 {
		text += fmt.Sprintf("of them %d more did not end ok, for %s\n", others, counted(len(fs)-mostFailures, "other reason"))
	}
	return text
}
