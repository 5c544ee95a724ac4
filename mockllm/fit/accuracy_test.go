package fit

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/roofline"
)

const accuracyFile = "accuracy.csv"

// accuracyTable returns the table of errors that the published measurements give.
func accuracyTable() string {
	p := published()
	lines := []string{strings.Join(accuracyColumns, ",")}
	for i, j := range p.in.Rows {
		lines = append(lines, fmt.Sprintf("%s,%.6f,%.6f", j.Row.ID, j.Error(), p.gpu.Rows[i].Error()))
	}
	return strings.Join(lines, "\n") + "\n"
}

// The table of accuracies that is built in is the one that Validate and Cross give.
func TestAccuracyTable(t *testing.T) {
	if *update {
		if err := os.WriteFile(accuracyFile, []byte(accuracyTable()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want := accuracyTable(); accuraciesCSV != want {
		t.Errorf("%s is not what validation gives: run go test ./mockllm/fit -run TestAccuracyTable -update and look at the difference\n%s", accuracyFile, want)
	}
}

// deployed returns a deployment of names of the catalogue.
func deployed(t *testing.T, engineName, modelName, hardware string, change func(*roofline.Deployment)) roofline.Deployment {
	t.Helper()
	e, err := catalog.Builtin().Engine(engineName)
	if err != nil {
		t.Fatal(err)
	}
	d := roofline.Deployment{Model: model(t, modelName), Hardware: device(t, hardware), Engine: e, GPUs: 1, Weights: roofline.FP16}
	change(&d)
	return d
}

// What is said of a prediction is of measurements of the same phase, by the same kernels
// on the same family of hardware, says how many are of the very GPU, and names what none of
// them has.
func TestAccuracyOf(t *testing.T) {
	alone := func(*roofline.Deployment) {}
	fp8 := func(gpus int) func(*roofline.Deployment) {
		return func(d *roofline.Deployment) { d.Weights, d.GPUs = roofline.FP8, gpus }
	}
	for _, test := range []struct {
		phase           Phase
		engine          string
		model, hardware string
		change          func(*roofline.Deployment)
		asked           Asked
		own             int // measurements of the same GPU
		engines, unlike []string
	}{
		{Decode, "vllm", "Llama-3.1-8B", "H100-SXM", alone, Asked{0, 4, 500}, 30, []string{"sglang", "trtllm", "vllm"}, nil},
		{Decode, "vllm", "DeepSeek-V3", "H200-SXM", fp8(8), Asked{0, 4, 500}, 0, []string{"sglang", "trtllm", "vllm"}, []string{"a mixture of experts"}},
		{Decode, "vllm", "Llama-3.1-70B", "H100-SXM", fp8(4), Asked{0, 256, 100_000}, 30, []string{"sglang", "trtllm", "vllm"}, []string{"a batch of more than 128", "a context of more than 4352 tokens"}},
		{Prefill, "vllm-v0", "Llama-2-70B", "H100-SXM", fp8(1), Asked{Prompt: 100_000}, 11, []string{"vllm-v0"}, []string{"weights that are multiplied like fp8", "a single device", "a prompt of more than 8192 tokens"}},
		{Prefill, "vllm", "Llama-3.1-8B", "H100-SXM", alone, Asked{Prompt: 512}, 0, nil, nil}, // TTFTs of several clients are waiting
		{Prefill, "vllm", "Llama-3.1-8B", "RTX-4090", alone, Asked{Prompt: 512}, 0, nil, nil},
		{Decode, "gpt-fast", "Llama-2-7B", "A100-80GB-SXM", fp8(1), Asked{0, 1, 1}, 24, []string{"gpt-fast"}, nil},
	} {
		d := deployed(t, test.engine, test.model, test.hardware, test.change)
		got := AccuracyOf(test.phase, d, test.asked)
		in, left := ofPhase(published().in.Rows, test.phase, d), ofPhase(published().gpu.Rows, test.phase, d)
		if got.Rows != in.N || in.N > 0 && (math.Abs(got.InSample-in.MeanAPE) > 1e-6 || math.Abs(got.LeftOut-left.MeanAPE) > 1e-6) {
			t.Errorf("%+v: %+v, want %d rows, %g and %g", test, got, in.N, in.MeanAPE, left.MeanAPE)
		}
		if got.Own != test.own {
			t.Errorf("%s of %s on %s: %d measurements of that GPU, want %d", test.phase, test.model, test.hardware, got.Own, test.own)
		}
		if !slices.Equal(got.Engines, test.engines) || !slices.Equal(got.Unlike, test.unlike) {
			t.Errorf("%s of %s on %s: engines %q, unlike %q, want %q and %q", test.phase, test.model, test.hardware, got.Engines, got.Unlike, test.engines, test.unlike)
		}
	}
}

func TestAccuracyOfAll(t *testing.T) {
	for phase, want := range map[Phase]int{Prefill: 129, Decode: 258} {
		got, in := AccuracyOfAll(phase), Summarise(slices.DeleteFunc(slices.Clone(published().in.Rows), func(j Judged) bool { return j.Row.Phase() != phase }))
		if got.Rows != want || in.N != want || math.Abs(got.InSample-in.MeanAPE) > 1e-6 {
			t.Errorf("%s: %+v, want %d rows and %g", phase, got, want, in.MeanAPE)
		}
	}
}

// ofPhase sums up the rows of a phase, the kernels and the hardware of a deployment.
func ofPhase(rows []Judged, phase Phase, d roofline.Deployment) Summary {
	return Summarise(slices.DeleteFunc(slices.Clone(rows), func(j Judged) bool {
		e, err := catalog.Builtin().Engine(j.Family)
		return err != nil || j.Row.Phase() != phase || e.Kernels != d.Engine.Kernels || hardwareFamily(j) != d.Hardware.Family
	}))
}

func TestReadAccuraciesErrors(t *testing.T) {
	header := strings.Join(accuracyColumns, ",") + "\n"
	for text, want := range map[string]string{
		"":                      "the header is not id,in_sample,gpu_left_out",
		header + "a,x,0\n":      "line 2: ",
		header + "a,0,0\na,b\n": "record on line 3",
	} {
		if _, err := readAccuracies(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
