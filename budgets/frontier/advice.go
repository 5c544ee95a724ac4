package frontier

import "slices"

// Advice is the settings to take, among those whose costs can be compared.
type Advice struct {
	Unit   string // of their costs
	Cell   int
	Holds  bool     // every budget, in every run
	Missed []Missed // what it lacks, where it does not
	Now    bool     // the scenario's own settings hold them all then, which are none of those tried
}

// Rule says in a sentence which settings are recommended.
const Rule = "Recommended is, of the settings on the frontier that hold every budget in every run, the cheapest, and of those that cost the same the one with the most opportunities inside; where none holds them all, the one with the most inside, and of those with as many the cheapest."

// Holds reports whether any settings that were tried hold every budget in every run. Those of
// the scenario as it is are not among them unless they were asked for.
func (f *Frontier) Holds() bool {
	return slices.ContainsFunc(f.Cells, func(c Cell) bool { return f.run(&c) && c.Holds() })
}

// Judge marks the cells that no other beats, and those to take.
func (f *Frontier) Judge() {
	f.mark()
	f.Advice = nil
	for _, unit := range f.Units() {
		if a, ok := f.advise(unit); ok {
			f.Advice = append(f.Advice, a)
			f.Cells[a.Cell].Advised = true
		}
	}
}

// Units returns those that costs are counted in, in the order of cells that can be run.
func (f *Frontier) Units() (units []string) {
	for i := range f.Cells {
		if c := &f.Cells[i]; f.run(c) && !slices.Contains(units, c.Rate.Unit) {
			units = append(units, c.Rate.Unit)
		}
	}
	return units
}

// advise returns the settings to take of those with one unit of costs.
func (f *Frontier) advise(unit string) (a Advice, ok bool) {
	var all, holding []int
	for i := range f.Cells {
		c := &f.Cells[i]
		c.Advised = c.Advised && c.Rate.Unit != unit
		if !c.Efficient || c.Rate.Unit != unit {
			continue
		}
		all = append(all, i)
		if c.Holds() {
			holding = append(holding, i)
		}
	}
	aims := f.aims()
	inside, cost := &aims[0], &aims[1]
	switch {
	case len(holding) > 0:
		return Advice{Unit: unit, Cell: f.best(holding, cost, inside), Holds: true}, true
	case len(all) > 0:
		a = Advice{Unit: unit, Cell: f.best(all, inside, cost)}
		a.Missed = f.Cells[a.Cell].Missed()
		now := f.Now()
		a.Now = now >= 0 && f.Cells[now].Rate.Unit == unit && f.Cells[now].Holds()
		return a, true
	}
	return a, false
}

// best returns the cell that is best in the first aim, over its runs, and among those that are
// not worse than that one by more than chance the best in the second.
func (f *Frontier) best(cells []int, first, second *aim) int {
	top := f.top(cells, first)
	_, known := first.mean(&f.Cells[top])
	var near []int
	for _, i := range cells {
		_, too := first.mean(&f.Cells[i])
		if too == known && !first.better(&f.Cells[i], &f.Cells[top]) {
			near = append(near, i)
		}
	}
	return f.top(near, second)
}

// top returns the cell that is best in an aim by the mean of its runs, the first of several. One
// of which that is not known comes after all others.
func (f *Frontier) top(cells []int, m *aim) int {
	best := cells[0]
	for _, i := range cells[1:] {
		x, known := m.mean(&f.Cells[best])
		y, too := m.mean(&f.Cells[i])
		if too && (!known || m.gained(x, y) > 0) {
			best = i
		}
	}
	return best
}

// mean returns the mean of a cell's runs, where it is known of all of them.
func (m *aim) mean(c *Cell) (mean float64, known bool) {
	for i := range c.Runs {
		v, known := m.of(c, &c.Runs[i])
		if !known {
			return 0, false
		}
		mean += v / float64(len(c.Runs))
	}
	return mean, true
}
