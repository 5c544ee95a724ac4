package fault

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"
)

// limiter is the buckets of a rule, by who shares them.
type limiter struct {
	Limit
	buckets map[string]*[2]bucket // requests, tokens
}

func newLimiter(l Limit) *limiter { return &limiter{l, map[string]*[2]bucket{}} }

// ask takes a request from its buckets. It returns how full they then are, and what is
// to be answered when the request does not fit.
func (l *limiter) ask(q *Query, now time.Duration) (quota, *refusal) {
	b := l.of(q)
	wanted := [2]int{1, q.Tokens}
	var over *refusal
	var longest time.Duration
	for i := range b {
		wait, fits := b[i].wait(wanted[i], now)
		if !fits {
			over, longest = tooLarge(&b[i], i, q, wanted[i]), 0
			break
		}
		if wait > longest {
			over, longest = exceeded(&b[i], i, q, wanted[i], now, wait), wait
		}
	}
	if over != nil {
		over.retryAfter = longest
		return quota{b[0].level(now), b[1].level(now)}, over
	}
	for i := range b {
		b[i].take(wanted[i], now)
	}
	return quota{b[0].level(now), b[1].level(now)}, nil
}

// of returns the buckets that a request is taken from.
func (l *limiter) of(q *Query) *[2]bucket {
	who := map[Per]string{PerModel: q.Model, PerKey: q.Key}[l.Per]
	b := l.buckets[who]
	if b == nil {
		b = &[2]bucket{{perMinute: l.RPM}, {perMinute: l.TPM}}
		l.buckets[who] = b
	}
	return b
}

// What a bucket holds, in the words of OpenAI's answers; source: openai/codex issues 88
// and 10060, which quote them, read 2026-11-29.
var (
	units  = [2]string{"requests", "tokens"}
	titles = [2]string{"requests per min (RPM)", "tokens per min (TPM)"}
)

// exceeded is the refusal of a request that finds too little in bucket i.
func exceeded(b *bucket, i int, q *Query, n int, now, wait time.Duration) *refusal {
	l := b.level(now)
	return limited(q, i, fmt.Sprintf("Rate limit reached for %s on %s: Limit %d, Used %d, Requested %d. Please try again in %s.",
		q.named(), titles[i], l.limit, l.limit-l.remaining, n, short(wait)))
}

// tooLarge is the refusal of a request that bucket i can never hold.
func tooLarge(b *bucket, i int, q *Query, n int) *refusal {
	return limited(q, i, fmt.Sprintf("Request too large for %s on %s: Limit %d, Requested %d. The input or output tokens must be reduced in order to run successfully.",
		q.named(), titles[i], b.perMinute, n))
}

// limited refuses a request for want of what bucket i holds, which is what OpenAI calls
// the type of the error.
func limited(q *Query, i int, message string) *refusal {
	f := failure{status: http.StatusTooManyRequests, message: message}
	if q.Protocol == protocolOpenAI {
		f.kind = units[i]
	}
	return &refusal{failure: f}
}

// quota is how full the buckets of requests and of tokens are.
type quota [2]level

// tell sets the rate-limit headers of a protocol that has some. OpenAI tells how long it
// takes until a bucket is full, Anthropic the time of day at which it will be; sources: OpenAI's and
// Anthropic's guides to rate limits, and headers quoted in community.openai.com
// 1268905 ("12ms") and thoughtbot.com/blog/openai-rate-limits ("6m0s"), read 2026-11-29.
func (q quota) tell(h http.Header, protocol string, now time.Time) {
	for i, l := range q {
		switch {
		case l.limit == 0:
		case protocol == protocolAnthropic:
			name := "Anthropic-Ratelimit-" + units[i]
			h.Set(name+"-Limit", strconv.Itoa(l.limit))
			h.Set(name+"-Remaining", strconv.Itoa(l.remaining))
			h.Set(name+"-Reset", now.Add(l.reset).UTC().Format(time.RFC3339))
		case protocol == protocolOpenAI:
			h.Set("X-Ratelimit-Limit-"+units[i], strconv.Itoa(l.limit))
			h.Set("X-Ratelimit-Remaining-"+units[i], strconv.Itoa(l.remaining))
			h.Set("X-Ratelimit-Reset-"+units[i], short(l.reset))
		}
	}
}

// short returns a duration as OpenAI writes it: in whole milliseconds, rounded up.
func short(d time.Duration) string {
	return time.Duration(math.Ceil(float64(d)/float64(time.Millisecond)) * float64(time.Millisecond)).String()
}

// tellRetry sets the headers that say when to try again: whole seconds, rounded up, and
// for OpenAI milliseconds too, which its SDKs look at first (openai/openai-python
// src/openai/_base_client.py, 000f030, read 2026-11-29).
func tellRetry(h http.Header, protocol string, after time.Duration) {
	if after <= 0 {
		return
	}
	h.Set("Retry-After", strconv.FormatFloat(math.Ceil(after.Seconds()), 'f', 0, 64))
	if protocol == protocolOpenAI {
		h.Set("Retry-After-Ms", strconv.FormatFloat(math.Ceil(float64(after)/1e6), 'f', 0, 64))
	}
}
