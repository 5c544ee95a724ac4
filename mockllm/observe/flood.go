package observe

import (
	"fmt"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
)

// What makes a flood. A plugin that asks at each key is none as long as its answers come
// before the next key. All three are assumed.
const (
	floodPerKey    = 0.8                   // requests for a key, or more
	floodOvertaken = 0.25                  // share of requests that were overtaken before they had any text, or more
	floodClose     = 30 * time.Millisecond // requests closer than that are of one key
	floodBursts    = 0.2                   // share of requests that are as close to the next, or more
)

// flood finds requests at nearly every key, of which many are overtaken before they can
// help.
func flood(v *view) (Finding, bool) {
	requests, keys, bursts, beside := 0, 0, 0, 0
	var gaps []time.Duration // to the request that overtook one before it had text
	var example *visit
	v.visits(func(now, next *visit) {
		requests++
		keys += len(now.step.keys)
		if next == nil {
			return
		}
		gap := next.Arrived - now.Arrived
		if gap < floodClose {
			bursts++
		}
		if now.openAt(next.Arrived) {
			beside++
		}
		if now.First == pipeline.Unknown || now.First > next.Arrived {
			gaps = append(gaps, gap)
			example = now
		}
	})
	overtaken := share(len(gaps), requests)
	perKey := share(requests, keys)
	isFlood := perKey >= floodPerKey && overtaken >= floodOvertaken || share(bursts, requests) >= floodBursts
	if requests < leastSeen || len(gaps) < leastSeen || !isFlood {
		return Finding{}, false
	}
	f := Finding{
		ID: "flood", Share: overtaken, Title: "requests come faster than they can be answered",
		Evidence: []string{
			fmt.Sprintf("%d requests for %d keys: %.2f a key", requests, keys, perKey),
			fmt.Sprintf("%d of them (%s) were overtaken by the next before they had any text, such as %s, by %s", len(gaps), percent(overtaken), when(example.Request), ms(gaps[len(gaps)-1])),
			fmt.Sprintf("still under way when the next came: %d; less than %s before the next: %d", beside, ms(floodClose), bursts),
		},
		Fix: "wait after each key before you ask, and start the wait again at the next key",
	}
	if wait, ok := quantile.Of(gaps, quantile.P50); ok {
		f.Fix += fmt.Sprintf(": %s would have spared half of those, and made every other suggestion later by as much", ms(wait+time.Millisecond))
	}
	return f, true
}
