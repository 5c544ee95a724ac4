package frontier

// An aim is something of which settings may have more or less.
type aim struct {
	name string
	of   func(c *Cell, r *Figures) (v float64, known bool)
	// gained returns by how much b is better than a, in steps: less than one is nothing that
	// matters.
	gained func(a, b float64) float64
}

// The least differences that matter, by choice: of shares half a point, of the rest 1 %.
const (
	leastShare = .005
	leastPart  = .01
)

// points counts a difference of shares in steps, where more is better.
func points(a, b float64) float64 { return (b - a) / leastShare }

// part counts how much more b is than a in steps of 1 % of a.
func part(a, b float64) float64 {
	switch {
	case a == b:
		return 0
	case a == 0:
		return (b - a) / leastPart
	}
	return (b - a) / (leastPart * a)
}

func less(gained func(a, b float64) float64) func(a, b float64) float64 {
	return func(a, b float64) float64 { return -gained(a, b) }
}

// aims are what settings beat each other by, the first one first.
func (f *Frontier) aims() []aim {
	all := []aim{
		{"inside", func(_ *Cell, r *Figures) (float64, bool) { return r.Inside.Value() }, points},
		{"cost", func(c *Cell, r *Figures) (float64, bool) { return c.Rate.per1000(r) }, less(part)},
		{"flashes", func(_ *Cell, r *Figures) (float64, bool) { return r.Flashes.Value() }, less(points)},
		{"waste", func(_ *Cell, r *Figures) (float64, bool) { return r.wasted() }, less(part)},
	}
	if f.Saves {
		all = append(all, aim{"saved", func(_ *Cell, r *Figures) (float64, bool) { return r.perKey(r.Saved) }, part})
	}
	return all
}

// better reports whether b is better than a in an aim by more than chance: in every run, each
// held against that of the same seed, by as much as matters. What is not known of a run is
// neither better nor worse than anything.
func (m *aim) better(a, b *Cell) bool {
	for i := range a.Runs {
		x, known := m.of(a, &a.Runs[i])
		y, too := m.of(b, &b.Runs[i])
		// A rounding of the division is no difference.
		if !known || !too || m.gained(x, y) < 1-1e-9 {
			return false
		}
	}
	return true
}

// beats reports whether b is better than a in at least one aim and worse in none, that every
// budget holds being one of those. Of what is known of a alone nobody can say that. Cells whose costs cannot be compared do not beat each other.
func (f *Frontier) beats(b, a *Cell) bool {
	if a.Rate.Unit != b.Rate.Unit || a.Holds() && !b.Holds() {
		return false
	}
	won := false
	for _, m := range f.aims() {
		_, of := m.mean(a)
		_, too := m.mean(b)
		if of && !too || m.better(b, a) {
			return false
		}
		won = won || m.better(a, b)
	}
	return won
}

// mark finds the cells that no other beats. Small differences may add up so that cells beat
// each other in a circle: those are alike, and a cell falls only to one that it does not beat
// back in that way.
func (f *Frontier) mark() {
	n := len(f.Cells)
	wins := make([][]bool, n)    // wins[b][a]: b beats a
	reaches := make([][]bool, n) // over others
	for b := range f.Cells {
		wins[b], reaches[b] = make([]bool, n), make([]bool, n)
		for a := range f.Cells {
			wins[b][a] = a != b && f.run(&f.Cells[a]) && f.run(&f.Cells[b]) && f.beats(&f.Cells[b], &f.Cells[a])
		}
		copy(reaches[b], wins[b])
	}
	for k := range reaches {
		for b := range reaches {
			if !reaches[b][k] {
				continue
			}
			for a, over := range reaches[k] {
				reaches[b][a] = reaches[b][a] || over
			}
		}
	}
	falls := func(a, b int) bool { return wins[b][a] && !reaches[a][b] }
	for a := range f.Cells {
		c := &f.Cells[a]
		c.Efficient = f.run(c)
		for b := range f.Cells {
			c.Efficient = c.Efficient && !falls(a, b)
		}
	}
	for a := range f.Cells {
		f.Cells[a].Beats = f.beater(func(b int) bool { return falls(a, b) })
	}
}

// beater returns one of the cells that beat another, one on the frontier where there is any; -1
// for none.
func (f *Frontier) beater(beats func(b int) bool) int {
	one := -1
	for b := range f.Cells {
		switch {
		case !beats(b):
		case f.Cells[b].Efficient:
			return b
		case one < 0:
			one = b
		}
	}
	return one
}
