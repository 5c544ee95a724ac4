package report

import (
	"fmt"

	"halfsecond/pipeline"
)

// Paces are the answers whose tpot and tps are not those of the model, or that have none.
type Paces struct {
	Held    int     `json:"partly_held"` // answers of which a large part came at once
	Bundled Bundled `json:"several_tokens"`
	Choices int     `json:"several_choices"` // answers of several choices, whose tokens are counted together
}

// paces returns those of the requests that are of such a kind.
func paces(traces []pipeline.Trace, of func(r *pipeline.Request) bool) (p Paces) {
	var several bundling
	for i := range traces {
		for j := range traces[i].Requests {
			if r := &traces[i].Requests[j]; of(r) {
				p.add(r)
				several.add(r)
			}
		}
	}
	p.Bundled = several.done()
	return p
}

func (p *Paces) add(r *pipeline.Request) {
	if !r.Transport.Burst && partlyHeld(r) {
		p.Held++
	}
	if r.Choices > 1 {
		p.Choices++
	}
}

// heldShare is the part of an answer's chunks at one instant from which on it is told.
const heldShare = .3

// partlyHeld reports whether a large part of an answer came at one instant, and the others not.
func partlyHeld(r *pipeline.Request) bool {
	return r.Together > 0 && float64(r.Together) >= heldShare*float64(r.Chunks)
}

// words say of how many answers the pace is not the model's, and why.
func (p *Paces) words() (notes []string) {
	if p.Held > 0 {
		notes = append(notes, fmt.Sprintf("%s had a large part of the chunks come in one read, 8 or more and 30 %% of them or more, and the others not: something held that part back, so tpot and tps are faster than the model is; 'halfsecond doctor' tells which part.",
			counted(p.Held, "answer")))
	}
	notes = append(notes, p.Bundled.words()...)
	if p.Choices > 0 {
		notes = append(notes, fmt.Sprintf("%s of several choices came, though one was asked for: their tokens are counted together, so of those there is neither tpot nor tps.",
			counted(p.Choices, "answer")))
	}
	return notes
}

// recorded returns what a cassette's answers tell that are given again on the simulator, nil
// where that is nothing.
func recorded(traces []pipeline.Trace) *Paces {
	p := paces(traces, func(r *pipeline.Request) bool { return r.Simulated && r.Chunks > 0 && !modelled(r) })
	if len(p.words()) == 0 {
		return nil
	}
	return &p
}

// modelled reports whether an answer has a token in each chunk, as one of a modelled engine has.
func modelled(r *pipeline.Request) bool {
	return r.Chunks == r.OutputTokens && r.Opening == (pipeline.Opening{}) && r.Choices == 0
}

// section has what they tell of answers that are given again.
func (p *Paces) section() section {
	if p == nil {
		return section{}
	}
	return section{title: "Recorded answers", notes: p.words()}
}
