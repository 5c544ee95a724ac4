package report

import (
	"fmt"
	"strconv"

	"halfsecond/budgets"
	"halfsecond/budgets/steady"
	"halfsecond/pipeline/trace"
)

// StartUp is what was cut off a run, so that it tells of a steady state.
type StartUp struct {
	Metric  string   `json:"metric"`
	Verdict string   `json:"verdict"`
	Of      int      `json:"of"`
	Valued  int      `json:"valued"`
	Cut     int      `json:"cut"`
	Settled int      `json:"settled"`
	Tail    int      `json:"tail"`
	Until   *float64 `json:"until_ms"`
}

func startUp(s *budgets.StartUp) *StartUp {
	if s == nil {
		return nil
	}
	return &StartUp{
		Metric: s.Metric, Verdict: s.Verdict.String(), Of: s.Of, Valued: s.Valued, Cut: s.Cut, Settled: s.Settled, Tail: s.Tail,
		Until: number(budgets.Duration, float64(s.Until), s.Verdict == steady.Steady),
	}
}

// Prompts is how prompts were made for a server.
type Prompts struct {
	Salt    *string  `json:"salt"` // a number of 64 bits, which as a number of JSON would lose some
	Learned int      `json:"learned"`
	Blind   int      `json:"blind"`
	PerWord *float64 `json:"per_word"`
	Extra   *float64 `json:"extra"`
}

func prompts(run trace.Run) *Prompts {
	salt, learnt := run.Header.Load.Salt, run.Footer.Prompts
	if salt == 0 && learnt == (trace.Prompts{}) {
		return nil
	}
	p := &Prompts{Learned: learnt.Learned, Blind: learnt.Blind}
	if salt != 0 {
		p.Salt = text(strconv.FormatUint(salt, 10))
	}
	if p.Learned > 0 {
		p.PerWord, p.Extra = &learnt.PerWord, &learnt.Extra
	}
	return p
}

// loadNotes say what was cut off for the start-up, and how prompts were made.
func (r *Report) loadNotes() (notes []string) {
	if s := r.analysis.StartUp; s != nil {
		notes = append(notes, s.Words())
	}
	if p := r.Prompts; p != nil {
		notes = append(notes, p.words()...)
	}
	return notes
}

func (p *Prompts) words() (notes []string) {
	if p.Salt != nil {
		notes = append(notes, "Prompts: words of their own, which no other run has, so that no cache holds those of an earlier one; --salt "+*p.Salt+" makes the same again.")
	}
	switch {
	case p.Learned > 0:
		line := fmt.Sprintf("%s of the server for one of ours", budgets.Number(*p.PerWord, 3))
		if *p.Extra > 0 {
			line += fmt.Sprintf(" and %s more for each", budgets.Number(*p.Extra, 1))
		}
		notes = append(notes, fmt.Sprintf("Their lengths are calibrated: tokens %s, by the usage of the first %s; %s made before that was known, of our own tokens.",
			line, counted(p.Learned, "request"), are(p.Blind)))
	case p.Blind > 0:
		notes = append(notes, "Their lengths are counted in our own tokens: the server said of none how many its own are.")
	}
	return notes
}

// are returns how many were.
func are(n int) string {
	if n == 1 {
		return "1 was"
	}
	return count(n) + " were"
}
