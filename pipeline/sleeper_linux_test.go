package pipeline

import (
	"testing"
	"time"
)

// TestPreciseSleeperAgain: a sleep until an instant that the timer has already told of, as
// after one that ended a moment too early, ends as well.
func TestPreciseSleeperAgain(t *testing.T) {
	s := newPreciseSleeper()
	defer s.close()
	for range 2 {
		s.arm(0, time.Millisecond)
		woke := make(chan struct{})
		go func() { s.wait(); close(woke) }()
		select {
		case <-woke:
		case <-time.After(30 * time.Second):
			t.Fatal("it sleeps for ever")
		}
	}
}
