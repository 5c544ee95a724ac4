package exchange

import (
	"errors"

	"halfsecond/pipeline"
)

// Why an exchange cannot be served again.
var (
	ErrUnanswered = errors.New("it got no response")
	ErrGivenUp    = errors.New("the client gave it up before the end")
	ErrTextless   = errors.New("its bytes were not kept, since texts were not to be or a packed answer says a key")
	ErrNoHTTP     = errors.New("it left HTTP")
)

// Playable reports why an exchange cannot be served again as it was.
func (x *Exchange) Playable() error {
	switch {
	case x.Status == 0 || x.Sent == pipeline.Unknown || x.How == None:
		return ErrUnanswered
	case x.Status < 200:
		return ErrNoHTTP
	case x.Stop != "":
		return ErrGivenUp
	case !x.Whole():
		return ErrTextless
	}
	return nil
}
