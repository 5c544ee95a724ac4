package engine

import (
	"slices"

	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline"
)

// planDecodesFirst plans what decodes, and gives prompts what is left of the budget.
// In a step in which a sequence had to give way nobody joins.
func (e *Batched) planDecodesFirst(b *roofline.Batch) {
	gaveWay := e.planDecodes(b)
	e.planPrompts(b)
	if !gaveWay {
		e.admit(b)
	}
}

// planPromptsFirst plans prompts alone, and what decodes when there are none. Source:
// vllm-project/vllm vllm/core/scheduler.py, _schedule_default, and SGLang's
// get_next_batch_to_run, read 2026-11-29.
func (e *Batched) planPromptsFirst(b *roofline.Batch) {
	e.planPrompts(b)
	e.admit(b)
	if b.Tokens == 0 {
		e.planDecodes(b)
	}
}

// planDecodes plans a token for every sequence whose prompt is computed, and those
// that were drafted, and reports whether a sequence had to give way.
func (e *Batched) planDecodes(b *roofline.Batch) (gaveWay bool) {
	before, size := e.stats.Preemptions, e.config.BlockTokens
	n, context := 0, 0
	for i := 0; i < len(e.running); i++ {
		r := e.running[i]
		if !r.decoding {
			continue
		}
		if e.spills {
			e.readBack(r)
		}
		if need := r.computed + e.verified; need > r.blocks*size && !e.makeRoom(r, need) {
			break // it was the last itself
		}
		if e.alike {
			r.planned = 1
			n++
			context += r.computed
		} else {
			e.add(b, r, e.verified, e.verified)
		}
	}
	addDecodes(b, n, context)
	return e.stats.Preemptions > before
}

// addDecodes adds n sequences that compute a token each and have so many tokens
// computed together. Without a sliding window a step only depends on their sum, so
// they are added as alike as it allows, which is faster than one by one.
func addDecodes(b *roofline.Batch, n, context int) {
	if n == 0 {
		return
	}
	each, more := context/n, context%n
	b.AddAlike(n-more, 1, each, 1)
	if more > 0 {
		b.AddAlike(more, 1, each+1, 1)
	}
}

// planPrompts gives what is left of the budget to prompts under way.
func (e *Batched) planPrompts(b *roofline.Batch) {
	if e.prompts == 0 {
		return
	}
	for _, r := range e.running {
		if !r.decoding {
			e.planChunk(r, b)
		}
	}
}

// planChunk plans as much of the sequence's uncomputed tokens as the budget leaves,
// or all of them where prompts stay whole, and reports whether it did. Its blocks are
// held already.
func (e *Batched) planChunk(r *Request, b *roofline.Batch) bool {
	rest, left := r.Prompt+r.generated-r.computed, e.config.TokenBudget-b.Tokens
	q := min(rest, left)
	if e.config.WholePrompts {
		q = rest
	}
	if q <= 0 || q > left && e.cut > 0 {
		return false
	}
	if r.Scheduled == pipeline.Unknown {
		r.start(e.loop.Now())
	}
	if e.spills {
		e.readBack(r)
	}
	e.cut++
	e.add(b, r, q, e.logits(q, q == rest))
	return true
}

// logits returns how many tokens of a prompt's chunk need the output head.
func (e *Batched) logits(chunk int, last bool) int {
	switch {
	case e.config.AllLogits:
		return chunk
	case last:
		return 1
	default:
		return 0
	}
}

// add puts q tokens of a sequence into the step, of which so many need logits.
func (e *Batched) add(b *roofline.Batch, r *Request, q, logits int) {
	r.planned = q
	b.Add(q, r.computed, logits)
	if e.spills {
		e.writeOut(r)
	}
	if e.drafts != nil {
		e.drafts.add(r)
	}
}

// admit lets waiting requests join, in order, while there is room for them.
func (e *Batched) admit(b *roofline.Batch) {
	for len(e.running)+e.left < e.config.MaxSequences && b.Tokens < e.config.TokenBudget {
		r := e.waiting.front()
		if r == nil || !e.settle(r) {
			return
		}
		e.waiting.drop()
		e.join(r)
		if r.decoding {
			e.resume(r, b)
		} else if !e.planChunk(r, b) {
			return
		}
	}
}

// resume plans a sequence that joined again with all it needs to decode, unless it
// has to wait for the prompts of this step or for the budget of the next.
func (e *Batched) resume(r *Request, b *roofline.Batch) {
	if e.config.PrefillFirst || b.Tokens+e.verified > e.config.TokenBudget {
		return
	}
	if e.spills {
		e.readBack(r)
	}
	e.add(b, r, e.verified, e.verified)
}

// join puts a request among the running ones, behind all of its priority.
func (e *Batched) join(r *Request) {
	r.state = running
	e.stats.Waiting--
	e.stats.Running++
	r.decoding = r.generated > 0 && r.Prompt+r.generated-r.computed == 1 &&
		r.computed+e.verified <= r.blocks*e.config.BlockTokens
	if !r.decoding {
		e.prompts++
	}
	at := len(e.running)
	for at > 0 && e.priority(e.running[at-1]) < e.priority(r) {
		at--
	}
	e.running = slices.Insert(e.running, at, r)
}

// advance counts what the step computed of a sequence and returns how many tokens
// come out of it.
func (e *Batched) advance(r *Request) (n int) {
	if !r.decoding {
		return e.advancePrompt(r)
	}
	n = 1
	if e.drafts != nil {
		n += e.drafts.accepted(r, &e.stats)
	}
	r.computed += n
	return min(n, r.target-r.generated)
}

// advancePrompt is advance for a sequence that does not decode yet. The last chunk
// gives a token. A sequence that is computed again counts as prompt up to its newest
// token, which decoding computes otherwise.
func (e *Batched) advancePrompt(r *Request) (n int) {
	prompt := r.Prompt + max(0, r.generated-1)
	e.stats.PromptTokens += min(r.planned, prompt-r.computed)
	r.computed += r.planned
	if r.computed < r.Prompt+r.generated {
		return 0
	}
	r.decoding = true
	e.prompts--
	return 1
}
