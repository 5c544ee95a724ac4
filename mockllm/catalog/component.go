package catalog

import (
	_ "embed"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"halfsecond/pipeline"
)

// Statistic says what the P50 of a component really is.
type Statistic string

// What a published "typical" figure can be. Only a Median is one.
const (
	Median     Statistic = "median"
	Mean       Statistic = "mean"
	Target     Statistic = "target"      // what somebody aims at
	Default    Statistic = "default"     // a configured wait, always paid in full
	SingleRun  Statistic = "single run"  // one measurement
	UpperBound Statistic = "upper bound" // "under 300 ms"
	About      Statistic = "about"       // a rounded or unexplained figure
)

var statistics = []string{
	"", string(Median), string(Mean), string(Target), string(Default), string(SingleRun), string(UpperBound), string(About),
}

// Component is one published latency of a part of a voice turn. Figures of
// different sources use different clocks: Condition says from where to where.
type Component struct {
	// Slug is the unique and lasting name, such as
	// "stt-deepgram-nova-3-general": the kind, the name and, where two rows share
	// those, a word of the condition or the source.
	Slug string
	Kind string // "stt", "tts", "llm", "vad", "endpointing", "network" or "telephony"
	Name string

	P50 time.Duration // pipeline.Unknown when not published
	P95 time.Duration // pipeline.Unknown when not published; never a P90 or P99

	Statistic Statistic // what P50 is; empty exactly when P50 is unknown
	Condition string    // how it was measured, and figures that fit no column
	Source    string
	Year      int
}

// Usable reports whether the row can stand for the latency of a stage: whether
// its P50 is known.
func (c Component) Usable() bool { return c.P50 != pipeline.Unknown }

// SpreadKnown reports whether P50 and P95 are both known, so that a distribution
// can be fitted to them.
func (c Component) SpreadKnown() bool { return c.Usable() && c.P95 != pipeline.Unknown }

// WholeTurn reports whether the figure covers a whole voice turn, from the end of
// the user's speech to the answer, rather than one stage of it.
func (c Component) WholeTurn() bool {
	return strings.Contains(c.Name, "[speech-to-speech") || strings.Contains(c.Name, "whole V2V")
}

// LowConfidence reports whether the source is an aggregator that does not explain
// its method, or repeats figures that could not be read at their origin.
func (c Component) LowConfidence() bool {
	return strings.Contains(c.Source, "LOW CONFIDENCE") || strings.Contains(c.Source, "callsphere.ai")
}

var componentColumns = []string{"slug", "kind", "name", "p50_ms", "p95_ms", "statistic", "condition", "source", "year"}

//go:embed components.csv
var componentsCSV string

var slugForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func parseComponent(r *record) Component {
	c := Component{
		Slug:      r.required("slug"),
		Kind:      r.oneOf("kind", "stt", "tts", "llm", "vad", "endpointing", "network", "telephony"),
		Name:      r.required("name"),
		P50:       r.milliseconds("p50_ms"),
		P95:       r.milliseconds("p95_ms"),
		Statistic: Statistic(r.oneOf("statistic", statistics...)),
		Condition: r.required("condition"),
		Source:    r.required("source"),
		Year:      r.requiredCount("year"),
	}
	if !slugForm.MatchString(c.Slug) || !strings.HasPrefix(c.Slug, c.Kind+"-") {
		r.bad("slug", c.Slug, "want the kind, then lower-case words joined by hyphens")
	}
	if c.Usable() != (c.Statistic != "") {
		r.bad("statistic", string(c.Statistic), "must be there exactly when p50_ms is")
	}
	if c.SpreadKnown() && c.P95 <= c.P50 {
		r.bad("p95_ms", r.text("p95_ms"), "want more than p50_ms")
	}
	return c
}

// milliseconds returns a cell that is empty, and then pipeline.Unknown, or a
// positive number of milliseconds.
func (r *record) milliseconds(column string) time.Duration {
	if r.text(column) == "" {
		return pipeline.Unknown
	}
	return time.Duration(math.Round(r.number(column) * float64(time.Millisecond)))
}

var componentTable = table[Component]{"a component", componentColumns, parseComponent}

var components = sync.OnceValue(func() *index[Component] {
	rows := componentTable.mustRead("components.csv", componentsCSV)
	return newIndex("component", rows, func(c Component) []string { return []string{c.Slug, c.Name} })
})

// AllComponents returns every component in the order of the table.
func AllComponents() []Component { return slices.Clone(components().rows) }

// FindComponent returns the component with that slug, or with that name when only
// one has it. Case and punctuation do not matter as long as only one component
// matches. The error is a *NotFoundError.
func FindComponent(name string) (Component, error) { return components().find(name) }
