// Package fit finds the habits of a typist in what somebody typed.
//
// Read fit.go first: Habits makes a table out of gaps. gap.go takes the gaps out of
// any typing.
package fit

import (
	"fmt"
	"math"
	"time"

	"halfsecond/simulators/ide/typing"
)

const (
	// Least is how many gaps a pair of classes must have to be told by itself.
	Least = 20
	// fewest is how many gaps there must be in all.
	fewest = 100
)

// Habits returns the habits that the gaps show, by moments: of each pair of classes
// with at least Least gaps the mean and the deviation of the logarithm of those of up
// to a second, and the share of the others. Rarer pairs are taken together, with all
// pairs when they are fewer than Least even so. The gaps of more than a second make the
// pauses; with fewer than Least of them those of typing.Expert are taken. A gap shorter
// than typing.ShortestGap counts as that. Pauses at the start of a line are what the
// gaps show, so Thinks is false. It is an error when there are fewer than 100 gaps.
func Habits(gaps []Gap) (typing.Habits, error) {
	if len(gaps) < fewest {
		return typing.Habits{}, fmt.Errorf("%d gaps between keys are too few to tell habits by: want %d or more", len(gaps), fewest)
	}
	var h typing.Habits
	var all, rare, pauses sample
	var pairs [typing.Classes][typing.Classes]sample
	for _, g := range gaps {
		pairs[g.Prev][g.Cur].add(g.For)
		all.add(g.For)
		if g.For > typing.ShortestPause {
			pauses.longer(g.For)
		}
	}
	for prev := range pairs {
		for cur := range pairs[prev] {
			if p := &pairs[prev][cur]; p.n >= Least {
				h.Pairs[prev][cur] = p.habit()
			} else {
				rare.join(p)
			}
		}
	}
	if rare.n < Least {
		rare = all
	}
	h.Other = rare.habit()
	usual := typing.Expert()
	if h.PauseMu, h.PauseSigma = usual.PauseMu, usual.PauseSigma; pauses.short >= Least {
		p := pauses.habit()
		h.PauseMu, h.PauseSigma = p.Mu, p.Sigma
	}
	return h, nil
}

// sample are gaps, summed up.
type sample struct {
	n, short     int // how many there are, and how many of them up to a second
	sum, squares float64
}

func (s *sample) add(gap time.Duration) {
	s.n++
	if gap <= typing.ShortestPause {
		s.logarithm(gap)
	}
}

// longer adds a gap however long it is.
func (s *sample) longer(gap time.Duration) {
	s.n++
	s.logarithm(gap)
}

func (s *sample) logarithm(gap time.Duration) {
	s.short++
	ln := math.Log(max(gap, typing.ShortestGap).Seconds() * 1000)
	s.sum += ln
	s.squares += ln * ln
}

func (s *sample) join(other *sample) {
	s.n += other.n
	s.short += other.short
	s.sum += other.sum
	s.squares += other.squares
}

// habit returns the moments. Gaps that are all longer than a second have those of one of
// a second.
func (s *sample) habit() typing.Habit {
	h := typing.Habit{Pause: float64(s.n-s.short) / float64(s.n)}
	if s.short == 0 {
		h.Mu = math.Log(1000)
		return h
	}
	h.Mu = s.sum / float64(s.short)
	h.Sigma = math.Sqrt(max(0, s.squares/float64(s.short)-h.Mu*h.Mu))
	return h
}
