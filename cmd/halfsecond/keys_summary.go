package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"halfsecond/simulators/ide/typing/fit"
)

// keysSummary is the summary of some typing as JSON. What cannot be told is null.
type keysSummary struct {
	Keys            int         `json:"keys"`
	DurationMS      float64     `json:"duration_ms"`
	Backspaces      int         `json:"backspaces"`
	BackspacesShare *float64    `json:"backspaces_share"` // of the keys
	Moves           int         `json:"cursor_moves"`
	Changes         int         `json:"other_edits"`
	Opens           int         `json:"documents_opened"`
	Bursts          int         `json:"bursts"`
	BurstP50        *int        `json:"burst_keys_p50"`
	BurstP90        *int        `json:"burst_keys_p90"`
	Gaps            int         `json:"gaps"`
	GapP50MS        *float64    `json:"gap_p50_ms"`
	GapP90MS        *float64    `json:"gap_p90_ms"`
	Above           []gapsAbove `json:"gaps_above"`
}

// gapsAbove is the share of the gaps that are longer than a debounce.
type gapsAbove struct {
	DebounceMS float64 `json:"debounce_ms"`
	Share      float64 `json:"share"`
}

func keysDocument(s fit.Summary) keysSummary {
	d := keysSummary{
		Keys: s.Keys, DurationMS: inMS(s.Takes), Backspaces: s.Backspaces, Moves: s.Moves, Changes: s.Changes, Opens: s.Opens,
		Bursts: s.Bursts, BurstP50: known(s.BurstP50, 0), BurstP90: known(s.BurstP90, 0),
		Gaps: s.Gaps, GapP50MS: known(inMS(s.GapP50), 0), GapP90MS: known(inMS(s.GapP90), 0), Above: []gapsAbove{},
	}
	if s.Keys > 0 {
		share := float64(s.Backspaces) / float64(s.Keys)
		d.BackspacesShare = &share
	}
	for _, a := range s.Above {
		d.Above = append(d.Above, gapsAbove{inMS(a.Debounce), a.Share})
	}
	return d
}

func inMS(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// writeKeysTable prints the summary for people.
func writeKeysTable(w io.Writer, s fit.Summary) error {
	d := keysDocument(s)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "keys\t%d\tin %s\n", s.Keys, s.Takes.Round(time.Second))
	if d.BackspacesShare != nil {
		fmt.Fprintf(t, "backspaces\t%d\t%s of the keys\n", s.Backspaces, percent("%.1f", *d.BackspacesShare))
	}
	fmt.Fprintf(t, "bursts\t%d\tp50 %s, p90 %s; a burst ends with a gap of more than 1 s\n", s.Bursts, told(d.BurstP50, "%d keys"), told(d.BurstP90, "%d keys"))
	fmt.Fprintf(t, "gaps\t%d\tp50 %s, p90 %s; between keys that follow each other in one document\n", s.Gaps, told(d.GapP50MS, "%.0f ms"), told(d.GapP90MS, "%.0f ms"))
	for _, a := range d.Above {
		fmt.Fprintf(t, "  above %.0f ms\t%s\tof the gaps\n", a.DebounceMS, percent("%.1f", a.Share))
	}
	fmt.Fprintf(t, "other edits\t%d\tpastes, suggestions taken, formatting\n", s.Changes)
	fmt.Fprintf(t, "moves\t%d\tof the cursor\n", s.Moves)
	fmt.Fprintf(t, "opened\t%d\tdocuments, one that was left or read anew again\n", s.Opens)
	return t.Flush()
}

// told returns a figure, or that there is too little to tell it by.
func told[T any](v *T, format string) string {
	if v == nil {
		return "unknown"
	}
	return fmt.Sprintf(format, *v)
}
