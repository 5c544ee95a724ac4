package versus

import (
	"time"

	"halfsecond/budgets/quality"
)

// Speed is how fast a model was that completes code, and how fast that was worth.
type Speed struct {
	Answers   int // that were checked; 0 where none were
	Repair    time.Duration
	Tokens    quality.Estimate // tokens a second
	Effective quality.Estimate // useful tokens a second of answers that parse, repair included
}

// wireSpeed is a Speed in a baseline: a figure is its value and the ends of its interval, those
// that are known.
type wireSpeed struct {
	Answers   int       `json:"answers"`
	Repair    int64     `json:"repair_ns"`
	Tokens    []float64 `json:"tokens_per_second"`
	Effective []float64 `json:"effective_tokens_per_second"`
}

func (s Speed) wire() *wireSpeed {
	if s.Answers == 0 {
		return nil
	}
	return &wireSpeed{s.Answers, int64(s.Repair), figuresOf(s.Tokens), figuresOf(s.Effective)}
}

func (w *wireSpeed) speed() Speed {
	if w == nil {
		return Speed{}
	}
	return Speed{w.Answers, time.Duration(w.Repair), estimateOf(w.Tokens), estimateOf(w.Effective)}
}

func figuresOf(e quality.Estimate) []float64 {
	switch {
	case !e.Known:
		return nil
	case !e.HasInterval:
		return []float64{e.Value}
	}
	return []float64{e.Value, e.Low, e.High}
}

func estimateOf(figures []float64) (e quality.Estimate) {
	if len(figures) > 0 {
		e.Value, e.Known = figures[0], true
	}
	if len(figures) == 3 {
		e.Low, e.High, e.HasInterval = figures[1], figures[2], true
	}
	return e
}
