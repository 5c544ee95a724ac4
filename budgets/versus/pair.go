package versus

import (
	"fmt"
	"slices"

	"halfsecond/pipeline/quantile"
)

// member is an interaction that is drawn again: its place in each run, absent where that
// run has none.
type member struct{ a, b int }

const absent = -1

// leastShared is how much of the longer run has to be in the other too for the two to be
// paired, by convention: start-ups that were cut may differ a little.
const leastShared = .9

// identity is which interaction of which session one is.
type identity struct{ session, index int }

// pair returns the interactions of two runs in order of time, those of the second alone at
// the end, and the same one of both together: under one
// scenario and one seed it fell due at the same instant and asked for as much, so that
// much of what it took in one run it takes in the other. So it is with keys of ghost text
// under two scenarios when those that are in both fell due at the same instants: somebody
// types alike whatever the plugin does, until a suggestion is taken. Where runs cannot be
// paired it says why.
func pair(a, b *Run) (members []member, why string) {
	switch {
	case a.ScenarioHash != b.ScenarioHash && (len(a.Dues) == 0 || len(b.Dues) == 0):
		return nil, "they are of different scenarios"
	case a.Target != b.Target:
		return nil, "they were on different targets"
	case a.Seed != b.Seed:
		return nil, "their seeds differ, and with them what they asked"
	case len(a.Indexes) != len(a.Sessions) || len(b.Indexes) != len(b.Sessions):
		return nil, "a baseline does not say which interaction a value is of: save it again"
	}
	inA, inB := a.places(), b.places()
	longer := max(len(a.Sessions), len(b.Sessions))
	for i := range a.Sessions {
		at, known := inB[a.identity(i)]
		if !known {
			at = absent
		}
		members = append(members, member{i, at})
	}
	for i := range b.Sessions {
		if _, known := inA[b.identity(i)]; !known {
			members = append(members, member{absent, i})
		}
	}
	switch {
	case len(inA) < len(a.Sessions) || len(inB) < len(b.Sessions):
		return nil, "an interaction is in a run twice"
	case longer == 0 || float64(shared(members)) < leastShared*float64(longer):
		return nil, fmt.Sprintf("of %d interactions only %d are in both", longer, shared(members))
	case a.ScenarioHash != b.ScenarioHash && !alike(a, b, members):
		return nil, "they are of different scenarios, whose keys fell due at other instants"
	}
	return members, ""
}

// alike reports whether all keys that are in both runs fell due at the same instants.
func alike(a, b *Run, members []member) bool {
	return !slices.ContainsFunc(members, func(m member) bool {
		return m.a != absent && m.b != absent && a.Dues[m.a] != b.Dues[m.b]
	})
}

// shared returns how many of the members are in both runs.
func shared(members []member) (n int) {
	for _, m := range members {
		if m.a != absent && m.b != absent {
			n++
		}
	}
	return n
}

func (r *Run) identity(i int) identity { return identity{r.Sessions[i], r.Indexes[i]} }

// places returns where each interaction is.
func (r *Run) places() map[identity]int {
	places := make(map[identity]int, len(r.Sessions))
	for i := range r.Sessions {
		places[r.identity(i)] = i
	}
	return places
}

// draw says how the interactions of a run are drawn again.
type draw struct {
	plan   quantile.Plan
	words  string
	places []int // of each member in the run, absent for none; nil where members are its interactions
}

// drawPairs returns how two runs are drawn again together, which is with one plan.
func drawPairs(a, b *Run, members []member) (da, db draw) {
	var sessions []int
	for _, m := range members {
		da.places, db.places = append(da.places, m.a), append(db.places, m.b)
		if m.a != absent {
			sessions = append(sessions, a.Sessions[m.a])
		} else {
			sessions = append(sessions, b.Sessions[m.b])
		}
	}
	plan, words := planOf(sessions, func() int { return max(quantile.BlockLength(a.landings()), quantile.BlockLength(b.landings())) })
	if a.ScenarioHash != b.ScenarioHash {
		words += "; each key fell due at the same instant in both though their scenarios differ"
	}
	da.plan, da.words, db.plan, db.words = plan, words, plan, words
	return da, db
}

// byMember returns what each member of a draw has of what each interaction has.
func byMember[T any](d *draw, ofInteraction [][]T) [][]T {
	if d.places == nil || ofInteraction == nil {
		return ofInteraction
	}
	all := make([][]T, len(d.places))
	for i, at := range d.places {
		if at != absent {
			all[i] = ofInteraction[at]
		}
	}
	return all
}
