package fit

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/roofline"
)

const profileText = `# a comment
halfsecond_profile: 1
name: mine

engine: vllm
hardware: RTX-4090
gpus: 1, 2
weights: fp16
models: Llama-3.1-8B, Qwen3-8B
mfu: 0.8
mbu: 0.9
layer_us: 33.5
data: run.csv
data_sha256: 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
measured: 2026-04-12
measurements: 208
mean_error: 0.0162
prefill_measurements: 8
prefill_error: 0.02
`

func readProfile(t testing.TB) Profile {
	t.Helper()
	p, err := ReadProfile("p", []byte(profileText))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestReadProfile(t *testing.T) {
	p := readProfile(t)
	want := Profile{
		Name:    "mine",
		Subject: Subject{Engine: "vllm", Hardware: "RTX-4090", GPUs: []int{1, 2}, Weights: []string{"fp16"}, Models: []string{"Llama-3.1-8B", "Qwen3-8B"}},
		Values:  map[string]float64{"mfu": .8, "mbu": .9, "layer_us": 33.5},
		Data:    "run.csv", Hash: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		Measured: "2026-04-12", Measurements: 208, MeanError: .0162, Prefill: Left{8, .02},
	}
	if fmt.Sprint(p) != fmt.Sprint(want) {
		t.Errorf("read\n%v, want\n%v", p, want)
	}
	again, err := ReadProfile("p", []byte(p.Text()))
	if err != nil || fmt.Sprint(again) != fmt.Sprint(p) {
		t.Errorf("%v; its own text reads as\n%v, want\n%v", err, again, p)
	}
}

func TestReadProfileErrors(t *testing.T) {
	replace := func(old, new string) string {
		if !strings.Contains(profileText, old) {
			t.Fatalf("no %q in the profile", old)
		}
		return strings.Replace(profileText, old, new, 1)
	}
	for name, test := range map[string]struct{ text, want string }{
		"empty":           {"", "p: halfsecond_profile is missing"},
		"no colon":        {replace("name: mine", "name mine"), `p:3: "name mine": want a key, a colon and a value`},
		"unknown key":     {replace("mfu:", "mfv:"), `p:10: unknown key "mfv": want one of halfsecond_profile, name,`},
		"twice":           {profileText + "mfu: 0.5\n", "p:20: mfu is there twice"},
		"empty value":     {replace("vllm", ""), "p:5: engine is empty"},
		"missing":         {replace("engine: vllm\n", ""), "p: engine is missing"},
		"version":         {replace("profile: 1", "profile: 2"), "p:2: halfsecond_profile: version 2: this program reads version 1"},
		"share above 1":   {replace("0.8", "1.8"), "p:10: mfu: share of the peak compute rate that large matrix products reach: want 0.01 to 1: no engine is beyond, so check the unit, and what was measured"},
		"share near 0":    {replace("0.9", "0.04"), "p:11: mbu: share of the memory bandwidth at which weights and cache are read: want 0.05 to 1: no"},
		"cost of a layer": {replace("33.5", "30000"), "p:12: layer_us: fixed cost of a layer in a step, in microseconds: want 0.001 to 20000: no"},
		"no number":       {replace("33.5", "x"), "p:12: layer_us: fixed cost of a layer in a step, in microseconds: want 0.001 to 20000: no"},
		"NaN":             {replace("33.5", "NaN"), "p:12: layer_us"},
		"zero":            {replace("33.5", "0"), "p:12: layer_us"},
		"no constants":    {replace("mfu: 0.8\nmbu: 0.9\nlayer_us: 33.5\n", ""), "p: no constants: want some of mfu, mbu, step_us, layer_us, sequence_us"},
		"gpus":            {replace("1, 2", "1, none"), `p:7: gpus: "none": want numbers of GPUs`},
		"hash":            {replace("0123456789abcdef\n", "\n"), "p:14: data_sha256: want 64 hexadecimal digits"},
		"day":             {replace("2026-04-12", "12 April"), `p:15: measured: "12 April": want a day such as 2026-04-12`},
		"no measurements": {replace("208", "0"), "p:16: measurements: want a whole number from 1 on"},
		"negative error":  {replace("0.0162", "-1"), "p:17: mean_error: want a share from 0 on"},
	} {
		_, err := ReadProfile("p", []byte(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
	_, err := ReadProfile("p", []byte(replace("mfu: 0.8\nmbu: 0.9", "mfu: 2\nmbu: 3")))
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("two wrong lines: %v", err)
	}
}

func FuzzReadProfile(f *testing.F) {
	f.Add(profileText)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ReadProfile("p", []byte(text))
		if err != nil {
			return
		}
		again, err := ReadProfile("p", []byte(p.Text()))
		if err != nil || fmt.Sprint(again) != fmt.Sprint(p) {
			t.Errorf("%q gives %v, whose text gives %v, %v", text, p, again, err)
		}
	})
}

func on(t testing.TB, name, hardware, engine string, w roofline.Format) roofline.Deployment {
	t.Helper()
	e, err := catalog.FindEngine(engine)
	if err != nil {
		t.Fatal(err)
	}
	return roofline.Deployment{Model: model(t, name), Hardware: device(t, hardware), Engine: e, Weights: w}
}

// What was fitted takes the place of what is built in, and nothing else changes.
func TestProfileConstants(t *testing.T) {
	p := readProfile(t)
	d := on(t, "Llama-3.1-8B", "RTX-4090", "vllm", roofline.FP16)
	d.Constants = roofline.Ideal()
	got := p.Constants(d)
	want := roofline.Defaults(d)
	want.AttentionMBU *= .9 / want.MBU
	want.MFU, want.MBU, want.LayerFixed = mfuFor(d, .8), .9, 33500*time.Nanosecond
	want.Note = "mfu, mbu, layer_us calibrated by profile mine, from 208 measurements"
	if got != want || math.Abs(got.MFU-.4) > 1e-9 { // a GeForce board's rate is half that of its chip
		t.Errorf("constants\n%+v, want\n%+v", got, want)
	}
	d.Model.Name, d.GPUs = "another", 4
	if got, want := p.Constants(d).Note, want.Note+" of Llama-3.1-8B, Qwen3-8B (GPUs: 1, 2)"; got != want {
		t.Errorf("note %q, want %q", got, want)
	}
}

func TestProfileSuits(t *testing.T) {
	p := readProfile(t)
	for name, test := range map[string]struct {
		d    roofline.Deployment
		want string
	}{
		"the same":        {on(t, "Llama-3.1-8B", "RTX-4090", "vllm", roofline.FP16), ""},
		"no engine":       {roofline.Deployment{Hardware: on(t, "Llama-3.1-8B", "RTX-4090", "vllm", roofline.FP16).Hardware}, ""},
		"another model":   {on(t, "Llama-2-7B", "RTX-4090", "vllm", roofline.FP16), ""},
		"another engine":  {on(t, "Llama-3.1-8B", "RTX-4090", "llama.cpp", roofline.FP16), "profile mine is of the engine vllm, not of llama.cpp"},
		"another machine": {on(t, "Llama-3.1-8B", "L40S", "vllm", roofline.FP16), "profile mine is of the machine RTX-4090, not of L40S"},
		"fp8":             {on(t, "Llama-3.1-8B", "RTX-4090", "vllm", roofline.FP8), "profile mine is of the weights fp16, not of fp8"},
	} {
		err := p.Suits(test.d)
		if test.want == "" && err != nil || test.want != "" && (err == nil || err.Error() != test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
	// Weights that are multiplied alike share their constants.
	p.Weights = []string{"int4"}
	if err := p.Suits(on(t, "Llama-3.1-8B", "RTX-4090", "vllm", roofline.INT8)); err != nil {
		t.Errorf("int8 on a profile of int4, which both are unpacked: %v", err)
	}
	p.Weights = []string{"a format of mine"}
	if err := p.Suits(on(t, "Llama-3.1-8B", "RTX-4090", "vllm", roofline.INT8)); err == nil {
		t.Error("weights of a format that is not known suit")
	}
}
