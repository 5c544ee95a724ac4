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
	// Drafter tells how long a pass of the drafter takes: the plan of a smaller model or
	// of the model's own head, or nil for n-gram lookup, which costs nothing.
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

// Acceptances to assume where nobody measured: one for each kind of drafter, from what
// was published of acceptance, not of speed. Read 2026-11-29.
const (
	// ModelAcceptance is that of a draft model of the same family, some ten times
	// smaller, at temperature 0: .75 for LaMDA 8B as the draft of LaMDA 137B (Leviathan et
	// al., arXiv:2211.17192, table 3, as quoted by others).
	ModelAcceptance = .75
	// HeadAcceptance is that of a drafting head. EAGLE-1's chains of 5 drafted tokens
	// give 3.20, 3.23, 2.97 (Vicuna 7B, 13B, 33B), 3.00, 3.18 and 3.12 tokens a round
	// (Llama-2-Chat 7B, 13B, 70B) on MT-bench at temperature 0 (Li et al.,
	// arXiv:2401.15077, table 5): 3.117 on average, which is (1 - a^6) / (1 - a) for this
	// a. The module of DeepSeek-V3 is right in 85-90 % of first tokens, and drafting 7 in
	// a row gives 3.20 a round (nebius/MTP-DeepSeek-V3-0324 on Hugging Face), an a of .70.
	// vLLM's chains of 4 for Llama-3.1-8B accept .62 with EAGLE-1 and .755 with EAGLE-3
	// (vllm-project/vllm issue 20780).
	HeadAcceptance = .727
	// LookupAcceptance is that of n-grams of prompt and answer: 1.73, 1.68 and 1.55 tokens
	// a round (Vicuna 7B, 13B, 33B) over six tasks, of 1/(1 - a) with long drafts
	// (hemingkx/Spec-Bench, Leaderboard.md, commit 09244ff, PLD on A100). Edits of code,
	// which repeat what is there, reach .9 and more.
	LookupAcceptance = .4
)

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

// dice returns the stream of a request that was so many-th to arrive, unless its Draw names
// one.
func (d *drafts) dice(r *Request, arrived int) dist.Rand {
	if r.Draw != 0 {
		return dist.Stream(d.Seed, "engine/acceptance/draw", int(r.Draw))
	}
	return dist.Stream(d.Seed, "engine/acceptance", arrived)
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
