package voice

import (
	"sync"
	"time"
)

// frame is one message, or one stretch of a body, on its way to a client.
type frame struct {
	due    time.Duration // the instant at which the loop said it
	data   []byte
	binary bool // of a WebSocket
	// make, when set, makes the data when it is their turn to be written, off the loop:
	// encoding audio takes longer than the loop may stand still. Nil data are not
	// written. Weight is about how many bytes they will be.
	make   func() []byte
	weight int
}

// made returns the data of a frame.
func (f frame) made() []byte {
	if f.make != nil {
		return f.make()
	}
	return f.data
}

// mostPending is the most bytes that may wait for a client that does not read when more
// comes; one frame alone, such as a long recording, may have more.
const mostPending = 16 << 20

// outlet carries frames from the loop to the goroutine that writes them. The loop
// never blocks: it adds and kicks, and the writer takes all that is there.
type outlet struct {
	wake chan struct{} // holds one kick

	mu      sync.Mutex // guards what follows
	frames  []frame
	pending int // bytes of frames
	ended   bool
	choked  bool // more was pending than may be: the client does not read
}

func newOutlet() *outlet { return &outlet{wake: make(chan struct{}, 1)} }

// put adds a frame. After end it does nothing.
func (o *outlet) put(f frame) {
	o.mu.Lock()
	if !o.ended {
		if o.pending > mostPending {
			o.ended, o.choked = true, true
		}
		o.frames = append(o.frames, f)
		o.pending += len(f.data) + f.weight
	}
	o.mu.Unlock()
	o.kick()
}

// end says that nothing more will come.
func (o *outlet) end() {
	o.mu.Lock()
	o.ended = true
	o.mu.Unlock()
	o.kick()
}

func (o *outlet) kick() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// take returns what has been added since the last time, whether it was the last, and
// whether the client read too slowly.
func (o *outlet) take() (frames []frame, ended, choked bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	frames, o.frames, o.pending = o.frames, nil, 0
	return frames, o.ended, o.choked
}
