package voice

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"slices"
	"sync"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/wyoming"
)

// ServeWyoming serves the Wyoming protocol, which Home Assistant speaks with voice
// services, on a listener of its own: speech to text, text to speech, and where there is
// speech. It returns when ctx ends, with nil, or when the listener fails; it closes the
// listener. It serves only while the loop runs.
func (s *Service) ServeWyoming(ctx context.Context, ln net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	var conns sync.WaitGroup
	defer conns.Wait()
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = ln.Close() })
	defer stop()
	for {
		conn, err := ln.Accept()
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return fmt.Errorf("serve wyoming on %s: %w", ln.Addr(), err)
		}
		conns.Go(func() { s.serveWyoming(ctx, conn) })
	}
}

// serveWyoming serves one connection.
func (s *Service) serveWyoming(ctx context.Context, conn net.Conn) {
	release := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer release()
	defer conn.Close()
	t := &wyomingTalk{service: s, loop: s.config.Loop, out: newOutlet()}
	written := make(chan struct{})
	go func() {
		defer close(written)
		s.writeWyoming(conn, t.out)
	}()
	err := s.readWyoming(conn, t)
	s.onLoop(func() {
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, net.ErrClosed) {
			t.refuse("%v", err)
		}
		t.gone()
		t.out.end()
	})
	<-written
}

// readWyoming hands the events of the client to the loop, until there are no more or one
// is wrong.
func (s *Service) readWyoming(conn net.Conn, t *wyomingTalk) error {
	p := s.newPasser()
	for events := wyoming.NewReader(conn); ; {
		e, err := events.Read()
		if err != nil {
			return err
		}
		for part := range wyomingParts(e) {
			if !p.pass(func() { t.handle(part) }) {
				return io.EOF
			}
		}
	}
}

// wyomingParts returns an event as the loop takes it: audio in stretches, none of which
// takes it long.
func wyomingParts(e wyoming.Event) iter.Seq[wyoming.Event] {
	return func(yield func(wyoming.Event) bool) {
		for len(e.Payload) > stretchBytes {
			part := e
			part.Payload, e.Payload = e.Payload[:stretchBytes], e.Payload[stretchBytes:]
			if !yield(part) {
				return
			}
		}
		yield(e)
	}
}

// writeWyoming writes what the loop says, until it has ended; then it makes the reader
// end too.
func (s *Service) writeWyoming(conn net.Conn, out *outlet) {
	defer conn.Close()
	for {
		select {
		case <-out.wake:
		case <-s.config.Stopped:
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
			s.config.Ledger.Writes.Add(s.config.Loop.Elapsed() - f.due)
		}
		if ended || choked {
			return
		}
	}
}

// wyomingTalk is one connection. Its methods run on the loop.
type wyomingTalk struct {
	service *Service
	loop    *pipeline.Wall
	out     *outlet
	over    bool

	asked   wyomingAsked
	hearing *wyomingHearing   // nil between streams of audio
	ended   []*wyomingHearing // streams whose transcript is to come
	heard   int               // streams so far

	speaking *wyomingSpeaking // nil before the first text
	waiting  []wyomingText    // for another voice
	stream   *wyomingStream   // nil unless texts come in pieces
}

// say sends an event.
func (t *wyomingTalk) say(kind string, v any) {
	t.out.put(frame{due: t.loop.Now(), data: wyomingEvent(kind, v, nil)})
}

// wyomingEvent returns an event as it is sent.
func wyomingEvent(kind string, v any, payload []byte) []byte {
	e, err := wyoming.New(kind, v)
	var b []byte
	if err == nil {
		e.Payload = payload
		b, err = e.Append(nil)
	}
	if err != nil {
		panic(fmt.Sprintf("voice: %v", err)) // our own types always encode
	}
	return b
}

// refuse says what is wrong and ends the connection.
func (t *wyomingTalk) refuse(format string, args ...any) {
	if !t.over {
		t.say(wyoming.ErrorType, wyoming.Error{Text: fmt.Sprintf(format, args...), Code: "invalid-event"})
		t.over = true
		t.out.end()
	}
}

// wyomingEvents are the events that a client may send.
var wyomingEvents = map[string]func(*wyomingTalk, wyoming.Event) error{
	wyoming.Describe:        (*wyomingTalk).describe,
	wyoming.Ping:            (*wyomingTalk).ping,
	wyoming.Transcribe:      (*wyomingTalk).transcribe,
	wyoming.Detect:          (*wyomingTalk).detect,
	wyoming.AudioStart:      (*wyomingTalk).audioStart,
	wyoming.AudioChunk:      (*wyomingTalk).audioChunk,
	wyoming.AudioStop:       (*wyomingTalk).audioStop,
	wyoming.Synthesize:      (*wyomingTalk).synthesize,
	wyoming.SynthesizeStart: (*wyomingTalk).synthesizeStart,
	wyoming.SynthesizeChunk: (*wyomingTalk).synthesizeChunk,
	wyoming.SynthesizeStop:  (*wyomingTalk).synthesizeStop,
}

// handle handles an event of the client. As servers of the reference library do, it
// passes over those that it does not know.
func (t *wyomingTalk) handle(e wyoming.Event) {
	if handle := wyomingEvents[e.Type]; handle != nil && !t.over {
		if err := handle(t, e); err != nil {
			t.refuse("%v", err)
		}
	}
}

// ping handles a ping.
func (t *wyomingTalk) ping(e wyoming.Event) error {
	var v wyoming.Text
	if err := e.Decode(&v); err != nil {
		return err
	}
	t.say(wyoming.Pong, v)
	return nil
}

// gone says that the connection has ended.
func (t *wyomingTalk) gone() {
	t.over = true
	if t.hearing != nil {
		t.hearing.leave()
	}
	for _, h := range slices.Clone(t.ended) {
		h.leave()
	}
	if t.speaking != nil {
		t.speaking.leave()
	}
}
