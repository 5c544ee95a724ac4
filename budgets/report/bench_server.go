package report

import (
	"slices"

	"halfsecond/budgets/grid"
)

// BenchServer is what the server of a cell says of its own time, in ms, nil what it does
// not say.
type BenchServer struct {
	TTFT    *BenchSample `json:"service_ttft"` // ours
	Queue   *BenchSample `json:"queue"`
	Load    *BenchSample `json:"load"`
	Prefill *BenchSample `json:"prefill"`
	Rest    *BenchSample `json:"rest"` // of service_ttft
	Pace    *BenchSample `json:"decode_tpot"`
}

func benchServer(s *grid.Served) *BenchServer {
	if !s.Says() {
		return nil
	}
	return &BenchServer{
		TTFT: benchSample(s.TTFT), Queue: benchSample(s.Queue), Load: benchSample(s.Load),
		Prefill: benchSample(s.Prefill), Rest: benchSample(s.Rest), Pace: benchSample(s.Pace),
	}
}

// besideTitle heads what a server says of its own time.
const besideTitle = "The server's own times, and ours"

// besideColumns are the medians of a cell that are set beside each other.
var besideColumns = []struct {
	name string
	of   func(s *grid.Served) grid.Sample
}{
	{"service_ttft", func(s *grid.Served) grid.Sample { return s.TTFT }},
	{"its queue", func(s *grid.Served) grid.Sample { return s.Queue }},
	{"its load", func(s *grid.Served) grid.Sample { return s.Load }},
	{"its prefill", func(s *grid.Served) grid.Sample { return s.Prefill }},
	{"rest", func(s *grid.Served) grid.Sample { return s.Rest }},
	{"tpot", func(s *grid.Served) grid.Sample { return s.TPOT }},
	{"its decode", func(s *grid.Served) grid.Sample { return s.Pace }},
}

// serverBeside sets what the servers of the cells say of their time beside what was seen
// here. Where no real server answered there is nothing to say.
func (b *Bench) serverBeside() section {
	cells := slices.DeleteFunc(slices.Clone(b.grid.Cells), func(c grid.Cell) bool { return !c.Served.Says() })
	s := section{title: besideTitle}
	switch {
	case len(cells) == 0 && (len(b.asked) == 0 || !b.measured(grid.TTFT)):
		return section{}
	case len(cells) == 0:
		s.notes = unsaid(b.asked)
		return s
	}
	s.rows = [][]cell{{left("").in(dim), left("").in(dim), right("prompt").in(dim)}}
	for i := range cells {
		s.rows = append(s.rows, []cell{left(cells[i].Model), left(cells[i].Variant), right(count(cells[i].Prompt))})
	}
	for _, column := range besideColumns {
		of := func(c grid.Cell) grid.Sample { return column.of(&c.Served) }
		if !slices.ContainsFunc(cells, func(c grid.Cell) bool { return len(of(c)) > 0 }) {
			continue
		}
		s.rows[0] = append(s.rows[0], right(column.name).in(dim))
		for i, c := range cells {
			s.rows[i+1] = append(s.rows[i+1], sampleCells(of(c))[0])
		}
	}
	s.notes = append([]string{"Medians, of requests alone. service_ttft: sent to first output. rest: what of it the server does not count, request by request: " +
		"the network, proxies, a wait before its clock starts, and bringing the first token out. its decode: its time for the answer / (output tokens - 1), as tpot is."},
		ownClocks(b.asked)...)
	return s
}
