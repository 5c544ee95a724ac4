package talk

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// JSON returns a message as JSON. It panics for one that cannot be: ours always can.
func JSON(message any) []byte {
	b, err := json.Marshal(message)
	if err != nil {
		panic(fmt.Sprintf("talk: %v", err))
	}
	return b
}

// mostQuoted is how much of a message is quoted in an error, in bytes.
const mostQuoted = 1000

// Quoted returns what is quoted of a text of the client in an error: all of it, or the
// beginning of one that is long.
func Quoted[T ~string | ~[]byte](text T) string {
	if len(text) <= mostQuoted {
		return string(text)
	}
	return strings.ToValidUTF8(string(text[:mostQuoted]), "") + "..."
}

// WriteJSON answers a request with JSON.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(JSON(v), '\n')) // the client may be gone; there is nobody left to tell
}

// Seconds returns a position in seconds, to the millisecond.
func Seconds(d time.Duration) float64 {
	return float64(d.Round(time.Millisecond)/time.Millisecond) / 1000
}

// Milliseconds returns a span in ms.
func Milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
