package reply

import "time"

// Message is one message of a response as it was read: an event, a line, a comment, or
// the whole body of an answer that is no stream.
type Message struct {
	At      time.Duration // when it was complete
	Name    string        // of an event; empty when it has none
	Data    []byte        // valid until the function that it was given to returns
	Comment bool          // a comment of an event stream
	// Step is what the decoder made of it, valid as Data is; nil where it was not asked:
	// for comments, the end event [DONE], errors, and what has too many values.
	Step *Step
}
