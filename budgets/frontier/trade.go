package frontier

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"halfsecond/budgets"
)

// Now returns the cell of the scenario as its file has it, whether it is one of those that
// were asked for or not; -1 where it was not run.
func (f *Frontier) Now() int {
	return slices.IndexFunc(f.Cells, func(c Cell) bool { return c.Now && f.Told(&c) })
}

// Neighbours returns the cells that differ from one in a single setting: of values that follow
// each other those next to it, of names all.
func (f *Frontier) Neighbours(cell int) (all []int) {
	for i := range f.Cells {
		if i != cell && f.run(&f.Cells[i]) && f.next(&f.Cells[cell], &f.Cells[i]) {
			all = append(all, i)
		}
	}
	return all
}

func (f *Frontier) next(a, b *Cell) bool {
	apart := -1
	for k := range a.Place {
		if a.Place[k] == b.Place[k] {
			continue
		}
		if apart >= 0 {
			return false
		}
		apart = k
	}
	if apart < 0 {
		return false
	}
	steps := a.Place[apart] - b.Place[apart]
	return !f.Ordered[apart] || steps == 1 || steps == -1
}

// Trade says in a sentence what going from some settings to others brings: what differs in
// every run by as much as matters, and nothing else.
func (f *Frontier) Trade(from, to int) string {
	a, b := &f.Cells[from], &f.Cells[to]
	effects := f.effects(a, b)
	if x, y := a.held(), b.held(); x != y {
		effects = append(effects, fmt.Sprintf("and every budget holds in %d of %d runs instead of %d", y, f.Repeats, x))
	}
	if len(effects) == 0 {
		effects = []string{"no difference that the runs can tell"}
	}
	return f.Changes(from, to) + ": " + strings.Join(effects, ", ")
}

// Beaten says why settings fall that have more inside than any others of their unit of costs;
// "" where those are on the frontier.
func (f *Frontier) Beaten(unit string) string {
	most, share := -1, math.Inf(-1)
	for i := range f.Cells {
		c := &f.Cells[i]
		if !f.run(c) || c.Rate.Unit != unit {
			continue
		}
		if v := c.Sum().Inside; v > share || v == share && c.Beats < 0 {
			most, share = i, v
		}
	}
	if most < 0 || f.Cells[most].Beats < 0 {
		return ""
	}
	c := &f.Cells[most]
	by := &f.Cells[c.Beats]
	x, y := c.Sum(), by.Sum()
	return fmt.Sprintf("%s has the most inside, %s, and is beaten by %s, with %s: what it has more is not half a point in every run; %s",
		f.Name(c), budgets.Share.Format(x.Inside), f.Name(by), budgets.Share.Format(y.Inside), f.Trade(most, c.Beats))
}

// Changes writes down what differs between the settings of two cells.
func (f *Frontier) Changes(from, to int) string {
	var parts []string
	for k, v := range f.Cells[from].Values {
		if w := f.Cells[to].Values[k]; v != w {
			parts = append(parts, fmt.Sprintf("%s %s → %s", f.Names[k], v, w))
		}
	}
	return strings.Join(parts, ", ")
}

func (f *Frontier) effects(a, b *Cell) (words []string) {
	x, y := a.Sum(), b.Sum()
	differ := func(m aim) bool { return m.better(a, b) || m.better(b, a) }
	aims := f.aims()
	if differ(aims[0]) {
		words = append(words, fmt.Sprintf("%s inside %s (%s → %s)", signed(y.Inside-x.Inside), f.within(), apart(x.Inside, y.Inside, percent), apart(y.Inside, x.Inside, percent)))
	}
	if differ(aim{"", func(_ *Cell, r *Figures) (float64, bool) { return r.perKey(r.Requests) }, part}) {
		words = append(words, fmt.Sprintf("%s requests a key instead of %s", apart(y.RequestsPerKey, x.RequestsPerKey, digits), apart(x.RequestsPerKey, y.RequestsPerKey, digits)))
	}
	words = append(words, f.costs(a, b, &x, &y, differ(aims[1]))...)
	if differ(aims[2]) {
		words = append(words, fmt.Sprintf("flashes %s instead of %s", apart(y.Flashes, x.Flashes, percent), apart(x.Flashes, y.Flashes, percent)))
	}
	if differ(aims[3]) {
		words = append(words, fmt.Sprintf("%s tokens wasted for each useful answer instead of %s", apart(y.Wasted, x.Wasted, digits), apart(x.Wasted, y.Wasted, digits)))
	}
	if f.Saves && differ(aims[4]) {
		words = append(words, fmt.Sprintf("%s characters saved for 1,000 keys instead of %s", budgets.Number(y.Saved, 0), budgets.Number(x.Saved, 0)))
	}
	return words
}

// costs says what costs become: of costs that cannot be compared both.
func (f *Frontier) costs(a, b *Cell, x, y *Sum, differ bool) (words []string) {
	switch {
	case a.Rate.Unit != b.Rate.Unit:
		return []string{fmt.Sprintf("%s instead of %s for 1,000 keys", CostWords(b.Rate.Unit, y.Cost), CostWords(a.Rate.Unit, x.Cost))}
	case !differ || x.Cost == 0:
		return nil
	case a.Rate.Unit == Dollars:
		return []string{times(y.Cost/x.Cost, "the cost", "cost")}
	}
	return []string{times(y.Cost/x.Cost, "accelerator time", "accelerator time")}
}

// times says how much of something there is beside what there was: in per cent where that is
// less than a fifth more or less.
func times(ratio float64, whole, part string) string {
	if math.Abs(ratio-1) >= .2 {
		return digits(ratio, 0) + "x " + whole
	}
	return fmt.Sprintf("%s %% %s %s", budgets.Number(100*math.Abs(ratio-1), 0), either(ratio < 1, "less", "more"), part)
}

// CostWords writes down a cost.
func CostWords(unit string, cost float64) string {
	switch unit {
	case "":
		return "an unknown cost"
	case Dollars:
		return digits(cost, 0) + " " + unit
	}
	return digits(cost, 0) + " s of " + unit
}

// within writes the limit down as readers say it.
func (f *Frontier) within() string { return budgets.Duration.Format(f.Limit.Value) }

// apart writes a number down with as many digits as it takes to see that it is not the other.
func apart(v, other float64, write func(v float64, more int) string) string {
	more := 0
	for more < 3 && v != other && write(v, more) == write(other, more) {
		more++
	}
	return write(v, more)
}

// digits writes a number with two digits, or more.
func digits(v float64, more int) string {
	switch {
	case v == 0:
		return "0"
	case v >= 10:
		return budgets.Number(v, more)
	case v >= 1:
		return budgets.Number(v, 1+more)
	}
	return budgets.Number(v, 1-int(math.Floor(math.Log10(v)))+more)
}

// percent writes a share down, with a decimal where whole per cent would hide most of it.
func percent(v float64, more int) string {
	return budgets.Number(100*v, more+either(v > 0 && v < .1 || v > .99 && v < 1, 1, 0)) + " %"
}

// signed writes a difference of shares in points.
func signed(v float64) string {
	places := either(math.Abs(v) < .0995, 1, 0)
	text := budgets.Number(math.Abs(100*v), places)
	return either(v < 0, "-", "+") + text + either(text == "1", " point", " points")
}

func either[T any](is bool, a, b T) T {
	if is {
		return a
	}
	return b
}
