package talk

import (
	"encoding/json"
	"time"
)

// Kinds of events.
const (
	KindReady   = "ready"   // the session is as it was asked for
	KindPartial = "partial" // text that may change
	KindFinal   = "final"   // text that will not
	KindTurn    = "turn"    // where the speaker's turn begins or ends
	KindText    = "text"    // words of the answer
	KindHeader  = "header"  // a container's header, before any sample
	KindAudio   = "audio"   // samples
	KindEnd     = "end"     // nothing follows
	KindError   = "error"
	KindOther   = "other"
)

// Event is a message of the server, or a read of the answer to a post, and what it says.
type Event struct {
	At    time.Duration
	Bytes int
	Kind  string
	Name  string // the service's own word for the message; "" for none
	Text  string // of a partial, a final, or an answer
	// Flag is the service's own word by which a message ends the speaker's turn; "" for one
	// that does not. Settled is true when all text of the turn is there.
	Flag    string
	Settled bool
	// Of names what a final text is of: the turn, or the stretch of the audio; "" where the
	// service does not say.
	Of      string
	Samples int // of one channel
	Audible bool
	// Noisy is true of audio when all so far is as noise is: its format may be another.
	Noisy bool
}

// NewEvent returns the event of a message of which no more is known.
func NewEvent(m Message) Event {
	e := Event{At: m.At, Bytes: len(m.Data), Kind: KindOther}
	if m.Binary {
		return e
	}
	var said struct {
		Type  any `json:"type"`
		Event any `json:"event"`
	}
	if json.Unmarshal(m.Data, &said) != nil {
		return e
	}
	e.Name, _ = said.Type.(string)
	if event, ok := said.Event.(string); ok && e.Name != "" {
		e.Name += " " + event
	}
	return e
}
