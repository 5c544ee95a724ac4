package pipeline

import "time"

// ServerTime is what a server says of its own time on a request. What it does not say is
// Unknown.
type ServerTime struct {
	Queue   time.Duration // before it began to work
	Load    time.Duration // to have the model in memory
	Prefill time.Duration // on the prompt
	Decode  time.Duration // on the tokens after the first
	Total   time.Duration
}

// NewServerTime returns one that says nothing.
func NewServerTime() ServerTime {
	return ServerTime{Unknown, Unknown, Unknown, Unknown, Unknown}
}

// Merge takes what next says.
func (t *ServerTime) Merge(next ServerTime) {
	for _, f := range []struct{ to, from *time.Duration }{
		{&t.Queue, &next.Queue}, {&t.Load, &next.Load}, {&t.Prefill, &next.Prefill}, {&t.Decode, &next.Decode}, {&t.Total, &next.Total},
	} {
		if *f.from != Unknown {
			*f.to = *f.from
		}
	}
}
