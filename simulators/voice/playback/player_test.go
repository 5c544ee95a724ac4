package playback

import (
	"fmt"
	"testing"
	"time"

	"halfsecond/pipeline/dist"
)

const ms = time.Millisecond

func TestPlayer(t *testing.T) {
	piece := func(first, last, long int) Piece {
		return Piece{time.Duration(first) * ms, time.Duration(last) * ms, time.Duration(long) * ms}
	}
	for _, c := range []struct {
		name   string
		player Player
		pieces []Piece
		gaps   string
		over   time.Duration // ms
	}{
		{"nothing", Player{}, nil, "", 0},
		{"one piece, all at once", Player{}, []Piece{piece(100, 100, 1000)}, "", 1100},
		{"made as fast as it plays", Player{}, []Piece{piece(100, 1100, 1000)}, "", 1100},
		{"made slower: the shortfall is one gap, at once", Player{}, []Piece{piece(100, 1600, 1000)}, "100-600 ", 1600},
		{"the next is there in time", Player{}, []Piece{piece(100, 200, 1000), piece(1100, 1200, 500)}, "", 1600},
		{"the next is late", Player{}, []Piece{piece(100, 200, 1000), piece(1300, 1400, 500)}, "1100-1300 ", 1800},
		{"the next is late, and slow", Player{}, []Piece{piece(100, 200, 1000), piece(1300, 2000, 500)}, "1100-1500 ", 2000},
		{"slow, and the next is late: two gaps", Player{}, []Piece{piece(100, 1600, 1000), piece(1700, 1800, 500)}, "100-600 1600-1700 ", 2200},
		// 300 ms behind the first sample 200 are in hand, which are used up, with what is made meanwhile, after 600.
		{"a player that begins later has some in hand", Player{Begun: true, Over: 400 * ms}, []Piece{piece(100, 1600, 1000), piece(1700, 1800, 500)}, "1000-1200 1600-1700 ", 2200},
		{"a piece without sound is late", Player{}, []Piece{piece(100, 200, 1000), piece(1000, 1300, 0)}, "1100-1300 ", 1300},
	} {
		p := c.player
		for _, x := range c.pieces {
			p.Add(x)
		}
		gaps := ""
		for _, g := range p.Gaps {
			gaps += fmt.Sprintf("%d-%d ", g.From/ms, g.To/ms)
		}
		if gaps != c.gaps || p.Over != c.over*ms {
			t.Errorf("%s: gaps %q, over at %s; want %q and %s", c.name, gaps, p.Over, c.gaps, c.over*ms)
		}
	}
}

// TestPlayerAddsUp: what plays and what is silent fill the time from the beginning to the
// end, no gap touches the next, and audio that comes sooner is never heard later.
func TestPlayerAddsUp(t *testing.T) {
	r := dist.Stream(1, "playback")
	for range 2000 {
		var p, sooner Player
		at, plays := time.Duration(0), time.Duration(0)
		begin := time.Duration(0)
		for i := range 1 + r.IntN(6) {
			at += time.Duration(r.IntN(800)) * ms
			x := Piece{First: at, For: time.Duration(r.IntN(1000)) * ms}
			x.Last = x.First + time.Duration(r.IntN(1200))*ms
			at = x.Last
			if i == 0 {
				begin = x.First
			}
			p.Add(x)
			x.Last -= (x.Last - x.First) / 2
			sooner.Add(x)
			plays += x.For
		}
		if p.Over != begin+plays+p.Stalled() || sooner.Over > p.Over {
			t.Fatalf("over at %s after %s of audio and %s of silence from %s on; sooner %s", p.Over, plays, p.Stalled(), begin, sooner.Over)
		}
		for i := 1; i < len(p.Gaps); i++ {
			if p.Gaps[i].From <= p.Gaps[i-1].To {
				t.Fatalf("gaps %v touch", p.Gaps)
			}
		}
	}
}

// TestHeard: silences are not heard, and slow audio sounds as it comes.
func TestHeard(t *testing.T) {
	var p Player
	p.Add(Piece{First: 100 * ms, Last: 200 * ms, For: 1000 * ms}) // 100-1100
	p.Add(Piece{First: 1300 * ms, Last: 2300 * ms, For: 500 * ms})
	slow := Player{Begun: true, Over: 600 * ms}
	slow.Add(Piece{First: 100 * ms, Last: 2100 * ms, For: 1000 * ms}) // 250 in hand: used up at 1100, with 500 heard
	for _, c := range []struct {
		p           *Player
		until, want int
	}{
		{&p, 0, 0}, {&p, 100, 0}, {&p, 600, 500}, {&p, 1100, 1000}, {&p, 1300, 1000}, {&p, 1800, 1250}, {&p, 2300, 1500}, {&p, 9000, 1500},
		{&slow, 600, 0}, {&slow, 1100, 500}, {&slow, 1600, 750}, {&slow, 2100, 1000}, {&slow, 2500, 1000},
	} {
		if got := c.p.Heard(time.Duration(c.until) * ms); got != time.Duration(c.want)*ms {
			t.Errorf("until %d: %s heard, want %d ms", c.until, got, c.want)
		}
	}
	whole := Piece{First: 100 * ms, Last: 1100 * ms, For: 500 * ms}
	for at, want := range map[int]int{99: -1, 100: 0, 600: 250, 1100: 500, 2000: 500} {
		x, ok := whole.Until(time.Duration(at) * ms)
		if ok != (want >= 0) || ok && (x.For != time.Duration(want)*ms || x.First != whole.First || x.Last != min(whole.Last, time.Duration(at)*ms)) {
			t.Errorf("cut off at %d: %+v, %t", at, x, ok)
		}
	}
}
