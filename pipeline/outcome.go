package pipeline

import "fmt"

// Outcome says how an interaction or a request ended. The zero Outcome is OK.
//
// Only OK enters a latency pool; every outcome counts for goodput.
type Outcome uint8

const (
	OK        Outcome = iota // ended as it should
	Error                    // the server, the protocol or the transport reported an error
	Truncated                // the answer broke off without an end
	Timeout                  // a time limit of the client passed
	Refused                  // the server would not take it: too large, queue full, rate limited
	Dropped                  // never sent: the client's own limit
	Cancelled                // the asker gave it up
)

var outcomeNames = [...]string{"ok", "error", "truncated", "timeout", "refused", "dropped", "cancelled"}

// String returns the outcome's name in traces and reports.
func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return fmt.Sprintf("outcome(%d)", uint8(o))
}

// ParseOutcome returns the outcome with the given name.
func ParseOutcome(name string) (Outcome, error) {
	for i, n := range outcomeNames {
		if n == name {
			return Outcome(i), nil
		}
	}
	return 0, fmt.Errorf("unknown outcome %q", name)
}
