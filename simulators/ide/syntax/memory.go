package syntax

import (
	"crypto/sha256"
	"sync"
)

// Memory is a checker that keeps what another one said of the last texts, by a hash of
// their content. A typing session asks about the same text again and again: the one that
// will stand there in the end. What could not be told is not kept. It may be used
// concurrently when the other one may.
type Memory struct {
	of   Checker
	most int

	mu    sync.Mutex
	said  map[[sha256.Size]byte]Result
	order [][sha256.Size]byte // a ring, once it is full
	next  int
}

// Remember returns a checker that keeps the last results, at least one.
func Remember(of Checker, most int) *Memory {
	return &Memory{of: of, most: max(1, most), said: map[[sha256.Size]byte]Result{}}
}

// Check implements Checker.
func (m *Memory) Check(text string) Result {
	key := sha256.Sum256([]byte(text))
	m.mu.Lock()
	r, ok := m.said[key]
	m.mu.Unlock()
	if ok {
		return r
	}
	if r = m.of.Check(text); r.Known {
		m.keep(key, r)
	}
	return r
}

// keep takes a result in, and the oldest out when there is no more room.
func (m *Memory) keep(key [sha256.Size]byte, r Result) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.said[key]; ok {
		return
	}
	m.said[key] = r
	if len(m.order) < m.most {
		m.order = append(m.order, key)
		return
	}
	delete(m.said, m.order[m.next])
	m.order[m.next] = key
	m.next = (m.next + 1) % m.most
}
