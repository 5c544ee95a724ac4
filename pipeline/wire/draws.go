package wire

import (
	"net/http"
	"strconv"
)

// StreamHeader is the header by which a client tells a mock of ours which stream of random
// numbers the delays of a request are drawn from, so that they are the same whatever else is
// asked, and when. Services ignore it as they do what they do not know.
const StreamHeader = "Halfsecond-Stream"

// AskStream has a request draw from a stream; n is above 0.
func AskStream(h http.Header, n int) { h.Set(StreamHeader, strconv.Itoa(n)) }

// AskedStream returns the stream that a request asks for; 0 when it asks for none.
func AskedStream(h http.Header) int {
	n, err := strconv.Atoi(h.Get(StreamHeader))
	if err != nil {
		return 0
	}
	return max(n, 0)
}
