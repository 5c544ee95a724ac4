package arrival

import (
	"testing"
	"time"

	"halfsecond/pipeline/dist"
)

func TestLoads(t *testing.T) {
	replay, err := Replayed(Replay{Trace: four, Speed: 2})
	if err != nil {
		t.Fatal(err)
	}
	faster := replay
	faster.Replay.Speed = 16
	even := Slope{From: 1, To: 4, Over: time.Second, Even: true}
	steeper := Slope{From: 2, To: 8, Over: time.Second, Even: true}
	for name, c := range map[string]struct {
		process Process
		load    float64
		want    Process // under a load of 8
		unit    string
	}{
		"constant": {Constant(250 * time.Millisecond), 4, Constant(125 * time.Millisecond), "/s"},
		"poisson":  {Poisson(3), 3, Poisson(8), "/s"},
		"gamma":    {Gamma(3, .5), 3, Gamma(8, .5), "/s"},
		"ramp":     {Ramp(even), 4, Ramp(steeper), "/s"},
		"trace":    {replay, 1, faster, "/s"},
		"closed":   {Closed(5, dist.Constant(time.Second)), 5, Closed(8, dist.Constant(time.Second)), "users"},
	} {
		if got := c.process.Load(); got != c.load {
			t.Errorf("load of %s = %g, want %g", name, got, c.load)
		}
		if got := c.process.LoadUnit(); got != c.unit {
			t.Errorf("unit of %s = %s, want %s", name, got, c.unit)
		}
		if got, err := c.process.Under(8); err != nil || got != c.want {
			t.Errorf("%s under 8 = %+v, %v, want %+v", name, got, err, c.want)
		}
		if _, err := c.process.Under(0); err == nil || err.Error() != "a load of 0: want more than 0" {
			t.Errorf("%s under no load: %v", name, err)
		}
	}
	if _, err := Closed(5, dist.Dist{}).Under(2.5); err == nil || err.Error() != "2.5 users: want a whole number" {
		t.Errorf("two and a half users: %v", err)
	}
	if _, err := Constant(1).Under(3e9); err == nil {
		t.Error("three requests a nanosecond are possible")
	}
}
