package ghost

import (
	"strconv"

	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
)

// number returns a fact that is a number; 0 where there is none.
func number(t *pipeline.Trace, fact string) int {
	n, _ := strconv.Atoi(t.Fact(fact))
	return n
}

// Answered reports whether text of an answer arrived, so that it has a verdict.
func (q *Request) Answered() bool {
	v := Verdict(q.Trace)
	return q.Final && v != document.NoVerdict && v != ""
}

// Worth is what answers were worth when they came.
type Worth struct {
	Verdicts []Count // the last verdict of each answer that arrived
	// Of are the same answers that were useful on arrival, over three wholes.
	OfOpportunities Share // keys after which the rules would ask, whose own request's answer was useful
	OfRequests      Share // requests sent, warm-ups aside
	OfAnswers       Share // requests of whose answer text arrived
}

// Worth tells what answers were worth.
func (r *Run) Worth() (w Worth) {
	verdicts := counts{}
	for i := range r.Requests {
		q := &r.Requests[i]
		if q.Asked() {
			w.OfRequests.add(q.Useful)
		}
		if q.Answered() {
			verdicts[string(Verdict(q.Trace))]++
			w.OfAnswers.add(q.Useful)
		}
	}
	for _, t := range r.Opportunities() {
		w.OfOpportunities.add(r.Useful(t))
	}
	w.Verdicts = verdicts.most()
	return w
}

// add counts one more of the whole, and of the part if it belongs to it.
func (s *Share) add(part bool) {
	if s.Of++; part {
		s.N++
	}
}
