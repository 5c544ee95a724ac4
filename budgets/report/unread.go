package report

import (
	"fmt"
	"strings"

	"halfsecond/pipeline"
)

// Unread are the events of servers that are no valid JSON, so that what they say is lost.
type Unread struct {
	N      int `json:"n"`      // responses with any
	Events int `json:"events"` // in all of them
}

// add counts a request.
func (u *Unread) add(r *pipeline.Request) {
	if r.Unread > 0 {
		u.N++
		u.Events += r.Unread
	}
}

// unstreamed says why nothing of a stream can be observed, where none of the answers that
// ended ok was one; empty otherwise.
func (r *Report) unstreamed() string {
	n := r.Network
	if n == nil || n.Untimed+n.Empty == 0 || n.Untimed+n.Empty < n.answered() {
		return ""
	}
	var words []string
	if n.Untimed > 0 {
		words = append(words, counted(n.Untimed, "answer")+" that ended ok came as one JSON text where a stream was asked for")
	}
	if n.Empty > 0 {
		words = append(words, counted(n.Empty, "answer")+" that ended ok had nothing in them")
	}
	return " (" + strings.Join(words, ", ") + ")"
}

// empties says how many answers had nothing in them; it is empty when none did. A model that
// completes code may well have nothing to say, so that there it takes all of them.
func (r *Report) empties() string {
	n := r.Network
	if n == nil || n.Empty == 0 || r.Kind == pipeline.KindIDE && n.Empty < n.answered() {
		return ""
	}
	return fmt.Sprintf(" %s of %s that ended ok had nothing in them.", count(n.Empty), counted(n.answered(), "answer"))
}

// words say what is missing; empty when nothing is.
func (u Unread) words() string {
	if u.N == 0 {
		return ""
	}
	return fmt.Sprintf("%s could not be read, in %s: not valid JSON, so tokens or counts may be missing.", counted(u.Events, "event"), counted(u.N, "response"))
}
