package fault

import "bytes"

// stream is the stage that does what waits for a token.
type stream struct {
	next stage
	o    *writer
	plan *Plan
	sent int // tokens
}

func (s *stream) write(p []byte) error {
	from := s.sent
	s.sent = max(from+1, s.plan.next)
	hit := func(k int) bool { return k > from && k <= s.sent }
	if hit(s.plan.stall.At) {
		if err := s.stall(from > 0); err != nil {
			return err
		}
	}
	switch {
	case hit(s.plan.end.At):
		return s.end(nil, errEnded)
	case hit(s.plan.failing.At):
		return s.end(s.plan.failure().event(s.plan.query.Protocol, s.plan.query.Path, s.o.committed.Get("Content-Type")), errFailed)
	case hit(s.plan.cut.At):
		if err := s.next.finish(); err != nil {
			return err
		}
		return s.o.cut(p, len(p)/2)
	}
	if hit(s.plan.malformed.At) {
		p = halved(p)
	}
	if hit(s.plan.oversized.At) {
		p = padded(p, s.plan.oversized.Bytes)
	}
	return s.next.write(p)
}

// stall lets out what was written, if anything was, and waits.
func (s *stream) stall(written bool) error {
	if written {
		if err := s.next.flush(); err != nil {
			return err
		}
	}
	s.plan.hold()
	if !sleep(s.o.ctx, s.plan.stall.For) {
		return s.o.ctx.Err()
	}
	return nil
}

// end writes the last that the client gets, and ends the answer.
func (s *stream) end(last []byte, why error) error {
	if len(last) > 0 {
		if err := s.next.write(last); err != nil {
			return err
		}
	}
	_ = s.next.flush() // with headers, if nothing else
	_ = s.next.finish()
	s.o.finished = true
	return s.o.end(why)
}

func (s *stream) flush() error  { return s.next.flush() }
func (s *stream) finish() error { return s.next.finish() }

// lastLine returns where the last line of a write that holds text begins and ends: that
// of an event's data, or a JSON object.
func lastLine(p []byte) (from, to int) {
	to = len(bytes.TrimRight(p, "\r\n"))
	return bytes.LastIndexByte(p[:to], '\n') + 1, to
}

// halved returns a write whose last line has lost the second half of its value.
func halved(p []byte) []byte {
	from, to := lastLine(p)
	if i := bytes.IndexByte(p[from:to], '{'); i >= 0 {
		from += i
	}
	keep := from + (to-from+1)/2
	return append(bytes.Clone(p[:keep]), p[to:]...)
}

// padded returns a write whose last line has n bytes: a JSON object gets a field that
// clients do not know, anything else zeros at its end.
func padded(p []byte, n int) []byte {
	from, to := lastLine(p)
	missing := n - (to - from)
	if missing <= 0 {
		return p
	}
	open := bytes.IndexByte(p[from:to], '{')
	if open < 0 {
		return append(append(bytes.Clone(p[:to]), make([]byte, missing)...), p[to:]...)
	}
	head, tail := `"padding":"`, `",`
	if bytes.Equal(bytes.TrimSpace(p[from+open+1:to]), []byte("}")) {
		tail = `"`
	}
	at := from + open + 1
	out := append(bytes.Clone(p[:at]), head...)
	out = append(out, bytes.Repeat([]byte("x"), max(0, missing-len(head)-len(tail)))...)
	return append(append(out, tail...), p[at:]...)
}
