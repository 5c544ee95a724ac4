package observe

import (
	"fmt"
	"time"

	"halfsecond/pipeline"
)

// wholeCost is how much later than its first token an answer must be whole for that to
// matter: a third of 150 ms; assumed.
const wholeCost = 50 * time.Millisecond

// whole finds answers that are asked for in one piece where they could be shown as they
// come.
func whole(v *view) (Finding, bool) {
	n, all := 0, 0
	var later []time.Duration
	v.visits(func(r, _ *visit) {
		if !r.CanStream {
			return
		}
		all++
		if r.Streams {
			return
		}
		n++
		if r.First != pipeline.Unknown && r.Ended != pipeline.Unknown {
			later = append(later, r.Ended-r.First)
		}
	})
	cost, s := middle(later), share(n, all)
	if n < leastSeen || 2*n < all || cost < wholeCost {
		return Finding{}, false
	}
	return Finding{
		ID: "no_stream", Share: s, Title: "answers are asked for in one piece: nothing can be shown before the last token",
		Evidence: []string{fmt.Sprintf("%d of %d requests do not stream; their answers were whole %s after the first token in the middle", n, all, ms(cost))},
		Fix:      "set stream and show the first line as soon as it is there; close the request when the line ends, if that is all you show",
	}, true
}
