package report

import (
	"bytes"
	"encoding/csv"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"halfsecond/budgets/grid"
	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

func benchCases() map[string]trace.Run {
	return map[string]trace.Run{"bench_exact": benchExact(), "bench_noisy": benchNoisy(), "bench_cut": benchCut()}
}

func bench(t *testing.T, run trace.Run) *Bench {
	t.Helper()
	b, err := NewBench(run)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBenchGolden(t *testing.T) {
	for name, run := range benchCases() {
		t.Run(name, func(t *testing.T) {
			b := bench(t, run)
			for ending, write := range map[string]func(*bytes.Buffer) error{
				".txt":  func(w *bytes.Buffer) error { return b.Table(w, Options{}) },
				".json": func(w *bytes.Buffer) error { return b.JSON(w) },
				".csv":  func(w *bytes.Buffer) error { return b.CSV(w) },
			} {
				var out bytes.Buffer
				if err := write(&out); err != nil {
					t.Fatal(err)
				}
				golden(t, name+ending, out.Bytes())
			}
		})
	}
}

// Every row of the CSV has its cell's figures, exactly.
func TestBenchCSV(t *testing.T) {
	b := bench(t, benchNoisy())
	var out bytes.Buffer
	if err := b.CSV(&out); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) != len(b.Cells)+1 {
		t.Fatalf("%d rows, %v; want a head and %d", len(rows), err, len(b.Cells))
	}
	column := slices.Index(rows[0], "ttft_p50_ms")
	for i, row := range rows[1:] {
		c := &b.Cells[i]
		if row[0] != c.Model || row[1] != c.Variant || row[2] != strconv.Itoa(c.PromptTokens) {
			t.Errorf("row %d is of %v, want %s, %s, %d", i, row[:3], c.Model, c.Variant, c.PromptTokens)
		}
		if v, err := strconv.ParseFloat(row[column], 64); c.TTFT != nil && (err != nil || v != c.TTFT.P50) || c.TTFT == nil && row[column] != "" {
			t.Errorf("row %d: TTFT %q, want %+v", i, row[column], c.TTFT)
		}
	}
}

// The sentences are those of the data: other data, other sentences.
func TestBenchConclusions(t *testing.T) {
	for _, c := range []struct {
		name string
		run  trace.Run
		want []string
	}{
		{"exact", benchExact(), []string{
			"TTFT of Large grows faster than linearly with the prompt from 128 to 2,048 tokens",
			"the quadratic term reaches 10 % of the linear one at about 750 tokens",
			"TTFT of Small is linear in the prompt from 128 to 1,024 tokens: 30 ms for 1,000 tokens, R2 1.0000",
			"TPOT of Large is not flat but rises: +19.0 % over the prompts from 128 to 2,048 tokens",
			"TPOT of Small is flat",
			"With chunked prefill (token_budget: 512, chunked_prefill: true), Large: TTFT +5.0 %",
			"Small is 3.", "as fast as Large to the first token",
			"No spread in ttft, tpot, e2e",
			"Left out of Small: prompts of 2,048 tokens: a prompt of 2,048 tokens and an answer of 101 are more than",
		}},
		{"noisy", benchNoisy(), []string{
			"TTFT of alpha is linear in the prompt", "95 % interval",
			"alpha and beta", "vary too much to tell",
			"Left out of speculation: every length of the prompt: a client cannot switch",
			"1 of 8 requests failed of alpha, baseline, 512 tokens; the first one: timeout: no first byte within 30s.",
			"The server counts other tokens: 2,048 to 2,448 in prompts of 2,048. Slopes are along its own, where those rise with the prompt.",
			"The answers were not of one length: from 88 to 101 tokens.",
			"Of beta at 2,048 tokens the baseline is not cold: the model had up to 1,024 tokens",
			"That is more than 2 % of the smallest TTFT",
		}},
		{"cut", benchCut(), []string{"Nothing follows", "The comparison did not finish (interrupted): this is 3 of 40 requests."}},
	} {
		b := bench(t, c.run)
		said := strings.Join(append(b.Conclusions, b.Notes...), "\n")
		for _, w := range c.want {
			if !strings.Contains(said, w) {
				t.Errorf("%s: nothing says %q in\n%s", c.name, w, said)
			}
		}
	}
}

// A gain that rests on an assumption says so wherever it is met.
func TestBenchServed(t *testing.T) {
	run := newBenchRun("sim")
	unverified := pipeline.Fact{Name: grid.FactUnverified, Value: "model M, hardware card"}
	run.Header.WarmUp = 3
	run.served = map[string][]pipeline.Fact{"plain": append(servedIn("", ""), pipeline.Fact{Name: grid.FactError, Value: "prefill unknown, over all 16.6 %; decode 6.8 %"}), "drafts": append(servedIn("speculation: {draft: ngram, acceptance: 0.4}", "acceptance"), unverified)}
	for range 2 {
		run.ask("M", "plain", 128, 20*ms, 4*ms)
		run.ask("M", "drafts", 128, 20*ms, 2*ms)
	}
	b := bench(t, run.Run)
	if got, want := b.ServedBy, []string{"a model on a card by vllm"}; !slices.Equal(got, want) {
		t.Errorf("served by %q, want %q", got, want)
	}
	if s := b.Served[0]; s.Variant != "plain" || *s.Changes != "" || s.Assumed != nil {
		t.Errorf("the first is served with %+v, want no change and nothing assumed", s)
	}
	const want = "With drafts (speculation: {draft: ngram, acceptance: 0.4}; acceptance is assumed, not measured), M: TTFT the same, 0 %; TPOT -50.0 %."
	if !slices.Contains(b.Conclusions, want) {
		t.Errorf("conclusions %q: none is %q", b.Conclusions, want)
	}
	const warning = "Not verified: the figures of model M, hardware card were written from memory and await a source, and what follows rests on them."
	if !slices.Contains(b.Notes, warning) {
		t.Errorf("notes %q: none is %q", b.Notes, warning)
	}
	const far = "How far off the model is in absolute error on average, for what was measured like the baselines or, where nothing was, over all that was: M, up to 128 tokens (prefill unknown, over all 16.6 %; decode 6.8 %). 'halfsecond predict' says over which measurements."
	if !slices.Contains(b.Notes, far) {
		t.Errorf("notes %q: none is %q", b.Notes, far)
	}
	var page, table bytes.Buffer
	if err := errors.Join(b.Table(&page, Options{Width: 120}), b.CSV(&table)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		" · 4 requests after 3 of warm-up in each cell · ",
		"language model: a model on a card by vllm\n",
		"  plain   as the engine does by itself\n",
		"  drafts  as plain, but speculation: {draft: ngram, acceptance: 0.4}; acceptance is assumed, not measured\n",
		"  drafts: acceptance is assumed, not measured; what it gains rests on that.\n",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("no %q in\n%s", want, page.String())
		}
	}
	if want := `,a model on a card by vllm,"speculation: {draft: ngram, acceptance: 0.4}",acceptance,"model M, hardware card",` + "\n"; !strings.HasSuffix(table.String(), want) {
		t.Errorf("the CSV does not end with %q:\n%s", want, table.String())
	}
}

// One length of the prompt has no trend, two have one that any line fits.
func TestBenchOfFewLengths(t *testing.T) {
	run := newBenchRun("sim")
	for range 2 {
		run.ask("M", "plain", 128, 20*ms, 4*ms)
	}
	one := bench(t, run.Run)
	for range 2 {
		run.ask("M", "plain", 100_000, 12_345*ms, 4*ms)
	}
	two := bench(t, run.Run)
	if len(one.Trends) != 0 || len(two.Trends) != 2 || two.Trends[0].R2 != nil || two.Trends[0].Curve != nil {
		t.Errorf("trends %+v of one length, %+v of two: want none, and two without R2", one.Trends, two.Trends)
	}
	var few, more bytes.Buffer
	if err := errors.Join(one.Table(&few, Options{}), two.Table(&more, Options{})); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(few.String(), "quadratic") || !strings.Contains(more.String(), "100,000  12.35 s") {
		t.Errorf("one length:\n%s\ntwo:\n%s", few.String(), more.String())
	}
}

// What there is none of is an empty list, even in a run that was cut off at once.
func TestBenchWithoutTraces(t *testing.T) {
	b := bench(t, trace.Run{Header: trace.Header{Kind: pipeline.KindGrid, N: 40}})
	var out bytes.Buffer
	if err := b.JSON(&out); err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{"models", "variants", "served_by", "served", "cells", "trends", "options", "duels"} {
		if !strings.Contains(out.String(), `"`+list+`": []`) {
			t.Errorf("%s is no empty list in\n%s", list, out.String())
		}
	}
	if err := b.Table(&out, Options{}); err != nil || b.Measured() {
		t.Errorf("table: %v; measured %t, want false", err, b.Measured())
	}
}

func TestCompareBench(t *testing.T) {
	sim := bench(t, benchExact())
	run := benchExact()
	run.Header.Target = "mock"
	for i := range run.Traces {
		// One cell is 10 % late to the first token and no later with the last.
		if t := &run.Traces[i]; t.Fact(pipeline.FactModel) == "Small" && t.Fact(pipeline.FactPrompt) == "512" && len(t.Requests) > 0 {
			r := &t.Requests[0]
			r.FirstOutput += (r.FirstOutput - r.Due) / 10
		}
	}
	c := CompareBench(sim, bench(t, run))
	d := c.Differences[0]
	if c.A != "sim" || c.B != "mock" || d.Metric != "ttft" || d.Cells != 21 || *d.Median != 0 || *d.Largest < .0999 || *d.Largest > .1001 {
		t.Errorf("difference %+v, want 10 %% at most and none at the median of 21 cells", d)
	}
	if d.Model != "Small" || d.PromptTokens != 512 {
		t.Errorf("the largest is at %s, %d; want Small at 512", d.Model, d.PromptTokens)
	}
	var out bytes.Buffer
	if err := c.Table(&out, Options{}); err != nil {
		t.Fatal(err)
	}
	golden(t, "bench_beside.txt", out.Bytes())
}

// A cache that was full is told of: how full, what gave way, and what became of the pace.
func TestBenchCache(t *testing.T) {
	run := newBenchRun("sim")
	for range 2 {
		run.ask("M", "spill", 100, 20*ms, 25*ms)
		run.ask("M", "spill", 900, 80*ms, 400*ms)
	}
	run.Footer.Engines = []trace.Engine{
		{Model: "M", Variant: "spill", Prompt: 100, Blocks: 1000, Peak: 730, Held: 42_600, Steps: 100},
		{Model: "M", Variant: "spill", Prompt: 900, Blocks: 1000, Peak: 1000, Held: 99_200, Steps: 100, Full: 98, TokensMoved: 30_000},
	}
	b := bench(t, run.Run)
	if got, want := *b.Cells[1].KV, (Cache{Mean: .992, Peak: 1, FullSteps: .98, TokensMoved: 30_000}); got != want {
		t.Errorf("the cache is %+v, want %+v", got, want)
	}
	const want = "With the KV cache of M full (spill, 900 tokens: more than 95 % in use in 98 % of the steps), TPOT is 400 ms and TTFT 80 ms, where at 100 tokens, with 73 % in use at most, they are 25 ms and 20 ms; 30,000 tokens were moved."
	if !slices.Contains(b.Conclusions, want) {
		t.Errorf("conclusions %q: none is %q", b.Conclusions, want)
	}
	var page bytes.Buffer
	if err := b.Table(&page, Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{
		"  M  spill     100  42.6 %   73 %         0 %          0             0  20 ms   25 ms\n",
		"               900  99.2 %  100 %        98 %          0        30,000  80 ms  400 ms\n",
	} {
		if !strings.Contains(page.String(), row) {
			t.Errorf("no row %q in\n%s", row, page.String())
		}
	}
	run.Footer.Engines = run.Footer.Engines[:1]
	if page.Reset(); bench(t, run.Run).Table(&page, Options{Width: 120}) != nil || strings.Contains(page.String(), "How full") {
		t.Error("a cache that was never full is told of")
	}
}
