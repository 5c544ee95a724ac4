package voice

import (
	"math"
	"time"
)

// backlog is the work that workers who share it have not done yet. It comes evenly, from
// streams of audio that go on: while they ask for more than all workers can do it grows, and
// otherwise it is worked off. Who comes now waits until what came before is done.
//
//	d work/dt = streams x each - workers, while work > 0 or that is positive
//	wait      = work / workers
type backlog struct {
	workers int     // 0 is any number: nothing waits
	each    float64 // how much of one worker a stream takes
	streams int
	work    float64       // of one worker, in ns
	at      time.Duration // when that was so
}

// settle does the work up to now.
func (b *backlog) settle(now time.Duration) {
	over := float64(b.streams)*b.each - float64(b.workers)
	b.work = max(0, b.work+over*float64(now-b.at))
	b.at = now
}

// come has one more stream, or with -1 one less, from now on.
func (b *backlog) come(n int, now time.Duration) {
	b.settle(now)
	b.streams += n
}

// wait returns how long what comes now waits.
func (b *backlog) wait(now time.Duration) time.Duration {
	if b.workers == 0 {
		return 0
	}
	b.settle(now)
	return time.Duration(math.Round(b.work / float64(b.workers)))
}
