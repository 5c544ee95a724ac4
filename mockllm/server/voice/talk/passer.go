package talk

import "iter"

// Once returns what handles a message at once.
func Once(handle func()) iter.Seq[func()] { return func(yield func(func()) bool) { yield(handle) } }

// mostUnread is how many messages of a client, or parts of a long one, the loop may not
// have handled.
const mostUnread = 8

// passer passes what a client sends from the goroutine that reads it to the loop, which
// is never far behind.
type passer struct {
	host *Host
	room chan struct{}
}

func (h *Host) newPasser() passer { return passer{h, make(chan struct{}, mostUnread)} }

// all passes what handles a message that has arrived. What others are owed comes in
// between. It is false when the loop has ended.
func (p passer) all(handles iter.Seq[func()]) bool {
	for handle := range handles {
		if !p.pass(handle) {
			return false
		}
	}
	return true
}

// pass has something that has arrived now handled on the loop. It is false when the
// loop has ended.
func (p passer) pass(handle func()) bool {
	now := p.host.Loop.Elapsed()
	select {
	case p.room <- struct{}{}:
	case <-p.host.Stopped:
		return false
	}
	return p.host.Loop.Post(now, func() {
		<-p.room
		handle()
	})
}
