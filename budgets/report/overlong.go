package report

import (
	"fmt"

	"halfsecond/pipeline"
)

// Overlong are the answers that went on past the limit that they were asked for with, by
// the server's count.
type Overlong struct {
	N    int `json:"n"`
	Of   int `json:"of"`               // answers that ended ok, had a limit and were counted
	Most int `json:"most_over_tokens"` // how far the longest went beyond
}

// add counts a request.
func (o *Overlong) add(r *pipeline.Request) {
	if r.Outcome != pipeline.OK || r.LimitTokens == 0 || r.OutputTokens == pipeline.UnknownCount {
		return
	}
	o.Of++
	if over := r.OutputTokens - r.LimitTokens; over > 0 {
		o.N++
		o.Most = max(o.Most, over)
	}
}

// Impossible is what servers counted that cannot be, or cannot be read, which is in no figure.
type Impossible struct {
	N     int     `json:"n"`     // requests
	First *string `json:"first"` // what was counted of the first, in words; null for none
}

// add counts a request.
func (i *Impossible) add(r *pipeline.Request) {
	if r.Impossible == "" {
		return
	}
	if i.N++; i.First == nil {
		i.First = &r.Impossible
	}
}

// counts say what is odd about the server's counts.
func (n *Network) counts() (notes []string) {
	if o := n.Overlong; o.N > 0 {
		notes = append(notes, fmt.Sprintf("Longer than asked for: %s of %s, by %s at most. The server does not heed the limit that it is given.",
			count(o.N), counted(o.Of, "answer"), counted(o.Most, "token")))
	}
	if i := n.Impossible; i.N > 0 {
		notes = append(notes, fmt.Sprintf("Of %s the server counted what cannot be, or cannot be read, which is taken as not counted: %s.", counted(i.N, "request"), *i.First))
	}
	return notes
}
