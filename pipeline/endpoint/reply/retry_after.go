package reply

import (
	"net/http"
	"strconv"
	"time"

	"halfsecond/pipeline"
)

// RetryAfter returns how long the server asks to wait, or Unknown. The header
// Retry-After holds seconds or a date (RFC 9110, section 10.2.3); a date counts
// from the response's own Date, so that no clocks need to agree. Some servers add
// retry-after-ms, which is finer.
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
		return pipeline.Unknown
	}
	return waitFor(float64(max(0, at.Sub(now))))
}

// waitFor returns a span in nanoseconds as a Duration, or Unknown when it is no
// span: negative, not a number, or longer than a year.
func waitFor(ns float64) time.Duration {
	if ns >= 0 && ns <= float64(365*24*time.Hour) {
		return time.Duration(ns)
	}
	return pipeline.Unknown
}
