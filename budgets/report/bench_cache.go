package report

import (
	"fmt"
	"slices"
	"strings"

	"halfsecond/budgets"
	"halfsecond/budgets/grid"
)

// cacheTable lists how full the caches were, and what it took, when any was full.
func (b *Bench) cacheTable(p *page) {
	if !slices.ContainsFunc(b.Cells, func(c BenchCell) bool { return c.KV.pressed() }) {
		return
	}
	p.heading("How full was the KV cache?")
	rows := [][]cell{{
		left("").in(dim), left("").in(dim), right("prompt").in(dim), right("mean").in(dim), right("peak").in(dim), right("full steps").in(dim),
		right("preempted").in(dim), right("tokens moved").in(dim), right("ttft").in(dim), right("tpot").in(dim),
	}}
	var last grid.Key
	for i := range b.Cells {
		c := &b.Cells[i]
		if c.KV == nil {
			continue
		}
		model, variant := c.Model, c.Variant
		if key := (grid.Key{Model: model, Variant: variant}); key == last {
			model, variant = "", ""
		} else if last = key; i > 0 && b.Cells[i-1].Model == model {
			model = ""
		}
		rows = append(rows, []cell{
			left(model), left(variant), right(count(c.PromptTokens)), right(percent(c.KV.Mean)), right(percent(c.KV.Peak)), right(percent(c.KV.FullSteps)),
			right(count(c.KV.Preemptions)), right(count(c.KV.TokensMoved)), right(median(c.TTFT)), right(median(c.TPOT)),
		})
	}
	p.rows(rows)
	p.paragraph(2, dim, "Over the steps of the engine, warm-up included: the share of the cache in use, the steps with more than 95 % of it in use, requests that gave way and were computed again or moved, and tokens moved to a memory beside the cache or back.")
}

func percent(v float64) string { return budgets.Share.Format(v) }

// median returns that of a sample in words.
func median(s *BenchSample) string {
	if s == nil {
		return "-"
	}
	return budgets.Duration.Format(s.P50 * 1e6)
}

// cacheSentence says, for one row, what became of the pace when the cache ran full; it is
// empty where it never did, or always was.
func (b *Bench) cacheSentence(k grid.Key) string {
	var before, after *BenchCell
	for i := range b.Cells {
		c := &b.Cells[i]
		switch {
		case c.Model != k.Model || c.Variant != k.Variant || c.KV == nil || c.TTFT == nil || c.TPOT == nil:
		case c.KV.FullSteps == 0:
			before = c
		default:
			after = c
		}
	}
	if before == nil || after == nil || before.PromptTokens > after.PromptTokens {
		return ""
	}
	words := fmt.Sprintf("With the KV cache of %s full (%s, %s tokens: more than 95 %% in use in %s of the steps), TPOT is %s and TTFT %s, where at %s tokens, with %s in use at most, they are %s and %s",
		k.Model, k.Variant, count(after.PromptTokens), percent(after.KV.FullSteps), median(after.TPOT), median(after.TTFT),
		count(before.PromptTokens), percent(before.KV.Peak), median(before.TPOT), median(before.TTFT))
	return words + "; " + after.KV.happened() + "."
}

// happened says what became of requests, and of tokens, when the cache was full.
func (c *Cache) happened() string {
	var parts []string
	if c.Preemptions > 0 {
		parts = append(parts, "requests gave way "+counted(c.Preemptions, "time"))
	}
	if c.TokensMoved > 0 {
		parts = append(parts, fmt.Sprintf("%s %s moved", counted(c.TokensMoved, "token"), map[bool]string{true: "was", false: "were"}[c.TokensMoved == 1]))
	}
	if len(parts) == 0 {
		return "nobody gave way"
	}
	return strings.Join(parts, " and ")
}
