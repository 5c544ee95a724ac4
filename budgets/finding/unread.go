package finding

import (
	"fmt"
	"slices"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/probe/seen"
)

// unread finds messages that are no valid JSON: whatever they were to say is lost, or, of
// what is no UTF-8, a letter.
func unread(v *view) []Finding {
	f := Finding{
		ID: "invalid_json", Severity: Broken, Cost: pipeline.Unknown, Title: "an event is not valid JSON, so what it says is lost",
		Fix: "have the server, or the gateway before it, put the whole JSON of an event into its data, and escape what JSON wants escaped; many clients end in an exception here",
	}
	if !v.anyUnread() {
		f.Title = "an event is not valid JSON: it is no UTF-8, and letters of it are lost"
		f.Fix = "have the server send no letter before all of its bytes are there (engines make them of several tokens), and JSON in UTF-8; some clients end in an exception here"
	}
	requests := 0
	for i := range v.Requests {
		r := &v.Requests[i]
		if r.Reply == nil || r.Reply.Unread+r.Reply.Mangled == 0 {
			continue
		}
		if requests++; requests > 1 {
			continue
		}
		for n, e := range r.Events {
			if e.Wrong != "" {
				f.Evidence = append(f.Evidence, fmt.Sprintf("%s: event %d, %s, begins with %q: %s", v.which(r), n+1, byteCount(e.Bytes), e.Text, e.Wrong))
				break
			}
		}
		if n := r.Reply.Unread + r.Reply.Mangled; n > 1 {
			f.Evidence = append(f.Evidence, fmt.Sprintf("%d of its %d events are so", n, len(r.Events)))
		}
		if r.Record.Chunks == 0 {
			f.Evidence = append(f.Evidence, "nothing of the answer could be read")
		}
	}
	if requests == 0 {
		return nil
	}
	if requests > 1 {
		f.Evidence = append(f.Evidence, fmt.Sprintf("%d of %d requests have such events", requests, len(v.Requests)))
	}
	return []Finding{f}
}

// anyUnread reports whether any message could not be read at all.
func (v *view) anyUnread() bool {
	return slices.ContainsFunc(v.Requests, func(r seen.Request) bool { return r.Reply != nil && r.Reply.Unread > 0 })
}
