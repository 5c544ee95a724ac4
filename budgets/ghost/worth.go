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

// brokeOff stands among verdicts for an answer that broke off, whatever had come of it.
const brokeOff = "broke_off"

// worth returns the verdict of an answer that arrived.
func (q *Request) worth() string {
	if q.broke() {
		return brokeOff
	}
	return string(Verdict(q.Trace))
}

// Right reports whether the first line of an answer, as far as it came, is what the person went on
// to type; known is false where nobody tells.
func (q *Request) Right() (right, known bool) {
	said := q.Trace.Fact(pipeline.FactRight)
	return said == "yes", q.Final && said != ""
}

// Wrong reports whether an answer is known to be another than what the person went on to type.
func (q *Request) Wrong() bool {
	right, known := q.Right()
	return known && !right
}

// Worth is what answers were worth when they came.
type Worth struct {
	Verdicts []Count // what each answer that arrived was worth then
	// Of are the same answers that were useful on arrival, over three wholes.
	OfOpportunities Share // keys after which the rules would ask, whose own request's answer was useful
	OfRequests      Share // requests sent, warm-ups aside
	OfAnswers       Share // requests of whose answer text arrived
	// Right are, of the answers that were useful on arrival and of which it is known, those
	// that are what was then typed.
	Right Share
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
			verdicts[q.worth()]++
			w.OfAnswers.add(q.Useful)
		}
		if right, known := q.Right(); known && q.Useful {
			w.Right.add(right)
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
