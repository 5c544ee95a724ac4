package reply

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"halfsecond/pipeline"
	"halfsecond/pipeline/exchange"
)

// Fill sets in a record everything that the bytes of a response tell, and nothing else.
// The server's words are as they came.
func (r *Reply) Fill(rec *pipeline.Request) {
	answer := r.Answer()
	rec.Server = r.Server
	rec.FirstByte = r.FirstByte
	rec.FirstOutput, rec.FirstText, rec.FirstSeen = answer.FirstOutput(), answer.FirstText(), answer.FirstSeen()
	rec.LastOutput = answer.LastOutput()
	rec.End = r.End
	rec.Outcome, rec.Reason = r.Ending()
	rec.Finish = answer.Finish
	rec.PromptTokens, rec.CachedTokens, rec.OutputTokens = r.PromptTokens(), r.CachedTokens(), r.OutputTokens()
	rec.TokenSource, rec.Impossible = r.TokenSource, strings.Join(slices.Concat(r.Impossible, r.Unreadable), "; ")
	rec.Chunks, rec.Unread = len(answer.Outputs), r.Unread
	if n := len(r.Choices); n > 1 {
		rec.Choices = n
	}
	rec.Together, rec.Opening = answer.Together(), r.opening()
	rec.Empty = rec.Outcome == pipeline.OK && !r.says()
	rec.Gaps, rec.LongestGap = pipeline.CountGaps(answer.ICL())
	t := &rec.Transport
	t.Status, t.Encoding = r.Status, r.Header.Get("Content-Encoding")
	t.RetryAfter, t.Burst = r.RetryAfter, answer.Burst()
}

// says reports whether anything of an answer came.
func (r *Reply) says() bool {
	return slices.ContainsFunc(r.Choices, func(c Choice) bool {
		return len(c.Outputs) > 0 || c.Text != "" || c.Reasoning != "" || len(c.ToolCalls) > 0
	})
}

// Ending returns how the request ended, as the server had it, and why if not well.
func (r *Reply) Ending() (pipeline.Outcome, string) {
	failure := r.Failure
	if r.Outcome == pipeline.Truncated {
		reason := "the answer ended without an end event or a finish reason"
		if failure != nil {
			reason = "the answer broke off: " + failure.String()
		}
		return pipeline.Truncated, reason
	}
	if failure == nil {
		return r.Outcome, ""
	}
	if to := r.Header.Get("Location"); failure.Kind == HTTPStatus && r.Status < 400 && to != "" {
		return r.Outcome, fmt.Sprintf("HTTP %d: redirect to %s is not followed", r.Status, exchange.Place(to))
	}
	said := exchange.Led(r.Header).Words(failure.String()) // a page that leads elsewhere repeats where
	if failure.Refusal() {
		return pipeline.Refused, said
	}
	return r.Outcome, said
}

// quotes match what a message of the connection repeats of the server.
var quotes = regexp.MustCompile(`"(\\.|[^"\\])*"?`)

// plainCode matches an error's code that is no sentence.
var plainCode = regexp.MustCompile(`^[A-Za-z0-9_.:/+-]{0,80}$`)

// HideWords puts the sum of what the server says of a failure in its place, for it may
// repeat what it was asked.
func (r *Reply) HideWords(sum func(words string) string) {
	if r.Failure == nil {
		return
	}
	f := *r.Failure
	if code, ok := f.Code.(string); ok && !plainCode.MatchString(code) {
		f.Code = sum(code)
	}
	switch {
	case f.Kind == BadLink:
		f.Cause = hidden{f.Cause, quotes.ReplaceAllStringFunc(f.Cause.Error(), sum)}
	case f.Kind != BadType && f.Message != "":
		f.Message = sum(f.Message)
	}
	r.Failure = &f
}

// hidden is an error in other words.
type hidden struct {
	error
	words string
}

func (h hidden) Error() string { return h.words }
func (h hidden) Unwrap() error { return h.error }
