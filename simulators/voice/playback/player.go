package playback

import "time"

// Piece is audio of one text that was handed to a voice.
type Piece struct {
	First time.Duration // instant at which its first sample can be played
	Last  time.Duration // instant at which its last sample can be; samples come evenly between
	For   time.Duration // how long it plays
}

// Gap is a silence inside a reply.
type Gap struct{ From, To time.Duration }

// Player plays pieces in order, from the instant at which the first can be. The zero
// Player has played nothing.
type Player struct {
	Begun bool
	Over  time.Duration // instant at which what was added is played, if nothing more comes
	Gaps  []Gap
}

// Add has the player go on with a piece.
func (p *Player) Add(x Piece) {
	if !p.Begun {
		p.Begun, p.Over = true, x.First
	}
	p.wait(x.First)
	// Evenly made audio that comes slower than it plays runs dry again and again: all of the
	// shortfall is one gap, before the last sample.
	p.Over += x.For
	if late := x.Last; late > p.Over {
		p.wait(late)
	}
}

// wait plays silence until an instant.
func (p *Player) wait(until time.Duration) {
	if until <= p.Over {
		return
	}
	if n := len(p.Gaps); n > 0 && p.Gaps[n-1].To == p.Over { // nothing was played between
		p.Gaps[n-1].To = until
	} else {
		p.Gaps = append(p.Gaps, Gap{p.Over, until})
	}
	p.Over = until
}

// Stalled returns how long the gaps are together.
func (p *Player) Stalled() (sum time.Duration) {
	for _, g := range p.Gaps {
		sum += g.To - g.From
	}
	return sum
}
