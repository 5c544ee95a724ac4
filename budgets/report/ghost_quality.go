package report

import (
	"fmt"
	"time"

	"halfsecond/budgets"
	"halfsecond/budgets/quality"
)

// GhostQuality is how fast the model was when only code that parses counts; docs/quality.md
// defines each figure.
type GhostQuality struct {
	Language   string        `json:"language"`
	Checker    string        `json:"checker"`
	Repair     float64       `json:"repair_ms"`
	Assumed    bool          `json:"repair_assumed"`
	Answers    int           `json:"answers"`
	Told       int           `json:"told"`
	Unfinished int           `json:"unfinished"`
	Unknown    int           `json:"unknown"`
	Failed     int           `json:"checker_failed"`
	Why        []GhostCount  `json:"checker_failed_by"`
	Parsing    GhostEstimate `json:"parses"`                   // share of those of which it could be told
	Tokens     GhostEstimate `json:"tokens_per_second"`        // of answers, the wait for the first one included
	Useful     GhostEstimate `json:"useful_chars_per_second"`  // of answers that parse
	Working    GhostEstimate `json:"working_code_s"`           // mean time to working code
	Effective  GhostEstimate `json:"effective_tokens_per_sec"` // useful tokens of answers that parse, repair included
	Drawn      string        `json:"drawn"`
}

// GhostEstimate is a figure with its interval at 95 %; null where it is unknown.
type GhostEstimate struct {
	Value *float64 `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
}

func ghostQuality(q *budgets.Quality) *GhostQuality {
	if q == nil {
		return nil
	}
	return &GhostQuality{
		Language: q.Language, Checker: q.Checker, Repair: millis(q.Quality.Repair), Assumed: q.Assumed, Answers: q.Answers, Told: q.Told,
		Unfinished: q.Unfinished, Unknown: q.Unknown, Failed: q.Failed, Why: countsOf(q.Why), Parsing: estimated(q.Parsing), Tokens: estimated(q.Tokens),
		Useful: estimated(q.Useful), Working: estimated(q.Working), Effective: estimated(q.Effective), Drawn: q.Drawn,
	}
}

func estimated(e quality.Estimate) GhostEstimate {
	return GhostEstimate{number(budgets.Count, e.Value, e.Known), number(budgets.Count, e.Low, e.HasInterval), number(budgets.Count, e.High, e.HasInterval)}
}

// cells are a figure and its interval, in a unit.
func (e GhostEstimate) cells(u budgets.Unit, of float64) []cell {
	words, reach := "-", "-"
	if e.Value != nil {
		words = u.Format(*e.Value * of)
	}
	if e.Low != nil {
		reach = u.FormatLike(*e.Low*of, *e.High*of) + " to " + u.Format(*e.High*of)
	}
	return []cell{right(words), right(reach)}
}

// section shows what the speed of a model is worth; nothing where answers were not checked.
func (q *GhostQuality) section() section {
	if q == nil {
		return section{}
	}
	s := section{title: fmt.Sprintf("Quality is part of speed: answers checked as %s by %s", q.Language, q.Checker), rows: [][]cell{
		{left("").in(dim), right("figure").in(dim), right("95 % interval").in(dim)},
		{left("answers checked"), right(count(q.Answers)), right("")},
	}}
	second := float64(time.Second)
	for _, r := range []struct {
		name string
		GhostEstimate
		unit budgets.Unit
		of   float64
	}{
		{fmt.Sprintf("parse, of the %s of which it could be told", count(q.Told)), q.Parsing, budgets.Share, 1},
		{"tokens a second, as they came", q.Tokens, budgets.TokenRate, 1},
		{"effective: useful tokens a second, with repair", q.Effective, budgets.TokenRate, 1},
		{"useful characters a second", q.Useful, budgets.Rate, 1},
		{"time to working code, mean", q.Working, budgets.Duration, second},
	} {
		s.rows = append(s.rows, append([]cell{left(r.name)}, r.cells(r.unit, r.of)...))
	}
	s.notes = []string{q.repairWords(), q.untoldWords()}
	return s
}

func (q *GhostQuality) repairWords() string {
	words := "A broken answer is taken to cost " + budgets.Duration.Format(q.Repair*1e6)
	if q.Assumed {
		return words + ": assumed, since the scenario does not state its ide.quality.repair."
	}
	return words + ", as the scenario states."
}

// untoldWords says of which answers nothing could be told, and why.
func (q *GhostQuality) untoldWords() string {
	words := ""
	if q.Unfinished > 0 || q.Unknown > 0 {
		words = fmt.Sprintf("In no share: %s that were cut with nothing wrong in them, %s where the document was wrong elsewhere.", counted(q.Unfinished, "answer"), count(q.Unknown))
	}
	if q.Failed > 0 {
		if words != "" {
			words += " "
		}
		words += fmt.Sprintf("The checker itself failed on %s%s.", counted(q.Failed, "answer"), whyOf(q.Why))
	}
	return words
}
