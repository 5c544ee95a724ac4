package transport

import (
	"math"
	"time"

	"halfsecond/pipeline/dist"
)

// Repair is what is done about a lost frame.
type Repair uint8

// Repairs.
const (
	// Concealed frames are made up from those before them. Nothing is later for it: what was
	// lost is clipped, and words with it. Where the first frames of a reply are lost there is
	// nothing to go on from, and it is heard with the first that comes.
	Concealed Repair = iota
	// FEC has each frame hold a coarse copy of the one before it, which a jitter buffer of a
	// frame or more has in time: of frames that are lost in a row all but the last are
	// concealed.
	FEC
	// Resent frames are sent again, and all later ones wait for them, as over TCP.
	Resent
)

// String returns the name, as scenario files have it.
func (r Repair) String() string { return [...]string{"concealed", "fec", "resent"}[r] }

// Loss is frames that are lost on their way. They are lost in runs: whether one is depends on
// the one before it (Gilbert's model). The zero Loss loses none.
type Loss struct {
	Share     float64 // of frames, 0 to below 1
	Burst     float64 // mean length of a run of them, in frames, 1 or more
	Repair    Repair
	RoundTrip dist.Dist // of the way: after what time a sender hears of a frame; Resent only
}

// Fate is what became of the frames of some sound.
type Fate struct {
	Frames  int
	Clipped int           // were made up, or not heard
	Late    time.Duration // by so much later its end came, or with First its beginning
}

// Share returns which part of the frames was clipped; 0 of none.
func (f Fate) Share() float64 {
	if f.Frames == 0 {
		return 0
	}
	return float64(f.Clipped) / float64(f.Frames)
}

// End sends so many frames, more of which follow, and returns when the last of them is
// there, beside when it would have been.
func (l Line) End(frames int, r *dist.Rand) Fate {
	f := Fate{Frames: frames}
	trip := l.Loss.RoundTrip.Draw(r)
	l.Loss.runs(r, frames, func(from, to int) {
		f.Clipped += l.clipped(from, to, frames)
		if l.Loss.Repair == Resent {
			// All of a run are sent again when the frame behind it is missed, which is there
			// so many frames before the last of the sound.
			f.Late = max(f.Late, again(trip, l.Frame)-time.Duration(frames-to)*l.Frame)
		}
	})
	return f
}

// First sends so many frames, and returns when the first that can be heard is there, beside
// when it would have been. Frames that are sent again go out as they are made, ahead of their
// playing, as Egress says: the one behind a run of lost ones follows at once, and however long
// the run is, all of it is missed with that.
func (l Line) First(frames int, r *dist.Rand) Fate {
	f := Fate{Frames: frames}
	trip := l.Loss.RoundTrip.Draw(r)
	l.Loss.runs(r, frames, func(from, to int) {
		f.Clipped += l.clipped(from, to, frames)
		switch {
		case from > 0:
		case l.Loss.Repair == Resent:
			f.Late = again(trip, 0)
		default:
			f.Late = time.Duration(l.clipped(0, to, to)) * l.Frame
		}
	})
	return f
}

// clipped returns how many of some sound's frames are not replaced, of a run that was lost
// from one number up to before another.
func (l Line) clipped(from, to, frames int) int {
	lost := min(to, frames) - from
	switch {
	case l.Loss.Repair == Resent:
		return 0
	case l.Loss.Repair == FEC && to <= frames: // what follows the run has the last of it
		return lost - 1
	}
	return lost
}

// again returns how much later than it would have been a frame is there that was sent again,
// where the next goes out so long after it. Its sender learns that the next frame is there and
// this one is not, one round trip after sending that; it takes it for lost once a quarter of the
// least round trip has passed beyond its own, since frames may change their order; and half a
// round trip later it is there. A frame that is lost again is not modelled.
//
//	round trip + max(next, round trip / 4)
//
// Source: RACK-TLP, RFC 8985, 2021, section 6.2. With sound that goes on the next frame
// comes before a probe would (section 7).
func again(trip, next time.Duration) time.Duration { return trip + max(next, trip/4) }

// runs calls lost for each run of lost frames that begins among so many: those from one
// number up to before another, which may lie beyond them.
func (x *Loss) runs(r *dist.Rand, frames int, lost func(from, to int)) {
	if x.Share <= 0 {
		return
	}
	begins := x.Share / (x.Burst * (1 - x.Share)) // how likely a run begins behind a frame that came
	at := 0
	if r.Float64() >= x.Share {
		at = 1 + after(r, begins)
	}
	for at < frames {
		to := at + 1 + after(r, 1/x.Burst)
		lost(at, to)
		at = to + 1 + after(r, begins)
	}
}

// after draws how often something with a chance does not happen before it does.
func after(r *dist.Rand, chance float64) int {
	if chance >= 1 {
		return 0
	}
	const most = 1 << 30 // frames: longer than any sound
	return int(min(most, math.Log(1-r.Float64())/math.Log1p(-chance)))
}
