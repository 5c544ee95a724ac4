package heard

import (
	"slices"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/exchange"
)

// Pace says how well audio was sent at the pace of speech.
type Pace struct {
	Frames int
	Every  time.Duration // between the due instants of the first two frames; Unknown for fewer
	// Late is how much later than due the latest frame went out, Behind how many were later
	// than half of Every, and Drift how much later the last was than the first.
	Late, Drift time.Duration // Unknown without a frame
	Behind      int
}

// PaceOf returns the pace of the audio that was sent in a conversation.
func PaceOf(x *exchange.Exchange) Pace {
	due, late := payload(x)
	p := Pace{Frames: len(due), Every: pipeline.Unknown, Late: pipeline.Unknown, Drift: pipeline.Unknown}
	if p.Frames == 0 {
		return p
	}
	p.Late, p.Drift = slices.Max(late), late[p.Frames-1]-late[0]
	if p.Frames == 1 {
		return p
	}
	p.Every = due[1] - due[0]
	for _, l := range late {
		if 2*l > p.Every {
			p.Behind++
		}
	}
	return p
}

// payload returns when each frame of audio, or piece of text, was due, and how late it was.
func payload(x *exchange.Exchange) (due, late []time.Duration) {
	for _, m := range x.Messages {
		if m.From == exchange.Client && m.Due != pipeline.Unknown {
			due, late = append(due, m.Due), append(late, m.At-m.Due)
		}
	}
	return due, late
}
