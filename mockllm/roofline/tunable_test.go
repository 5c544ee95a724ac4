package roofline

import (
	"maps"
	"slices"
	"testing"

	"halfsecond/mockllm/catalog"
)

// A tunable deployment gives the plan that its constants under the same values do,
// and depends on those that it says.
func TestTune(t *testing.T) {
	values := Fitted()
	for i, name := range slices.Sorted(maps.Keys(values)) {
		values[name] *= []float64{.9, 1.07}[i%2]
	}
	for _, engine := range catalog.AllEngines() {
		for _, h := range catalog.AllHardware() {
			if engine.Support(h) == catalog.Unsupported {
				continue
			}
			d := Deployment{Model: model(t, "Llama-3.1-8B"), Hardware: h, Engine: engine, Weights: INT4}
			tunable, err := Tune(d)
			if err != nil {
				t.Fatalf("%s on %s: %v", engine.Name, h.Name, err)
			}
			if !slices.Equal(tunable.Uses(), Uses(d)) {
				t.Errorf("%s on %s: uses %v, want %v", engine.Name, h.Name, tunable.Uses(), Uses(d))
			}
			d.Constants = values.Constants(d)
			want, err := Partial(d)
			if err != nil {
				t.Fatalf("%s on %s: %v", engine.Name, h.Name, err)
			}
			got := tunable.Plan(values)
			for _, b := range []Batch{want.DecodeBatch(3, 700), want.PrefillBatch(900)} {
				if got.Step(b) != want.Step(b) {
					t.Errorf("%s on %s: %v, want %v", engine.Name, h.Name, got.Step(b), want.Step(b))
				}
			}
		}
	}
}

// What Partial refuses, Tune refuses with the same words.
func TestTuneRefuses(t *testing.T) {
	d := Deployment{Model: model(t, "Llama-3.1-8B"), Hardware: hardware(t, "H100-SXM"), GPUs: 3}
	_, want := Partial(d)
	if _, err := Tune(d); err == nil || err.Error() != want.Error() {
		t.Errorf("%v, want %v", err, want)
	}
}
