package talk

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
)

// Ask is how a conversation is opened.
type Ask struct {
	ID       int64 // of the request in the traces
	Due      time.Duration
	Protocol string      // as in a raw log
	Model    string      // as the service calls it
	URL      string      // whole
	Header   http.Header // with the key
	Body     []byte      // of a post
	Setting  any         // what a raw log keeps of what was asked for, as JSON; nil is nothing
	// Plays is how long the audio plays that is to be sent, on top of the limit for the
	// whole.
	Plays time.Duration
	// Awaits is the server's word that the session is as it was asked for: it has the limit
	// for a first byte, from the acceptance to Ready. "" is none.
	Awaits string
	// Begins is the instant from which something is to come or go: the limits for a gap and
	// for the whole count from then. What is past, such as 0 or Unknown, is at once.
	Begins time.Duration
}

// Listener is told of a conversation, in order, from a goroutine of its own.
type Listener interface {
	// Opened says that the server has accepted.
	Opened(o Opening)
	// Heard takes a message, or of a post what one read brought. It reports whether to go
	// on: otherwise the conversation is over. The data belong to the listener only for a
	// WebSocket.
	Heard(m Message) (more bool)
	// Ended comes last and once, in any case.
	Ended(e End)
}

// Opening is how a server accepted.
type Opening struct {
	At        time.Duration
	Status    int
	Header    http.Header
	Transport pipeline.Transport // what is known of the connection
}

// Message is a message of the server.
type Message struct {
	At     time.Duration // when the read returned that brought its last byte
	Binary bool
	Data   []byte
}

// Frame is a message for the server.
type Frame struct {
	Binary bool
	Data   []byte
	// Payload says that it is what the conversation is about, audio or text, and not a
	// command; Due is then when it should go out.
	Payload bool
	Due     time.Duration
}

// Sent is what is known of the payload that went out.
type Sent struct {
	First, Last time.Duration // Unknown when there was none
	// Late is how much later than due the latest went out; Unknown when there was none.
	Late   time.Duration
	Frames int
}

// Line is one conversation. Send and Hangup never block.
type Line struct {
	client     *Client
	ask        Ask
	to         Listener
	connection *endpoint.Connection
	watch      *watch
	cancel     context.CancelCauseFunc
	log        *recorder
	wake       chan struct{}         // something is to be written
	left       atomic.Int64          // bytes that the server may still send in this turn
	messages   atomic.Int64          // and messages
	unwritten  atomic.Pointer[error] // why a frame could not be written

	mu      sync.Mutex // guards what follows
	queue   []Frame
	waiting int // bytes that have not been written
	hungUp  bool
	over    bool
	sent    Sent
	latest  Sent // since the last Part
}

// line returns a conversation that is about to be opened, with its context.
func (c *Client) line(ask Ask, to Listener) (context.Context, *Line) {
	ctx, cancel := context.WithCancelCause(c.ctx)
	now := c.Loop.Elapsed()
	return ctx, &Line{
		client: c, ask: ask, to: to, cancel: cancel,
		connection: endpoint.NewConnection(c.Loop.Elapsed),
		watch:      newWatch(c.Limits, ask.Awaits, max(ask.Begins, now)-now, ask.Plays, cancel),
		log:        c.newRecorder(ask),
		wake:       make(chan struct{}, 1),
		sent:       nothingSent(), latest: nothingSent(),
	}
}

func nothingSent() Sent {
	return Sent{First: pipeline.Unknown, Last: pipeline.Unknown, Late: pipeline.Unknown}
}

var errUnread = errors.New("the server does not read: too much waits to be sent")

// Send sends a frame after those before it. What is sent after the end is lost.
func (l *Line) Send(f Frame) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over || l.hungUp {
		return
	}
	if l.waiting += len(f.Data); l.waiting > maxUnsent {
		l.cancel(errUnread)
		return
	}
	l.queue = append(l.queue, f)
	l.kick()
}

// Hangup closes a WebSocket after what was sent, and waits a second for the server to do
// so too.
func (l *Line) Hangup() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over && !l.hungUp {
		l.log.bye()
	}
	l.hungUp = true
	l.kick()
}

// Ready says that the word came which the conversation awaits.
func (l *Line) Ready() {
	if l.watch != nil { // else it leads nowhere
		l.watch.ready()
	}
}

// Answering says whether it is the server's turn to speak: the limit for a gap then counts
// what it says, and not what goes out meanwhile.
func (l *Line) Answering(on bool) {
	if l.watch != nil {
		l.watch.answers(on)
	}
}

// Cancel gives the conversation up.
func (l *Line) Cancel() { l.cancel(ErrCancelled) }

func (l *Line) kick() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// take returns what is to be written.
func (l *Line) take() (frames []Frame, hungUp bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	frames, l.queue = l.queue, nil
	return frames, l.hungUp
}

// wrote says that so many bytes wait no longer.
func (l *Line) wrote(bytes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting -= bytes
}

// note notes that a frame goes out. It reports false when it may not, for want of room in the log.
func (l *Line) note(f Frame, at time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return true
	}
	if !l.log.sent(f, at) {
		return false
	}
	if f.Payload {
		l.sent.add(at, f.Due)
		l.latest.add(at, f.Due)
	}
	return true
}

// Part returns what went out since the Part before, or since the beginning: a conversation of
// several turns has one for each of them. The raw log has it too.
func (l *Line) Part(at time.Duration) Sent {
	l.mu.Lock()
	defer l.mu.Unlock()
	part := l.latest
	l.latest = nothingSent()
	l.log.note(notePart, at, int64(l.sent.Frames))
	return part
}

// Rest says that nothing need come or go until Again: no turn is under way.
func (l *Line) Rest() {
	if l.watch != nil {
		l.watch.rest()
	}
}

// Again says that another turn begins at an instant, whose audio plays so long: the limits for a
// gap, for the whole and for bytes count for it as they did for the first one.
func (l *Line) Again(begins, plays time.Duration) {
	if l.client != nil {
		l.left.Store(l.client.MaxBytes)
		l.messages.Store(mostMessages(l.client.MaxBytes))
	}
	if l.watch != nil {
		now := l.client.Loop.Elapsed()
		l.watch.again(max(begins, now)-now, plays)
	}
}

// add adds a frame that went out at an instant.
func (s *Sent) add(at, due time.Duration) {
	if s.Frames == 0 {
		s.First, s.Late = at, 0
	}
	s.Last = at
	s.Late = max(s.Late, at-due)
	s.Frames++
}

// Note has the raw log say what the client did or decided that its messages do not show.
func (l *Line) Note(name string, at time.Duration, n int64) { l.log.note(name, at, n) }
