package serve

import (
	"fmt"
	"slices"
	"sync"
)

// unknown is the models that clients have asked for and that are not there, of which the
// user of the server is told once each. What a vendor answers says little, and plugins
// hard-code names.
type unknown struct {
	mu    sync.Mutex // guards names
	names []string
}

// mostUnknown is how many names the user is told of.
const mostUnknown = 20

// first reports whether the user is to be told of a name.
func (u *unknown) first(name string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.names) == mostUnknown || slices.Contains(u.names, name) {
		return false
	}
	u.names = append(u.names, name)
	return true
}

// tellUnknown tells the user of the server that a model is not there.
func (s *Service) tellUnknown(name string) {
	if s.Config.Warn != nil && s.unknown.first(name) {
		s.Config.Warn(fmt.Sprintf("a client asked for model %.100q, which is refused: this server has %s (with --any-model it answers to every name)", name, s.modelNames()))
	}
}
