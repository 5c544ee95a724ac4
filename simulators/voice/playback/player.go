package playback

import (
	"math"
	"time"
)

// Piece is audio of one text that was handed to a voice.
type Piece struct {
	First time.Duration // instant at which its first sample can be played
	Last  time.Duration // instant at which its last sample can be; samples come evenly between
	For   time.Duration // how long it plays
}

// Until returns what of the piece can be played of which no sample counts that could be later
// than an instant; ok is false for none.
func (x Piece) Until(at time.Duration) (some Piece, ok bool) {
	switch {
	case x.First > at:
		return Piece{}, false
	case x.Last > at:
		x.For = time.Duration(float64(x.For) * float64(at-x.First) / float64(x.Last-x.First))
		x.Last = at
	}
	return x, true
}

// Gap is a silence inside a reply. Of a piece that is made slower than it plays it stands for
// all the silences between its samples together.
type Gap struct{ From, To time.Duration }

// Player plays pieces in order, from the instant at which the first can be. The zero
// Player has played nothing.
type Player struct {
	Begun  bool
	Over   time.Duration // instant at which what was added is played, if nothing more comes
	Gaps   []Gap
	played []played
}

// played is a piece and the instant at which its first sample is played.
type played struct {
	Piece
	start time.Duration
}

// Add has the player go on with a piece.
func (p *Player) Add(x Piece) {
	if !p.Begun {
		p.Begun, p.Over = true, x.First
	}
	p.wait(x.First)
	p.played = append(p.played, played{x, p.Over})
	// Evenly made audio that comes slower than it plays runs dry again and again: all of the
	// shortfall is one gap, where it does first, after which the rest plays to its last sample.
	if short := x.Last - p.Over - x.For; short > 0 {
		some := x.inHand(p.Over)
		p.Over += some
		p.wait(p.Over + short)
		p.Over += x.For - some
		return
	}
	p.Over += x.For
}

// inHand returns how much of a piece that is made slower than it plays is played without a
// silence from an instant on: what is there then, and what is made while that plays.
func (x Piece) inHand(from time.Duration) time.Duration {
	there, slower := float64(from-x.First), float64(x.Last-x.First-x.For)
	return min(x.For, time.Duration(math.Round(there*float64(x.For)/slower)))
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

// Heard returns how much was played until an instant: what sounded, without the silences.
// Audio that comes slower than it plays sounds as it comes, once what was in hand is used up.
func (p *Player) Heard(until time.Duration) (sum time.Duration) {
	for _, x := range p.played {
		sum += x.heard(until)
	}
	return sum
}

func (x played) heard(until time.Duration) time.Duration {
	plays := until - x.start
	if took := x.Last - x.First; took > 0 {
		plays = min(plays, time.Duration(float64(x.For)*float64(until-x.First)/float64(took)))
	}
	return max(0, min(plays, x.For))
}

// Stalled returns how long the gaps are together.
func (p *Player) Stalled() (sum time.Duration) {
	for _, g := range p.Gaps {
		sum += g.To - g.From
	}
	return sum
}
