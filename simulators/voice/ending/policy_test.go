package ending

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		policy Policy
		want   []string
	}{
		{Fixed{Wait: -1}, []string{"wait is -1ns: want 0 to"}},
		{TurnModel{Threshold: 1.5, Min: 2 * ms, Max: ms}, []string{"threshold is 1.5: want 0 to 1", "min 2ms is above max 1ms"}},
		{TurnModel{Threshold: .5, Eager: .6}, []string{"eager 0.6 is above threshold 0.5"}},
		{TurnModel{Threshold: math.NaN()}, []string{"threshold is NaN: want 0 to 1"}},
		{Endpointing{Threshold: .4, Silence: 2 * ms, Unsure: ms}, []string{"silence 2ms is above unsure 1ms"}},
		{Confidence{Threshold: .5, Eager: .6, Timeout: -ms}, []string{"timeout is -1ms", "eager 0.6 is above threshold 0.5"}},
		{Rules{Number: -ms}, []string{"number is -1ms"}},
	} {
		err := c.policy.Validate()
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%#v: error %v, want %q", c.policy, err, want)
			}
		}
	}
}

func TestWith(t *testing.T) {
	model := TurnModel{Threshold: .5, Min: 300 * ms, Max: 2500 * ms, Eager: .4}
	for _, c := range []struct {
		policy Policy
		name   string
		value  float64
		want   Policy
	}{
		{Fixed{Wait: ms, From: FromFinal}, "wait", 600, Fixed{600 * ms, FromFinal}},
		{model, "threshold", .3, TurnModel{Threshold: .3, Min: 300 * ms, Max: 2500 * ms, Eager: .3}},
		{model, "min", 3000, TurnModel{Threshold: .5, Min: 3000 * ms, Max: 3000 * ms, Eager: .4}},
		{Endpointing{Silence: ms, Unsure: 2 * ms, Threshold: .4}, "silence", 5, Endpointing{Silence: 5 * ms, Unsure: 5 * ms, Threshold: .4}},
		{Endpointing{Silence: ms}, "silence", 5, Endpointing{Silence: 5 * ms}},
		{Confidence{Threshold: .7, Eager: .4}, "threshold", .2, Confidence{Threshold: .2, Eager: .2}},
		{Rules{}, "number", 12.5, Rules{Number: 12500 * time.Microsecond}},
	} {
		got, err := c.policy.With(c.name, c.value)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v with %s %v = %v, %v; want %v", c.policy, c.name, c.value, got, err, c.want)
		}
	}
	for _, c := range []struct {
		policy Policy
		name   string
		value  float64
		want   string
	}{
		{Fixed{}, "threshold", .5, `no setting "threshold": want one of wait`},
		{Fixed{}, "wait", -1, "wait is -1 ms: want 0 to"},
		{Fixed{}, "wait", math.NaN(), "wait is NaN ms"},
		{model, "threshold", 2, "threshold is 2: want 0 to 1"},
		{model, "max", 100, "min 300ms is above max 100ms"},
		{model, "eager", .9, "eager 0.9 is above threshold 0.5"},
		{Confidence{}, "x", 0, "threshold, eager, timeout, wait"},
		{Endpointing{}, "x", 0, "silence, unsure, threshold, eager, wait"},
		{Rules{}, "x", 0, "neither, punctuation, number"},
	} {
		if _, err := c.policy.With(c.name, c.value); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v with %s %v: error %v, want %q", c.policy, c.name, c.value, err, c.want)
		}
	}
}

func TestPresets(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Presets() {
		if err := p.Policy.Validate(); err != nil || p.Of == "" || p.Source == "" || seen[p.Name] {
			t.Errorf("%s of %q, source %q: %v", p.Name, p.Of, p.Source, err)
		}
		seen[p.Name] = true
		if found, err := Find(p.Name); err != nil || found.Of != p.Of {
			t.Errorf("Find(%s) = %v, %v", p.Name, found, err)
		}
	}
	if _, err := Find("nonsense"); err == nil || !strings.Contains(err.Error(), "wait-600-after-vad") {
		t.Errorf("Find(nonsense): error %v, want the names", err)
	}
	for _, c := range []struct{ name, want string }{
		{"wait-600-after-vad", "fixed: wait 600 ms from VAD stop"},
		{"model-300-or-2500", "turn model: threshold 0.56, min 300 ms, max 2500 ms from speech, compute 0s"},
		{"rules-on-transcript", "rules: neither 1500 ms, punctuation 100 ms, number 500 ms from final"},
		{"endpoint-400-or-1280", "provider's endpointing: silence 400 ms, unsure 1280 ms, threshold 0.4, report 0s"},
		{"confidence-0.7-or-5000", "provider's confidence: threshold 0.7, timeout 5000 ms, report 0s"},
	} {
		p, _ := Find(c.name)
		if got, ok := p.Policy.(interface{ String() string }); !ok || got.String() != c.want {
			t.Errorf("%s is %v, want %s", c.name, p.Policy, c.want)
		}
	}
}
