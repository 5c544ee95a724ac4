package talk

import (
	"iter"
	"net"
	"time"
)

// Conversation is one conversation over a plain connection.
type Conversation interface {
	// Next reads the next message of the client, and returns what handles it on the loop,
	// as the methods of a Session do; the error ends the conversation. It runs off the loop.
	Next() (iter.Seq[func()], error)
	// Gone says, on the loop, that the connection has ended, or that Next has with that
	// error. It comes last and once, or never when the loop ended before.
	Gone(err error)
}

// Line runs the conversation that begin makes, off the loop, over a connection until it
// ends, and closes the connection.
func (h *Host) Line(conn net.Conn, begin func(*Outlet) Conversation) {
	defer conn.Close()
	out := newOutlet(h.Loop)
	c := begin(out)
	written := make(chan struct{})
	go func() {
		defer close(written)
		h.writeLine(conn, out)
	}()
	err := h.readLine(c)
	h.OnLoop(func() { c.Gone(err); out.End() })
	<-written
}

// readLine hands what the client says to the loop, until there is no more or it is
// wrong, or the loop has ended.
func (h *Host) readLine(c Conversation) error {
	for p := h.newPasser(); ; {
		handles, err := c.Next()
		if err != nil || !p.all(handles) {
			return err
		}
	}
}

// writeLine writes what the loop says, until it has ended; then it makes the reader end
// too.
func (h *Host) writeLine(conn net.Conn, out *Outlet) {
	defer conn.Close()
	for {
		select {
		case <-out.wake:
		case <-h.Stopped:
			return
		}
		frames, ended, choked := out.take()
		for _, f := range frames {
			if conn.SetWriteDeadline(time.Now().Add(writeLimit)) != nil {
				return
			}
			if _, err := conn.Write(f.made()); err != nil {
				return
			}
			h.Ledger.Writes.Add(h.Loop.Elapsed() - f.due)
		}
		if ended || choked {
			return
		}
	}
}
