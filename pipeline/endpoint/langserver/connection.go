package langserver

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"halfsecond/pipeline/wire/jsonrpc"
)

// queue is what waits for the server to read it.
type queue struct {
	most int
	wake chan struct{} // gets one when something is added

	mu      sync.Mutex // guards what follows
	frames  []frame
	waiting int  // bytes that are not written
	done    bool // nothing is added any more
}

// frame is a message on its way out.
type frame struct {
	text []byte
	sent func() // called when it goes out; nil for nobody
}

func newQueue(most int) *queue { return &queue{most: most, wake: make(chan struct{}, 1)} }

// add appends a frame. It never blocks: with too much in the queue it is an error.
func (q *queue) add(text []byte, sent func()) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.done {
		return errClosed
	}
	if q.waiting+len(text) > q.most && q.waiting > 0 {
		return fmt.Errorf("it does not read: %d bytes wait for it, at most %d may", q.waiting+len(text), q.most)
	}
	q.frames = append(q.frames, frame{text, sent})
	q.waiting += len(text)
	q.rouse()
	return nil
}

// rouse wakes the writer; the caller holds the lock.
func (q *queue) rouse() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// finish has the writer end when it has written what is there.
func (q *queue) finish() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.done = true
	q.rouse()
}

// take waits for frames; none are left when it returns none.
func (q *queue) take() []frame {
	for {
		q.mu.Lock()
		frames, done := q.frames, q.done
		q.frames = nil
		q.mu.Unlock()
		if len(frames) > 0 || done {
			return frames
		}
		<-q.wake
	}
}

func (q *queue) wrote(n int) {
	q.mu.Lock()
	q.waiting -= n
	q.mu.Unlock()
}

// write writes what is queued; it has a goroutine of its own.
func (c *Client) write() {
	for {
		frames := c.queue.take()
		if frames == nil {
			break
		}
		for _, f := range frames {
			if f.sent != nil {
				f.sent()
			}
			if _, err := c.stream.Write(f.text); err != nil {
				within(c.ended, time.Second) // the end of what it writes says more
				c.breaks(fmt.Errorf("cannot be written to: %w", err))
				return
			}
			c.queue.wrote(len(f.text))
		}
	}
	if c.process != nil {
		_ = c.process.in.Close() // no more comes; a server that waits for that ends
	}
}

// stamped notes when a read returned. The loop's clock is not looked at: a server may write
// before the loop runs, which begins with its setting.
type stamped struct {
	io.Reader
	at time.Time
}

func (s *stamped) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	s.at = time.Now()
	return n, err
}

// onLoop returns the instants of two times on the loop; equal times are one instant.
func (c *Client) onLoop(first, last time.Time) (time.Duration, time.Duration) {
	at := c.loop.Elapsed() - time.Since(last)
	return at - last.Sub(first), at
}

// read reads messages until there are no more; it has a goroutine of its own.
func (c *Client) read() {
	defer close(c.ended)
	s := &stamped{Reader: c.stream}
	r := jsonrpc.NewReader(s, jsonrpc.Limits{Message: c.config.MaxMessage})
	for {
		err := r.Wait()
		first := s.at
		var text []byte
		if err == nil {
			text, err = r.Next()
		}
		if err != nil {
			c.lost(err)
			return
		}
		c.take(text, first, s.at)
	}
}

// grace is how long a program has to end once it has closed its output.
const grace = time.Second

// lost ends everything since nothing more can be read.
func (c *Client) lost(err error) {
	var bad *jsonrpc.FrameError
	broken := errors.As(err, &bad) && !errors.Is(err, io.ErrUnexpectedEOF)
	if broken {
		c.fault(bad.Error())
		c.breaks(fmt.Errorf("what it writes is not the protocol: %w", bad))
	}
	if c.process != nil {
		err = fmt.Errorf("%s%s", c.process.end(grace), c.process.said())
	} else if errors.Is(err, io.EOF) {
		err = errors.New("it ended")
	}
	c.breaks(err)
}

// fault counts what breaks the protocol.
func (c *Client) fault(words string) {
	words = c.tidy(words)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts.fault(words)
}

// take takes a message, whose first byte came at first and whose last at.
func (c *Client) take(text []byte, first, at time.Time) {
	m, err := jsonrpc.Decode(text)
	switch {
	case err != nil:
		c.fault(fmt.Sprintf("a message cannot be read: %v: %.80q", err, text))
	case m.Request():
		c.answer(&m)
	case m.Answer():
		c.takeAnswer(m, text, first, at)
	}
}

// takeAnswer takes the answer to a request.
func (c *Client) takeAnswer(m jsonrpc.Message, text []byte, first, at time.Time) {
	c.mu.Lock()
	own, a := c.own[m.ID], c.pending[m.ID]
	delete(c.own, m.ID)
	delete(c.pending, m.ID)
	c.mu.Unlock()
	switch {
	case own != nil:
		own <- m
	case a != nil:
		begun, ended := c.onLoop(first, at)
		a.answered(m, text, begun, ended)
	case m.ID == jsonrpc.Null():
		c.fault(fmt.Sprintf("the server could not read a message: %s", m.Error.Message))
	default:
		c.fault(fmt.Sprintf("an answer to the request %s, of which there is none, or none any more", m.ID))
	}
}
