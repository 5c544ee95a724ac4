package audition

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"halfsecond/pipeline/endpoint/audition/heard"
	"halfsecond/pipeline/exchange"
)

// Again adds to an endpoint, of which all but the sessions is known, the sessions of a raw
// log, made of their bytes alone. Where these are fewer than were planned and it is not known
// why, the last of them says it, or else the audition was interrupted. The error says what
// cannot be read.
func Again(e *heard.Endpoint, log *exchange.Reader) error {
	for {
		x, err := log.Next()
		if errors.Is(err, io.EOF) {
			if n := len(e.Sessions); e.Stopped == "" && n < e.Planned {
				e.Stopped = heard.Interrupted
				if n > 0 {
					e.Stopped = cmp.Or(stops(&e.Sessions[n-1]), heard.Interrupted)
				}
			}
			return nil
		}
		if err != nil {
			return err
		}
		if KindOf(x.Protocol) != e.Kind {
			return fmt.Errorf("conversation %d is of protocol %s, not of one that %s", x.Request, x.Protocol, e.Kind)
		}
		s, err := see(&heard.Session{ID: x.Request}, x)
		if err != nil {
			return fmt.Errorf("conversation %d: %w", x.Request, err)
		}
		e.Sessions = append(e.Sessions, s)
	}
}
