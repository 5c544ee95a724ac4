package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
)

// CSV writes one row a cell. Durations are in ms; what is unknown is empty.
func (b *Bench) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	head := []string{"model", "variant", "prompt_tokens", "asked", "failed", "skipped", "reason", "output_tokens_min", "output_tokens_max", "counted_tokens_min", "counted_tokens_max", "cached_tokens_min", "cached_tokens_max"}
	for _, name := range []string{"ttft", "tpot", "e2e", "ttft_beside", "stall"} {
		head = append(head, name+"_n", name+"_p50_ms", name+"_min_ms", name+"_max_ms")
	}
	rows := [][]string{head}
	for i := range b.Cells {
		rows = append(rows, b.Cells[i].record())
	}
	if err := out.WriteAll(rows); err != nil {
		return fmt.Errorf("write comparison: %w", err)
	}
	return nil
}

func (c *BenchCell) record() []string {
	reason := ""
	if c.Reason != nil {
		reason = *c.Reason
	}
	row := []string{c.Model, c.Variant, strconv.Itoa(c.PromptTokens), strconv.Itoa(c.Asked), strconv.Itoa(c.Failed), strconv.FormatBool(c.Skipped), reason}
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
		row = append(row, strconv.Itoa(s.N), exact(s.P50), exact(s.Min), exact(s.Max))
	}
	return row
}

// exact writes a number with as many digits as it takes to read it back.
func exact(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
