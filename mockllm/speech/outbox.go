package speech

import (
	"time"

	"halfsecond/pipeline"
)

// outbox tells events on the loop, in an order that makes sense to who hears them.
type outbox struct {
	loop    pipeline.Scheduler
	tell    func(Event)
	stopped bool
	settled time.Duration // instant of the last event that stays
	passing time.Duration // instant of the last interim
	given   int           // events that stay, so far
	told    int           // number of the last of them that was told
}

// at tells an event at an instant, and not before those given to it earlier.
func (o *outbox) at(t time.Duration, e Event) pipeline.Timer {
	o.settled = max(t, o.settled, o.loop.Now())
	o.given++
	number := o.given
	return o.loop.At(o.settled, pipeline.RankOutput, func() {
		o.told = number
		o.say(e)
	})
}

// now tells an event at this instant, whatever is still to come.
func (o *outbox) now(e Event) {
	o.loop.At(o.loop.Now(), pipeline.RankOutput, func() { o.say(e) })
}

// overtakable tells an event at an instant, unless one that stays and was given later
// is told before and makes it old.
func (o *outbox) overtakable(t time.Duration, e Event) {
	o.passing = max(t, o.passing, o.settled)
	given := o.given
	o.loop.At(o.passing, pipeline.RankOutput, func() {
		if o.told <= given {
			o.say(e)
		}
	})
}

func (o *outbox) say(e Event) {
	if !o.stopped {
		o.tell(e)
	}
}

// arrivals are the instants at which audio arrived.
type arrivals []arrival

type arrival struct{ until, instant time.Duration }

// kept is how far back arrivals are remembered: further than speech ends before it is
// known.
const kept = 2 * time.Second

// add says that the audio up to a position arrives now.
func (a *arrivals) add(until, now time.Duration) {
	old := *a
	for len(old) > 1 && old[0].until < until-kept && old[1].until < until-kept {
		old = old[1:]
	}
	*a = append(old, arrival{until, now})
}

// at returns when the sample before a position arrived.
func (a arrivals) at(position time.Duration) time.Duration {
	for _, c := range a {
		if c.until >= position {
			return c.instant
		}
	}
	return a[len(a)-1].instant
}
