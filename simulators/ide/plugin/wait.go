package plugin

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Debounce is how a plugin tells that somebody has stopped typing.
type Debounce uint8

const (
	// Restart asks when so long nothing has happened since the last step.
	Restart Debounce = iota
	// Leading asks at once when so long nothing had happened before the step, and else
	// as Restart.
	Leading
	// Trailing asks so long after the first step that nothing was asked for, with the
	// text as it is then: steps do not start the wait again.
	Trailing
	// Rhythm asks as Restart, after Factor times the mean gap of the last steps, within
	// Least and For.
	Rhythm
	// Response asks as Restart, after Factor times the mean time of the last answers,
	// within Least and For.
	Response
	debounces
)

var debounceNames = [debounces]string{"restart", "leading", "trailing", "rhythm", "response"}

// String returns the name that scenario files use.
func (d Debounce) String() string { return debounceNames[d] }

// Debounces returns all ways to tell.
func Debounces() (all []Debounce) {
	for d := range debounces {
		all = append(all, d)
	}
	return all
}

// Wait is how long a plugin waits after a step.
type Wait struct {
	Debounce Debounce
	For      time.Duration // 0 or more
	// Least and Factor are of waits that adapt: the shortest, and what the mean of the
	// last recent gaps or answers counts.
	Least  time.Duration
	Factor float64
	// EndOfLine is the wait where only blanks follow on the line; 0 is no other one.
	EndOfLine time.Duration
	// AcceptAtOnce asks with no wait for what follows an accepted suggestion: VS Code does.
	// In the session vscode_session1 83 calls follow one, 1 ms after it at the median, where
	// keys are asked for after 50 ms (docs/session.md; computed 2026-11-30).
	AcceptAtOnce bool
}

func (w *Wait) validate() error {
	var errs []error
	if w.Debounce >= debounces {
		errs = append(errs, fmt.Errorf("debounce is %d, which is no rule", w.Debounce))
	}
	for _, f := range []struct {
		name  string
		value time.Duration
	}{{"wait", w.For}, {"least wait", w.Least}, {"wait at the end of a line", w.EndOfLine}} {
		if f.value < 0 {
			errs = append(errs, fmt.Errorf("%s is %s, must not be negative", f.name, f.value))
		}
	}
	if adapts := w.Debounce == Rhythm || w.Debounce == Response; adapts && !(w.Factor > 0) {
		errs = append(errs, fmt.Errorf("factor of the wait is %v, must be above 0", w.Factor))
	} else if adapts && w.Least > w.For {
		errs = append(errs, fmt.Errorf("least wait is %s, must be at most the wait of %s", w.Least, w.For))
	}
	return errors.Join(errs...)
}

// recent is how many gaps or answers a wait that adapts looks back on; assumed.
const recent = 8

// Patience is what a Wait has seen of one person so far. The zero Patience has seen
// nothing.
type Patience struct {
	gaps, answers mean
	last          time.Duration // when the last step was
	gap           time.Duration // before it, without end for the first
	stepped       bool
	first         time.Duration // when the first step was that nothing was asked for
	open          bool          // there is one
}

// Stepped is told of each step that may be asked for, whether it is or not, and when its wait
// would begin.
func (p *Patience) Stepped(at time.Duration) {
	p.gap = math.MaxInt64
	if p.stepped {
		p.gap = at - p.last
		p.gaps.add(p.gap)
	}
	p.last, p.stepped = at, true
}

// Step returns when to ask for the last step. AtEnd says that only blanks follow on the line.
func (p *Patience) Step(w *Wait, atEnd bool) (ask time.Duration) {
	at, quiet := p.last, p.gap >= w.For
	if !p.open {
		p.first, p.open = at, true
	}
	wait := w.For
	if w.EndOfLine > 0 && atEnd {
		wait = w.EndOfLine
	}
	switch w.Debounce {
	case Leading:
		if quiet {
			return at
		}
	case Trailing:
		return max(at, p.first+wait)
	case Rhythm:
		return at + w.adapted(&p.gaps, wait)
	case Response:
		return at + w.adapted(&p.answers, wait)
	}
	return at + wait
}

// Accepted returns when to ask for the last step, which accepted a suggestion. AtEnd says that
// only blanks follow on the line.
func (p *Patience) Accepted(w *Wait, atEnd bool) (ask time.Duration) {
	if w.AcceptAtOnce {
		return p.last
	}
	return p.Step(w, atEnd)
}

// Asked is told that the newest step was asked for, or will not be.
func (p *Patience) Asked() { p.open = false }

// Answered is told how long an answer took.
func (p *Patience) Answered(took time.Duration) { p.answers.add(took) }

// adapted returns the wait that follows from what was seen; the longest before anything
// was.
func (w *Wait) adapted(m *mean, most time.Duration) time.Duration {
	if m.n == 0 {
		return most
	}
	return min(max(w.Least, time.Duration(w.Factor*float64(m.value()))), most)
}

// mean is the mean of the last few of a series.
type mean struct {
	ring [recent]time.Duration
	n    int // seen, of which the ring has the last
	sum  time.Duration
}

func (m *mean) add(d time.Duration) {
	m.sum += d - m.ring[m.n%recent]
	m.ring[m.n%recent] = d
	m.n++
}

func (m *mean) value() time.Duration { return m.sum / time.Duration(min(m.n, recent)) }
