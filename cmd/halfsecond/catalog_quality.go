package main

import (
	"fmt"
	"strings"

	"halfsecond/mockllm/catalog"
)

var qualityList = catalogList[catalog.CodeQuality]{
	name: "quality", about: "Published scores of models that write code; none is the share of completions that parse", fixed: true,
	all: func(*catalog.Catalog) []catalog.CodeQuality { return catalog.AllCodeQuality() },
	find: func(_ *catalog.Catalog, name string) (catalog.CodeQuality, error) {
		return catalog.FindCodeQuality(name)
	},
	columns:  qualityColumns(),
	document: func(q catalog.CodeQuality) any { return newQualityJSON(q) },
}

// codeBenchmarks are those of the table, and whether the list shows them.
var codeBenchmarks = []struct {
	name string
	list bool
}{
	{"HumanEval pass@1", true}, {"HumanEval+ pass@1", true}, {"MBPP pass@1", true},
	{"HumanEval-FIM average", true}, {"RepoBench Python", false}, {"RepoBench Java", false},
	{"CrossCodeEval exact match", false}, {"MultiPL-E HumanEval average of 8 languages pass@1", false},
}

func qualityColumns() []column[catalog.CodeQuality] {
	all := []column[catalog.CodeQuality]{{"name", true, func(q catalog.CodeQuality) string { return q.Model }}}
	for _, b := range codeBenchmarks {
		all = append(all, column[catalog.CodeQuality]{b.name, b.list, func(q catalog.CodeQuality) string { return scoreRange(q, b.name) }})
	}
	return append(all, column[catalog.CodeQuality]{"sources", false, scoreSources})
}

// scoreRange prints the lowest and the highest score of a model in a benchmark.
func scoreRange(q catalog.CodeQuality, benchmark string) string {
	low, high, n := 1., 0., 0
	for _, s := range q.Scores {
		if s.Benchmark == benchmark {
			low, high, n = min(low, s.Share), max(high, s.Share), n+1
		}
	}
	switch {
	case n == 0:
		return "-"
	case low == high:
		return fmt.Sprintf("%.1f %%", 100*low)
	}
	return fmt.Sprintf("%.1f to %.1f %%", 100*low, 100*high)
}

// scoreSources prints every score with its setting and its source.
func scoreSources(q catalog.CodeQuality) string {
	var all []string
	for _, s := range q.Scores {
		all = append(all, fmt.Sprintf("%s %.1f %%: %s, %s, %s, %s", s.Benchmark, 100*s.Share, s.Setting, s.Source, s.Date, s.Confidence))
	}
	return strings.Join(all, "; ")
}

// qualityJSON is the scores of a model as a JSON document.
type qualityJSON struct {
	Name   string      `json:"name"`
	Scores []scoreJSON `json:"scores"`
}

type scoreJSON struct {
	Benchmark  string  `json:"benchmark"`
	Share      float64 `json:"share"`
	Setting    string  `json:"setting"`
	Source     string  `json:"source"`
	Date       string  `json:"date"`
	Confidence string  `json:"confidence"`
}

func newQualityJSON(q catalog.CodeQuality) qualityJSON {
	d := qualityJSON{Name: q.Model}
	for _, s := range q.Scores {
		d.Scores = append(d.Scores, scoreJSON(s))
	}
	return d
}
