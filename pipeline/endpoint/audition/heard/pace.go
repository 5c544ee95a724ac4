package heard

import (
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
	p := Pace{Every: pipeline.Unknown, Late: pipeline.Unknown, Drift: pipeline.Unknown}
	var first exchange.Message
	for _, m := range x.Messages {
		if m.From != exchange.Client || m.Due == pipeline.Unknown {
			continue
		}
		late := m.At - m.Due
		switch p.Frames {
		case 0:
			first, p.Late = m, late
		case 1:
			p.Every = m.Due - first.Due
		}
		p.Frames++
		p.Late, p.Drift = max(p.Late, late), late-(first.At-first.Due)
		if p.Every != pipeline.Unknown && 2*late > p.Every {
			p.Behind++
		}
	}
	return p
}
