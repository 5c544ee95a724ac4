package report

import (
	"fmt"

	"halfsecond/budgets/grid"
	"halfsecond/pipeline/trace"
)

// blankNotes say why cells have no figures though requests of them ended ok, and in how many
// answers there was nothing in any case.
func (b *Bench) blankNotes() (notes []string) {
	for i := range b.grid.Cells {
		c := &b.grid.Cells[i]
		of := fmt.Sprintf("%s, %s, %s tokens", c.Model, c.Variant, count(c.Prompt))
		ok, values := c.Asked-c.Failed, len(c.Sample(grid.TTFT))
		if c.Empty > 0 {
			notes = append(notes, fmt.Sprintf("%s of %s that ended ok had nothing in them, of %s.", count(c.Empty), counted(ok, "answer"), of))
		}
		if c.Skipped || values > 1 || ok == 0 || c.Empty == ok {
			continue
		}
		why := "an answer that comes as one text has no instant of its own"
		if values == 1 || ok == 1 {
			why = "a median takes two"
		}
		notes = append(notes, fmt.Sprintf("No figures of %s: %s that ended ok, %s with a first output; %s.", of, counted(ok, "request"), count(values), why))
	}
	return notes
}

// unreadOf counts what could not be read of the answers of a run.
func unreadOf(run *trace.Run) (u Unread) {
	for i := range run.Traces {
		for j := range run.Traces[i].Requests {
			u.add(&run.Traces[i].Requests[j])
		}
	}
	return u
}
