package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/fit"
)

// someValidation holds three rows of two engines, one of them pooled, and two skipped.
func someValidation() *validation {
	row := func(line int, id, engine, gpu string, metric fit.Metric, value float64) fit.Row {
		return fit.Row{
			Line: line, ID: id, Engine: engine, Model: "Qwen3-4B", GPU: gpu, WeightFormat: "bf16", GPUs: 1,
			Prompt: 512, Generated: 128, Batch: 1, Metric: metric, Value: value,
		}
	}
	pair := row(4, "c", "vllm-0.9", "H100-SXM", fit.TTFT, 40)
	pair.GPUs, pair.Parallelism, pair.Batch, pair.Generated = 2, "tp", 8, fit.Unstated
	odd := row(5, "d", "TGI", "L4", fit.TPOT, 9)
	return &validation{
		file: "some.csv",
		result: fit.Result{
			Rows: []fit.Judged{
				{Row: row(2, "a", "vllm-0.8", "H100-SXM", fit.TPOT, 10), Family: "vllm", Predicted: 12.5, Seen: true},
				{Row: row(3, "b", "mlx-lm", "Apple-M4-10c", fit.DecodeRate, 100), Family: "mlx", Predicted: 70},
				{Row: pair, Family: "vllm", Predicted: 42.5, Pooled: true},
			},
			Skipped: []fit.Skipped{{Row: odd, Reason: errors.New("unknown engine")}, {Row: row(6, "e", "TGI", "L4", fit.TPOT, 9), Reason: errors.New("unknown engine")}},
			Fitted:  57,
		},
	}
}

func TestValidationTable(t *testing.T) {
	var out bytes.Buffer
	if err := someValidation().writeTable(&program{out: &out}, 2); err != nil {
		t.Fatal(err)
	}
	want := `3 of the 5 measurements in some.csv, beside what is predicted.
The 57 built-in numbers were fitted on measured.csv. They have seen 1 of the rows.

                        ROWS     MEAN   MEDIAN      P90     BIAS
all rows                   3   20.4 %   25.0 %        -   +0.4 %  ▪▪▪▪▪▪▪▪▪▪
  told                     2   27.5 %   25.0 %        -   -2.5 %  ▪▪▪▪▪▪▪▪▪▪▪▪▪▪
  pooled                   1    6.2 %        -        -   +6.2 %  ▪▪▪

0 % of the rows are within 5 % of what was measured, 33 % within 10 %, 33 % within 20 %, 100 % within 50 %.

ENGINE                  ROWS     MEAN   MEDIAN      P90     BIAS
vllm                       2   15.6 %    6.2 %        -  +15.6 %  ▪▪▪▪▪▪▪▪
mlx                        1   30.0 %        -        -  -30.0 %  ▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪

METRIC                  ROWS     MEAN   MEDIAN      P90     BIAS
decode_tok_s               1   30.0 %        -        -  -30.0 %  ▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪
tpot_ms                    1   25.0 %        -        -  +25.0 %  ▪▪▪▪▪▪▪▪▪▪▪▪▪
ttft_ms                    1    6.2 %        -        -   +6.2 %  ▪▪▪

GPU                     ROWS     MEAN   MEDIAN      P90     BIAS
H100-SXM                   2   15.6 %    6.2 %        -  +15.6 %  ▪▪▪▪▪▪▪▪
Apple-M4-10c               1   30.0 %        -        -  -30.0 %  ▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪

MODEL                   ROWS     MEAN   MEDIAN      P90     BIAS
Qwen3-4B                   3   20.4 %   25.0 %        -   +0.4 %  ▪▪▪▪▪▪▪▪▪▪

  WORST  PREDICTED    MEASURED  METRIC        OF WHAT
  -30 %       70.0   100 tok/s  decode_tok_s  b: Qwen3-4B bf16 on Apple-M4-10c by mlx-lm, batch 1, prompt 512, answer 128
  +25 %       12.5     10.0 ms  tpot_ms       a: Qwen3-4B bf16 on H100-SXM by vllm-0.8, batch 1, prompt 512, answer 128

SKIPPED 2 ROWS, IN NO FIGURE
- d and 1 more: unknown engine

Mean, median and p90 are of |predicted - measured| / measured, each row counting once; a
median needs 2 rows, a p90 10. Bias keeps the sign: above 0 when the predicted number is
the larger one. Every error of a row, and all groups, are in --format json and csv.
`
	if out.String() != want {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
}

// What was left out is said first, with how many rows lean on a pooled number, and the
// same rows fitted in stand below.
func TestValidationTableOfCross(t *testing.T) {
	v := someValidation()
	v.cross, v.result.Groups = "gpu", 2
	all := fit.Summarise(v.result.Rows[:1])
	v.inSample = &all
	var out bytes.Buffer
	if err := v.writeTable(&program{out: &out}, 0); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Every GPU was left out once: 57 numbers were fitted on the rows of the other GPUs in this\n",
		"\nBehind 1 row is a number that no row of another GPU tells: in its place is the pooled\n",
		"\nfitted on all              1   25.0 %        -        -  +25.0 %  ▪▪▪▪▪▪▪▪▪▪▪▪▪\n",
		"\nTold: rows of another GPU tell every number behind the prediction.",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s\nlacks %s", out.String(), want)
		}
	}
	if strings.Contains(out.String(), "WORST") {
		t.Errorf("--worst 0 shows rows:\n%s", out.String())
	}
}

// Lines are cut to the terminal, and the groups that are too many are summed up.
func TestValidationTableFits(t *testing.T) {
	v := &validation{file: "many.csv"}
	for i := range 20 {
		r := fit.Row{Line: i + 2, ID: "r", GPU: string(rune('a' + i)), Model: "m", GPUs: 1, Metric: fit.TPOT, Value: 1}
		v.result.Rows = append(v.result.Rows, fit.Judged{Row: r, Predicted: 1 + float64(i)/100})
	}
	var out bytes.Buffer
	if err := v.writeTable(&program{out: &out, width: 60}, 1); err != nil {
		t.Fatal(err)
	}
	if want := "\n6 others                   6   16.5 %   16.0 %        -  +1…\n"; !strings.Contains(out.String(), want) {
		t.Errorf("%s\nlacks %s", out.String(), want)
	}
	for line := range strings.Lines(out.String()) {
		if n := len([]rune(line)); n > 61 {
			t.Errorf("%d columns: %s", n-1, line)
		}
	}
}

func TestValidationJSON(t *testing.T) {
	v := someValidation()
	v.result.Skipped = nil
	var out bytes.Buffer
	if err := v.show(&program{out: &out, settings: settings{Format: "json"}}, 0); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{
		"file": "some.csv", "n": 3., "p90_ape": nil, "pooled": 1., "seen": 1., "fitted_numbers": 57., "skipped_rows": 0., "cross": nil, "built_in": false,
	} {
		if got[name] != want {
			t.Errorf("%s = %v, want %v", name, got[name], want)
		}
	}
	by := got["by"].(map[string]any)
	for _, key := range []string{"engine", "engine_family", "gpu", "model", "metric", "source", "constants"} {
		if _, ok := by[key].(map[string]any); !ok {
			t.Errorf("by lacks %s", key)
		}
	}
	vllm := by["engine_family"].(map[string]any)["vllm"].(map[string]any)
	if vllm["n"] != 2. || vllm["pooled"] != 1. || vllm["p90_ape"] != nil {
		t.Errorf("vllm: %v", vllm)
	}
	rows := got["rows"].([]any)
	third := rows[2].(map[string]any)
	if len(rows) != 3 || third["id"] != "c" || third["gen_tokens_or_context"] != nil || third["predicted"] != 42.5 || third["pooled"] != true || third["unit"] != "ms" {
		t.Errorf("rows: %v", third)
	}
	if skipped, ok := got["skipped"].([]any); !ok || len(skipped) != 0 {
		t.Errorf("skipped: %v, want an empty list", got["skipped"])
	}
}

// Of nothing, every figure is unknown and no list is null.
func TestValidationJSONOfNothing(t *testing.T) {
	var out bytes.Buffer
	if err := (&validation{}).show(&program{out: &out, settings: settings{Format: "json"}}, 0); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"n": 0`, `"mean_ape": null`, `"bias": null`, `"rows": []`, `"skipped": []`, `"gpu": {}`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s\nlacks %s", out.String(), want)
		}
	}
}

// Rows come in the order of the file, skipped ones among the others.
func TestValidationCSV(t *testing.T) {
	v := someValidation()
	v.result.Skipped[0].Row.Line = 1
	var out bytes.Buffer
	if err := v.show(&program{out: &out, settings: settings{Format: "csv"}}, 0); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 6 || !slices.Equal(rows[0], csvColumns) {
		t.Fatalf("%d lines, header %v", len(rows), rows[0])
	}
	if want := []string{"d", "", "TGI", "", "Qwen3-4B", "bf16", "", "L4", "1", "", "512", "128", "1", "tpot_ms", "ms", "9", "", "", "", "", "unknown engine"}; !slices.Equal(rows[1], want) {
		t.Errorf("%q\nwant %q", rows[1], want)
	}
	if want := []string{"c", "", "vllm-0.9", "vllm", "Qwen3-4B", "bf16", "", "H100-SXM", "2", "tp", "512", "", "8", "ttft_ms", "ms", "40", "42.5", "0.0625", "false", "true", ""}; !slices.Equal(rows[4], want) {
		t.Errorf("%q\nwant %q", rows[4], want)
	}
}

// The bar comes up once, and only when the work takes a while.
func TestLateBar(t *testing.T) {
	for _, test := range []struct {
		name  string
		from  time.Duration
		bars  int
		shown bool
	}{{"at once", time.Hour, 0, false}, {"a while", -time.Second, 1, true}} {
		var out bytes.Buffer
		p := &program{err: &out, progress: true}
		b, bars := p.lateBar("leaving out"), 0
		b.from = time.Now().Add(test.from)
		show := b.shown
		b.shown = func(n int) bar { bars++; return show(n) }
		for i := range 3 {
			b.done(i+1, 3)
		}
		b.close()
		if bars != test.bars || (out.Len() > 0) != test.shown {
			t.Errorf("%s: %d bars, printed %q", test.name, bars, out.String())
		}
	}
}
