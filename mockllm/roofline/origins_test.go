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
		"MFU":              {"MFU", []Factor{factor("mfu.eager.16")}, ""},
		"MBU":              {"MBU", []Factor{factor("mbu.eager")}, ""},
		"AttentionMBU":     {"AttentionMBU", []Factor{factor("mbu.eager")}, ""},
		"LayerFixed":       {"LayerFixed", []Factor{factor("layer.eager"), factor("layer.eager-on-ampere")}, ""},
		"SequenceFixed":    {"SequenceFixed", []Factor{factor("sequence.eager")}, ""},
		"Activations":      {"Activations", []Factor{factor("activations.eager")}, ""},
		"StepFixed":        {"StepFixed", nil, "inference-sim's fit to vLLM on H100"},
		"AllReduceLatency": {"AllReduceLatency", nil, "vidur's profiles of layers and all-reduces"},
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
	fields := map[string]bool{"Overlapped": true, "ExpertFixed": true, "Note": true} // no figure, always 0, and none
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
	if got, want := Origins(d)[0], (Origin{"MFU", []Factor{{"mfu.local.16", .65, 0}}, ""}); !reflect.DeepEqual(got, want) {
		t.Errorf("Origins = %+v, want %+v first", got, want)
	}
}

// The products of the factors are the constants, but for limits and cores.
func TestOriginsMultiplyToTheDefaults(t *testing.T) {
	everyDeployment(func(d Deployment) {
		if d.GPUs > 1 || d.Weights != FP16 && d.Weights != INT4 && d.Weights != FP8 {
			return
		}
		c := Defaults(d)
		for _, o := range Origins(d) {
			if len(o.Factors) == 0 {
				continue
			}
			product := 1.
			for _, f := range o.Factors {
				product *= f.Value
			}
			var got, most float64 = 0, math.Inf(1)
			switch o.Field {
			case "MFU":
				got, most = c.MFU, .9
			case "MBU", "AttentionMBU":
				got, most = c.MBU, .95
			case "LayerFixed":
				got = c.LayerFixed.Seconds() * 1e6
				if d.Hardware.Family == "cpu" {
					product *= float64(max(1, d.Hardware.Cores))
				}
			case "SequenceFixed":
				got = c.SequenceFixed.Seconds() * 1e6
			case "Activations":
				got = c.Activations
			}
			if math.Abs(got/min(most, product)-1) > 1e-3 {
				t.Errorf("%s on %s in %s: %s is %v, its factors make %v", d.Engine.Name, d.Hardware.Name, d.Weights, o.Field, got, product)
			}
		}
	})
}
