package talk

import (
	"sync"
	"time"

	"halfsecond/pipeline"
)

// frame is one message, or one stretch of a body, on its way to a client.
type frame struct {
	due    time.Duration // the instant at which the loop said it
	data   []byte
	binary bool // of a WebSocket
	// make, when set, makes the data when it is their turn to be written, off the loop.
	// Nil data are not written. Weight is about how many bytes they will be.
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

// writeLimit is how long a client may take to take what is written.
const writeLimit = 30 * time.Second

// Outlet carries what the loop says to the goroutine that writes it to one client. The
// loop never blocks: it adds and kicks, and the writer takes all that is there. A client
// for whom too much waits is given up. Its methods may be called only on the loop.
type Outlet struct {
	// Loop is the clock by which what is said is due.
	Loop *pipeline.Wall
	wake chan struct{} // holds one kick

	mu      sync.Mutex // guards what follows
	frames  []frame
	pending int // bytes of frames
	ended   bool
	choked  bool // more was pending than may be: the client does not read
}

func newOutlet(loop *pipeline.Wall) *Outlet { return &Outlet{Loop: loop, wake: make(chan struct{}, 1)} }

// Send sends a text frame, or a stretch of a body, that is due now. After End it does
// nothing.
func (o *Outlet) Send(data []byte) { o.put(frame{due: o.Loop.Now(), data: data}) }

// Later sends what is due now, but made when it is its turn, off the loop: encoding
// audio takes longer than the loop may stand still. Nil is not sent. Weight is about how
// many bytes it will be.
func (o *Outlet) Later(weight int, make func() []byte) {
	o.put(frame{due: o.Loop.Now(), weight: weight, make: make})
}

func (o *Outlet) put(f frame) {
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

// End says that nothing more will come.
func (o *Outlet) End() {
	o.mu.Lock()
	o.ended = true
	o.mu.Unlock()
	o.kick()
}

func (o *Outlet) kick() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// take returns what has been added since the last time, whether it was the last, and
// whether the client read too slowly.
func (o *Outlet) take() (frames []frame, ended, choked bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	frames, o.frames, o.pending = o.frames, nil, 0
	return frames, o.ended, o.choked
}
