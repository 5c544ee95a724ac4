package observe

import (
	"fmt"
	"slices"
)

const duplicateShare = 0.1 // of requests, or more; assumed

// equal reports whether two requests ask for the same.
func (r *Request) equal(o *Request) bool {
	return r.Model == o.Model && slices.Equal(r.Prompt.Sections, o.Prompt.Sections)
}

// duplicates finds requests with the prompt of the one before.
func duplicates(v *view) (Finding, bool) {
	n, all := 0, 0
	var example, first *visit
	for _, t := range v.texts {
		for i := range t.visits {
			now := &t.visits[i]
			all++
			if i == 0 || now.step.kind != Same {
				continue
			}
			if before := &t.visits[i-1]; before.equal(now.Request) && !before.Refused {
				n++
				example, first = now, before
			}
		}
	}
	s := share(n, all)
	if n < leastSeen || s < duplicateShare {
		return Finding{}, false
	}
	return Finding{
		ID: "duplicate_requests", Share: s, Title: "the same prompt is sent again though nothing was done in between",
		Evidence: []string{fmt.Sprintf("%d of %d requests have the prompt of the one before, such as %s, %s later", n, all, when(example.Request), ms(example.Arrived-first.Arrived))},
		Fix:      "keep the latest answers by their prompts, and wait for a request that is under way with the same one; who wants several suggestions asks for n of them in one request",
	}, true
}

// refusedAgain finds requests that were refused for too much load and come again when their
// text is gone.
func refusedAgain(v *view) (Finding, bool) {
	refused, again := 0, 0
	var example *visit
	for _, t := range v.texts {
		for i := range t.visits {
			if !t.visits[i].Limited {
				continue
			}
			refused++
			if r := t.retried(i); r != nil {
				again++
				example = r
			}
		}
	}
	if again < leastSeen {
		return Finding{}, false
	}
	return Finding{
		ID: "stale_retries", Share: share(again, refused), Title: "requests that were refused come again when the text has changed",
		Evidence: []string{fmt.Sprintf("%d of %d requests that were refused with 429 came again after a newer one of the same document, such as %s", again, refused, when(example.Request))},
		Fix:      "after 429 wait as long as it says, then ask for the text as it is, if anybody still waits for it",
	}, true
}

// retried returns the request that repeats the i-th behind a newer one, nil for none.
func (t *text) retried(i int) *visit {
	newer := false
	for j := i + 1; j < len(t.visits) && j <= i+followed; j++ {
		same := t.visits[j].equal(t.visits[i].Request)
		if same && newer {
			return &t.visits[j]
		}
		newer = newer || !same
	}
	return nil
}
