package frontier

import "testing"

// Figures that differ are written with as many digits as show it.
func TestApart(t *testing.T) {
	for _, c := range []struct {
		v, other float64
		write    func(v float64, more int) string
		want     string
	}{
		{.92, .95, percent, "92 %"}, {.9204, .9160, percent, "92.0 %"}, {.92, .92, percent, "92 %"}, {.9204, .92041, percent, "92.040 %"},
		{.14, .144, digits, "0.140"}, {1.24, 1.23, digits, "1.24"}, {25.4, 25, digits, "25.4"}, {25, 14, digits, "25"},
	} {
		if got := apart(c.v, c.other, c.write); got != c.want {
			t.Errorf("%v beside %v: %s, want %s", c.v, c.other, got, c.want)
		}
	}
}
