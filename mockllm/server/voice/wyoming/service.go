// Package wyoming is the front of the Wyoming protocol, which Home Assistant speaks with
// voice services, over plain connections: speech to text, text to speech, and where there
// is speech.
//
// Read service.go for connections, session.go for events, hear.go for audio, speak.go for
// texts, and info.go for what the mock says of itself.
package wyoming

import (
	"context"
	"fmt"
	"net"
	"sync"

	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/mouth"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/pipeline/wire/wyoming"
)

// Service answers clients of the Wyoming protocol.
type Service struct {
	*talk.Host
	Ears   *ear.Models
	Mouths *mouth.Models
}

// Serve serves on a listener. It returns when ctx ends, with nil, or when the listener
// fails; it closes the listener. It serves only while the loop runs.
func (s *Service) Serve(ctx context.Context, ln net.Listener) error {
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
		conns.Go(func() { s.converse(ctx, conn) })
	}
}

// converse serves one connection.
func (s *Service) converse(ctx context.Context, conn net.Conn) {
	release := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer release()
	s.Line(conn, func(out *talk.Outlet) talk.Conversation {
		return &session{Outlet: out, service: s, reader: wyoming.NewReader(conn)}
	})
}
