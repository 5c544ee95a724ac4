package pipeline

import "time"

// timerSleeper sleeps on a runtime timer. Its rounding to the poller's
// millisecond batches close instants for free, which suits dense work.
type timerSleeper struct {
	timer *time.Timer
	kick  chan struct{}
}

func newTimerSleeper() *timerSleeper {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return &timerSleeper{timer: t, kick: make(chan struct{}, 1)}
}

func (s *timerSleeper) arm(now, at time.Duration) {
	select { // a kick for an earlier sleep is stale
	case <-s.kick:
	default:
	}
	s.timer.Reset(at - now)
}

func (s *timerSleeper) wake() {
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

func (s *timerSleeper) wait() {
	select {
	case <-s.timer.C:
	case <-s.kick:
		s.timer.Stop()
	}
}

func (s *timerSleeper) close() { s.timer.Stop() }
