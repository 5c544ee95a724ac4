package pipeline

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// fdSleeper sleeps on a Linux timerfd read through the runtime's poller, which
// is not rounded to a millisecond as runtime timers are. Each sleep costs two
// system calls, so while sleeps follow one another within half a millisecond, for
// work that is due or for what others post, it leaves the waiting to a runtime
// timer: in a process that is so busy, that fires in time.
//
// A wake is a deadline of the read that has passed, which the poller alone deals
// with. To go back to sleep until the same instant sets nothing.
type fdSleeper struct {
	coarse  *timerSleeper
	fd      int
	file    *os.File
	buffer  [8]byte
	set     time.Duration // the instant that the timerfd was last set for
	woken   bool          // the file has a deadline, which has passed
	armed   time.Duration // when it was last armed
	average time.Duration // from one time to the next, exponentially weighted
	fine    bool          // which of the two is armed
}

// denseWork is the average below which a runtime timer is the better one.
const denseWork = 500 * time.Microsecond

// newPreciseSleeper falls back to the runtime timer when the kernel refuses.
func newPreciseSleeper() sleeper {
	coarse := newTimerSleeper()
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return coarse
	}
	return &fdSleeper{coarse: coarse, fd: fd, file: os.NewFile(uintptr(fd), "timerfd"), set: -1, average: time.Millisecond}
}

func (s *fdSleeper) arm(now, at time.Duration) {
	s.average += (min(now-s.armed, 10*time.Millisecond) - s.average) / 8
	s.armed = now
	s.fine = s.average > denseWork && s.setTimer(now, at) && s.setWoken(false)
	if !s.fine {
		s.coarse.arm(now, at)
	}
}

// setTimer has the timerfd fire at an instant. When it has fired for an earlier one that
// nobody waited for any more, the next wait ends at once, to no harm.
func (s *fdSleeper) setTimer(now, at time.Duration) bool {
	if at == s.set {
		return true
	}
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(at - now))}
	if unix.TimerfdSettime(s.fd, 0, &spec, nil) != nil {
		return false
	}
	s.set = at
	return true
}

// setWoken gives the file a deadline that has passed, or none.
func (s *fdSleeper) setWoken(woken bool) bool {
	if woken == s.woken {
		return true
	}
	var deadline time.Time
	if woken {
		deadline = time.Unix(1, 0)
	}
	if s.file.SetReadDeadline(deadline) != nil {
		return false
	}
	s.woken = woken
	return true
}

func (s *fdSleeper) wake() {
	if s.fine {
		s.setWoken(true)
		return
	}
	s.coarse.wake()
}

func (s *fdSleeper) wait() {
	if !s.fine {
		s.coarse.wait()
		return
	}
	// An error means that it was woken, or that the file is closed; the loop then
	// finds no reason to go on sleeping.
	if _, err := s.file.Read(s.buffer[:]); err == nil {
		s.set = -1 // it fires once
	}
}

func (s *fdSleeper) close() {
	s.coarse.close()
	_ = s.file.Close()
}
