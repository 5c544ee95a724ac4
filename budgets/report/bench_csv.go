package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"halfsecond/budgets"
)

// CSV writes one row a cell, which ends with how the cell is served. Durations are in
// ms; what is unknown is empty.
func (b *Bench) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	head := []string{"model", "variant", "prompt_tokens", "asked", "failed", "skipped", "reason", "output_tokens_min", "output_tokens_max", "counted_tokens_min", "counted_tokens_max", "cached_tokens_min", "cached_tokens_max"}
	for _, name := range []string{"ttft", "tpot", "e2e", "ttft_beside", "stall"} {
		head = append(head, name+"_n", name+"_p50_ms", name+"_min_ms", name+"_max_ms")
	}
	rows := [][]string{append(head, "kv_mean", "kv_peak", "kv_full_steps", "preemptions", "tokens_moved", "engine", "changes", "assumed", "unverified", "model_error")}
	for i := range b.Cells {
		s := b.served(b.Cells[i].Variant)
		rows = append(rows, append(b.Cells[i].record(), orEmpty(b.Cells[i].Engine), orEmpty(s.Changes), orEmpty(s.Assumed), b.grid.Cells[i].Unverified, b.grid.Cells[i].Error))
	}
	if err := out.WriteAll(rows); err != nil {
		return fmt.Errorf("write comparison: %w", err)
	}
	return nil
}

func (c *BenchCell) record() []string {
	row := []string{c.Model, c.Variant, strconv.Itoa(c.PromptTokens), strconv.Itoa(c.Asked), strconv.Itoa(c.Failed), strconv.FormatBool(c.Skipped), orEmpty(c.Reason)}
	for _, r := range []*[2]int{c.OutputTokens, c.Counted, c.CachedTokens} {
		if r == nil {
			row = append(row, "", "")
			continue
		}
		row = append(row, strconv.Itoa(r[0]), strconv.Itoa(r[1]))
	}
	for _, s := range []*BenchSample{c.TTFT, c.TPOT, c.E2E, c.TTFTBeside, c.Stall} {
		if s == nil {
			row = append(row, "0", "", "", "")
			continue
		}
		row = append(row, strconv.Itoa(s.N), budgets.Exact(s.P50), budgets.Exact(s.Min), budgets.Exact(s.Max))
	}
	if c.KV == nil {
		return append(row, "", "", "", "", "")
	}
	return append(row, budgets.Exact(c.KV.Mean), budgets.Exact(c.KV.Peak), budgets.Exact(c.KV.FullSteps), strconv.Itoa(c.KV.Preemptions), strconv.Itoa(c.KV.TokensMoved))
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
