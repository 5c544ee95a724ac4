package budgets

import (
	"fmt"
	"time"

	"halfsecond/pipeline"
)

// mostLate is how late the tester itself may be, as a share of the smallest budget.
const mostLate = 0.02

// Allowed returns how late the tester itself may be, and whether any budget bounds that:
// 2 % of the smallest latency that a budget names.
func (a *Analysis) Allowed() (d time.Duration, ok bool) {
	smallest := smallestLatency(a.Judgements)
	return time.Duration(mostLate * smallest), smallest > 0
}

// biased says why a tester cannot judge a run that before it read most of a known stream
// too late. That is no passing disturbance but in every number, and not seen by the loop's
// own lateness, which tells when work began and not when bytes were read.
func (a *Analysis) biased() string {
	t, smallest := a.Run.Header.SelfTest, smallestLatency(a.Judgements)
	if t.Streams == 0 || t.Read.P50 == pipeline.Unknown || smallest == 0 || float64(t.Read.P50) <= mostLate*smallest {
		return ""
	}
	return "before the run the tester read streams of known timing " + tooLate(float64(t.Read.P50), "p50", smallest)
}

// tooLate says how late something was, and beside what that is too late.
func tooLate(late float64, which string, smallest float64) string {
	was, most, _ := Duration.FormatBeside(late, mostLate*smallest)
	return fmt.Sprintf("%s late (%s), more than %s, 2 %% of the smallest budget (%s)", was, which, most, Duration.Format(smallest))
}
