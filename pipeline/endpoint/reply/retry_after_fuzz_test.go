package reply

import (
	"net/http"
	"testing"
	"time"

	"halfsecond/pipeline"
)

// TestDated: a date counts from the response's own Date, and from our clock where it has none.
func TestDated(t *testing.T) {
	now := time.Date(2026, 10, 21, 9, 28, 0, 999, time.FixedZone("CEST", 7200))
	const after, date = "Wed, 21 Oct 2026 07:28:30 GMT", "Wed, 21 Oct 2026 07:28:20 GMT"
	for _, c := range []struct {
		h    http.Header
		want time.Duration
		ours string
	}{
		{http.Header{"Retry-After": {after}}, 30 * time.Second, "Wed, 21 Oct 2026 07:28:00 GMT"},
		{http.Header{"Retry-After": {after}, "Date": {"today"}}, 30 * time.Second, "Wed, 21 Oct 2026 07:28:00 GMT"},
		{http.Header{"Retry-After": {after}, "Date": {date}, OurDate: {"Wed, 21 Oct 2026 07:00:00 GMT"}}, 10 * time.Second, ""},
		{http.Header{"Retry-After": {"7"}}, 7 * time.Second, ""},
		{http.Header{"Retry-After-Ms": {"260.9"}}, 260*time.Millisecond + 900*time.Microsecond, ""}, // 260.9 ms is 260899999.99999997 ns
		{http.Header{OurDate: {date}}, pipeline.Unknown, ""},
	} {
		Dated(c.h, now)
		if got, ours := RetryAfter(c.h), c.h.Get(OurDate); got != c.want || ours != c.ours {
			t.Errorf("%v: %s, our date %q; want %s, %q", c.h, got, ours, c.want, c.ours)
		}
	}
}

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
