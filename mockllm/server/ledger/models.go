package ledger

import "sync"

// Clients name models as they like, and every name makes time series that stay: so many
// names have series of their own, and the rest share one.
const (
	mostModels = 500
	otherModel = "(other)"
)

// models is the names of models that have time series.
type models struct {
	mu   sync.Mutex // guards what follows
	seen map[string]bool
}

// serve has a model that is served keep its name, whatever others are asked for.
func (m *models) serve(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.see(name)
}

// label returns the name under which a model that was asked for is counted.
func (m *models) label(name string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.seen[name]:
	case len(m.seen) >= mostModels:
		return otherModel
	default:
		m.see(name)
	}
	return name
}

// see takes a name up; the caller holds the lock.
func (m *models) see(name string) {
	if m.seen == nil {
		m.seen = map[string]bool{}
	}
	m.seen[name] = true
}
