package roofline

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A tuned deployment has the plan that the values' constants give.
func TestTune(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for range 300 {
		d := randomDeployment(random)
		tunable, err := Tune(d)
		values := Values{}
		for _, name := range Uses(d) {
			values[name] = PriorOf(name).Value * (.5 + random.Float64())
		}
		d.Constants = values.Constants(d)
		p, partialErr := Partial(d)
		if (err == nil) != (partialErr == nil) {
			t.Fatalf("Tune gave %v, Partial %v", err, partialErr)
		}
		if err != nil {
			continue
		}
		if !slices.Equal(tunable.Uses(), Uses(d)) {
			t.Errorf("%s: uses %v, want %v", p.describe(), tunable.Uses(), Uses(d))
		}
		tuned := tunable.Plan(values)
		for _, b := range []Batch{p.DecodeBatch(1+random.IntN(100), 1+random.IntN(5000)), p.PrefillBatch(1 + random.IntN(5000))} {
			if got, want := tuned.Step(b), p.Step(b); got != want {
				t.Errorf("%s: a step takes %v, want %v", p.describe(), got, want)
			}
		}
	}
}

func TestTunedPlansDoNotAllocate(t *testing.T) {
	tunable, err := Tune(Deployment{Model: model(t, "Llama-3.1-8B"), Hardware: hardware(t, "H100-SXM")})
	if err != nil {
		t.Fatal(err)
	}
	values := Fitted()
	if n := testing.AllocsPerRun(100, func() { _ = tunable.Plan(values) }); n != 0 {
		t.Errorf("Plan allocates %v times", n)
	}
}
