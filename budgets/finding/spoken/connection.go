package spoken

import (
	"fmt"
	"strings"
	"time"

	"halfsecond/budgets/finding"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/audition/heard"
)

// Limits of what is worth saying of connections and of the tester.
const (
	// Opening a session that takes so long is worth doing before it is needed.
	longOpening = 150 * time.Millisecond
	// Audio that goes out so much later than due, two frames of the usual, makes times of
	// texts and answers that much uncertain.
	longLate = 40 * time.Millisecond
)

// opening returns what it took until the session could be used, the time it was left alone
// aside.
func opening(s *heard.Session) time.Duration {
	if !s.Socket() || s.Ready() == pipeline.Unknown || s.Sent == pipeline.Unknown {
		return pipeline.Unknown
	}
	return s.Ready() - s.Sent + s.Connecting()
}

// connections finds sessions that cost much to open, each time anew.
func connections(v *view) []finding.Finding {
	s, cost := middle(v.ok, opening)
	if s == nil || cost < longOpening {
		return nil
	}
	return one(finding.Finding{
		ID: "slow_opening", Severity: finding.Note, Cost: cost, Title: fmt.Sprintf("opening a session costs %s, for each utterance anew", ms(cost)),
		Evidence: []string{fmt.Sprintf("%s: %s", v.which(s), phases(s))},
		Fix:      "open it before it is needed and keep it for the next utterance, alive as the vendor says; a nearer region makes each round trip shorter",
	})
}

// phases says what opening a session took.
func phases(s *heard.Session) string {
	t := s.Transport()
	var said []string
	for _, p := range []struct {
		name string
		took time.Duration
	}{
		{"DNS", t.DNS}, {"connect", t.Connect}, {"TLS", t.TLS}, {"upgrade", s.Accepting()}, {"configuration", pipeline.Since(s.Accepted, s.Ready())},
	} {
		if p.took != pipeline.Unknown && p.took > 0 {
			said = append(said, p.name+" "+ms(p.took))
		}
	}
	return strings.Join(said, ", ")
}

// tester finds audio, or text, that the tester itself sent late.
func tester(v *view) []finding.Finding {
	for i := range v.Sessions {
		s := &v.Sessions[i]
		if s.Pace.Frames == 0 || s.Pace.Late < longLate {
			continue
		}
		what := "audio"
		if v.Kind == heard.Speaks {
			what = "text"
		}
		return one(finding.Finding{
			ID: "sent_late", Severity: finding.Note, Cost: pipeline.Unknown, Title: fmt.Sprintf("this machine sent %s late: times of this audition are too long by as much", what),
			Evidence: []string{fmt.Sprintf("%s: the latest of %d messages went out %s late, %d were behind by half a frame or more", v.which(s), s.Pace.Frames, ms(s.Pace.Late), s.Pace.Behind)},
			Fix:      "measure again while this machine has less to do; a server that does not read makes it late as well",
		})
	}
	return nil
}
