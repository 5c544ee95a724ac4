package picture

import (
	"fmt"
	"slices"

	"halfsecond/budgets"
	"halfsecond/budgets/report"
)

// Bench returns the pictures of a comparison: the time to the first token, the pace
// and, where it was measured, the stall of a stream beside, each against the length
// of the prompt. A panel is a model, a curve a variant: the medians of its cells,
// with a bar from the least to the most where repeats differ. All panels have one
// scale.
func Bench(b *report.Bench) []Picture {
	var out []Picture
	for _, f := range []struct {
		name, title, axis string
		of                func(*report.BenchCell) *report.BenchSample
		fit               string // the metric whose line is noted; empty for none
	}{
		{"ttft", "Time to first token against the length of the prompt", "TTFT", func(c *report.BenchCell) *report.BenchSample { return c.TTFT }, "ttft"},
		{"tpot", "Time per output token against the length of the prompt", "TPOT", func(c *report.BenchCell) *report.BenchSample { return c.TPOT }, "tpot"},
		{"stall", "How long a running stream stops while a prompt comes in", "longest gap", func(c *report.BenchCell) *report.BenchSample { return c.Stall }, ""},
	} {
		c := chart{title: f.title, subtitle: b.Subtitle(), x: "prompt (tokens)", y: f.axis}
		for _, v := range b.Variants {
			c.names = append(c.names, b.Legend(v))
		}
		for _, m := range b.Models {
			if p := benchPanel(b, m, f.of, f.fit); len(p.curves) > 0 {
				c.panels = append(c.panels, p)
			}
		}
		if len(c.panels) > 0 {
			out = append(out, c.picture(f.name))
		}
	}
	return out
}

// benchPanel gathers the curves of one model.
func benchPanel(b *report.Bench, model string, of func(*report.BenchCell) *report.BenchSample, fit string) panel {
	p := panel{title: model}
	for i := range b.Cells {
		c := &b.Cells[i]
		s := of(c)
		if c.Model != model || s == nil {
			continue
		}
		kind := slices.Index(b.Variants, c.Variant)
		if n := len(p.curves); n == 0 || p.curves[n-1].kind != kind {
			p.curves = append(p.curves, curve{kind: kind})
		}
		last := &p.curves[len(p.curves)-1]
		last.points = append(last.points, point{float64(c.PromptTokens), s.P50, s.Min, s.Max})
	}
	for i := range b.Trends {
		if t := &b.Trends[i]; t.Model == model && t.Variant == b.Variants[0] && t.Metric == fit {
			p.note = fmt.Sprintf("%s: %s", t.Variant, t.Words())
		}
	}
	return p
}

// duration returns a time in ms with three digits, in the unit that one of another
// size has.
func duration(ms, size float64) string { return budgets.Duration.FormatLike(ms*1e6, size*1e6) }
