package fit

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/roofline"
)

func byGPU(r Row) string   { return r.GPU }
func byModel(r Row) string { return r.Model }

func cross(t *testing.T, rows []Row, group func(Row) string) Result {
	t.Helper()
	r, err := Cross(t.Context(), catalog.Builtin(), rows, group, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The built-in rows, each GPU and each model left out in turn, are predicted once for
// all tests.
var (
	crossGPUs   = sync.OnceValue(func() Result { return crossPublished(byGPU) })
	crossModels = sync.OnceValue(func() Result { return crossPublished(byModel) })
)

func crossPublished(group func(Row) string) Result {
	r, err := Cross(context.Background(), catalog.Builtin(), Published(), group, nil)
	if err != nil {
		panic(err)
	}
	return r
}

// What the built-in measurements have to be predicted with. The first two are the
// honest figures, of GPUs and of models that no constant was fitted on.
func TestGates(t *testing.T) {
	in := Validate(catalog.Builtin(), Published())
	gpu, model := crossGPUs(), crossModels()
	within := func(what string, got, most float64) {
		if !(got <= most) {
			t.Errorf("%s: %.4f, want at most %g", what, got, most)
		}
	}
	within("mean, every GPU left out", Summarise(gpu.Rows).MeanAPE, .15)
	within("mean, every model left out", Summarise(model.Rows).MeanAPE, .20)
	within("mean in-sample", Summarise(in.Rows).MeanAPE, .12)
	within("median in-sample", Summarise(in.Rows).MedianAPE, .07)
	within("numbers fitted", float64(in.Fitted), 60)
	for _, r := range []Result{in, gpu, model} {
		if len(r.Rows) != len(Published()) || len(r.Skipped) > 0 || r.Fitted != in.Fitted {
			t.Errorf("%d rows predicted and %d skipped of %d, with %d numbers, want all, with %d", len(r.Rows), len(r.Skipped), len(Published()), r.Fitted, in.Fitted)
		}
	}
	if gpu.Groups != 52 || model.Groups != 22 {
		t.Errorf("%d GPUs and %d models left out, want 52 and 22", gpu.Groups, model.Groups)
	}
}

// What is predicted for a GPU does not depend on what was measured on it, to the last
// bit, though all else does.
func TestCrossNeverSeesWhatItPredicts(t *testing.T) {
	for _, group := range []struct {
		name   string
		of     func(Row) string
		before Result
	}{{"A100-80GB-SXM", byGPU, crossGPUs()}, {"Llama-3.1-8B", byModel, crossModels()}} {
		absurd := Published()
		for i := range absurd {
			if group.of(absurd[i]) == group.name {
				absurd[i].Value *= []float64{3, .1, 40}[i%3]
			}
		}
		after := cross(t, absurd, group.of)
		changed := 0
		for i, b := range group.before.Rows {
			a := after.Rows[i]
			switch {
			case group.of(b.Row) != group.name:
				if a.Predicted != b.Predicted {
					changed++
				}
			case a.Predicted != b.Predicted || a.Pooled != b.Pooled:
				t.Errorf("%s: %s was predicted as %v and, when %s measured something else, %v", group.name, b.Row.ID, b.Predicted, group.name, a.Predicted)
			}
		}
		if changed == 0 {
			t.Errorf("%s: no prediction of others changed, so its rows were not fitted", group.name)
		}
	}
}

// Rows that were left out are predicted as if they had never been there.
func TestCrossIsAFitOfTheRest(t *testing.T) {
	const gpu = "L40S"
	all := builtinSamples(t)
	f := leaveOut(all, gpu, byGPU)
	want := map[string]float64{}
	for _, j := range judge(f.left, fitted(f.in)) {
		want[j.Row.ID] = j.Predicted
	}
	for _, j := range crossGPUs().Rows {
		if j.Row.GPU == gpu && j.Predicted != want[j.Row.ID] {
			t.Errorf("%s: %v, want %v", j.Row.ID, j.Predicted, want[j.Row.ID])
		}
	}
}

// A constant that only the left-out rows tell is pooled, and so are the rows that use
// it.
func TestCrossMarksPooledRows(t *testing.T) {
	pooled := map[string]int{}
	for _, j := range crossGPUs().Rows {
		if j.Pooled {
			pooled[j.Row.GPU]++
		}
		if j.Seen {
			t.Errorf("%s was left out, and seen", j.Row.ID)
		}
	}
	// All Gaudis are of one kind, all rows of gpt-fast on one GPU; llama.cpp is everywhere.
	for gpu, want := range map[string]int{"Gaudi2": 12, "MI300X": 11, "B200": 19, "A100-80GB-SXM": 45, "L40S": 0, "RTX-3090": 0} {
		if pooled[gpu] != want {
			t.Errorf("%s: %d rows pooled, want %d", gpu, pooled[gpu], want)
		}
	}
}

// Of a single GPU nothing is left to fit: every constant keeps its prior.
func TestCrossOfOneGroup(t *testing.T) {
	rows := []Row{decodeOf(100), decodeOf(50)}
	got := cross(t, rows, byGPU)
	s, err := newSample(catalog.Builtin(), rows[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range got.Rows {
		if !j.Pooled || j.Predicted != s.predicted(nil) {
			t.Errorf("%+v, want the prediction of the priors, %v", j, s.predicted(nil))
		}
	}
}

func TestCrossReportsProgress(t *testing.T) {
	var seen []int
	total := 0
	_, err := Cross(t.Context(), catalog.Builtin(), Published()[:60], byGPU, func(done, of int) { seen, total = append(seen, done), of })
	if err != nil || total == 0 || len(seen) != total || seen[0] != 1 || seen[total-1] != total {
		t.Errorf("%v of %d, %v", seen, total, err)
	}
}

func TestCrossStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Cross(ctx, catalog.Builtin(), Published(), byGPU, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
}

// Cross and Refit do not depend on how many processors there are.
func TestCrossIsTheSameAgain(t *testing.T) {
	rows := Published()[:150]
	if a, b := cross(t, rows, byModel), cross(t, rows, byModel); !slices.Equal(a.Rows, b.Rows) {
		t.Error("two runs differ")
	}
}

// The built-in constants are what a fit of the built-in rows gives, to the last bit, so
// that no figure depends on which of the two it is of.
func TestRefitOfPublishedIsValidate(t *testing.T) {
	refit, built := Refit(catalog.Builtin(), Published()), Validate(catalog.Builtin(), Published())
	if !slices.Equal(refit.Rows, built.Rows) || refit.Fitted != built.Fitted {
		t.Errorf("median error %g by a fit, %g by the built-in constants", Summarise(refit.Rows).MedianAPE, Summarise(built.Rows).MedianAPE)
	}
}

// Refit follows the rows better than constants that were fitted on others.
func TestRefit(t *testing.T) {
	var rows []Row
	for _, r := range Published() {
		if r.GPU == "Gaudi2" {
			rows = append(rows, r)
		}
	}
	got, built := Summarise(Refit(catalog.Builtin(), rows).Rows), Summarise(Validate(catalog.Builtin(), rows).Rows)
	if !(got.MeanAPE < built.MeanAPE) {
		t.Errorf("mean %g when fitted on the rows, %g by the built-in constants", got.MeanAPE, built.MeanAPE)
	}
}

// Rows of the built-in file are known again, wherever they stand and whatever is written
// beside them.
func TestValidateKnowsWhatItHasSeen(t *testing.T) {
	rows := Published()[:4]
	rows[0].Line += 1000
	rows[1].Value *= 2
	rows[2].ID, rows[2].Source, rows[2].Note = "line 4", "", ""
	rows[3].GPU, rows[3].Model = strings.ToLower(rows[3].GPU), strings.ToUpper(rows[3].Model)
	var seen []bool
	for _, j := range Validate(catalog.Builtin(), rows).Rows {
		seen = append(seen, j.Seen)
	}
	if want := []bool{true, false, true, true}; !slices.Equal(seen, want) {
		t.Errorf("seen %v, want %v", seen, want)
	}
}

// A GPU or a model is left out however a row spells it.
func TestCrossKnowsOtherSpellings(t *testing.T) {
	rows := Published()[:120]
	for i := range rows {
		if i%2 == 0 {
			rows[i].GPU, rows[i].Model = strings.ToLower(rows[i].GPU), strings.ToUpper(rows[i].Model)
		}
	}
	for what, group := range map[string]func(Row) string{"GPU": byGPU, "model": byModel} {
		got, want := cross(t, rows, group), cross(t, Published()[:120], group)
		if got.Groups != want.Groups || Summarise(got.Rows) != Summarise(want.Rows) {
			t.Errorf("by %s: %d groups and %+v, want %d and %+v", what, got.Groups, Summarise(got.Rows), want.Groups, Summarise(want.Rows))
		}
	}
}

// What cannot be predicted is skipped with its reason, and the rest is not.
func TestSkipped(t *testing.T) {
	c, err := catalog.Read("mine.txt", []byte("[hardware]\nname,family,memory_GB,mem_bandwidth_GB_s\nNo-Compute,,24,500\nNo-Cores,cpu,24,500\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		change func(*Row)
		want   string // "" when it is predicted
	}{
		{"nothing amiss", func(*Row) {}, ""},
		{"an engine of the future", func(r *Row) { r.Engine = "vllm-7.1" }, ""},
		{"another engine", func(r *Row) { r.Engine = "TGI-2" }, `unknown engine "TGI-2"`},
		{"another model", func(r *Row) { r.Model = "Llama-9" }, `unknown model "Llama-9"; nearest:`},
		{"another GPU", func(r *Row) { r.GPU = "H1000" }, `unknown hardware "H1000"; nearest:`},
		{"an unknown format", func(r *Row) { r.WeightFormat = "iq2" }, `unknown weight format "iq2"`},
		{"an unknown format of known bits", func(r *Row) { r.WeightFormat, r.Bits = "iq2", 2.4 }, ""},
		{"another metric", func(r *Row) { r.Metric = "itl_ms" }, `metric "itl_ms" is none of`},
		{"no batch", func(r *Row) { r.Batch = Unstated }, "batch is empty"},
		{"no prompt", func(r *Row) { r.Metric, r.Prompt = TTFT, Unstated }, "prompt_tokens is not stated"},
		{"heads that do not divide", func(r *Row) { r.GPUs = 3 }, "32 attention heads"},
		{"no interconnect", func(r *Row) { r.GPU, r.GPUs = "Apple-M4-10c", 2 }, "has no interconnect"},
		{"no compute rate, one sequence", func(r *Row) { r.GPU = "No-Compute" }, ""},
		{"no compute rate, a prompt", func(r *Row) { r.GPU, r.Metric = "No-Compute", TTFT }, "not published: compute rate"},
		{"a processor of so many cores", func(r *Row) { r.GPU, r.Engine, r.WeightFormat = "No-Cores", "llama.cpp", "Q4_0" }, "not published: cores"},
		{"no compute rate, a batch", func(r *Row) { r.GPU, r.Batch = "No-Compute", 8 }, "not published: compute rate"},
	} {
		r := simple()
		test.change(&r)
		got := Validate(c, []Row{simple(), r})
		switch {
		case test.want == "" && (len(got.Rows) != 2 || len(got.Skipped) > 0):
			t.Errorf("%s: skipped: %v", test.name, got.Skipped)
		case test.want != "" && (len(got.Rows) != 1 || len(got.Skipped) != 1 || !strings.Contains(got.Skipped[0].Reason.Error(), test.want)):
			t.Errorf("%s: %d predicted, skipped %v, want %s", test.name, len(got.Rows), got.Skipped, test.want)
		}
	}
}

// A prediction is the same whether the constants are looked up in the table for a
// deployment or set in one that was prepared for many.
func TestPredictionsAreThoseOfAPlan(t *testing.T) {
	values := roofline.Fitted()
	for _, s := range builtinSamples(t) {
		d, err := s.row.Deployment(catalog.Builtin())
		if err != nil {
			t.Fatal(err)
		}
		d.Constants = values.Constants(d)
		p, err := roofline.Partial(d)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := s.predicted(values), s.row.predict(p); got != want {
			t.Errorf("%s: %v, want %v", s.row.ID, got, want)
		}
	}
}

// Every engine, weight format, GPU and model of the built-in rows has a summary.
func TestEveryGroupHasASummary(t *testing.T) {
	rows := Validate(catalog.Builtin(), Published()).Rows
	by := By(rows, func(j Judged) string { return j.Family })
	n := 0
	for _, s := range by {
		n += s.N
	}
	if families := slices.Sorted(maps.Keys(by)); n != len(rows) || len(families) != 20 || slices.Contains(families, "") {
		t.Errorf("%d rows in families %v", n, families)
	}
}
