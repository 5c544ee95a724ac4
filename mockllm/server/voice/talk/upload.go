package talk

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// readLimit is how long a client may take for the body of a request.
const readLimit = 5 * time.Minute

// TooLarge is the error of a body over the limit.
type TooLarge struct{ Limit, Size int64 } // in bytes; size 0 is not known

// Error implements error.
func (e TooLarge) Error() string {
	if e.Size == 0 {
		return fmt.Sprintf("the body is larger than the limit of %d bytes", e.Limit)
	}
	return fmt.Sprintf("the body has %d bytes, more than the limit of %d", e.Size, e.Limit)
}

// Upload reads the body of a request, and returns the instant at which it was whole:
// nothing can be heard before. The error of one that is too large is TooLarge.
func (h *Host) Upload(w http.ResponseWriter, r *http.Request) (b []byte, arrived time.Duration, err error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(readLimit)) // best effort, as is its end
	b, err = io.ReadAll(http.MaxBytesReader(w, r.Body, h.MaxBody))
	_ = control.SetReadDeadline(time.Time{})
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		err = TooLarge{large.Limit, max(0, r.ContentLength)}
	}
	return b, h.Loop.Elapsed(), err
}
