package wire

import "strconv"

// StreamHeader is the header by which a client tells a mock of ours which stream of random
// numbers the delays of a request are drawn from, so that they are the same whatever else is
// asked, and when. Services ignore it as they do what they do not know.
const StreamHeader = "Halfsecond-Stream"

// AskedStream returns the stream that a header's value asks for; 0 when it asks for none.
func AskedStream(value string) int {
	n, err := strconv.Atoi(value)
	if err != nil {
		return 0
	}
	return max(n, 0)
}
