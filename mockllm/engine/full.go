package engine

import (
	"fmt"
	"slices"

	"halfsecond/pipeline"
)

// settle gives a waiting request the blocks of what is there of it, beside the cache
// where they may and must be, and brings back what was swapped out. It reports false
// when there is no room for them now.
func (e *Batched) settle(r *Request) bool {
	blocks, spare, saved := e.needs(r), 0, r.computed
	windows := e.config.windowBlocks(blocks)
	if e.spills {
		e.pushOut(windows, blocks)
		spare = e.slowFree
	}
	if !e.memory.admit(r, blocks, windows, spare) {
		return false
	}
	if e.spills {
		e.spill(r, blocks-r.blocks)
	}
	if e.shares {
		e.stats.PrefixQueries += r.Prompt + r.generated
		e.stats.PrefixHits += r.computed
	}
	if r.Scheduled == pipeline.Unknown {
		r.CachedTokens = r.computed
	}
	if saved > 0 {
		e.swapIn(r, saved)
	}
	return true
}

// needs returns the blocks with which a waiting request can start.
func (e *Batched) needs(r *Request) int {
	tokens := r.Prompt + r.generated
	switch {
	case e.config.OnFull == Reserve:
		return e.longest(r)
	case r.computed > 0: // it was swapped out and decodes on at once
		tokens += e.verified - 1
	}
	return blocksFor(tokens, e.config.BlockTokens)
}

// promise sets aside, under admission control, what the request may come to hold.
func (e *Batched) promise(r *Request) error {
	if e.config.OnFull != Refuse {
		return nil
	}
	longest, left := e.longest(r), e.config.KVBlocks-e.promised
	need := e.units(longest)
	if need > left {
		size := e.config.BlockTokens
		return fmt.Errorf("%w: %d tokens may be needed and %d are not promised", ErrFull, longest*size, e.config.Windows.Longest(left, size)*size)
	}
	r.extra.promised = need
	e.promised += need
	return nil
}

// longest returns the blocks that the request holds in the end if its answer is as
// long as it allows.
func (e *Batched) longest(r *Request) int {
	answer := r.target
	if r.Limit > 0 {
		answer = r.Limit
	}
	return min(e.capacity, blocksFor(r.Prompt+answer+e.verified-2, e.config.BlockTokens))
}

// units returns the blocks that a sequence takes which has n for its tokens: those and
// its windows'.
func (e *Batched) units(n int) int { return n + e.config.windowBlocks(n) }

// makeRoom gives a sequence the blocks of so many tokens, and as long as there are
// none the last sequence gives way. It reports false when that was the sequence
// itself.
func (e *Batched) makeRoom(r *Request, tokens int) bool {
	for r.blocks*e.config.BlockTokens < tokens {
		if !e.extend(r) && e.giveWay() == r {
			return false
		}
	}
	return true
}

// extend gives a sequence one more block, beside the cache if it may and must, and its
// windows what they need then. The blocks beside it are always the sequence's last: one
// in the cache takes in the first of them, which the step reads anyway, and the last is
// free for what is new.
func (e *Batched) extend(r *Request) bool {
	if windows := e.config.windowBlocks(r.blocks + 1); windows > 0 && !e.widen(r, windows-r.extra.windowed) {
		return false
	}
	if e.memory.grow(r) {
		return true
	}
	if !e.spills || e.slowFree == 0 {
		return false
	}
	e.spill(r, 1)
	return true
}

// widen gives a sequence so many more blocks for its windows, if any.
func (e *Batched) widen(r *Request, more int) bool {
	if more <= 0 {
		return true
	}
	if e.spills {
		e.pushOut(more, 0)
	}
	return e.memory.widen(r, more)
}

// pushOut moves tokens out of the cache until it has room for so many blocks of windows,
// which must be in it: those of the last sequences, last tokens first. It moves none when
// the memory beside has no room for them and for so many blocks of others.
func (e *Batched) pushOut(windows, others int) {
	if windows-e.memory.room()+others > e.slowFree {
		return
	}
	for _, r := range slices.Backward(e.running) {
		for r.blocks > r.extra.slow && e.memory.room() < windows && e.slowFree > others {
			before := e.cached(r)
			e.memory.shrink(r)
			e.spill(r, 1)
			e.moved += max(0, min(r.computed+r.planned, before)-e.cached(r))
		}
	}
}

// spill gives a sequence blocks beside the cache.
func (e *Batched) spill(r *Request, blocks int) {
	e.slowFree -= blocks
	r.extra.slow += blocks
	r.blocks += blocks
}

// giveWay sends the last sequence back to the head of the queue of its priority.
func (e *Batched) giveWay() *Request {
	last := len(e.running) - 1
	r := e.running[last]
	e.running[last] = nil
	e.running = e.running[:last]
	e.stop(r)
	if blocks := e.units(blocksFor(r.computed, e.config.BlockTokens)); e.config.OnFull == Swap && blocks <= e.slowFree {
		e.swapOut(r, blocks)
	} else {
		r.computed = 0
	}
	r.state = waiting
	e.stats.Running--
	e.stats.Waiting++
	e.stats.Preemptions++
	e.waiting.pushFront(r, e.priority(r))
	return r
}

// swapOut moves a sequence's blocks to the memory beside the cache. Their room is
// needed at once, so the step waits for the copy.
func (e *Batched) swapOut(r *Request, blocks int) {
	r.extra.slow = blocks
	e.slowFree -= blocks
	e.moved += blocks * e.config.BlockTokens
}

// swapIn moves back what the cache does not still have of a sequence of which so
// many tokens were computed.
func (e *Batched) swapIn(r *Request, computed int) {
	e.moved += max(0, r.extra.slow*e.config.BlockTokens-r.computed)
	e.slowFree += r.extra.slow
	r.extra.slow = 0
	r.computed = max(r.computed, computed)
}

// takeBack frees the blocks of a sequence that are beside the cache.
func (e *Batched) takeBack(r *Request) {
	e.slowFree += r.extra.slow
	r.blocks -= r.extra.slow
	r.extra.slow = 0
}

// cached returns how many tokens of a sequence are or will be in the cache itself.
func (e *Batched) cached(r *Request) int { return (r.blocks - r.extra.slow) * e.config.BlockTokens }

// readBack counts the tokens of a sequence that a step reads from the memory beside
// the cache. Those for which the cache has room by now stay in it.
func (e *Batched) readBack(r *Request) {
	e.moved += max(0, r.computed-e.cached(r))
	for r.extra.slow > 0 && e.memory.grow(r) {
		r.blocks-- // grow counted a block that was counted already
		r.extra.slow--
		e.slowFree++
	}
}

// writeOut counts the tokens of a sequence that a step writes to the memory beside
// the cache.
func (e *Batched) writeOut(r *Request) {
	e.moved += max(0, r.computed+r.planned-max(r.computed, e.cached(r)))
}
