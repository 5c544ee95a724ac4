package versus

import (
	"fmt"
	"slices"
	"time"

	"halfsecond/budgets/quality"
	"halfsecond/pipeline"
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

// ofAnswer is how many numbers stand for an answer in a baseline: ns, tokens (-1 where nobody counted
// them), characters, those of them that were useful, and its syntax: 0 untold, 1 parses, 2 breaks.
const ofAnswer = 5

// answerCells are the answers of each interaction in a baseline, one after the other.
func answerCells(ofInteraction [][]quality.Answer) (cells []cell) {
	for _, answers := range ofInteraction {
		var c cell
		for _, a := range answers {
			c = append(c, float64(a.For), float64(a.Tokens), float64(a.Characters), float64(a.Useful), float64(a.Syntax))
		}
		cells = append(cells, c)
	}
	return cells
}

// readAnswers reads them.
func (s *Series) readAnswers(cells []cell) error {
	if s.Repair < 0 {
		return fmt.Errorf("repair_ns is %d: want 0 or more", s.Repair)
	}
	for i, c := range cells {
		if len(c)%ofAnswer != 0 {
			return fmt.Errorf("interaction %d has %d numbers, want %d for each answer", i+1, len(c), ofAnswer)
		}
		var answers []quality.Answer
		for of := range slices.Chunk(c, ofAnswer) {
			a := quality.Answer{For: time.Duration(of[0]), Tokens: int(of[1]), Characters: int(of[2]), Useful: int(of[3]), Syntax: quality.Syntax(of[4])}
			if a.For <= 0 || a.Tokens < pipeline.UnknownCount || a.Characters < 0 || a.Useful < 0 || a.Useful > a.Characters || of[4] < 0 || of[4] > float64(quality.Breaks) {
				return fmt.Errorf("interaction %d: %v is no answer: want its time in ns above 0, tokens or -1, characters, at most as many that were useful, and 0, 1 or 2 for its syntax", i+1, []float64(of))
			}
			answers = append(answers, a)
		}
		s.Answers = append(s.Answers, answers)
	}
	return nil
}
