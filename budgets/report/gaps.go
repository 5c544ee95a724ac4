package report

import "halfsecond/budgets"

// gaps shows how evenly answers came: over all times between chunks, and by the longest
// of each answer.
func (r *Report) gaps() section {
	var rows []figures
	for _, name := range []string{"icl", "longest_gap"} {
		if p := r.analysis.Pool(name); len(p.Values) > 0 {
			rows = append(rows, figures{name, len(p.Values), append(threeOf(p.Values), number(budgets.Duration, p.Values[len(p.Values)-1], true))})
		}
	}
	s := inOneUnit("Between chunks", rows, "p50", "p95", "p99", "most")
	if len(rows) > 0 {
		s.notes = []string{"icl: over all times between two chunks, 0 for those that came in one read. longest_gap: over answers, the worst stall of each."}
	}
	return s
}
