package report

import (
	"testing"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline/quantile"
)

// TestAdvised: a curve says what is to be had for nothing: a quicker reply at no more cut-ins,
// fewer cut-ins at no later reply, both, or neither.
func TestAdvised(t *testing.T) {
	at := func(setting float64, p50, p95 time.Duration, cutIn float64) budgets.CurvePoint {
		return budgets.CurvePoint{Setting: setting, P50: p50 * ms, P95: p95 * ms, CutIn: budgets.Proportion{Value: cutIn}}
	}
	for name, tt := range map[string]struct {
		points []budgets.CurvePoint
		now    int // -1 for a value that is not on the curve
		want   string
	}{
		"fewer cut-ins": {[]budgets.CurvePoint{at(.3, 837, 837, .15), at(.6, 837, 2317, .115), at(.9, 837, 2317, .06), at(.95, 837, 2317, .055)}, 1,
			"Move to threshold 0.95: p50 837 ms and p95 2,317 ms are no later than now, and it cuts in on 5.5 % of turns instead of 11.5 %. Beyond that, no value is quicker by the p50."},
		"fewer cut-ins, and quicker ones that cost": {[]budgets.CurvePoint{at(.3, 700, 837, .15), at(.6, 837, 2317, .1), at(.9, 837, 2317, .05)}, 1,
			"Move to threshold 0.90: p50 837 ms and p95 2,317 ms are no later than now, and it cuts in on 5 % of turns instead of 10 %. Beyond that, being quicker costs cut-ins."},
		"quicker": {[]budgets.CurvePoint{at(.3, 700, 800, .1), at(.6, 837, 2317, .1)}, 1,
			"Quickest that cuts in on no more turns than now: threshold 0.30, p50 700 ms, p95 800 ms, 10 % of turns."},
		"quicker and fewer": {[]budgets.CurvePoint{at(.3, 700, 800, .05), at(.6, 837, 2317, .1)}, 1,
			"Quickest that cuts in on no more turns than now: threshold 0.30, p50 700 ms, p95 800 ms, 5 % of turns."},
		"quicker, or fewer": {[]budgets.CurvePoint{at(.3, 700, 800, .1), at(.6, 837, 2317, .1), at(.9, 837, 2317, .05)}, 1,
			"Quickest that cuts in on no more turns than now: threshold 0.30, p50 700 ms, p95 800 ms, 10 % of turns. No slower than now, and it cuts in least: threshold 0.90, p50 837 ms, p95 2,317 ms, 5 % of turns instead of 10 %."},
		"neither": {[]budgets.CurvePoint{at(.3, 700, 800, .15), at(.6, 837, 2317, .1), at(.9, 900, 2317, .05)}, 1,
			"The present value is the quickest that cuts in on no more turns than now: being quicker costs cut-ins."},
		"nothing quicker": {[]budgets.CurvePoint{at(.3, 837, 2317, .15), at(.6, 837, 2317, .1)}, 1,
			"The present value is the quickest that cuts in on no more turns than now: no value is quicker by the p50."},
		"not on the curve": {[]budgets.CurvePoint{at(.3, 700, 800, .1), at(.6, 837, 2317, .04)}, -1,
			"Quickest that cuts in on 5 % of turns at most: threshold 0.60, p50 837 ms, p95 2,317 ms, 4 % of turns."},
		"none": {[]budgets.CurvePoint{at(.3, 700, 800, .1)}, -1, "None of the values cuts in on 5 % of turns at most."},
	} {
		if tt.now >= 0 {
			tt.points[tt.now].Now = true
		}
		if got := advised(&budgets.Curve{Setting: "threshold", Points: tt.points}, quantile.P50); got != tt.want {
			t.Errorf("%s:\n%s, want\n%s", name, got, tt.want)
		}
	}
}
