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
	s, cost := middle(v.all, opening)
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

// longParting is how long after the last that was said or heard a session may end.
const longParting = 2 * time.Second

// parting returns how long the server let a session last that both had done with.
func parting(s *heard.Session) time.Duration {
	r := s.Transcription
	if r == nil || !s.Socket() || r.LastFrame == pipeline.Unknown {
		return pipeline.Unknown
	}
	last := r.LastFrame
	for _, e := range s.Events {
		last = max(last, e.At)
	}
	return r.End - last
}

// partings finds sessions that the server does not end.
func partings(v *view) []finding.Finding {
	s, cost := middle(v.ok, parting)
	if s == nil || cost < longParting {
		return nil
	}
	return one(finding.Finding{
		ID: "slow_parting", Severity: finding.Note, Cost: cost, Title: fmt.Sprintf("the server does not end a session that the client has ended: it went on for %s", ms(cost)),
		Evidence: []string{fmt.Sprintf("%s: the last of it came or went %s, and the client hung up %s", v.which(s), beside(s, s.End()-cost), beside(s, s.End()))},
		Fix:      "have it answer the client's last message, such as CloseStream or Terminate, with its own last one and a close frame; who waits for that waits in vain",
	})
}

// unready returns how much later than due a session could take its first audio or text, which
// then went out late through no fault of the tester; 0 for one that was ready.
func unready(s *heard.Session) time.Duration {
	first := pipeline.Unknown
	if s.Speech != nil {
		first = s.Due()
	}
	if first == pipeline.Unknown || s.Ready() == pipeline.Unknown {
		return 0
	}
	return max(0, s.Ready()-first)
}

// tester finds audio, or text, that the tester itself sent late.
func tester(v *view) []finding.Finding {
	for i := range v.Sessions {
		s := &v.Sessions[i]
		if s.Pace.Frames == 0 || s.Pace.Late < longLate || s.Pace.Late-unready(s) < longLate {
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
