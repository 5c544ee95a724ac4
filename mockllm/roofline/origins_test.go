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
	llama := model(t, "Llama-3.1-8B")
	everyDeployment(func(d Deployment) {
		if d.GPUs > 1 || d.Weights != FP16 && d.Weights != INT4 && d.Weights != FP8 {
			return
		}
		d.Model = llama
		c := Defaults(d)
		p, err := Partial(d)
		if err != nil {
			t.Fatal(err)
		}
		_, share := p.Products()
		has := map[string]float64{
			"MFU": share, "MBU": c.MBU, "AttentionMBU": c.AttentionMBU, "LayerFixed": c.LayerFixed.Seconds() * 1e6,
			"SequenceFixed": c.SequenceFixed.Seconds() * 1e6, "Activations": c.Activations,
		}
		for _, o := range Origins(d) {
			if len(o.Factors) == 0 {
				continue
			}
			product := float64(max(1, o.Cores)) * max(1, o.Times)
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

// What a GeForce board reaches of its rate is not the MFU of whole chips, and the share
// that is told is the one that products take.
func TestProducts(t *testing.T) {
	for _, test := range []struct {
		hardware, engine string
		weights          Format
		mfu              float64
		peak, share      float64
	}{
		{"L40S", "vllm", FP16, .6, 362e12, .6},
		{"RTX-4090", "vllm", FP16, .6, 165.2e12, .95},
		{"RTX-4090", "vllm", FP16, .4, 165.2e12, .8},
		{"RTX-4090", "vllm", FP16, .97, 165.2e12, .97},
		{"RTX-4090", "vllm", FP8, .6, 330.3e12, .6},
		{"RTX-4090", "llama.cpp", FP16, .3, 330.4e12, .3},
	} {
		d := Deployment{Model: model(t, "Llama-3.1-8B"), Hardware: hardware(t, test.hardware), Weights: test.weights, Constants: Ideal()}
		engineOf(t, test.engine)(&d)
		d.Constants.MFU = test.mfu
		p := plan(t, d)
		if peak, share := p.Products(); peak != test.peak || share != test.share {
			t.Errorf("%s by %s in %s with an MFU of %g: %g of %g, want %g of %g", test.hardware, test.engine, test.weights, test.mfu, share, peak, test.share, test.peak)
		}
		b := p.Batch()
		b.Add(1<<20, 0, 0)
		if got, want := p.Explain(b).MatmulCompute.Seconds(), 2*float64(d.Model.LinearParams())*(1<<20)/(test.peak*test.share); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%s by %s: products take %g s, want %g", test.hardware, test.engine, got, want)
		}
	}
	got := Origins(Deployment{Hardware: hardware(t, "RTX-4090")})[0]
	if got.Times != 2 || got.Limit != .95 || got.Factors[0].Name != "mfu.serving.16" {
		t.Errorf("the origin is %+v, want twice the MFU and at most .95", got)
	}
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
