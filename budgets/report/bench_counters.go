package report

import (
	"slices"

	"halfsecond/pipeline/trace"
)

// countersOf returns what the server of a cell counted, nil where nobody looked.
func countersOf(c *BenchCell, run trace.Run) *ServerCounters {
	at := slices.IndexFunc(run.Footer.Counters, func(n trace.Counters) bool {
		return n.Model == c.Model && n.Variant == c.Variant && n.Prompt == c.PromptTokens
	})
	if at < 0 {
		return nil
	}
	return countedBy(&run.Footer.Counters[at], run.Traces)
}

// counterTable sets what servers counted beside our own means, cell by cell.
func (b *Bench) counterTable(p *page) {
	rows := [][]cell{{
		left("").in(dim), left("").in(dim), right("prompt").in(dim), right("n").in(dim), right("ours").in(dim), right("queue").in(dim), right("prefill").in(dim), right("decode").in(dim),
		right("ttft").in(dim), right("ours").in(dim), right("apart").in(dim), right("e2e").in(dim), right("ours").in(dim), right("apart").in(dim),
	}}
	var absent []string
	for i := range b.Cells {
		c := &b.Cells[i]
		switch s := c.Counters; {
		case s == nil:
		case s.Absent != nil:
			absent = with(absent, s.absence())
		default:
			rows = append(rows, append([]cell{left(c.Model), left(c.Variant), right(count(c.PromptTokens))}, s.cells()...))
		}
	}
	if len(rows) == 1 && len(absent) == 0 {
		return
	}
	p.heading("What the server counted, means in ms")
	if len(rows) > 1 {
		p.rows(rows)
		p.paragraph(2, dim, "n: requests that ended there, and ours that ended ok; where it counts more, others used it too. Its times are the differences of its sums over those of its counts. Ours: ttft from sent to the "+
			"first output, e2e from sent to the last one. Apart: ours - its, where both are of as many requests: network, HTTP, and what neither its clock nor its engine sees.")
	}
	for _, words := range absent {
		p.paragraph(2, plain, words)
	}
}

// cells are those of a row that are of a server's counters.
func (s *ServerCounters) cells() []cell {
	unit := tableUnit(0)
	mean := func(name string) *ServerTime {
		if t := s.time(name); t != nil {
			return t
		}
		return &ServerTime{}
	}
	row := []cell{right(countOrDash(s.Requests)), right(count(s.OK))}
	for _, name := range []string{"queue", "prefill", "decode"} {
		row = append(row, right(unit.figure(mean(name).Mean)))
	}
	for _, name := range []string{"ttft", "e2e"} {
		t := mean(name)
		row = append(row, right(unit.figure(t.Mean)), right(unit.figure(t.OursMean)), right(unit.figure(t.Apart)))
	}
	return row
}
