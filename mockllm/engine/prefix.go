package engine

import (
	"time"

	"halfsecond/mockllm/engine/kv"
	"halfsecond/pipeline"
)

// prefixes is a memory that keeps what was computed for requests that begin alike.
// Whole blocks are reused, and never the last token of a request: it is computed so
// that there is something to sample from (vllm-project/vllm,
// vllm/v1/core/kv_cache_manager.py, get_computed_blocks; read 2026-11-29). What the
// windows of a reused prefix hold is taken to be there too.
type prefixes struct {
	loop  pipeline.Scheduler
	cache *kv.Cache
	size  int // tokens of a block
}

func newPrefixes(loop pipeline.Scheduler, blocks, size int, ttl time.Duration) *prefixes {
	return &prefixes{loop: loop, cache: kv.New(blocks, ttl), size: size}
}

func (m *prefixes) admit(r *Request, blocks, windows, spare int) bool {
	m.cache.Expire(m.loop.Now())
	x := r.extra
	chain := x.chain[:min(len(x.chain), (r.Prompt+r.generated-1)/m.size)]
	found, idle := m.cache.Find(chain)
	room := m.room() - windows
	over := max(0, idle-room) // windows go before what would be found
	found, idle = found-over, idle-over
	give := min(blocks-found, room-idle)
	if room < 0 || blocks-found-give > spare {
		return false
	}
	x.held = m.cache.Hold(x.held[:0], chain[:found])
	x.held, _ = m.cache.Take(x.held, give)
	x.published = found
	r.blocks, r.computed = len(x.held), found*m.size
	return m.widen(r, windows)
}

func (m *prefixes) widen(r *Request, blocks int) (ok bool) {
	m.cache.Expire(m.loop.Now())
	x := r.extra
	x.windows, ok = m.cache.Take(x.windows, blocks)
	x.windowed = len(x.windows)
	return ok
}

func (m *prefixes) grow(r *Request) (ok bool) {
	m.cache.Expire(m.loop.Now())
	if r.extra.held, ok = m.cache.Take(r.extra.held, 1); ok {
		r.blocks++
	}
	return ok
}

func (m *prefixes) shrink(r *Request) {
	x := r.extra
	last := len(x.held) - 1
	m.cache.Release(x.held[last:], m.loop.Now())
	x.held, x.published = x.held[:last], min(x.published, last)
	r.blocks--
}

func (m *prefixes) room() int { return m.cache.Free() + m.cache.Idle() }

// keep makes the blocks findable that are complete now.
func (m *prefixes) keep(r *Request) {
	x := r.extra
	most := min(len(x.chain), len(x.held))
	for ; x.published < most && r.computed >= (x.published+1)*m.size; x.published++ {
		x.held[x.published] = m.cache.Publish(x.held[x.published], x.chain[x.published])
	}
}

func (m *prefixes) release(r *Request) {
	x := r.extra
	x.held, x.windows = m.cache.Release(x.held, m.loop.Now()), m.cache.Release(x.windows, m.loop.Now())
	r.blocks, x.windowed = 0, 0
}

func (m *prefixes) used() int { return m.cache.Used() }

func (m *prefixes) count(s *Stats) {
	m.cache.Expire(m.loop.Now())
	s.BlocksUsed, s.BlocksCached = m.cache.Used(), m.cache.Idle()
	s.Evictions = m.cache.Evictions()
}
