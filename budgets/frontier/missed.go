package frontier

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"halfsecond/budgets"
)

// Missed is a budget that a run does not hold, or some of several.
type Missed struct {
	Budget     string
	Value      string  // "" where it could not be measured
	Gap        string  // by how much it is missed, "8 points"; "" where that is not known
	By         float64 // the same, in the budget's unit
	Unmeasured string  // why; "" of one that failed
	Runs, Of   int     // it is missed in so many runs of so many; 0 of a single one
}

func missedOf(j *budgets.Judgement) (m Missed, missed bool) {
	m.Budget = j.Budget.String()
	switch {
	case j.Verdict == budgets.Pass:
		return m, false
	case j.Verdict == budgets.Unmeasured || !j.HasValue:
		m.Unmeasured = cmp.Or(j.Reason, "it could not be measured")
		return m, true
	}
	m.Value, _, m.Gap = j.Unit().FormatBeside(j.Value, j.Value+j.Margin)
	m.By = math.Abs(j.Margin)
	return m, true
}

// and returns what two runs miss of one budget: of one that could not measure it nothing is
// counted where another misses it.
func (m Missed) and(o Missed) Missed {
	switch {
	case m.Unmeasured == "" && o.Unmeasured != "":
		return m
	case m.Unmeasured != "" && o.Unmeasured == "":
		return o
	case o.By > m.By:
		m, o = o, m
	}
	m.Runs += o.Runs
	return m
}

// Lacks says what settings lack to hold all budgets.
func Lacks(missed []Missed) string {
	parts := make([]string, len(missed))
	for i := range missed {
		parts[i] = missed[i].words()
	}
	return strings.Join(parts, "; ")
}

func (m *Missed) words() string {
	in, by := "", " by "
	if m.Of > 1 {
		in = fmt.Sprintf(" in %d of %d runs", m.Runs, m.Of)
		by = either(m.Runs > 1, ", by up to ", ", by ")
	}
	if m.Unmeasured != "" {
		return fmt.Sprintf("%s cannot be told%s: %s", m.Budget, in, m.Unmeasured)
	}
	return fmt.Sprintf("%s is missed%s%s%s (%s)", m.Budget, in, by, m.Gap, m.Value)
}
