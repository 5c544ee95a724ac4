package pipeline

import (
	"fmt"
	"math"
	"time"
)

// Rank settles what happens first among the work of one instant.
type Rank uint8

const (
	RankOutput Rank = iota // outputs and freed slots
	RankInput              // outside inputs: keys, closes, network reads
	RankTimer              // timers and sends
	RankStart              // starts of service
)

// Scheduler is the loop as a stage sees it. A Scheduler may be used only from
// work that runs on it.
type Scheduler interface {
	// Now returns the due instant of the work in hand, since the run began.
	Now() time.Duration
	// At has f run at instant t, which must not be before Now.
	At(t time.Duration, r Rank, f func()) Timer
	// After has f run d after Now. It panics when d is negative.
	After(d time.Duration, r Rank, f func()) Timer
}

// Loop orders work by (instant, rank, order of scheduling) in integer
// nanoseconds. It runs nothing by itself: Virtual and Wall drive it. The zero
// Loop is empty and stands at instant zero.
//
// The queue is a four-ary heap of small values. Stopped work stays in the heap
// until it is due or until it makes up half of it, so Stop costs nothing.
type Loop struct {
	now   time.Duration
	seq   uint64
	queue []event
	slots []slot
	free  []uint32
	dead  int // stopped events still in the queue
}

// event is the place of one piece of work in the order.
type event struct {
	at     time.Duration
	key    uint64 // rank in the top byte, then whether it was scheduled here, then the order of scheduling
	slot   uint32
	posted bool // it came from another goroutine, already observed
}

// scheduled is the part of a key that puts scheduled work behind posted work of its rank.
const scheduled = 1 << 55

func (e event) before(o event) bool {
	return e.at < o.at || e.at == o.at && e.key < o.key
}

// slot holds the work itself. The generation tells a stale Timer from a live one.
type slot struct {
	f          func()
	generation uint32
}

// Timer stands for scheduled work. It is a value; the zero Timer stands for none.
type Timer struct {
	loop       *Loop
	slot       uint32
	generation uint32
}

// Stop takes the work back. It reports whether the work was still to come, and
// is safe on a Timer whose work has run.
func (t Timer) Stop() bool {
	if t.loop == nil {
		return false
	}
	s := &t.loop.slots[t.slot]
	if s.generation != t.generation || s.f == nil {
		return false
	}
	s.f = nil
	t.loop.dead++
	t.loop.compact()
	return true
}

// Now implements Scheduler.
func (l *Loop) Now() time.Duration { return l.now }

// At implements Scheduler.
func (l *Loop) At(t time.Duration, r Rank, f func()) Timer {
	if t < l.now {
		panic(fmt.Sprintf("pipeline: work at %s is before now, %s", t, l.now))
	}
	return l.schedule(t, r, f, false)
}

// After implements Scheduler.
func (l *Loop) After(d time.Duration, r Rank, f func()) Timer {
	if d < 0 {
		panic(fmt.Sprintf("pipeline: negative delay %s", d))
	}
	return l.schedule(later(l.now, d), r, f, false)
}

// LastInstant is the end of time, some 292 years on: what would be later is then.
const LastInstant = time.Duration(math.MaxInt64)

// later returns t + d, or LastInstant.
func later(t, d time.Duration) time.Duration {
	if sum := t + d; sum >= t {
		return sum
	}
	return LastInstant
}

func (l *Loop) schedule(t time.Duration, r Rank, f func(), posted bool) Timer {
	var i uint32
	if n := len(l.free); n > 0 {
		i = l.free[n-1]
		l.free = l.free[:n-1]
	} else {
		i = uint32(len(l.slots))
		l.slots = append(l.slots, slot{})
	}
	l.slots[i].f = f
	l.seq++
	key := uint64(r)<<56 | l.seq
	if !posted {
		key |= scheduled
	}
	l.push(event{at: t, key: key, slot: i, posted: posted})
	return Timer{loop: l, slot: i, generation: l.slots[i].generation}
}

// peek returns the instant of the next live work.
func (l *Loop) peek() (at time.Duration, ok bool) {
	for len(l.queue) > 0 {
		if l.slots[l.queue[0].slot].f != nil {
			return l.queue[0].at, true
		}
		l.dead--
		l.release(l.pop().slot)
	}
	return 0, false
}

// step runs the next live work, which peek has found.
func (l *Loop) step() {
	e := l.pop()
	f := l.slots[e.slot].f
	l.release(e.slot)
	l.now = e.at
	f()
}

// release makes the slot free and every Timer to it stale.
func (l *Loop) release(i uint32) {
	l.slots[i].f = nil
	l.slots[i].generation++
	l.free = append(l.free, i)
}

// compact drops stopped events once they are most of the queue.
func (l *Loop) compact() {
	if l.dead < 64 || l.dead*2 < len(l.queue) {
		return
	}
	live := l.queue[:0]
	for _, e := range l.queue {
		if l.slots[e.slot].f == nil {
			l.release(e.slot)
			continue
		}
		live = append(live, e)
	}
	l.queue, l.dead = live, 0
	for i := len(live)/4 + 1; i >= 0; i-- {
		l.down(i)
	}
}

func (l *Loop) push(e event) {
	l.queue = append(l.queue, e)
	q := l.queue
	i := len(q) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(q[parent]) {
			break
		}
		q[i] = q[parent]
		i = parent
	}
	q[i] = e
}

func (l *Loop) pop() event {
	top := l.queue[0]
	n := len(l.queue) - 1
	l.queue[0] = l.queue[n]
	l.queue = l.queue[:n]
	l.down(0)
	return top
}

// down lets the event at i sink to its place.
func (l *Loop) down(i int) {
	q := l.queue
	if i >= len(q) {
		return
	}
	e := q[i]
	for {
		first := 4*i + 1
		if first >= len(q) {
			break
		}
		least := first
		for c := first + 1; c < min(first+4, len(q)); c++ {
			if q[c].before(q[least]) {
				least = c
			}
		}
		if !q[least].before(e) {
			break
		}
		q[i] = q[least]
		i = least
	}
	q[i] = e
}
