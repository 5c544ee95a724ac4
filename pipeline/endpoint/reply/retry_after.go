package reply

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"halfsecond/pipeline"
)

// RetryAfter returns how long the server asks to wait, or Unknown. The header
// Retry-After holds seconds or a date (RFC 9110, section 10.2.3); a date counts
// from the response's own Date, so that no clocks need to agree, and where it has
// none from OurDate. Some servers add retry-after-ms, which is finer.
func RetryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return waitFor(ms * float64(time.Millisecond))
	}
	text := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(text, 64); err == nil {
		return waitFor(s * float64(time.Second))
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return pipeline.Unknown
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now, err = http.ParseTime(h.Get(OurDate))
	}
	if err != nil {
		return pipeline.Unknown
	}
	return waitFor(float64(max(0, at.Sub(now))))
}

// OurDate is the header that Dated adds. It is no server's, and is kept with those that are.
const OurDate = "Halfsecond-Date"

// Dated adds to a response that came just now when that was, by the client's own clock and in
// whole seconds, where nothing else tells from when a Retry-After counts: it is a date, and
// the response has no Date (RFC 9110, section 6.6.1, lets a recipient add one).
func Dated(h http.Header, now time.Time) {
	h.Del(OurDate)
	if _, err := http.ParseTime(h.Get("Retry-After")); err != nil {
		return
	}
	if _, err := http.ParseTime(h.Get("Date")); err != nil {
		h.Set(OurDate, now.UTC().Format(http.TimeFormat))
	}
}

// waitFor returns a span in nanoseconds as a Duration, the nearest, or Unknown when it is no
// span: negative, not a number, or longer than a year.
func waitFor(ns float64) time.Duration {
	if ns >= 0 && ns <= float64(365*24*time.Hour) {
		return time.Duration(math.Round(ns))
	}
	return pipeline.Unknown
}
