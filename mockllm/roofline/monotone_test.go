package roofline

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"halfsecond/mockllm/catalog"
)

// randomDeployment draws a deployment of any model, engine, format and number of
// devices on hardware whose compute rate is known.
func randomDeployment(random *rand.Rand) Deployment {
	pick := func(n int) int { return random.IntN(n) }
	var devices []catalog.Hardware
	for _, h := range catalog.AllHardware() {
		if h.Link > 0 && max(h.FP16, h.FP32) > 0 {
			devices = append(devices, h)
		}
	}
	models, engines := catalog.AllModels(), catalog.AllEngines()
	return Deployment{
		Model:    models[pick(len(models))],
		Hardware: devices[pick(len(devices))],
		Engine:   engines[pick(len(engines))],
		GPUs:     1 << pick(4),
		Stages:   1 + pick(3),
		Weights:  Formats()[pick(len(Formats()))],
		KV:       KVFormats()[pick(len(KVFormats()))],
	}
}

// randomPlan draws until a deployment is possible.
func randomPlan(random *rand.Rand) *Plan {
	for {
		if p, err := New(randomDeployment(random)); err == nil {
			return p
		}
	}
}

func (p *Plan) describe() string {
	d := p.d
	return fmt.Sprintf("%s in %s on %d x %d x %s by %s", d.Model.Name, d.Weights, d.Stages, d.GPUs, d.Hardware.Name, d.Engine.Name)
}

// More work never takes less time.
func TestMoreWorkTakesLonger(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		p := randomPlan(random)
		n, context, prompt := 1+random.IntN(300), 1+random.IntN(200_000), 1+random.IntN(30_000)
		if p.Decode(n+1, context) < p.Decode(n, context) {
			t.Errorf("%s: %d sequences at %d are faster than %d", p.describe(), n+1, context, n)
		}
		if p.Decode(n, context+100) < p.Decode(n, context) {
			t.Errorf("%s: %d sequences at %d are faster than at %d", p.describe(), n, context+100, context)
		}
		if p.Prefill(prompt+1) < p.Prefill(prompt) {
			t.Errorf("%s: a prompt of %d is faster than one of %d", p.describe(), prompt+1, prompt)
		}
		chunk, later := p.Batch(), p.Batch()
		chunk.Add(1+prompt/10, prompt, 0)
		later.Add(1+prompt/10, prompt+100, 1)
		if p.Step(later) < p.Step(chunk) {
			t.Errorf("%s: a chunk after %d tokens is faster than after %d", p.describe(), prompt+100, prompt)
		}
	}
}

// Better hardware never takes longer: more bandwidth, more compute, a faster link.
func TestBetterHardwareIsNotSlower(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		p := randomPlan(random)
		faster := 1 + random.Float64()
		for name, improve := range map[string]func(*catalog.Hardware){
			"bandwidth": func(h *catalog.Hardware) { h.Bandwidth *= faster },
			"compute": func(h *catalog.Hardware) {
				for _, rate := range []*float64{&h.FP16, &h.FP32, &h.Portable, &h.INT8, &h.FP8, &h.FP4} {
					*rate *= faster
				}
			},
			"link": func(h *catalog.Hardware) { h.Link *= faster },
		} {
			d := p.d // with its constants, which must not follow the hardware
			improve(&d.Hardware)
			better, err := New(d)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range []Batch{p.DecodeBatch(1+random.IntN(300), 1+random.IntN(100_000)), p.PrefillBatch(1 + random.IntN(30_000))} {
				if better.Step(b) > p.Step(b) {
					t.Errorf("%s: %+v takes %v, with %.2f times the %s %v", p.describe(), b, p.Step(b), faster, name, better.Step(b))
				}
			}
		}
	}
}

// More devices that share each layer never need longer to read or to multiply.
func TestMoreDevicesReadAndMultiplyFaster(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		d := randomPlan(random).d
		d.GPUs, d.Stages, d.Split = 1, 1, catalog.SplitTensor
		one := plan(t, d)
		d.GPUs = 2
		two, err := New(d)
		if err != nil {
			continue // heads that do not divide
		}
		b := one.DecodeBatch(1+random.IntN(300), 1+random.IntN(30_000))
		x, y := one.Explain(b), two.Explain(b)
		if y.MatmulMemory > x.MatmulMemory || y.AttentionMemory > x.AttentionMemory || y.MatmulCompute > x.MatmulCompute || y.AttentionCompute > x.AttentionCompute {
			t.Errorf("%s: %+v, on one device %+v", two.describe(), y, x)
		}
	}
}

// A batch of n alike sequences takes no longer than n steps of one.
func TestBatchingSavesTime(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		p := randomPlan(random)
		n, context := 2+random.IntN(100), 1+random.IntN(20_000)
		if got, most := p.Decode(n, context), n*int(p.Decode(1, context))+n; int(got) > most {
			t.Errorf("%s: %d sequences take %v, one %v", p.describe(), n, got, p.Decode(1, context))
		}
	}
}
