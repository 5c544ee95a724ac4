package budgets

import (
	"cmp"
	"slices"
)

// BotFault is something that a bot sent which telephony would not take, or take for something
// else: a Flag of pipeline.Answered.
type BotFault struct {
	Name  string
	Turns int // in which it came
}

// BotFaults returns those of all turns, the most frequent first.
func (a *Analysis) BotFaults() (all []BotFault) {
	turns := map[string]int{}
	for i := range a.Run.Traces {
		var names []string
		for _, r := range a.Run.Traces[i].Answers {
			names = append(names, r.Flags...)
		}
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			turns[name]++
		}
	}
	for name, n := range turns {
		all = append(all, BotFault{name, n})
	}
	slices.SortFunc(all, func(a, b BotFault) int {
		return cmp.Or(cmp.Compare(b.Turns, a.Turns), cmp.Compare(a.Name, b.Name))
	})
	return all
}
