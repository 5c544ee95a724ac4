package main

import (
	"fmt"
	"time"

	"halfsecond/mockllm/catalog"
	"halfsecond/pipeline"
)

var componentList = catalogList[catalog.Component]{
	name: "components", about: "Published latencies of the parts of a voice turn", fixed: true,
	all:      func(*catalog.Catalog) []catalog.Component { return catalog.AllComponents() },
	find:     func(_ *catalog.Catalog, name string) (catalog.Component, error) { return catalog.FindComponent(name) },
	columns:  componentColumns,
	document: func(c catalog.Component) any { return newComponentJSON(c) },
}

var componentColumns = []column[catalog.Component]{
	{"slug", true, func(c catalog.Component) string { return c.Slug }},
	{"kind", false, func(c catalog.Component) string { return c.Kind }},
	{"name", false, func(c catalog.Component) string { return c.Name }},
	{"p50", true, func(c catalog.Component) string { return latency(c.P50) }},
	{"p95", true, func(c catalog.Component) string { return latency(c.P95) }},
	{"p50 is", true, func(c catalog.Component) string { return string(c.Statistic) }},
	{"confidence", true, func(c catalog.Component) string {
		return either(c.LowConfidence(), "low", "")
	}},
	{"covers", false, func(c catalog.Component) string {
		return either(c.WholeTurn(), "a whole voice turn, not one stage", "")
	}},
	{"condition", false, func(c catalog.Component) string { return c.Condition }},
	{"year", true, func(c catalog.Component) string { return count(c.Year) }},
	{"source", true, func(c catalog.Component) string { return c.Source }},
	{"read on", false, func(catalog.Component) string { return catalog.ReadOn }},
}

// latency prints a duration in ms, or "-" when it is unknown.
func latency(d time.Duration) string {
	if d == pipeline.Unknown {
		return "-"
	}
	return fmt.Sprintf("%g ms", milliseconds(d))
}

// componentJSON is a component as a JSON document; what is unknown is null.
type componentJSON struct {
	Slug          string   `json:"slug"`
	Kind          string   `json:"kind"`
	Name          string   `json:"name"`
	P50MS         *float64 `json:"p50_ms"`
	P95MS         *float64 `json:"p95_ms"`
	Statistic     *string  `json:"statistic"`
	Usable        bool     `json:"usable"`
	SpreadKnown   bool     `json:"spread_known"`
	WholeTurn     bool     `json:"whole_turn"`
	LowConfidence bool     `json:"low_confidence"`
	Condition     string   `json:"condition"`
	Source        string   `json:"source"`
	Year          int      `json:"year"`
	ReadOn        string   `json:"read_on"`
}

func newComponentJSON(c catalog.Component) componentJSON {
	return componentJSON{
		Slug: c.Slug, Kind: c.Kind, Name: c.Name,
		P50MS:     known(milliseconds(c.P50), milliseconds(pipeline.Unknown)),
		P95MS:     known(milliseconds(c.P95), milliseconds(pipeline.Unknown)),
		Statistic: known(string(c.Statistic), ""),
		Usable:    c.Usable(), SpreadKnown: c.SpreadKnown(), WholeTurn: c.WholeTurn(), LowConfidence: c.LowConfidence(),
		Condition: c.Condition, Source: c.Source, Year: c.Year, ReadOn: catalog.ReadOn,
	}
}
