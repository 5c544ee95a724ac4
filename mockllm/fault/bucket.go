package fault

import (
	"time"
)

// bucket holds what a minute brings and fills evenly. It is full at first. The zero
// bucket has no limit.
//
// Its level is kept as the instant at which it would be full again: every unit taken
// moves that by a minute / perMinute, and a unit is there while the instant is no more
// than a minute ahead. So levels are whole nanoseconds and never drift.
type bucket struct {
	perMinute int
	full      time.Duration
}

// cost returns how long n units take to come back.
func (b *bucket) cost(n int) time.Duration {
	whole, rest := n/b.perMinute, n%b.perMinute
	return time.Duration(whole)*time.Minute + time.Duration(rest)*time.Minute/time.Duration(b.perMinute)
}

// wait returns how long it takes until n units are there, 0 when they are; ok is false
// when the bucket cannot hold so many.
func (b *bucket) wait(n int, now time.Duration) (d time.Duration, ok bool) {
	if b.perMinute == 0 {
		return 0, true
	}
	return max(0, max(b.full, now)+b.cost(n)-now-time.Minute), n <= b.perMinute
}

// take removes n units.
func (b *bucket) take(n int, now time.Duration) {
	if b.perMinute > 0 {
		b.full = max(b.full, now) + b.cost(n)
	}
}

// level is what headers tell of a bucket.
type level struct {
	limit, remaining int
	reset            time.Duration // until it is full
}

func (b *bucket) level(now time.Duration) level {
	reset := max(0, b.full-now)
	left := time.Minute - reset
	return level{b.perMinute, int(int64(left) * int64(b.perMinute) / int64(time.Minute)), reset}
}
