package roofline

import (
	"math"
	"reflect"
	"testing"
)

func TestOrigins(t *testing.T) {
	d := Deployment{Hardware: hardware(t, "A100-80GB-SXM")}
	engineOf(t, "vllm-v0")(&d)
	table := fittedTable()
	factor := func(name string) Factor { return Factor{name, table[name].value, table[name].rows} }
	want := map[string]Origin{
		"MFU":              {Field: "MFU", Factors: []Factor{factor("mfu.eager.16")}},
		"MBU":              {Field: "MBU", Factors: []Factor{factor("mbu.eager")}},
		"AttentionMBU":     {Field: "AttentionMBU", Factors: []Factor{factor("mbu.eager")}},
		"LayerFixed":       {Field: "LayerFixed", Factors: []Factor{factor("layer.eager"), factor("layer.eager-on-ampere")}},
		"SequenceFixed":    {Field: "SequenceFixed", Factors: []Factor{factor("sequence.eager")}},
		"Activations":      {Field: "Activations", Factors: []Factor{factor("activations.eager")}},
		"StepFixed":        {Field: "StepFixed", Source: "inference-sim's fit to vLLM on H100"},
		"ExpertFixed":      {Field: "ExpertFixed", Source: "timings of single kernels by vLLM and SGLang"},
		"AllReduceLatency": {Field: "AllReduceLatency", Source: "vidur's profiles of layers and all-reduces"},
	}
	for _, got := range Origins(d) {
		if o, ok := want[got.Field]; ok && !reflect.DeepEqual(got, o) {
			t.Errorf("Origins has %+v, want %+v", got, o)
		}
		delete(want, got.Field)
	}
	if len(want) > 0 {
		t.Errorf("Origins lacks %v", want)
	}
}

// Every constant that a prediction depends on has an origin.
func TestEveryConstantHasAnOrigin(t *testing.T) {
	fields := map[string]bool{"Overlapped": true, "Note": true} // no figures
	everyDeployment(func(d Deployment) {
		for _, o := range Origins(d) {
			if (len(o.Factors) > 0) == (o.Source != "") {
				t.Errorf("%s on %s: %+v, want either factors or a source", d.Engine.Name, d.Hardware.Name, o)
			}
			fields[o.Field] = true
		}
	})
	for f := range reflect.TypeFor[Constants]().Fields() {
		if !fields[f.Name] {
			t.Errorf("no origin of %s", f.Name)
		}
		delete(fields, f.Name)
	}
	if len(fields) > 0 {
		t.Errorf("origins of no constants: %v", fields)
	}
}

// A constant without a measurement has its prior and no rows.
func TestOriginsOfAssumedConstants(t *testing.T) {
	d := Deployment{Hardware: hardware(t, "H100-SXM"), Weights: FP16}
	engineOf(t, "tinychat")(&d) // in 16 bits, which nobody measured
	if got, want := Origins(d)[0], (Origin{Field: "MFU", Factors: []Factor{{"mfu.local.16", .65, 0}}}); !reflect.DeepEqual(got, want) {
		t.Errorf("Origins = %+v, want %+v first", got, want)
	}
}

// The products of the factors are the constants, but for limits and cores, which are
// told.
func TestOriginsMultiplyToTheDefaults(t *testing.T) {
	everyDeployment(func(d Deployment) {
		if d.GPUs > 1 || d.Weights != FP16 && d.Weights != INT4 && d.Weights != FP8 {
			return
		}
		c := Defaults(d)
		has := map[string]float64{
			"MFU": c.MFU, "MBU": c.MBU, "AttentionMBU": c.AttentionMBU, "LayerFixed": c.LayerFixed.Seconds() * 1e6,
			"SequenceFixed": c.SequenceFixed.Seconds() * 1e6, "Activations": c.Activations,
		}
		for _, o := range Origins(d) {
			if len(o.Factors) == 0 {
				continue
			}
			product := float64(max(1, o.Cores))
			for _, f := range o.Factors {
				product *= f.Value
			}
			if o.Limit > 0 {
				product = min(product, o.Limit)
			}
			if math.Abs(has[o.Field]/product-1) > 1e-3 {
				t.Errorf("%s on %s in %s: %s is %v, its factors make %v", d.Engine.Name, d.Hardware.Name, d.Weights, o.Field, has[o.Field], product)
			}
		}
	})
}

func TestLimitOfAnOrigin(t *testing.T) {
	o := Origin{Factors: []Factor{{"a", .95, 1}, {"b", .98, 1}}}
	if got := limited(o, .9).Limit; got != .9 {
		t.Errorf("a product of .931 has the limit %v, want .9", got)
	}
	if got := limited(o, .95).Limit; got != 0 {
		t.Errorf("a product of .931 has the limit %v, want none", got)
	}
	d := Deployment{Hardware: hardware(t, "CPU-Ryzen-7950X-DDR5-5200")}
	for _, o := range Origins(d) {
		if (o.Field == "LayerFixed") != (o.Cores == 16) {
			t.Errorf("%s: %d cores", o.Field, o.Cores)
		}
	}
}
