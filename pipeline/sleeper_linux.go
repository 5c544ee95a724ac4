package pipeline

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// fdSleeper sleeps on a Linux timerfd read through the runtime's poller, which
// is not rounded to a millisecond as runtime timers are. Each sleep costs two
// system calls, so while work is denser than half a millisecond apart it leaves
// the waiting to a runtime timer.
type fdSleeper struct {
	coarse  *timerSleeper
	fd      int
	file    *os.File
	buffer  [8]byte
	average time.Duration // of recent sleeps, exponentially weighted
	fine    bool          // which of the two is armed
}

// denseWork is the average sleep below which a runtime timer is the better one.
const denseWork = 500 * time.Microsecond

// newPreciseSleeper falls back to the runtime timer when the kernel refuses.
func newPreciseSleeper() sleeper {
	coarse := newTimerSleeper()
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return coarse
	}
	return &fdSleeper{coarse: coarse, fd: fd, file: os.NewFile(uintptr(fd), "timerfd"), average: time.Millisecond}
}

func (s *fdSleeper) arm(d time.Duration) {
	s.average += (min(d, 10*time.Millisecond) - s.average) / 8
	s.fine = s.average > denseWork && s.set(d)
	if !s.fine {
		s.coarse.arm(d)
	}
}

// set arms the timerfd; zero would disarm it, so the shortest span is 1 ns.
func (s *fdSleeper) set(d time.Duration) bool {
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(max(d, 1)))}
	return unix.TimerfdSettime(s.fd, 0, &spec, nil) == nil
}

func (s *fdSleeper) wake() {
	if s.fine {
		s.set(1)
		return
	}
	s.coarse.wake()
}

func (s *fdSleeper) wait() {
	if !s.fine {
		s.coarse.wait()
		return
	}
	// An error means that the file is closed; the loop then finds no reason to
	// go on sleeping.
	_, _ = s.file.Read(s.buffer[:])
}

func (s *fdSleeper) close() {
	s.coarse.close()
	_ = s.file.Close()
}
