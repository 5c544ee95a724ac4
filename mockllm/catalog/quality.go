package catalog

import (
	_ "embed"
	"math"
	"slices"
	"sync"
)

// CodeQuality is how often a model wrote code that is right, in published benchmarks.
//
// No figure here is the share of completions that parse, nor of those that a user takes:
// whole functions that pass their tests are another matter than the rest of a line in
// somebody's file, and the tasks have been public for years. Scores differ by up to 20
// points with the prompt and the harness: hold those of one source and setting against
// each other, and no others.
type CodeQuality struct {
	Model  string
	Scores []CodeScore // in the order of the table
}

// CodeScore is one published result of a model.
type CodeScore struct {
	Benchmark  string  // such as "HumanEval pass@1" or "HumanEval-FIM average"
	Share      float64 // of its tasks, 0 to 1
	Setting    string  // base or instruct, how it was prompted, and whose table it is
	Source     string
	Date       string
	Confidence string // "high": a table of who measured it; "medium": passed on by others
}

// Score returns the first score in a benchmark, and whether there is one.
func (q CodeQuality) Score(benchmark string) (CodeScore, bool) {
	i := slices.IndexFunc(q.Scores, func(s CodeScore) bool { return s.Benchmark == benchmark })
	if i < 0 {
		return CodeScore{}, false
	}
	return q.Scores[i], true
}

var codeQualityColumns = []string{"model", "benchmark", "percent", "setting", "source", "date", "confidence"}

//go:embed code_quality.csv
var codeQualityCSV string

// codeScore is a row of the table.
type codeScore struct {
	model string
	CodeScore
}

func parseCodeScore(r *record) codeScore {
	s := codeScore{r.required("model"), CodeScore{
		Benchmark: r.required("benchmark"), Share: math.Round(100*r.requiredNumber("percent")) / 10_000, Setting: r.required("setting"),
		Source: r.required("source"), Date: r.required("date"), Confidence: r.oneOf("confidence", "high", "medium"),
	}}
	if s.Share > 1 {
		r.bad("percent", r.text("percent"), "want at most 100")
	}
	return s
}

var codeScoreTable = table[codeScore]{"a score", codeQualityColumns, parseCodeScore}

var codeQuality = sync.OnceValue(func() *index[CodeQuality] {
	return newIndex("quality", byModel(codeScoreTable.mustRead("code_quality.csv", codeQualityCSV)), func(q CodeQuality) []string { return []string{q.Model} })
})

// byModel puts scores of one model together, in the order in which models come.
func byModel(scores []codeScore) (all []CodeQuality) {
	place := map[string]int{}
	for _, s := range scores {
		at, known := place[s.model]
		if !known {
			at = len(all)
			place[s.model] = at
			all = append(all, CodeQuality{Model: s.model})
		}
		all[at].Scores = append(all[at].Scores, s.CodeScore)
	}
	return all
}

// AllCodeQuality returns every model with scores, in the order of the table.
func AllCodeQuality() []CodeQuality { return slices.Clone(codeQuality().rows) }

// FindCodeQuality returns the scores of the model with that name. Case and punctuation do
// not matter as long as only one has it. The error is a *NotFoundError.
func FindCodeQuality(name string) (CodeQuality, error) { return codeQuality().find(name) }
