package fit

import (
	"math"
	"strings"
	"testing"

	"halfsecond/mockllm/roofline"
)

func TestDoubt(t *testing.T) {
	share := Estimate{Name: "mbu", Before: .8, Spread: shareSpread, Most: 1, Told: true}
	cost := Estimate{Name: "layer_us", Before: 40, Spread: costSpread, Most: mostCost, Told: true}
	for _, test := range []struct {
		e     Estimate
		value float64
		want  string
	}{
		{share, .8, ""},
		{share, .97, ""},
		{share, .98, "mbu is 0.98, at its limit of 1: what was measured is faster than this machine can be"},
		{share, .486, ""}, // .8 / e^.5 = .4852
		{share, .485, "mbu is 0.485, the built-in 0.8 divided by 1.6: a factor of up to 1.65 is to be expected"},
		{share, .2, "mbu is 0.2, the built-in 0.8 divided by 4.0: a factor of up to 1.65 is to be expected"},
		{cost, 108, ""}, // 40 * e = 108.7
		{cost, 109, "layer_us is 109, 2.7 times the built-in 40: a factor of up to 2.72 is to be expected"},
		{cost, 15, ""},
		{cost, 10, "layer_us is 10, the built-in 40 divided by 4.0: a factor of up to 2.72 is to be expected"},
	} {
		test.e.Value = test.value
		if got := test.e.Doubt(); got != test.want {
			t.Errorf("%s of %g: %q, want %q", test.e.Name, test.value, got, test.want)
		}
	}
	untold := Estimate{Name: "mbu", Before: .8, Spread: shareSpread, Most: 1, Value: .8, Low: math.NaN()}
	if got := untold.Doubt(); got != "" {
		t.Errorf("a constant that is not told: %q", got)
	}
}

// The recorded runs, each calibrated as if the machine of the other had served it. What
// is said of the right machines is in TestCalibrateRecordings.
func TestDoubtsAboutWrongMachine(t *testing.T) {
	const first = 30
	slower, faster := recordings[0], recordings[1]
	for _, test := range []struct {
		run  recorded
		as   string
		want string
	}{
		{slower, faster.hardware, "the built-in 0.833 divided by 2."},
		{faster, slower.hardware, "at its limit of 1: what was measured is faster than this machine can be"},
	} {
		t.Run(test.run.hardware+" as "+test.as, func(t *testing.T) {
			t.Parallel()
			wrong := test.run
			wrong.hardware = test.as
			c, err := CalibrateRun(t.Context(), wrong.replica(t, roofline.Constants{}), test.run.read(t), first)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(c.Doubts(), "\n"); !strings.Contains(got, test.want) {
				t.Errorf("doubts %q, want %q among them", got, test.want)
			}
		})
	}
}
