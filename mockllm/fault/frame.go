package fault

import (
	"encoding/binary"
)

// Opcodes of WebSocket frames (RFC 6455, 5.2). Those from 8 on are control frames.
const (
	opContinuation = 0
	opText         = 1
	opClose        = 8
)

// frame is the header of a WebSocket frame.
type frame struct {
	final  bool // it ends its message
	opcode byte
	head   int // bytes of the header, with the key that masks a client's
	size   int // bytes of the payload
}

func (f frame) control() bool { return f.opcode >= opClose }

// parseFrame reads the header that b begins with; false when it is not whole.
func parseFrame(b []byte) (f frame, ok bool) {
	if len(b) < 2 {
		return f, false
	}
	f = frame{final: b[0]&0x80 != 0, opcode: b[0] & 0x0f, head: 2, size: int(b[1] & 0x7f)}
	switch f.size {
	case 126:
		f.head = 4
	case 127:
		f.head = 10
	}
	if len(b) < f.head {
		return f, false
	}
	switch f.head {
	case 4:
		f.size = int(binary.BigEndian.Uint16(b[2:]))
	case 10:
		f.size = int(binary.BigEndian.Uint64(b[2:]) & (1<<62 - 1))
	}
	if b[1]&0x80 != 0 {
		f.head += 4
	}
	return f, len(b) >= f.head
}

// appendFrame appends a whole message as one frame of a server.
func appendFrame(dst []byte, opcode byte, payload []byte) []byte {
	dst = append(dst, 0x80|opcode)
	switch n := len(payload); {
	case n < 126:
		dst = append(dst, byte(n))
	case n < 1<<16:
		dst = binary.BigEndian.AppendUint16(append(dst, 126), uint16(n))
	default:
		dst = binary.BigEndian.AppendUint64(append(dst, 127), uint64(n))
	}
	return append(dst, payload...)
}

// closeFrame returns the frame that closes a WebSocket.
func closeFrame(code int, reason string) []byte {
	return appendFrame(nil, opClose, append(binary.BigEndian.AppendUint16(nil, uint16(code)), reason...))
}

// ear finds the frames in what a client sends, however it is cut into reads.
type ear struct {
	head []byte // the beginning of a header
	skip int    // bytes of a payload that are still to come
}

// hear takes some bytes and reports whether they hold the header of a message's frame.
func (e *ear) hear(p []byte) (message bool) {
	for len(p) > 0 {
		if e.skip > 0 {
			n := min(e.skip, len(p))
			e.skip, p = e.skip-n, p[n:]
			continue
		}
		e.head, p = append(e.head, p[0]), p[1:]
		if f, ok := parseFrame(e.head); ok {
			message = message || !f.control()
			e.head, e.skip = e.head[:0], f.size
		}
	}
	return message
}
