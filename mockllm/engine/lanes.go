package engine

// similarity is the share of a prompt that a slot must hold already to be chosen for
// it: llama.cpp's --slot-prompt-similarity, 0.10 by default; source: ggml-org/llama.cpp
// tools/server/README.md, commit 00dc8057, read 2026-11-29.
const similarity = .10

// lanes is a memory in equal parts, one for each slot. A slot keeps the tokens of its
// last request, and the next that begins with enough of them is served from there: the
// free slot with the longest common prefix, or else the one whose last request ended
// first, takes it, as in llama.cpp's server (tools/server/server-context.cpp,
// get_available_slot, read 2026-11-29). Only the last token of a prompt that is there
// entirely is computed again. Common prefixes are known to a block.
type lanes struct {
	slots   []lane
	context int  // tokens that a slot holds
	blocks  int  // that they and their windows take of the cache
	size    int  // tokens of a block
	keeps   bool // what a slot held is looked at
	ended   int  // requests so far
}

// lane is one slot's memory.
type lane struct {
	request *Request // the one that runs in it, or nil
	chain   []uint64 // hashes of the blocks of its last request
	tokens  int      // of those in it
	ended   int      // its last request was so many-th to end
}

func newLanes(c *BatchedConfig) *lanes {
	return &lanes{slots: make([]lane, c.Slots), context: c.slotContext(), blocks: c.slotBlocks(), size: c.BlockTokens, keeps: c.SlotCache}
}

func (m *lanes) admit(r *Request, _, _, _ int) bool {
	best, common := m.choose(r)
	if best == nil {
		return false
	}
	best.request = r
	r.blocks, r.computed = m.context/m.size, common
	return true
}

// choose returns the free slot for the request and how many of its tokens are in it.
func (m *lanes) choose(r *Request) (best *lane, common int) {
	for i := range m.slots {
		l := &m.slots[i]
		if l.request != nil {
			continue
		}
		n := m.common(l, r)
		if float64(n) <= similarity*float64(r.Prompt) {
			n = 0
		}
		if best == nil || n > common || n == common && l.ended < best.ended {
			best, common = l, n
		}
	}
	if best != nil {
		common = m.common(best, r)
	}
	return best, common
}

// common returns how many tokens of the request are in the slot.
func (m *lanes) common(l *lane, r *Request) int {
	if !m.keeps {
		return 0
	}
	chain := r.extra.chain
	low, high := 0, min(len(l.chain), len(chain), l.tokens/m.size)
	for low < high { // what follows a block that differs differs too
		if middle := int(uint(low+high+1) / 2); l.chain[middle-1] == chain[middle-1] {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return min(low*m.size, r.Prompt+r.generated-1)
}

func (m *lanes) widen(*Request, int) bool { return false }

func (m *lanes) grow(*Request) bool { return false }

func (m *lanes) shrink(*Request) {}

func (m *lanes) room() int { return 0 }

func (m *lanes) keep(*Request) {}

func (m *lanes) release(r *Request) {
	m.ended++
	for i := range m.slots {
		l := &m.slots[i]
		if l.request != r {
			continue
		}
		l.request, l.tokens, l.ended = nil, r.computed, m.ended
		if m.keeps {
			l.chain, r.extra.chain = r.extra.chain, l.chain // so that neither is allocated again
		}
	}
	r.blocks = 0
}

func (m *lanes) used() (blocks int) {
	for i := range m.slots {
		if m.slots[i].request != nil {
			blocks += m.blocks
		}
	}
	return blocks
}

func (m *lanes) count(s *Stats) {
	s.BlocksUsed += m.used()
	for i := range m.slots {
		if l := &m.slots[i]; l.request == nil && m.keeps {
			s.BlocksCached += blocksFor(l.tokens, m.size)
		}
	}
}
