// Package catalog holds published facts as embedded tables: accelerators, model
// shapes, the habits of inference engines, the latencies of hosted voice components,
// the prices of hosted language models, and how well models write code. Every row carries
// its source, and a row that was not read in a source says so.
//
// Read hardware.go, model.go, engine.go, component.go, price.go and quality.go for the kinds of row, then
// catalog.go for how users add rows of their own, and lookup.go for how a name is
// found. table.go is the strict reader of the CSV files. SOURCES.md names the
// sources with their versions and licences.
//
// Rows are values: a caller may change what it gets. Everything here may be used
// by several goroutines at once.
package catalog

// ReadOn is the day on which the figures were read in their sources.
const ReadOn = "2026-11-29"
