package report

import (
	"fmt"
	"slices"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
)

// Bundled are the answers of which several tokens came with the first output, so that tpot,
// which takes it for one, is shorter than the model's.
type Bundled struct {
	N       int      `json:"n"`
	Of      int      `json:"of"`               // answers with a tpot
	Counted int      `json:"counted"`          // those of N that the server counted on while it sent them
	Unsent  int      `json:"unsent"`           // those of N with reasoning that the server counts and did not send
	Chunk   *float64 `json:"tokens_per_chunk"` // of N, at the median
	// TPOT of N at the median: as the metric has it, as it likely is of the model, and as it may
	// be at most; null with fewer than two answers, and where nothing tells it of some.
	TPOT     *float64 `json:"tpot_p50_ms"`
	Likely   *float64 `json:"likely_p50_ms"`
	AtMost   *float64 `json:"at_most_p50_ms"`
	Times    float64  `json:"times_at_most"` // the most that tpot may be too short by, of one answer; 0 for none
	OneChunk int      `json:"one_chunk"`     // answers of several tokens without a tpot, for they came in one chunk or two at once

	unsure int // those of N of which what came of reasoning may be a summary
}

// worthTelling is how many times too short a tpot may be at least for an answer to count: 5 %
// is less than runs of one server differ by.
const worthTelling = 1.05

// bundling gathers Bundled from requests.
type bundling struct {
	Bundled
	chunk, tpot, likely, atMost []float64
}

// add counts a request. What was partly held is told as such.
func (b *bundling) add(r *pipeline.Request) {
	span, f := budgets.Decoding(r)
	switch {
	case r.Outcome != pipeline.OK:
	case span == 0:
		if r.FirstOutput != pipeline.Unknown && r.FirstOutput == r.LastOutput && !r.Transport.Burst && r.Choices < 2 && r.OutputTokens > 1 {
			b.OneChunk++
		}
	default:
		b.Of++
		if f.Most/f.Least >= worthTelling && !partlyHeld(r) {
			b.several(r, float64(span), f)
		}
	}
}

func (b *bundling) several(r *pipeline.Request, span float64, f pipeline.Following) {
	b.N++
	b.Times = max(b.Times, f.Most/f.Least)
	if f.Counted {
		b.Counted++
	}
	if r.Opening.Unsent > 0 {
		b.Unsent++
	}
	if r.Opening.Sure > 0 {
		b.unsure++
	}
	b.chunk = append(b.chunk, float64(r.OutputTokens-r.Opening.Unsent)/float64(r.Chunks))
	b.tpot, b.atMost = append(b.tpot, span/f.Most), append(b.atMost, span/f.Least)
	if f.Likely > 0 {
		b.likely = append(b.likely, span/f.Likely)
	}
}

// done returns what was gathered.
func (b *bundling) done() Bundled {
	out := b.Bundled
	out.Chunk, out.TPOT, out.AtMost = halfway(budgets.Count, b.chunk), halfway(budgets.Duration, b.tpot), halfway(budgets.Duration, b.atMost)
	if len(b.likely) == b.N {
		out.Likely = halfway(budgets.Duration, b.likely)
	}
	return out
}

// halfway returns the median of values, nil where there are fewer than two.
func halfway(u budgets.Unit, values []float64) *float64 {
	slices.Sort(values)
	v, ok := quantile.OfSorted(values, quantile.P50)
	return number(u, v, ok)
}

// words say what tpot takes these answers for, and which have none.
func (b *Bundled) words() (notes []string) {
	if b.N > 0 {
		notes = append(notes, fmt.Sprintf("%s of %s with a tpot %s several tokens in the first output%s. tpot takes that for one token, so tpot and tps are faster than the model is, by up to %s times%s.%s",
			count(b.N), counted(b.Of, "answer"), b.had(), b.perChunk(), budgets.Number(b.Times, 1), b.pace(), b.reasoning()))
	}
	if b.OneChunk > 0 {
		notes = append(notes, fmt.Sprintf("%s of several tokens came at one instant, in one chunk or two: of those there is neither tpot nor tps.", counted(b.OneChunk, "answer")))
	}
	return notes
}

func (b *Bundled) had() string {
	if b.Counted == b.N {
		return "had"
	}
	return "may have had"
}

func (b *Bundled) perChunk() string {
	if b.Chunk == nil {
		return ""
	}
	return fmt.Sprintf(", and %s a chunk at the median", budgets.Number(*b.Chunk, 1))
}

// pace says what the model's own pace is, as far as that can be told.
func (b *Bundled) pace() string {
	if b.TPOT == nil {
		return ""
	}
	its := func(ms *float64) string { return budgets.Duration.Format(*ms * 1e6) }
	words := ": " + its(b.TPOT) + " at p50, where "
	switch {
	case b.Counted == b.N:
		return words + "by the count that the server sends with each chunk it is " + its(b.Likely)
	case b.Likely != nil:
		return words + fmt.Sprintf("by the first output's share of the bytes it is about %s, and %s at most if no part of an answer has more than twice, or less than half, of the tokens that its bytes say",
			its(b.Likely), its(b.AtMost))
	}
	return words + fmt.Sprintf("it is %s at most, if each chunk holds a token or more", its(b.AtMost))
}

func (b *Bundled) reasoning() (words string) {
	if b.Unsent > 0 {
		words = fmt.Sprintf(" Of %s the server counts reasoning that it did not send.", counted(b.Unsent, "answer"))
	}
	if b.unsure > 0 {
		words += fmt.Sprintf(" Of %s what came of the reasoning may be a summary: at most, its tokens are none of those that followed.", counted(b.unsure, "answer"))
	}
	return words
}
