// Package counters reads what a server counts itself: its page of metrics, in the text
// format of Prometheus, before a run and after it. The difference is what the run had the
// server do, with what others asked of it in that time.
//
// Read source.go for how a page is asked for, names.go for what servers call what they
// count, and difference.go for what comes of two pages; page.go reads one.
//
// The format is read by github.com/prometheus/common/expfmt, which Prometheus's own tools
// use: labels with any character in them, and sums of several kinds, are more than a line
// cut at its blanks.
package counters
