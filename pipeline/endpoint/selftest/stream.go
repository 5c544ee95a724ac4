package selftest

import (
	"cmp"
	"fmt"
	"time"

	"halfsecond/pipeline"
)

// stream is one answer as the client reports it.
type stream struct {
	test *test
	call pipeline.Call

	chunks  int
	arrived time.Duration // when the server had the request, by its own word
	first   time.Duration // when it wrote the first chunk
	written time.Duration // when it wrote the last one so far
	read    time.Duration // when the client says that it read that
}

// begin asks for a stream; it runs on the loop.
func (t *test) begin(id int64) {
	s := &stream{test: t}
	s.call = pipeline.Call{
		PromptTokens: 1, OutputTokens: Chunks, MaxTokens: Chunks,
		Prompt: func() pipeline.Prompt { return pipeline.Prompt{Chat: true, Text: "What time is it?"} },
		Notify: s.notify, Done: s.done,
		Record: pipeline.NewRequest(id, t.wall.Now()),
	}
	t.client.Start(&s.call)
}

// notify holds a chunk against the instant at which it was written. An interaction that
// waits for one hears of it at the same instant.
func (s *stream) notify(p pipeline.Progress) {
	at := s.test.wall.Now()
	arrived, written, err := instants(p.Text)
	if err != nil {
		s.test.failed = cmp.Or(s.test.failed, err)
		return
	}
	s.test.read.Record(at - written)
	if s.chunks == 0 {
		s.arrived, s.first = arrived, written
	} else {
		s.test.gap.Record(((at - s.read) - (written - s.written)).Abs())
	}
	s.chunks++
	s.written, s.read = written, at
}

// done holds the time to the first token against what it was, and ends the test after the
// last stream.
func (s *stream) done() {
	r, t := &s.call.Record, s.test
	switch {
	case r.Outcome != pipeline.OK:
		t.failed = cmp.Or(t.failed, fmt.Errorf("a stream ended as %v: %s", r.Outcome, r.Reason))
	case s.chunks != Chunks:
		t.failed = cmp.Or(t.failed, fmt.Errorf("of a stream of %d chunks %d were reported", Chunks, s.chunks))
	default:
		t.first.Record((r.FirstOutput - r.Sent) - (s.first - s.arrived))
	}
	if t.open--; t.open == 0 {
		t.wall.Stop()
	}
}
