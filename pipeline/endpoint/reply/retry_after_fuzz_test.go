package reply

import (
	"net/http"
	"testing"
	"time"

	"halfsecond/pipeline"
)

// FuzzRetryAfter checks that whatever a server asks for is a time to wait, or unknown.
func FuzzRetryAfter(f *testing.F) {
	f.Add("20", "", "")
	f.Add("Wed, 21 Oct 2026 07:28:10 GMT", "", "Wed, 21 Oct 2026 07:28:00 GMT")
	f.Add("1e300", "-1", "")
	f.Add("", "NaN", "0")
	f.Add("Wed, 21 Oct 9999 07:28:10 GMT", "", "Wed, 21 Oct 2026 07:28:00 GMT")
	f.Fuzz(func(t *testing.T, after, ms, date string) {
		h := http.Header{"Retry-After": {after}, "Retry-After-Ms": {ms}, "Date": {date}}
		if d := RetryAfter(h); (d < 0 || d > 365*24*time.Hour) && d != pipeline.Unknown {
			t.Errorf("%v: wait %v", h, d)
		}
	})
}
