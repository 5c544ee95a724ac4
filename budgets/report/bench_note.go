package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"halfsecond/budgets"
	"halfsecond/budgets/grid"
	"halfsecond/pipeline"
)

// note gathers what a reader has to know beside the conclusions.
func (b *Bench) note() {
	if note := b.spreadNote(); note != "" {
		b.Notes = append(b.Notes, note)
	}
	if n := b.fewest(); n > 0 && n < fairRepeats {
		b.Notes = append(b.Notes, fmt.Sprintf("A cell that varies has %d repeats: intervals from fewer than %d are too narrow.", n, fairRepeats))
	}
	b.Notes = append(b.Notes, b.skippedNotes()...)
	for i := range b.grid.Cells {
		if c := &b.grid.Cells[i]; c.Failed > 0 {
			b.Notes = append(b.Notes, fmt.Sprintf("%s of %s requests failed of %s, %s, %s tokens; the first one: %s.",
				count(c.Failed), count(c.Asked), c.Model, c.Variant, count(c.Prompt), strings.TrimRight(c.Reason, ".")))
		}
	}
	b.Notes = append(b.Notes, b.blankNotes()...)
	if words := b.unread.words(); words != "" {
		b.Notes = append(b.Notes, words)
	}
	if rows := b.unverified(); len(rows) > 0 {
		b.Notes = append(b.Notes, fmt.Sprintf("Not verified: the figures of %s were written from memory and await a source, and what follows rests on them.", strings.Join(rows, ", ")))
	}
	if note := b.errorNote(); note != "" {
		b.Notes = append(b.Notes, note)
	}
	b.Notes = append(b.Notes, b.tokenNotes()...)
	if l := b.Lateness; l != nil {
		b.Notes = append(b.Notes, b.latenessNote(l))
	}
	b.Notes = append(b.Notes, b.Tester.notes(b.Target)...)
	if b.Cost != nil {
		b.Notes = append(b.Notes, b.Cost.words(b.asked))
	}
	b.Notes = append(b.Notes, b.over...)
	if !b.Finished {
		why := "it left no word why"
		if b.UnfinishedReason != nil {
			why = *b.UnfinishedReason
		}
		b.Notes = append(b.Notes, fmt.Sprintf("The comparison did not finish (%s): this is %s of %s requests.", why, count(b.N), count(b.NAsked)))
	}
}

// unverified names the rows of the catalogue behind the comparison that await a source.
func (b *Bench) unverified() (rows []string) {
	for i := range b.grid.Cells {
		for name := range strings.SplitSeq(b.grid.Cells[i].Unverified, ", ") {
			if name != "" {
				rows = with(rows, name)
			}
		}
	}
	return rows
}

// errorNote says how far off the model behind the baselines is, each in the words of the
// cell with the longest prompt: it is the furthest from what was measured.
func (b *Bench) errorNote() string {
	var parts []string
	for _, m := range b.Models {
		last := ""
		for i := range b.grid.Cells {
			if c := &b.grid.Cells[i]; c.Key == b.grid.Baseline(m) && c.Error != "" && !c.Skipped {
				last = fmt.Sprintf("%s, up to %s tokens (%s)", m, count(c.Prompt), c.Error)
			}
		}
		if last != "" {
			parts = append(parts, last)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("How far off the model is in absolute error on average, for what was measured like the baselines or, where nothing was, over all that was: %s. 'halfsecond predict' says over which measurements.", strings.Join(parts, ", "))
}

// fairRepeats is from how many repeats a percentile bootstrap of a median covers about
// what it says, by convention.
const fairRepeats = 10

// fewest returns the fewest values of any sample that varies, 0 when none does.
func (b *Bench) fewest() int {
	n := 0
	for i := range b.grid.Cells {
		for _, m := range grid.Metrics() {
			if s := b.grid.Cells[i].Sample(m); s.Varies() && (n == 0 || len(s) < n) {
				n = len(s)
			}
		}
	}
	return n
}

// spreadNote says which metrics have no spread, and so no interval.
func (b *Bench) spreadNote() string {
	var still, moving []string
	cells := 0
	for _, m := range grid.Metrics() {
		measured, varied := 0, 0
		for i := range b.grid.Cells {
			s := b.grid.Cells[i].Sample(m)
			if _, ok := s.Median(); ok {
				measured++
			}
			if s.Varies() {
				varied++
			}
		}
		cells = max(cells, measured)
		switch {
		case measured > 0 && varied == 0:
			still = append(still, m.String())
		case varied > 0:
			moving = append(moving, fmt.Sprintf("%s in %s of %s cells", m, count(varied), count(measured)))
		}
	}
	if cells == 0 || len(still) == 0 {
		return ""
	}
	why := "every repeat took exactly as long, so there is no interval to give"
	if b.Target == "sim" {
		why = "the model leaves nothing about it to chance, every repeat took exactly as long, and there is no interval to give"
	}
	words := fmt.Sprintf("No spread in %s: %s.", strings.Join(still, ", "), why)
	if len(moving) > 0 {
		words += " There is spread in " + strings.Join(moving, ", ") + "."
	}
	return words
}

// skippedNotes says what was left out, one sentence a reason.
func (b *Bench) skippedNotes() []string {
	type place struct {
		models, variants []string
		prompts          []int
	}
	places := map[string]*place{}
	var reasons []string
	for i := range b.grid.Cells {
		c := &b.grid.Cells[i]
		if !c.Skipped {
			continue
		}
		p := places[c.Reason]
		if p == nil {
			p = &place{}
			places[c.Reason] = p
			reasons = append(reasons, c.Reason)
		}
		p.models, p.variants, p.prompts = with(p.models, c.Model), with(p.variants, c.Variant), with(p.prompts, c.Prompt)
	}
	var notes []string
	for _, r := range reasons {
		p := places[r]
		var of []string
		if len(p.models) < len(b.Models) {
			of = append(of, strings.Join(p.models, ", "))
		}
		if len(p.variants) < len(b.Variants) {
			of = append(of, strings.Join(p.variants, ", "))
		}
		left, lengths := "Left out", "prompts of "+countList(p.prompts)+" tokens"
		if len(of) > 0 {
			left += " of " + strings.Join(of, ", ")
		}
		if len(p.prompts) == len(b.prompts()) {
			lengths = "every length of the prompt"
		}
		notes = append(notes, fmt.Sprintf("%s: %s: %s.", left, lengths, r))
	}
	return notes
}

// prompts returns the lengths of the prompts of all cells, each once.
func (b *Bench) prompts() (all []int) {
	for i := range b.grid.Cells {
		all = with(all, b.grid.Cells[i].Prompt)
	}
	return all
}

// with returns a list with one more, unless it is there already.
func with[T comparable](list []T, one T) []T {
	if slices.Contains(list, one) {
		return list
	}
	return append(list, one)
}

// tokenNotes says where the tokens were not as a comparison wants them.
func (b *Bench) tokenNotes() []string {
	var notes []string
	least, most := math.MaxInt, 0
	for i := range b.grid.Cells {
		c := &b.grid.Cells[i]
		if c.Asked == c.Failed || c.Output[0] == pipeline.UnknownCount {
			continue
		}
		least, most = min(least, c.Output[0]), max(most, c.Output[1])
		if c.Key == b.grid.Baseline(c.Model) && c.HasCached && c.Cached[1] > 0 {
			notes = append(notes, fmt.Sprintf("Of %s at %s tokens the baseline is not cold: the model had up to %s tokens of a prompt in its cache.",
				c.Model, count(c.Prompt), count(c.Cached[1])))
		}
	}
	if asked, counted := b.miscounted(); asked > 0 {
		notes = append(notes, fmt.Sprintf("The server counts other tokens: %s to %s in prompts of %s. Slopes are along its own, where those rise with the prompt.", count(counted[0]), count(counted[1]), count(asked)))
	}
	if least < most {
		notes = append(notes, fmt.Sprintf("The answers were not of one length: from %s to %s tokens. Where the server can be asked for answers of full length, ask it (ignore_eos).", count(least), count(most)))
	}
	return notes
}

// miscounted returns the longest prompt that a server counted otherwise than it was
// asked for, by more than 1 %; 0 for none.
func (b *Bench) miscounted() (asked int, counted [2]int) {
	for i := range b.grid.Cells {
		c := &b.grid.Cells[i]
		if c.HasCounted && c.Prompt > asked && math.Abs(c.Tokens()/float64(c.Prompt)-1) > .01 {
			asked, counted = c.Prompt, c.Counted
		}
	}
	return asked, counted
}

// latenessNote says how late the tester ran beside the smallest time measured.
func (b *Bench) latenessNote(l *Lateness) string {
	words := "Here " + l.words()
	smallest := math.Inf(1)
	for i := range b.grid.Cells {
		if v, ok := b.grid.Cells[i].Sample(grid.TTFT).Median(); ok {
			smallest = min(smallest, budgets.Duration.Reported(v))
		}
	}
	if b.Unfit == nil && l.P99 != nil && *l.P99 > .02*smallest {
		words += " That is more than 2 % of the smallest TTFT: take small differences for noise."
	}
	return words
}
