package fit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline/dist"
)

// truth is constants that nobody would guess from the built-in ones.
func truth(builtIn roofline.Constants) roofline.Constants {
	c := builtIn
	c.MFU, c.MBU, c.AttentionMBU = .55, .7, .7
	c.LayerFixed, c.SequenceFixed = 90*time.Microsecond, 30*time.Microsecond
	return c
}

// true values by name.
var truths = map[string]float64{"mfu": .55, "mbu": .7, "step_us": 126, "layer_us": 90, "sequence_us": 30}

// poisson returns n requests at a mean distance, as yet without times.
func poisson(seed uint64, n int, every time.Duration) []Timed {
	random := dist.Stream(seed, "test")
	var out []Timed
	at := time.Duration(0)
	for i := range n {
		out = append(out, Timed{Line: i + 2, Arrival: at, Prompt: 100 + random.IntN(3000), Output: 20 + random.IntN(200)})
		at += time.Duration(-math.Log(1-random.Float64()) * float64(every))
	}
	return out
}

// shares returns the constants with the true shares alone.
func shares(builtIn roofline.Constants) roofline.Constants {
	c := truth(builtIn)
	c.LayerFixed, c.SequenceFixed = builtIn.LayerFixed, builtIn.SequenceFixed
	return c
}

// served returns what an engine with constants of its own makes of a run, and the same
// engine with the built-in ones.
func served(t testing.TB, run []Timed, own func(builtIn roofline.Constants) roofline.Constants) ([]Timed, engine.Replica) {
	t.Helper()
	builtIn := plan(t, "Llama-3.1-8B", "L40S", 0, roofline.Constants{})
	other := plan(t, "Llama-3.1-8B", "L40S", 0, own(builtIn.Deployment().Constants))
	got, err := Replay(t.Context(), engine.Replica{Plan: other}, run)
	if err != nil {
		t.Fatal(err)
	}
	return got.Run, engine.Replica{Plan: builtIn}
}

func mean(errs []float64) (sum float64) {
	for _, e := range errs {
		sum += math.Abs(e)
	}
	return sum / float64(len(errs))
}

func told(c Calibration) (names []string) {
	for _, e := range c.Estimates {
		if e.Told {
			names = append(names, e.Name)
		}
	}
	return names
}

// bounded checks that the truth is within the bounds of every constant that was told,
// and returns the estimates by name.
func bounded(t *testing.T, c Calibration) map[string]Estimate {
	t.Helper()
	out := map[string]Estimate{}
	for _, e := range c.Estimates {
		out[e.Name] = e
		t.Logf("%-11s built in %6.4g, fitted %6.4g, %.4g to %.4g", e.Name, e.Before, e.Value, e.Low, e.High)
		want := truths[e.Name]
		switch {
		case e.Told && !(e.Low <= want && want <= e.High && e.Low <= e.Value && e.Value <= e.High):
			t.Errorf("%s is %g, %g to %g; the truth is %g", e.Name, e.Value, e.Low, e.High, want)
		case !e.Told && (e.Value != e.Before || !math.IsNaN(e.Low) || !math.IsNaN(e.High) || e.Would == ""):
			t.Errorf("%s is not told, and yet %+v", e.Name, e)
		}
	}
	return out
}

// A run that an engine made gives back the shares that made it.
func TestCalibrateRunRecovers(t *testing.T) {
	run, r := served(t, poisson(1, 40, 250*time.Millisecond), shares)
	c, err := CalibrateRun(t.Context(), r, run, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range c.Estimates {
		want := map[string]float64{"mfu": .55, "mbu": .7}[e.Name]
		if e.Told != (want > 0) || e.Told && math.Abs(e.Value/want-1) > .002 {
			t.Errorf("%s is %g, told %t; the truth is %g", e.Name, e.Value, e.Told, want)
		}
	}
	if after := mean(c.After); after > .0005 {
		t.Errorf("predictions still err by %.5f", after)
	}
}

// Costs that a run does not tell from the shares leave them within their bounds, and
// with the constants of one run quite another is predicted too.
func TestCalibrateRun(t *testing.T) {
	run, r := served(t, poisson(1, 80, 250*time.Millisecond), truth)
	c, err := CalibrateRun(t.Context(), r, run, 0)
	if err != nil {
		t.Fatal(err)
	}
	e := bounded(t, c)
	if names := told(c); !slices.Contains(names, "mfu") || !slices.Contains(names, "mbu") {
		t.Errorf("told are %v, want mfu and mbu at least", names)
	}
	if e["mfu"].Value < .545 || e["mfu"].Value > .555 {
		t.Errorf("mfu is %g, the truth is .55", e["mfu"].Value)
	}
	if before, after := mean(c.Before), mean(c.After); before < .2 || after > leastError {
		t.Errorf("predictions err by %.4f with the built-in constants and %.4f with the fitted ones", before, after)
	}

	other, r := served(t, poisson(2, 80, 120*time.Millisecond), truth)
	got, err := ReplayWith(t.Context(), r, c.Profile().Constants(r.Plan.Deployment()), other)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range Compare(other, got.Run) {
		if e := c.MeanError(); math.Abs(e) > .02 {
			t.Errorf("another run's mean %s is off by %+.2f %%", c.Name, 100*e)
		}
	}
}

// measurement is a row of a test.
type measurement struct {
	model                    string
	prompt, generated, batch int
	metric                   Metric
}

// rowsOf returns rows of vLLM on an L40S that the true constants give.
func rowsOf(t testing.TB, list ...measurement) []Row {
	t.Helper()
	var rows []Row
	for i, m := range list {
		r := Row{
			Line: i + 2, ID: fmt.Sprint("r", i), Engine: "vllm", Model: m.model, GPU: "L40S", WeightFormat: "fp16", GPUs: 1, Parallelism: "none",
			Prompt: m.prompt, Generated: m.generated, Batch: m.batch, Metric: m.metric, Value: 1,
		}
		d, err := r.Deployment(catalog.Builtin())
		if err != nil {
			t.Fatal(err)
		}
		d.Constants = truth(roofline.Defaults(d))
		p, err := roofline.New(d)
		if err != nil {
			t.Fatal(err)
		}
		r.Value = r.predict(p)
		rows = append(rows, r)
	}
	return rows
}

// Measurements of everything give every constant back, but for the cost of a step:
// the models differ too little in their layers to tell it from that of a layer.
func TestCalibrateRows(t *testing.T) {
	var list []measurement
	for _, m := range []string{"Llama-3.1-8B", "TinyLlama-1.1B", "Qwen2.5-0.5B", "Phi-3-mini-4k"} {
		for _, n := range []int{1, 8, 64} {
			for _, context := range []int{20, 3000} {
				list = append(list, measurement{m, context, 2, n, TPOT})
			}
		}
		for _, n := range []int{300, 1000, 4000} {
			list = append(list, measurement{m, n, 1, 1, TTFT}, measurement{m, n, 1, 1, PrefillRate})
		}
	}
	c, skipped, err := CalibrateRows(t.Context(), catalog.Builtin(), rowsOf(t, list...))
	if err != nil || len(skipped) > 0 {
		t.Fatalf("%v, skipped %v", err, skipped)
	}
	for name, e := range bounded(t, c) {
		if e.Told == (name == "step_us") || math.Abs(e.Value/truths[name]-1) > .01 {
			t.Errorf("%s is %g, told %t, the truth is %g", name, e.Value, e.Told, truths[name])
		}
	}
	if after := mean(c.After); after > .0005 {
		t.Errorf("predictions still err by %.5f", after)
	}
	want := Subject{Engine: "vllm", Hardware: "L40S", Weights: []string{"fp16"}, GPUs: []int{1}, Models: []string{"Llama-3.1-8B", "Phi-3-mini-4k", "Qwen2.5-0.5B", "TinyLlama-1.1B"}}
	if fmt.Sprint(c.Subject) != fmt.Sprint(want) {
		t.Errorf("calibrated %v, want %v", c.Subject, want)
	}
}

// On a GeForce board products reach more than the MFU says, twice as much below .475. What
// is fitted is what they reach.
func TestCalibrateGeForce(t *testing.T) {
	rows := rowsOf(t, measurement{"Llama-3.1-8B", 2000, 1, 1, TTFT}, measurement{"Llama-3.1-8B", 500, 1, 1, TTFT}, measurement{"Llama-3.1-8B", 20, 2, 1, TPOT})
	for i := range rows {
		rows[i].GPU = "RTX-4090"
		d, err := rows[i].Deployment(catalog.Builtin())
		if err != nil {
			t.Fatal(err)
		}
		d.Constants = roofline.Defaults(d)
		d.Constants.MFU = .3
		p, err := roofline.New(d)
		if err != nil {
			t.Fatal(err)
		}
		rows[i].Value = rows[i].predict(p)
	}
	c, _, err := CalibrateRows(t.Context(), catalog.Builtin(), rows)
	if err != nil {
		t.Fatal(err)
	}
	if e := c.Estimates[0]; e.Before != .95 || !e.Told || math.Abs(e.Value/.6-1) > .001 || e.Doubt() != "" {
		t.Errorf("%+v (%s), the truth is .6, instead of .95", e, e.Doubt())
	}
	if got := c.Profile().Constants(on(t, "Llama-3.1-8B", "RTX-4090", "vllm", roofline.FP16)).MFU; math.Abs(got/.3-1) > .001 {
		t.Errorf("the profile's MFU is %g, the truth is .3", got)
	}
}

// What measurements cannot tell is left as it is, with what would tell it.
func TestCalibrateCannotTell(t *testing.T) {
	for _, test := range []struct {
		name  string
		rows  []Row
		told  []string
		would map[string]string
	}{
		{"one decode", rowsOf(t, measurement{"Llama-3.1-8B", 20, 2, 1, TPOT}), []string{"mbu"}, map[string]string{
			"mfu": "prompts of 512", "step_us": "few and with many layers; of one model layer_us stands for both", "layer_us": "by a small model", "sequence_us": "few and of many sequences",
		}},
		{"one prompt", rowsOf(t, measurement{"Llama-3.1-8B", 2000, 1, 1, TTFT}), []string{"mfu"}, map[string]string{"mbu": "or of a small and a large model; of decoding nothing was measured"}},
		{
			"decodes of one model", rowsOf(t,
				measurement{"Llama-3.1-8B", 20, 2, 1, TPOT}, measurement{"Llama-3.1-8B", 20, 2, 4, TPOT}, measurement{"Llama-3.1-8B", 500, 2, 1, TPOT}),
			[]string{"mbu"}, map[string]string{"mfu": "prompts of 512", "layer_us": "by a small model"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, _, err := CalibrateRows(t.Context(), catalog.Builtin(), test.rows)
			if err != nil {
				t.Fatal(err)
			}
			if got := told(c); !slices.Equal(got, test.told) {
				t.Errorf("told are %v, want %v", got, test.told)
			}
			for _, e := range c.Estimates {
				if want := test.would[e.Name]; !strings.Contains(e.Would, want) || e.Told && e.Would != "" {
					t.Errorf("%s: it would take %q, want %q", e.Name, e.Would, want)
				}
			}
			if after := mean(c.After); after > .02 {
				t.Errorf("predictions err by %.4f still", after)
			}
		})
	}
}

// Prompts say nothing of how weights are read while decoding, however well it would explain
// what is wrong with the shortest of them.
func TestCalibratePrefillOnly(t *testing.T) {
	var list []measurement
	for _, n := range []int{16, 32, 64, 128, 256, 512, 1024, 2048, 3000, 4096} {
		list = append(list, measurement{"Llama-3.1-8B", n, 1, 1, TTFT})
	}
	rows := rowsOf(t, list...)
	for i := range rows {
		d, err := rows[i].Deployment(catalog.Builtin())
		if err != nil {
			t.Fatal(err)
		}
		p, err := roofline.New(d)
		if err != nil {
			t.Fatal(err)
		}
		e := d.Engine
		front := milliseconds(e.RequestFixed + time.Duration(rows[i].Prompt)*e.TokenizeToken)
		rows[i].Value = front + 1.5*(rows[i].predict(p)-front)
	}
	c, _, err := CalibrateRows(t.Context(), catalog.Builtin(), rows)
	if err != nil {
		t.Fatal(err)
	}
	if got := told(c); !slices.Equal(got, []string{"mfu"}) {
		t.Errorf("told are %v, want mfu alone", got)
	}
	for _, e := range c.Estimates[1:] {
		if e.Value != e.Before || !strings.HasSuffix(e.Would, "; of decoding nothing was measured") {
			t.Errorf("%s is %g, built in %g: %q", e.Name, e.Value, e.Before, e.Would)
		}
	}
	for i, e := range c.After {
		d, err := rows[i].Deployment(catalog.Builtin())
		if err != nil {
			t.Fatal(err)
		}
		d.Constants = c.Profile().Constants(d)
		p, err := roofline.New(d)
		if err != nil {
			t.Fatal(err)
		}
		if own := rows[i].predict(p)/rows[i].Value - 1; math.Abs(own-e) > .002 {
			t.Errorf("%d tokens: off by %.4f, but with the profile by %.4f", rows[i].Prompt, e, own)
		}
	}
	if p := c.Profile(); len(p.Values) != 1 || p.Prefill.N != 10 || p.Decode.N != 0 {
		t.Errorf("the profile is %+v, want mfu alone, by 10 prompts", p)
	}
}

// What fits better is said of the mean and of the median.
func TestImproves(t *testing.T) {
	for _, test := range []struct {
		before, after []float64
		mean, median  bool
	}{
		{[]float64{.1, -.2, .3}, []float64{.1, -.1, .2}, true, true},
		{[]float64{.1, -.2, .3}, []float64{.25, .25, 0}, true, false},
		{[]float64{.1, -.2, .9}, []float64{.1, -.1, 2}, false, true},
		{[]float64{.1, -.2, .3}, []float64{.1, -.2, .3}, false, false},
		{[]float64{.1}, []float64{.05}, true, false}, // no median of one
	} {
		mean, median := Calibration{Before: test.before, After: test.after}.Improves()
		if mean != test.mean || median != test.median {
			t.Errorf("%v, then %v: %t, %t, want %t, %t", test.before, test.after, mean, median, test.mean, test.median)
		}
	}
}

// An engine that has no cost of a sequence is not given one.
func TestCalibrateLeavesZero(t *testing.T) {
	row := rowsOf(t, measurement{"Llama-3.1-8B", 20, 2, 1, TPOT})[0]
	row.Engine, row.WeightFormat, row.GPU = "llama.cpp", "Q4_K_M", "RTX-4090"
	c, _, err := CalibrateRows(t.Context(), catalog.Builtin(), []Row{row})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range c.Estimates {
		if e.Before == 0 && (e.Told || e.Value != 0 || e.Would != "") {
			t.Errorf("%+v: llama.cpp has none of it", e)
		}
	}
}

func TestCalibrateRefuses(t *testing.T) {
	one := rowsOf(t, measurement{"Llama-3.1-8B", 20, 2, 1, TPOT})[0]
	with := func(change func(r *Row)) []Row {
		r := one
		change(&r)
		return []Row{one, r}
	}
	for name, test := range map[string]struct {
		rows []Row
		want string
	}{
		"no rows":          {nil, "no measurements to fit"},
		"unknown model":    {with(func(r *Row) { r.Model = "GPT-5" })[1:], "of 1 measurement none can be predicted, such as line 2: unknown model"},
		"two engines":      {with(func(r *Row) { r.Engine = "sglang" }), "of 2 engines, want one: choose with --engine among sglang, vllm"},
		"two machines":     {with(func(r *Row) { r.GPU = "H100-SXM" }), "of 2 machines, want one: choose with --hardware among H100-SXM, L40S"},
		"kinds of weights": {with(func(r *Row) { r.WeightFormat = "fp8" }), "choose with --weights among fp16, fp8"},
	} {
		_, _, err := CalibrateRows(t.Context(), catalog.Builtin(), test.rows)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
	run, r := served(t, poisson(1, 5, time.Second), truth)
	for first, want := range map[int]string{
		-1: "the first -1 requests: the run has 5", 6: "the first 6 requests: the run has 5",
		5: "too few requests to tell the engine's constants", 0: "warm-up: 5, want at least 20",
	} {
		if _, err := CalibrateRun(t.Context(), r, run, first); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the first %d of 5: %v, want %q", first, err, want)
		}
	}
}

// A run that no constant can explain, for each of its tokens took an hour, is refused.
func TestCalibrateToldNothing(t *testing.T) {
	builtIn := plan(t, "Llama-3.1-8B", "L40S", 0, roofline.Constants{})
	var run []Timed
	for i := range fewestRequests {
		at := time.Duration(i) * 2 * time.Hour
		run = append(run, Timed{Line: i + 2, Arrival: at, Queued: at, Prompt: 1, Output: 1, First: at + time.Hour, Last: at + time.Hour})
	}
	if _, err := CalibrateRun(t.Context(), engine.Replica{Plan: builtIn}, run, 0); !errors.Is(err, ErrNotTold) || !strings.Contains(err.Error(), "mfu needs") {
		t.Error(err)
	}
}

func TestCalibrateCancelled(t *testing.T) {
	run, r := served(t, poisson(1, fewestRequests, time.Second), truth)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := CalibrateRun(ctx, r, run, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled calibration: %v", err)
	}
	if _, _, err := CalibrateRows(ctx, catalog.Builtin(), rowsOf(t, measurement{"Llama-3.1-8B", 20, 2, 1, TPOT})); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled calibration of rows: %v", err)
	}
}

// Calibrated on the first 100 requests of each recorded run, the other 200 come out.
func TestCalibrateRecordings(t *testing.T) {
	const first = 100
	limits := map[string]float64{"ttft": .10, "tpot": .05, "latency": .05}
	for _, rec := range recordings {
		t.Run(rec.file, func(t *testing.T) {
			t.Parallel()
			calibrateRecording(t, rec, first, limits)
		})
	}
}

// calibrateRecording fits the first requests of a recorded run and judges the others.
func calibrateRecording(t *testing.T, rec recorded, first int, limits map[string]float64) {
	run, r := rec.read(t), rec.replica(t, roofline.Constants{})
	c, err := CalibrateRun(t.Context(), r, run, first)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: mean error of the first %d requests %.2f %%, then %.2f %%", rec.file, first, 100*mean(c.Before), 100*mean(c.After))
	for _, e := range c.Estimates {
		t.Logf("%-11s built in %6.4g, fitted %6.4g, %.4g to %.4g", e.Name, e.Before, e.Value, e.Low, e.High)
	}
	if d := c.Doubts(); len(d) > 0 {
		t.Errorf("%s: doubts about the right machine: %q", rec.file, d)
	}
	got, err := ReplayWith(t.Context(), r, c.Profile().Constants(r.Plan.Deployment()), run)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range Compare(run[first:], got.Run[first:]) {
		logCompared(t, c)
		if e := c.MeanError(); !(math.Abs(e) <= limits[c.Name]) {
			t.Errorf("%s: mean %s of the others is off by %+.1f %%, want within %.0f %%", rec.file, c.Name, 100*e, 100*limits[c.Name])
		}
	}
}

func TestSolve(t *testing.T) {
	x := solve([][]float64{{4, 2, 0}, {2, 5, 1}, {0, 1, 3}}, []float64{2, 0, 8})
	for i, want := range []float64{1, -1, 3} {
		if math.Abs(x[i]-want) > 1e-12 {
			t.Errorf("x[%d] = %g, want %g", i, x[i], want)
		}
	}
}

// The jump of values on a parabola is none; one value off by 1 makes it 1/sqrt(20).
func TestJump(t *testing.T) {
	if got := jump(1, 4, 9, 16); got != 0 {
		t.Errorf("a parabola jumps by %g", got)
	}
	if got := jump(2, 4, 9, 16); math.Abs(got-1/math.Sqrt(20)) > 1e-12 {
		t.Errorf("a parabola with its first value 1 too high jumps by %g", got)
	}
}

// slower returns measurements that took so many times as long as the true constants make
// them take.
func slower(t testing.TB, times float64) []Row {
	rows := rowsOf(t, measurement{"Llama-3.1-8B", 20, 2, 1, TPOT}, measurement{"Llama-3.1-8B", 3000, 2, 1, TPOT}, measurement{"Qwen2.5-0.5B", 20, 2, 1, TPOT},
		measurement{"TinyLlama-1.1B", 20, 2, 1, TPOT}, measurement{"Llama-3.1-8B", 1000, 1, 1, TTFT}, measurement{"Llama-3.1-8B", 4000, 1, 1, TTFT})
	for i := range rows {
		rows[i].Value *= times
	}
	return rows
}

// What is left of the errors is that of the constants as a profile keeps them, and a
// profile can be read whatever was measured.
func TestCalibrationIsThatOfItsProfile(t *testing.T) {
	for _, times := range []float64{.3, 1, 2, 4, 8, 12, 16, 20, 25} {
		rows := slower(t, times)
		c, _, err := CalibrateRows(t.Context(), catalog.Builtin(), rows)
		if err != nil {
			if !errors.Is(err, ErrNotTold) || times < 8 {
				t.Errorf("%g times as long: %v", times, err)
			}
			continue
		}
		p := c.Profile()
		p.Name, p.Data, p.Hash = "p", "f", strings.Repeat("0", 64)
		if _, err := ReadProfile("p", []byte(p.Text())); err != nil {
			t.Errorf("%g times as long: %v", times, err)
		}
		for i, r := range rows {
			d, err := r.Deployment(catalog.Builtin())
			if err != nil {
				t.Fatal(err)
			}
			m := measured{r, d}
			if got := m.errorUnder(p.Constants(d)); math.Abs(got-c.After[i]) > 1e-9 {
				t.Errorf("%g times as long, row %d: an error of %.6f is left, by the profile %.6f", times, i, c.After[i], got)
			}
		}
	}
}

// Where predictions are far off and nothing is told, the error says so: the measurements
// are in another unit, or of something else.
func TestCalibrateFarOff(t *testing.T) {
	_, _, err := CalibrateRows(t.Context(), catalog.Builtin(), slower(t, 1000))
	if want := "predictions are off by 100 % on average, so check the units and what was measured"; !errors.Is(err, ErrNotTold) || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
	if _, _, err = CalibrateRows(t.Context(), catalog.Builtin(), rowsOf(t, measurement{"Llama-3.1-8B", 20, 1, 1, TTFT})); !errors.Is(err, ErrNotTold) || strings.Contains(err.Error(), "off by") {
		t.Errorf("a short prompt that is predicted well: %v", err)
	}
}
