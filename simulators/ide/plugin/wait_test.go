package plugin

import (
	"slices"
	"testing"
	"time"
)

// TestWait: when each way to wait asks, of steps at 0, 40, 100, 400 and 1000 ms. A step whose
// instant comes before the next step is asked for.
func TestWait(t *testing.T) {
	steps := []time.Duration{0, 40 * ms, 100 * ms, 400 * ms, 1000 * ms}
	for _, c := range []struct {
		name string
		wait Wait
		want []time.Duration // when each would be asked for
	}{
		{"none", Wait{}, []time.Duration{0, 40 * ms, 100 * ms, 400 * ms, 1000 * ms}},
		{"restart", Wait{For: 75 * ms}, []time.Duration{75 * ms, 115 * ms, 175 * ms, 475 * ms, 1075 * ms}},
		{"leading", Wait{Debounce: Leading, For: 75 * ms}, []time.Duration{0, 115 * ms, 175 * ms, 400 * ms, 1000 * ms}},
		{"trailing", Wait{Debounce: Trailing, For: 75 * ms}, []time.Duration{75 * ms, 75 * ms, 175 * ms, 475 * ms, 1075 * ms}},
		// Mean gaps: none, 40, 50, 133.3, 250 ms; twice that, within 90 and 300 ms.
		{"rhythm", Wait{Debounce: Rhythm, For: 300 * ms, Least: 90 * ms, Factor: 2}, []time.Duration{300 * ms, 130 * ms, 200 * ms, 666_666_666, 1300 * ms}},
		{"response", Wait{Debounce: Response, For: 300 * ms, Factor: .5}, []time.Duration{300 * ms, 90 * ms, 150 * ms, 450 * ms, 1050 * ms}},
		{"at the end of a line", Wait{For: 75 * ms, EndOfLine: 20 * ms}, []time.Duration{20 * ms, 115 * ms, 120 * ms, 475 * ms, 1020 * ms}},
	} {
		if err := c.wait.validate(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		var p Patience
		var got []time.Duration
		for i, at := range steps {
			p.Stepped(at)
			ask := p.Step(&c.wait, i%2 == 0)
			got = append(got, ask)
			if i+1 == len(steps) || ask < steps[i+1] {
				p.Asked()
			}
			p.Answered(100 * ms)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestAcceptedAtOnce: what follows an accepted suggestion is asked for at once, or as after
// any other step.
func TestAcceptedAtOnce(t *testing.T) {
	for _, c := range []struct {
		wait Wait
		want time.Duration
	}{
		{Wait{For: 75 * ms}, 175 * ms},
		{Wait{For: 75 * ms, EndOfLine: 20 * ms}, 120 * ms},
		{Wait{For: 75 * ms, EndOfLine: 20 * ms, AcceptAtOnce: true}, 100 * ms},
		{Wait{Debounce: Trailing, For: 75 * ms, AcceptAtOnce: true}, 100 * ms},
	} {
		var p Patience
		p.Stepped(100 * ms)
		if got := p.Accepted(&c.wait, true); got != c.want {
			t.Errorf("%+v: asked at %s, want %s", c.wait, got, c.want)
		}
	}
}

// A mean is of the last few alone.
func TestMeanForgets(t *testing.T) {
	var m mean
	for range recent {
		m.add(time.Second)
	}
	for range recent {
		m.add(10 * ms)
	}
	if got := m.value(); got != 10*ms {
		t.Errorf("mean is %s, want 10ms", got)
	}
}

func TestRulesRefuse(t *testing.T) {
	for want, r := range map[string]Rules{
		"debounce is 5, which is no rule":                    {Wait: Wait{Debounce: debounces}},
		"wait is -1ns, must not be negative":                 {Wait: Wait{For: -1}},
		"factor of the wait is 0, must be above 0":           {Wait: Wait{Debounce: Rhythm}},
		"least wait is 2ns, must be at most the wait of 1ns": {Wait: Wait{Debounce: Response, Factor: 1, For: 1, Least: 2}},
		"throttle is -1ns, must not be negative":             {Throttle: -1},
		"requests under way is -1, must be at least 0":       {MostLive: -1},
		"cancel is 9, which is no rule":                      {Cancel: 9},
		"rest is 9, which is no rule":                        {Rest: 9},
		"on limit is 9, which is no rule":                    {OnLimit: 9},
		"hold is -1ns, must not be negative":                 {Display: Display{Hold: -1}},
		"lines is 9, which is no rule":                       {Display: Display{Lines: 9}},
		"accept is 9, which is no rule":                      {Display: Display{Accept: 9}},
		"max tokens is 0, must be at least 1":                {},
		"prefix is 0, must be at least 1, or 0 lines":        {},
	} {
		err := r.Validate()
		if err == nil || !slices.Contains(lines(err), want) {
			t.Errorf("%+v: error %v, want %q among it", r, err, want)
		}
	}
}
