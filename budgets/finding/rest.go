package finding

import (
	"fmt"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
)

// rests finds bodies that go on behind the end event of their answer.
func rests(v *view) []Finding {
	const late = 50 * time.Millisecond // above what a busy machine takes
	for _, r := range v.ok {
		rest := r.Rest
		if r.Reply.Compressed {
			rest.Bytes = 0 // they are the trailer of the coding
		}
		f := Finding{
			ID: "body_goes_on", Severity: Slow, Cost: pipeline.Unknown, Title: "the body goes on after its end event: clients that read to its end hang, and no connection can be used again",
			Evidence: []string{fmt.Sprintf("%s: %s after the end event the body had not ended, and was given up%s", v.which(r), ms(rest.Waited), more(rest.Bytes))},
			Fix:      "have the server, or the gateway before it, end the response when it has sent the end event",
		}
		switch {
		case rest.Cut != "" && !r.Reply.Compressed:
			f.ID, f.Severity, f.Title = "body_cut", Broken, "the body is cut behind its end event: clients that read to its end take a whole answer for a failed one, and no connection can be used again"
			f.Evidence = []string{fmt.Sprintf("%s: %s behind the end event the body broke off (%s)%s", v.which(r), ms(rest.Waited), rest.Cut, more(rest.Bytes))}
			f.Fix = "have the server, or the gateway before it, end the response as HTTP asks for, with its last chunk or at its Content-Length, before it closes the connection"
		case rest.Open:
		case rest.Waited >= late:
			f.Cost = rest.Waited
			f.Title = "the body ends late, behind its end event: clients that read to its end wait, and the connection with them"
			f.Evidence = []string{fmt.Sprintf("%s: the body ended %s after the end event%s", v.which(r), ms(rest.Waited), more(rest.Bytes))}
		case rest.Bytes > 0:
			f.Severity, f.Title = Note, "something follows the end event, which nobody reads"
			f.Evidence = []string{fmt.Sprintf("%s%s", v.which(r), more(rest.Bytes))}
			f.Fix = "have the server, or the gateway before it, send what it has to say, such as usage, before the end event"
		default:
			continue
		}
		return []Finding{f}
	}
	return nil
}

// more says how much came behind the end event.
func more(bytes int) string {
	if bytes == 0 {
		return ""
	}
	return fmt.Sprintf("; %s bytes of text came behind it", budgets.Number(float64(bytes), 0))
}
