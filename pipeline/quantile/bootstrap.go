package quantile

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"halfsecond/pipeline/dist"
)

// Plan says what is drawn together when the n members of a sample are drawn again
// with replacement (the bootstrap). Members that depend on each other have to be:
// drawn one by one they would look like more evidence than they are, and intervals
// would be too narrow. Make one with ByGroup, ByBlock or BySession; it may be used
// concurrently.
type Plan struct {
	n      int
	groups [][]int32 // each is drawn whole; nil for blocks
	length int       // of a block of neighbours
}

// ByGroup draws members with the same label together, such as all interactions of one
// session: as many groups as there are, each equally often. The size of what is drawn
// varies where the groups differ in size. This is the cluster bootstrap, whose variances
// are consistent when groups differ by chance (Field and Welsh, "Bootstrapping clustered
// data", Journal of the Royal Statistical Society B 69, 2007, summary, read 2026-11-29).
func ByGroup(labels []int) Plan {
	p := Plan{n: len(labels)}
	place := map[int]int{}
	for member, label := range labels {
		at, known := place[label]
		if !known {
			at = len(p.groups)
			place[label] = at
			p.groups = append(p.groups, nil)
		}
		p.groups[at] = append(p.groups[at], int32(member))
	}
	return p
}

// ByBlock draws runs of neighbours of the given length, at least 1, from a sample in
// order of time whose end is joined to its beginning, until there are n members again
// (the circular block bootstrap of Politis and Romano, 1992). Length 1 draws members
// one by one.
func ByBlock(n, length int) Plan {
	if length < 1 {
		panic(fmt.Sprintf("quantile: blocks of %d", length))
	}
	return Plan{n: n, length: min(length, max(n, 1))}
}

// ManySessions is from how many sessions on they are drawn whole. With few groups (five
// to thirty) inference from whole groups finds differences too often. Source: Cameron,
// Gelbach and Miller, "Bootstrap-Based Improvements for Inference with Clustered Errors",
// Review of Economics and Statistics 90, 2008, abstract, read 2026-11-29. The number
// between is by convention.
const ManySessions = 20

// BySession draws interactions, each labelled with its session and in order of time: whole
// sessions where there are twenty or more and some have several interactions, else blocks
// of neighbours. length is then asked for how long those have to be, as BlockLength says.
func BySession(sessions []int, length func() int) Plan {
	distinct := map[int]bool{}
	for _, s := range sessions {
		distinct[s] = true
	}
	if len(distinct) >= ManySessions && len(distinct) < len(sessions) {
		return ByGroup(sessions)
	}
	return ByBlock(len(sessions), length())
}

// Groups returns how many groups are drawn whole; 0 for blocks.
func (p Plan) Groups() int { return len(p.groups) }

// Length returns how many neighbours are drawn together; 0 for groups.
func (p Plan) Length() int { return p.length }

// Members returns how many members are drawn from.
func (p Plan) Members() int { return p.n }

// Draw counts in times how often each member is drawn; it has a place for every one.
func (p Plan) Draw(random *dist.Rand, times []int32) {
	clear(times)
	if p.groups != nil {
		for range p.groups {
			for _, member := range p.groups[random.IntN(len(p.groups))] {
				times[member]++
			}
		}
		return
	}
	for left := p.n; left > 0; left -= p.length {
		at := random.IntN(p.n)
		for range min(left, p.length) {
			times[at]++
			if at++; at == p.n {
				at = 0
			}
		}
	}
}

// Sample holds the values of a metric, each with the member that it belongs to. A
// member may have none, or several. Make one with NewSample.
type Sample struct {
	values  []float64 // ascending
	members []int32
}

// NewSample returns the values of each member, which are not kept.
func NewSample(ofMember [][]float64) Sample {
	type owned struct {
		value  float64
		member int32
	}
	var all []owned
	for member, values := range ofMember {
		for _, v := range values {
			all = append(all, owned{v, int32(member)})
		}
	}
	slices.SortStableFunc(all, func(a, b owned) int { return cmp.Compare(a.value, b.value) })
	s := Sample{make([]float64, len(all)), make([]int32, len(all))}
	for i, o := range all {
		s.values[i], s.members[i] = o.value, o.member
	}
	return s
}

// Values returns them in ascending order. They must not be changed.
func (s Sample) Values() []float64 { return s.values }

// Redrawn sets into to the qs, ascending, of the sample in which every member occurs
// as often as times says. It reports false, and sets nothing, when no value is left.
func (s Sample) Redrawn(times []int32, qs []Q, into []float64) bool {
	total := 0
	for _, m := range s.members {
		total += int(times[m])
	}
	if total == 0 {
		return false
	}
	seen, at := 0, -1
	for i, q := range qs {
		for rank := q.Rank(total); seen < rank; {
			at++
			seen += int(times[s.members[at]])
		}
		into[i] = s.values[at]
	}
	return true
}

// RedrawnMean returns the mean of the sample in which every member occurs as often as
// times says, and whether any value is left.
func (s Sample) RedrawnMean(times []int32) (mean float64, ok bool) {
	sum, total := 0.0, 0.0
	for i, m := range s.members {
		n := float64(times[m])
		sum += n * s.values[i]
		total += n
	}
	return sum / total, total > 0
}

// Central returns the bounds of the middle share, such as 0.95, of figures from
// samples drawn again: the percentile bootstrap. Of R figures it cuts off floor(tail
// (R+1)) - 1 on either side, tail being half of what the share leaves, so that R+1
// should be a multiple of 1/tail. The figures are sorted.
func Central(figures []float64, share float64) (low, high float64) {
	slices.Sort(figures)
	// The rounding keeps 0.025 of 10,000 from becoming 249.
	rank := int(math.Floor((1-share)/2*float64(len(figures)+1) + 1e-9))
	rank = max(rank, 1)
	return figures[rank-1], figures[len(figures)-rank]
}
