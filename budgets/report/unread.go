package report

import (
	"fmt"

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

// words say what is missing; empty when nothing is.
func (u Unread) words() string {
	if u.N == 0 {
		return ""
	}
	return fmt.Sprintf("%s could not be read, in %s: not valid JSON, so tokens or counts may be missing.", counted(u.Events, "event"), counted(u.N, "response"))
}
