package endpoint

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
)

// maxReason is the most bytes that an error's words take in a trace.
const maxReason = 300

// record fills the call's record from what became of the flight.
func (f *flight) record(l landing) {
	rec := &f.call.Record
	link := f.connection.Known()
	rec.Sent = link.Sent
	l.reply.Fill(rec)
	rec.LimitTokens = f.call.MaxTokens
	rec.Estimate(f.reserved.Prompt)
	rec.Outcome, rec.Reason = f.outcome(l)
	rec.Reason = f.client.tidy(rec.Reason)
	rec.Finish = f.client.config.Key.TidyName(rec.Finish)
	t := &rec.Transport
	t.HTTP, t.Encoding, t.Headers = l.proto, f.client.config.Key.TidyName(t.Encoding), f.client.headers(l.reply.Header)
	t.Reused, t.DNS, t.Connect, t.TLS = link.Reused, link.DNS, link.Connect, link.TLS
}

// hashed returns what stands for words that are not to be kept.
func hashed(words string) string { return fmt.Sprintf("[sha256 %.16x]", sha256.Sum256([]byte(words))) }

// chosenHeaders tell who answered, what stood between, and what a server says of
// its own time; and by whose clock it asks to wait.
var chosenHeaders = []string{"Server", "Via", "X-Accel-Buffering", "X-Request-Id", "Openai-Processing-Ms", reply.OurDate}

func (c *Client) headers(h http.Header) []pipeline.Fact { return c.config.Key.Headers(h) }

// Headers returns those of a response's headers that a record keeps, without the key.
func (k Key) Headers(h http.Header) []pipeline.Fact {
	var found []pipeline.Fact
	for _, name := range chosenHeaders {
		if value := h.Get(name); value != "" {
			found = append(found, pipeline.Fact{Name: name, Value: tidy(k.MaskHeader(name, value))})
		}
	}
	return found
}

func (c *Client) tidy(s string) string { return c.config.Key.Tidy(s) }

// Tidy makes one short line of words that may come from a server, as
// pipeline.Printable does, and takes the key out of them.
func (k Key) Tidy(s string) string { return tidy(k.Mask(s)) }

// TidyName does what Tidy does, to a name that a program gives, such as that of a content coding.
func (k Key) TidyName(s string) string { return tidy(k.MaskText(s)) }

func tidy(s string) string {
	s = pipeline.Printable(strings.Join(strings.Fields(s), " "))
	if len(s) <= maxReason {
		return s
	}
	end := maxReason
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "..."
}
