package engine

import (
	"testing"
	"time"

	"halfsecond/pipeline"
)

// TestStarted: every engine says at which instant it begins to work on a request.
func TestStarted(t *testing.T) {
	for _, s := range subjects {
		var loop pipeline.Virtual
		e := s.make(&loop)
		var told []time.Duration
		var all []*Request
		for range 3 {
			r := &Request{Prompt: 20, Output: 3}
			r.Started = func() { told = append(told, loop.Now(), r.Scheduled) }
			r.Done = func(pipeline.Outcome) {}
			all = append(all, r)
			loop.At(0, pipeline.RankTimer, func() { e.Submit(r) })
		}
		if err := loop.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(told) != 2*len(all) {
			t.Errorf("%s: told %v of %d requests", s.name, told, len(all))
			continue
		}
		for i := 0; i < len(told); i += 2 {
			if told[i] != told[i+1] {
				t.Errorf("%s: told at %s of a start at %s", s.name, told[i], told[i+1])
			}
		}
	}
}
