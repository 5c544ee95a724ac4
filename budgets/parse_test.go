package budgets

import (
	"errors"
	"testing"

	"halfsecond/pipeline/quantile"
)

func known() []Metric { return append(Metrics("voice"), Metrics("ide")...) }

func TestParse(t *testing.T) {
	tests := []struct {
		text, spelled string
		q             quantile.Q
		function      Function
		inner, limit  float64
	}{
		{"p95(reply) < 500ms", "p95(reply) < 500ms", quantile.P95, Quantile, 0, 500e6},
		{"  p99.9( reply )<=0.5 s\t", "p99.9(reply) <= 500ms", 999_000_000, Quantile, 0, 500e6},
		{"p95(stt_tail) <= 100ms", "p95(stt_tail) <= 100ms", quantile.P95, Quantile, 0, 100e6},
		{"share(ttfc < 150ms) >= 90%", "share(ttfc < 150ms) >= 90%", 0, ShareWhere, 150e6, 0.9},
		{"share(ttfc<=150ms)>=99.95 %", "share(ttfc <= 150ms) >= 99.95%", 0, ShareWhere, 150e6, 0.9995},
		{"mean(requests_per_key) <= 1.2", "mean(requests_per_key) <= 1.2", 0, Mean, 0, 1.2},
		{"max(debounce) < 1.5us", "max(debounce) < 0.0015ms", 0, Max, 0, 1500},
		{"max(debounce) < 3µs", "max(debounce) < 0.003ms", 0, Max, 0, 3000},
		{"p50(tps) >= 28.6 tok/s", "p50(tps) >= 28.6 tok/s", quantile.P50, Quantile, 0, 28.6},
		{"mean(useful_share) > 30%", "mean(useful_share) > 30%", 0, Mean, 0, 0.3},
		{"mean(ok_rate) >= 2/s", "mean(ok_rate) >= 2/s", 0, Mean, 0, 2},
		{"p50(tpot) < 35000001ns", "p50(tpot) < 35.000001ms", quantile.P50, Quantile, 0, 35000001},
	}
	for _, test := range tests {
		b, err := Parse(test.text, known())
		if err != nil {
			t.Error(err)
			continue
		}
		if b.Function != test.function || b.Q != test.q || b.Inner.Value != test.inner || b.Limit.Value != test.limit {
			t.Errorf("Parse(%q) = %+v", test.text, b)
		}
		if got := b.String(); got != test.spelled {
			t.Errorf("Parse(%q).String() = %q, want %q", test.text, got, test.spelled)
		}
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", `budget "", column 1: found the end, want mean, max, share or a percentile such as p95`},
		{"P95(reply) < 1ms", `budget "P95(reply) < 1ms", column 1: found "P95", want mean, max, share or a percentile such as p95; did you mean "p95"?`},
		{"p100(reply) < 1ms", `budget "p100(reply) < 1ms", column 1: found "p100", want mean, max, share or a percentile such as p95; did you mean "p50"?`},
		{"median(reply) < 1ms", `budget "median(reply) < 1ms", column 1: found "median", want mean, max, share or a percentile such as p95; did you mean "mean"?`},
		{"p95 reply < 1ms", `budget "p95 reply < 1ms", column 5: found "reply", want "("`},
		{"p95(replay) < 1ms", `budget "p95(replay) < 1ms", column 5: found "replay", want a metric; did you mean "reply"?`},
		{"p95(reply < 1ms)", `budget "p95(reply < 1ms)", column 11: found "<", want ")"`},
		{"p95(reply) = 1ms", `budget "p95(reply) = 1ms", column 12: found "=", want <, <=, > or >=`},
		{"p95(reply) < fast", `budget "p95(reply) < fast", column 14: found "fast", want a number such as 500ms`},
		{"p95(reply) < -1ms", `budget "p95(reply) < -1ms", column 14: found "-", want a number such as 500ms`},
		{"p95(reply) < 500", `budget "p95(reply) < 500", column 17: found the end, want a unit of time: ns, us, ms or s`},
		{"p95(reply) < 500%", `budget "p95(reply) < 500%", column 17: found "%", want a unit of time: ns, us, ms or s`},
		{"p95(reply) < 0.5ns", `budget "p95(reply) < 0.5ns", column 14: found "0.5ns", want a whole number of nanoseconds, at most 100 days`},
		{"p95(reply) < 9000000s", `budget "p95(reply) < 9000000s", column 14: found "9000000s", want a whole number of nanoseconds, at most 100 days`},
		{"share(ttfc < 150ms) >= 0.9", `budget "share(ttfc < 150ms) >= 0.9", column 27: found the end, want %`},
		{"share(ttfc < 150ms) >= 101%", `budget "share(ttfc < 150ms) >= 101%", column 24: found "101", want a share from 0% to 100% with at most 7 decimals`},
		{"share(ttfc) >= 90%", `budget "share(ttfc) >= 90%", column 11: found ")", want <, <=, > or >=`},
		{"mean(requests_per_key) <= 1.2ms", `budget "mean(requests_per_key) <= 1.2ms", column 30: found "ms", want no unit: the metric is a plain number`},
		{"p50(tps) > 20", `budget "p50(tps) > 20", column 14: found the end, want tok/s`},
		{"p95(useful_share) > 30%", `budget "p95(useful_share) > 30%", column 1: found "p95", want mean: useful_share is one number for the whole run; did you mean "mean"?`},
		{"p95(reply) < 500ms or so", `budget "p95(reply) < 500ms or so", column 20: found "or", want the end`},
		{"µ(reply) < 1ms", `budget "µ(reply) < 1ms", column 1: found "µ", want mean, max, share or a percentile such as p95`},
	}
	for _, test := range tests {
		_, err := Parse(test.text, known())
		if err == nil || err.Error() != test.want {
			t.Errorf("Parse(%q) error =\n%v\nwant\n%v", test.text, err, test.want)
		}
	}
}

func TestParseErrorListsMetricsWhenNoneIsNear(t *testing.T) {
	_, err := Parse("p95(zzzzzz) < 1ms", Metrics("ide")[:3])
	want := `budget "p95(zzzzzz) < 1ms", column 5: found "zzzzzz", want a metric: ttfc, ttfc_shown, first_line`
	var parse *ParseError
	if !errors.As(err, &parse) || err.Error() != want || parse.Column != 5 {
		t.Errorf("error = %v, want %v", err, want)
	}
}

// What parses has one spelling, which parses to the same budget.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"p95(reply) < 500ms", "share(ttfc < 150ms) >= 90%", "mean(requests_per_key) <= 1.2", "p99.9(tps) >= 28.6 tok/s",
		"max(debounce)<1.5µs", "p95(", "share(ttfc<", "mean(ok_rate) >= 000.10/s", "p0.0000001(reply) > 0s",
	} {
		f.Add(text)
	}
	metrics := known()
	f.Fuzz(func(t *testing.T, text string) {
		b, err := Parse(text, metrics)
		if err != nil {
			var parse *ParseError
			if !errors.As(err, &parse) || parse.Column < 1 || parse.Column > len(text)+1 {
				t.Fatalf("Parse(%q) error = %v", text, err)
			}
			return
		}
		spelled := b.String()
		again, err := Parse(spelled, metrics)
		if err != nil {
			t.Fatalf("%q is spelled %q: %v", text, spelled, err)
		}
		if again.String() != spelled || again.Limit != b.Limit || again.Inner != b.Inner || again.Q != b.Q {
			t.Errorf("%q is spelled %q, which is another budget: %+v, %+v", text, spelled, b, again)
		}
	})
}
