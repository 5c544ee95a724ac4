package finding

import (
	"fmt"
	"strconv"
	"strings"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/probe/seen"
)

// limited explains an answer of 429.
func limited(f refusal) Finding {
	found := Finding{
		ID: "rate_limit", Title: "the server limits how much may be asked, and this was too much", Evidence: []string{f.said()},
		Fix: "send less at once, or have the limit raised; nothing more was sent here",
	}
	if f.wait != pipeline.Unknown {
		found.Fix = "send less at once, wait as long as Retry-After says, or have the limit raised; nothing more was sent here"
		found.Evidence = append(found.Evidence, Waits(f.wait, f.dated()))
	}
	found.Evidence = append(found.Evidence, quotas(f.headers)...)
	if f.look {
		found.Title = "the server limits how much may be asked, and the request for the list of models was too much"
		found.Fix += "; with --model no list is needed"
	}
	return found
}

// isQuota reports whether a header tells of a rate limit: x-ratelimit-*, ratelimit-* and
// anthropic-ratelimit-*.
func isQuota(name string) bool { return strings.Contains(strings.ToLower(name), "ratelimit-") }

// quotas returns the headers of a response that tell of rate limits, in one line.
func quotas(headers [][2]string) []string {
	var said []string
	for _, h := range headers {
		if isQuota(h[0]) {
			said = append(said, strings.ToLower(h[0])+": "+h[1])
		}
	}
	if said == nil {
		return nil
	}
	return []string{strings.Join(said, "; ")}
}

// nearLimit finds quotas of which little is left.
func nearLimit(v *view) []Finding {
	const little = 0.1
	if len(v.ok) == 0 || v.Stopped == seen.Refused {
		return nil
	}
	r := v.ok[len(v.ok)-1]
	for _, h := range r.Headers {
		name := strings.ToLower(h[0])
		if !isQuota(name) || !strings.Contains(name, "remaining") {
			continue
		}
		left, err := strconv.ParseFloat(h[1], 64)
		limit, err2 := strconv.ParseFloat(r.Header(strings.Replace(name, "remaining", "limit", 1)), 64)
		if err == nil && err2 == nil && limit > 0 && left <= little*limit {
			return []Finding{{
				ID: "rate_limit_near", Severity: Note, Cost: pipeline.Unknown, Title: "little is left of a rate limit",
				Evidence: append([]string{fmt.Sprintf("%s: %s of %.0f", v.which(r), h[1], limit)}, quotas(r.Headers)...),
				Fix:      "a run that asks for more will be refused with 429: lower its rate, or have the limit raised",
			}}
		}
	}
	return nil
}
