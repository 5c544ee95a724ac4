package engine

// memory is where the keys and values of running requests live. It counts in
// blocks, and keeps Request.blocks.
type memory interface {
	// admit gives a request that holds nothing so many blocks, or as many as there
	// are if that is not more than spare too few, and those for its windows, and sets
	// computed to the tokens that are in them already. It reports false, and changes
	// nothing, when there is no room.
	admit(r *Request, blocks, windows, spare int) bool
	// widen gives the request so many more blocks for its windows, and reports false,
	// and gives none, when there are fewer.
	widen(r *Request, blocks int) bool
	// grow gives the request one more block, and reports false when none is left.
	grow(r *Request) bool
	// shrink takes the last of its blocks for tokens back, of which the request has some.
	shrink(r *Request)
	// room returns how many more blocks there are to give.
	room() int
	// keep hears that more tokens of a running request are computed.
	keep(r *Request)
	// release takes all blocks of a request back.
	release(r *Request)
	// used returns the blocks that requests hold, each counted once.
	used() int
	// count fills in the blocks used and cached, and evictions.
	count(s *Stats)
}

// counter is a memory whose blocks nobody shares, so that a number is enough.
type counter struct{ free, total int }

func (m *counter) admit(r *Request, blocks, windows, spare int) bool {
	give := min(blocks, m.free-windows)
	if give < 0 || blocks-give > spare {
		return false
	}
	m.free -= give
	r.blocks, r.computed = give, 0
	return windows == 0 || m.widen(r, windows)
}

func (m *counter) widen(r *Request, blocks int) bool {
	if blocks > m.free {
		return false
	}
	m.free -= blocks
	r.extra.windowed += blocks
	return true
}

func (m *counter) grow(r *Request) bool {
	if m.free == 0 {
		return false
	}
	m.free--
	r.blocks++
	return true
}

func (m *counter) shrink(r *Request) {
	m.free++
	r.blocks--
}

func (m *counter) room() int { return m.free }

func (m *counter) keep(*Request) {}

func (m *counter) release(r *Request) {
	m.free += r.blocks
	r.blocks = 0
	if r.extra != nil {
		m.free += r.extra.windowed
		r.extra.windowed = 0
	}
}

func (m *counter) used() int { return m.total - m.free }

func (m *counter) count(s *Stats) { s.BlocksUsed = m.used() }
