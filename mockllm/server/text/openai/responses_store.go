package openai

import (
	"sync"

	"halfsecond/pipeline/wire"
)

// Bounds of what a responseStore holds: so many responses, and so many bytes of their
// conversations, counted anew for each.
const (
	maxKept      = 1000
	maxKeptBytes = 64 << 20
)

// keptResponse is a response that later requests may refer to.
type keptResponse struct {
	response     wire.Response
	conversation []string // what was asked and answered, from the beginning
}

func (k *keptResponse) size() int {
	n := 0
	for _, text := range k.conversation {
		n += len(text)
	}
	return n
}

// responseStore keeps the latest responses; the oldest go first. The zero value is
// empty. Its methods may be called from any goroutine.
type responseStore struct {
	mu    sync.Mutex // guards what follows
	byID  map[string]*keptResponse
	items map[string]string // texts of output items by their ids
	order []string          // ids, oldest first
	bytes int
}

// put keeps a response.
func (s *responseStore) put(k *keptResponse) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID == nil {
		s.byID, s.items = map[string]*keptResponse{}, map[string]string{}
	}
	s.byID[k.response.ID] = k
	s.order = append(s.order, k.response.ID)
	s.bytes += k.size()
	for _, i := range k.response.Output {
		s.items[i.ID] = ""
		if i.Type != wire.ItemReasoning {
			s.items[i.ID] = i.Text
		}
	}
	for len(s.byID) > 1 && (len(s.byID) > maxKept || s.bytes > maxKeptBytes) {
		s.remove(s.order[0])
	}
}

// get returns the response of that id, or nil.
func (s *responseStore) get(id string) *keptResponse {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byID[id]
}

// item returns the text of an item of a response that is kept. Reasoning has none.
func (s *responseStore) item(id string) (text string, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, known = s.items[id]
	return text, known
}

// drop forgets a response; it reports false when there was none.
func (s *responseStore) drop(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID[id] == nil {
		return false
	}
	s.remove(id)
	return true
}

// remove forgets a response that is there; the caller holds the lock.
func (s *responseStore) remove(id string) {
	k := s.byID[id]
	delete(s.byID, id)
	s.bytes -= k.size()
	for _, i := range k.response.Output {
		delete(s.items, i.ID)
	}
	for at, other := range s.order {
		if other == id {
			s.order = append(s.order[:at], s.order[at+1:]...)
			return
		}
	}
}
