package trace

import (
	"strconv"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/wire"
)

// Append appends the line of one interaction, without its line feed, and
// returns the extended buffer. It allocates nothing but the buffer's growth.
func Append(b []byte, t *pipeline.Trace) []byte {
	b = wire.AppendString(append(b, `{"kind":`...), t.Kind)
	b = appendInt(append(b, `,"session":`...), t.Session)
	b = appendInt(append(b, `,"index":`...), t.Index)
	b = appendNanos(append(b, `,"due_ns":`...), t.Due)
	b = appendNanos(append(b, `,"end_ns":`...), t.End)
	b = appendNanos(append(b, `,"late_ns":`...), t.Late)
	b = appendOutcome(b, t.Outcome, t.Reason)
	b = appendSpans(b, t.Spans)
	b = appendMarks(b, t.Marks)
	b = appendRequests(b, t.Requests)
	b = appendSpoken(b, t)
	b = appendUses(b, t.Uses)
	b = appendFacts(b, `,"facts":[`, t.Facts)
	return append(b, '}')
}

func appendOutcome(b []byte, o pipeline.Outcome, reason string) []byte {
	b = wire.AppendString(append(b, `,"outcome":`...), o.String())
	return appendText(b, `,"reason":`, reason)
}

func appendSpans(b []byte, spans []pipeline.Span) []byte {
	for i := range spans {
		s := &spans[i]
		b = append(b, open(i, `,"spans":[`)...)
		b = wire.AppendString(append(b, `{"name":`...), s.Name)
		b = appendNanos(append(b, `,"start_ns":`...), s.Start)
		b = appendNanos(append(b, `,"end_ns":`...), s.End)
		b = appendAfter(b, s.After)
		b = appendTrue(b, `,"simulated":true`, s.Simulated)
		b = append(b, '}')
	}
	return shut(b, len(spans))
}

func appendAfter(b []byte, after []pipeline.SpanID) []byte {
	for i, id := range after {
		b = append(b, open(i, `,"after":[`)...)
		b = appendInt(b, int(id))
	}
	return shut(b, len(after))
}

func appendMarks(b []byte, marks []pipeline.Mark) []byte {
	for i := range marks {
		b = append(b, open(i, `,"marks":[`)...)
		b = wire.AppendString(append(b, `{"name":`...), marks[i].Name)
		b = appendNanos(append(b, `,"at_ns":`...), marks[i].At)
		b = append(b, '}')
	}
	return shut(b, len(marks))
}

func appendRequests(b []byte, requests []pipeline.Request) []byte {
	for i := range requests {
		b = append(b, open(i, `,"requests":[`)...)
		b = appendRequest(b, &requests[i])
	}
	return shut(b, len(requests))
}

func appendRequest(b []byte, r *pipeline.Request) []byte {
	b = strconv.AppendInt(append(b, `{"id":`...), r.ID, 10)
	b = appendNanos(append(b, `,"due_ns":`...), r.Due)
	b = appendNanos(append(b, `,"sent_ns":`...), r.Sent)
	b = appendNanos(append(b, `,"scheduled_ns":`...), r.Scheduled)
	if r.Loading != pipeline.Unknown {
		b = appendNanos(append(b, `,"loading_ns":`...), r.Loading)
	}
	b = appendNanos(append(b, `,"first_byte_ns":`...), r.FirstByte)
	b = appendNanos(append(b, `,"first_output_ns":`...), r.FirstOutput)
	b = appendNanos(append(b, `,"first_text_ns":`...), r.FirstText)
	b = appendNanos(append(b, `,"first_seen_ns":`...), r.FirstSeen)
	b = appendNanos(append(b, `,"last_output_ns":`...), r.LastOutput)
	b = appendNanos(append(b, `,"end_ns":`...), r.End)
	if r.Closed != pipeline.Unknown {
		b = appendClosed(b, r)
	}
	b = appendOutcome(b, r.Outcome, r.Reason)
	b = appendText(b, `,"finish":`, r.Finish)
	b = appendCount(append(b, `,"prompt_tokens":`...), r.PromptTokens)
	if r.PromptEstimate > 0 {
		b = appendInt(append(b, `,"prompt_estimate":`...), r.PromptEstimate)
	}
	if r.CachedTokens != pipeline.UnknownCount {
		b = appendInt(append(b, `,"cached_tokens":`...), r.CachedTokens)
	}
	b = appendCount(append(b, `,"output_tokens":`...), r.OutputTokens)
	if r.LimitTokens > 0 {
		b = appendInt(append(b, `,"limit_tokens":`...), r.LimitTokens)
	}
	b = wire.AppendString(append(b, `,"token_source":`...), r.TokenSource)
	b = appendText(b, `,"impossible":`, r.Impossible)
	b = appendInt(append(b, `,"chunks":`...), r.Chunks)
	b = appendTrue(b, `,"empty":true`, r.Empty)
	if r.Unread != 0 {
		b = appendInt(append(b, `,"unread":`...), r.Unread)
	}
	if r.Choices != 0 {
		b = appendInt(append(b, `,"choices":`...), r.Choices)
	}
	if r.Together != 0 {
		b = appendInt(append(b, `,"together":`...), r.Together)
	}
	b = appendOpening(b, &r.Opening)
	b = appendGaps(b, r)
	b = appendTrue(b, `,"simulated":true`, r.Simulated)
	b = appendServer(b, &r.Server)
	b = appendTransport(b, &r.Transport)
	if r.Way != (pipeline.Way{}) {
		b = appendNanos(append(b, `,"way":{"out_ns":`...), r.Way.Out)
		b = append(appendNanos(append(b, `,"back_ns":`...), r.Way.Back), '}')
	}
	return append(b, '}')
}

// appendClosed appends when a request was closed, and what was done by then.
func appendClosed(b []byte, r *pipeline.Request) []byte {
	b = appendNanos(append(b, `,"closed_ns":`...), r.Closed)
	return appendWork(appendWork(b, `,"at_close":{"prompt_tokens":`, r.AtClose), `,"at_end":{"prompt_tokens":`, r.AtEnd)
}

// appendWork appends work of which anything is known.
func appendWork(b []byte, begin string, w pipeline.Work) []byte {
	if w.Prompt == pipeline.UnknownCount && w.Output == pipeline.UnknownCount {
		return b
	}
	b = appendCount(append(b, begin...), w.Prompt)
	return append(appendCount(append(b, `,"output_tokens":`...), w.Output), '}')
}

// appendServer appends what a server says of its own time, where it says anything.
func appendServer(b []byte, t *pipeline.ServerTime) []byte {
	if *t == pipeline.NewServerTime() {
		return b
	}
	b = appendNanos(append(b, `,"server":{"queue_ns":`...), t.Queue)
	b = appendNanos(append(b, `,"load_ns":`...), t.Load)
	b = appendNanos(append(b, `,"prefill_ns":`...), t.Prefill)
	b = appendNanos(append(b, `,"decode_ns":`...), t.Decode)
	b = appendNanos(append(b, `,"total_ns":`...), t.Total)
	return append(b, '}')
}

// untouched reports whether a request never saw a connection.
func untouched(t *pipeline.Transport) bool {
	return t.Status == 0 && t.HTTP == "" && t.Encoding == "" && !t.Reused && t.RetryAfter == pipeline.Unknown && !t.Burst && len(t.Headers) == 0 &&
		t.DNS == pipeline.Unknown && t.Connect == pipeline.Unknown && t.TLS == pipeline.Unknown
}

func appendTransport(b []byte, t *pipeline.Transport) []byte {
	if untouched(t) {
		return b
	}
	b = appendInt(append(b, `,"transport":{"status":`...), t.Status)
	b = appendText(b, `,"http":`, t.HTTP)
	b = appendText(b, `,"encoding":`, t.Encoding)
	b = appendTrue(b, `,"reused":true`, t.Reused)
	b = appendSpan(b, `,"dns_ns":`, t.DNS)
	b = appendSpan(b, `,"connect_ns":`, t.Connect)
	b = appendSpan(b, `,"tls_ns":`, t.TLS)
	b = appendNanos(append(b, `,"retry_after_ns":`...), t.RetryAfter)
	b = appendTrue(b, `,"burst":true`, t.Burst)
	b = appendFacts(b, `,"headers":[`, t.Headers)
	return append(b, '}')
}

func appendUses(b []byte, uses []pipeline.Use) []byte {
	for i := range uses {
		b = append(b, open(i, `,"uses":[`)...)
		b = strconv.AppendInt(append(b, `{"request":`...), uses[i].Request, 10)
		b = wire.AppendString(append(b, `,"how":`...), uses[i].How)
		b = append(b, '}')
	}
	return shut(b, len(uses))
}

func appendFacts(b []byte, opening string, facts []pipeline.Fact) []byte {
	for i := range facts {
		b = append(b, open(i, opening)...)
		b = wire.AppendString(append(b, `{"name":`...), facts[i].Name)
		b = wire.AppendString(append(b, `,"value":`...), facts[i].Value)
		b = append(b, '}')
	}
	return shut(b, len(facts))
}

// open returns what stands before member i of a list: its opening, or a comma.
func open(i int, opening string) string {
	if i == 0 {
		return opening
	}
	return ","
}

// shut closes a list of n members; one without members was never opened.
func shut(b []byte, n int) []byte {
	if n == 0 {
		return b
	}
	return append(b, ']')
}

func appendInt(b []byte, n int) []byte { return strconv.AppendInt(b, int64(n), 10) }

func appendNanos(b []byte, d time.Duration) []byte {
	if d == pipeline.Unknown {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, int64(d), 10)
}

// appendSpan appends the key and the span; one that is not known is left out.
func appendSpan(b []byte, key string, d time.Duration) []byte {
	if d == pipeline.Unknown {
		return b
	}
	return appendNanos(append(b, key...), d)
}

func appendCount(b []byte, n int) []byte {
	if n == pipeline.UnknownCount {
		return append(b, "null"...)
	}
	return appendInt(b, n)
}

// appendTrue appends the field when it is true; false is left out.
func appendTrue(b []byte, field string, on bool) []byte {
	if on {
		return append(b, field...)
	}
	return b
}

// appendText appends the key and the text; an empty text is left out.
func appendText(b []byte, key, text string) []byte {
	if text == "" {
		return b
	}
	return wire.AppendString(append(b, key...), text)
}
