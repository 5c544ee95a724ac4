package endpoint

import (
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"halfsecond/pipeline"
)

// maxReason is the most bytes that an error's words take in a trace.
const maxReason = 300

// record fills the call's record from what became of the flight.
func (f *flight) record(l landing) {
	rec, reply, answer := &f.call.Record, l.reply, l.reply.Answer()
	reused := false
	if sent := f.sent.Load(); sent != nil {
		rec.Sent, reused = sent.at, sent.reused
	}
	rec.FirstByte = reply.FirstByte
	rec.FirstOutput = answer.FirstOutput()
	rec.FirstText = answer.FirstText()
	rec.FirstSeen = answer.FirstSeen()
	rec.LastOutput = answer.LastOutput()
	rec.End = reply.End

	rec.Outcome, rec.Reason = f.outcome(l)
	rec.Reason = f.client.tidy(rec.Reason)
	rec.Finish = f.client.tidy(answer.Finish)
	rec.PromptTokens = reply.PromptTokens()
	rec.CachedTokens = reply.CachedTokens()
	rec.OutputTokens = reply.OutputTokens()
	rec.TokenSource = reply.TokenSource
	rec.Chunks = len(answer.Outputs)
	rec.Transport = pipeline.Transport{
		Status:     reply.Status,
		HTTP:       l.proto,
		Encoding:   f.client.tidy(reply.Header.Get("Content-Encoding")),
		Reused:     reused,
		RetryAfter: reply.RetryAfter,
		Burst:      answer.Burst(),
		Headers:    f.client.headers(reply.Header),
	}
}

// chosenHeaders tell who answered, what stood between, and what a server says of
// its own time.
var chosenHeaders = []string{"Server", "Via", "X-Accel-Buffering", "X-Request-Id", "Openai-Processing-Ms"}

func (c *Client) headers(h http.Header) []pipeline.Fact {
	var found []pipeline.Fact
	for _, name := range chosenHeaders {
		if value := h.Get(name); value != "" {
			found = append(found, pipeline.Fact{Name: name, Value: c.tidy(value)})
		}
	}
	return found
}

// tidy makes one short printable line of words that may come from a server, and
// takes the key out of them.
func (c *Client) tidy(s string) string {
	s = c.config.Key.redact(s)
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= maxReason {
		return s
	}
	end := maxReason
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "..."
}
