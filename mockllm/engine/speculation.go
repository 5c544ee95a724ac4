package engine

import (
	"errors"
	"fmt"
	"math"
	"time"

	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline/dist"
)

// Speculation is speculative decoding: in each step a drafter proposes tokens for
// every sequence that decodes, and the model verifies them all at once. Those up to
// the first wrong one are right, and the model's own next token comes with them, all
// at the end of the step (Leviathan, Kalman and Matias, "Fast inference from
// transformers via speculative decoding", ICML 2023, arXiv:2211.17192).
//
// A step takes as long as the model's verification and the drafter's passes, one
// after the other: as many passes as tokens are drafted, of which the first takes in
// the step's prompts too.
type Speculation struct {
	// Drafter tells how long a pass of the drafter takes: a smaller model's plan, a
	// Head, or nil for n-gram lookup, which costs nothing.
	Drafter Stepper
	// Tokens is how many are drafted in a step, g; at least 1.
	Tokens int
	// Acceptance is the chance that a drafted token is right when those before it
	// are, a; 0..1.
	Acceptance float64
	// Seed picks the streams from which requests draw, one each in order of arrival,
	// so that what a request accepts does not depend on what it shares steps with.
	Seed uint64
}

// Head is a drafter inside the model: an EAGLE or multi-token-prediction head, whose
// pass takes a share of what a step of the model would take with the same sequences.
// With one layer of its own and the model's output head that is 3-8 % of the model.
type Head struct {
	Model Stepper
	Share float64 // above 0
}

// Step implements Stepper.
func (h Head) Step(b roofline.Batch) time.Duration {
	return time.Duration(h.Share*float64(h.Model.Step(b)) + .5)
}

// Batch implements Stepper.
func (h Head) Batch() roofline.Batch { return h.Model.Batch() }

// Expected returns the mean of the tokens that a step puts out for a sequence:
// (1 - a^(g+1)) / (1 - a), or g+1 when a is 1.
func (s Speculation) Expected() float64 {
	if s.Acceptance == 1 {
		return float64(s.Tokens + 1)
	}
	return (1 - math.Pow(s.Acceptance, float64(s.Tokens+1))) / (1 - s.Acceptance)
}

func (s *Speculation) validate() error {
	err := atLeastOne(field{"drafted tokens", s.Tokens})
	if !(s.Acceptance >= 0 && s.Acceptance <= 1) {
		err = errors.Join(err, fmt.Errorf("acceptance is %g, must be from 0 to 1", s.Acceptance))
	}
	if h, ok := s.Drafter.(Head); ok && !(h.Share > 0) {
		err = errors.Join(err, fmt.Errorf("a drafting head's share of a step is %g, must be above 0", h.Share))
	}
	return err
}

// drafts is the drafter's part of the step being planned.
type drafts struct {
	Speculation
	passes []roofline.Batch // one for each token drafted; none when they cost nothing
}

// newDrafts returns nil without speculation.
func newDrafts(s *Speculation) *drafts {
	if s == nil {
		return nil
	}
	d := &drafts{Speculation: *s}
	if s.Drafter != nil {
		d.passes = make([]roofline.Batch, s.Tokens)
	}
	return d
}

// dice returns the stream of the request that was so many-th to arrive.
func (d *drafts) dice(request int) dist.Rand {
	return dist.Stream(d.Seed, "engine/acceptance", request)
}

// clear begins a step.
func (d *drafts) clear() {
	for i := range d.passes {
		d.passes[i] = d.Drafter.Batch()
	}
}

// add puts what is planned of a sequence into the passes.
func (d *drafts) add(r *Request) {
	switch {
	case len(d.passes) == 0:
	case r.decoding:
		for i := range d.passes {
			d.passes[i].Add(1, r.computed+i, 1)
		}
	default:
		d.passes[0].Add(r.planned, r.computed, 0)
	}
}

// time returns how long the passes take.
func (d *drafts) time() (total time.Duration) {
	for _, b := range d.passes {
		if b.Tokens > 0 {
			total += d.Drafter.Step(b)
		}
	}
	return total
}

// accepted draws how many of a sequence's drafted tokens are right.
func (d *drafts) accepted(r *Request, s *Stats) (n int) {
	for n < d.Tokens && (d.Acceptance == 1 || r.extra.dice.Float64() < d.Acceptance) {
		n++
	}
	s.Drafted += d.Tokens
	s.Accepted += n
	return n
}
