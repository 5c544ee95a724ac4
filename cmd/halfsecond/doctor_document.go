package main

import (
	"time"

	"halfsecond/budgets/finding"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/probe/seen"
)

// estimate is what was said before anything was sent.
type estimate struct {
	Requests int `json:"requests"`
	Tokens   int `json:"tokens"`
}

// examined is the endpoint, as a document.
type examined struct {
	URL        string          `json:"url"`
	Protocol   string          `json:"protocol"`
	ProtocolBy string          `json:"protocol_by"`
	Model      *string         `json:"model"`
	ModelBy    *string         `json:"model_by"`
	Models     []string        `json:"models"`
	Cold       bool            `json:"cold"`
	Looks      []lookDocument  `json:"looks"`
	Elsewhere  []placeDocument `json:"elsewhere"`
	Stopped    *string         `json:"stopped"`
}

type lookDocument struct {
	Method       string      `json:"method"`
	URL          string      `json:"url"`
	Status       *int        `json:"status"`
	Type         *string     `json:"type"`
	To           *string     `json:"to"`
	RetryAfterMS *float64    `json:"retry_after_ms"`
	Headers      [][2]string `json:"headers"`
	Message      *string     `json:"message"`
	Failed       *string     `json:"failed"`
}

type placeDocument struct {
	URL      string `json:"url"`
	Protocol string `json:"protocol"`
}

// requestDocument is one request. Times count from its sending, but for those of the
// connection.
type requestDocument struct {
	ID         int64              `json:"id"`
	Prompt     string             `json:"prompt"`
	Gzip       bool               `json:"gzip"`
	Outcome    string             `json:"outcome"`
	Reason     *string            `json:"reason"`
	Finish     *string            `json:"finish"`
	Status     *int               `json:"status"`
	HTTP       *string            `json:"http"`
	Connection connectionDocument `json:"connection"`

	TTFBMS *float64 `json:"ttfb_ms"`
	TTFTMS *float64 `json:"ttft_ms"`
	TTFOMS *float64 `json:"ttfo_ms"`
	TTFVMS *float64 `json:"ttfv_ms"`
	LastMS *float64 `json:"last_output_ms"`
	E2EMS  *float64 `json:"e2e_ms"`
	TPOTMS *float64 `json:"tpot_ms"`

	PromptTokens    *int   `json:"prompt_tokens"`
	CachedTokens    *int   `json:"cached_tokens"`
	OutputTokens    *int   `json:"output_tokens"`
	ReasoningTokens *int   `json:"reasoning_tokens"`
	TokenSource     string `json:"token_source"`
	Chunks          int    `json:"chunks"`

	Server       serverDocument  `json:"server"`
	RetryAfterMS *float64        `json:"retry_after_ms"`
	Headers      [][2]string     `json:"headers"`
	Events       []eventDocument `json:"events"`
	LeftOut      int             `json:"events_left_out"`
}

type connectionDocument struct {
	Reused    *bool    `json:"reused"`
	DNSMS     *float64 `json:"dns_ms"`
	ConnectMS *float64 `json:"connect_ms"`
	TLSMS     *float64 `json:"tls_ms"`
}

type serverDocument struct {
	QueueMS   *float64 `json:"queue_ms"`
	LoadMS    *float64 `json:"load_ms"`
	PrefillMS *float64 `json:"prefill_ms"`
	DecodeMS  *float64 `json:"decode_ms"`
	TotalMS   *float64 `json:"total_ms"`
}

type eventDocument struct {
	AtMS  float64  `json:"at_ms"`
	GapMS *float64 `json:"gap_ms"` // since the event before; null for the first
	Kind  string   `json:"kind"`
	Bytes int      `json:"bytes"`
	Text  string   `json:"text"`
}

type findingDocument struct {
	ID       string   `json:"id"`
	Severity string   `json:"severity"`
	Title    string   `json:"title"`
	Evidence []string `json:"evidence"`
	Fix      string   `json:"fix"`
	CostMS   *float64 `json:"cost_ms"`
}

// mostEvents is how many events of a request a document has.
const mostEvents = 2_000

// document fills the parts of a diagnosis that are written.
func (d *diagnosis) document() {
	s := d.seen
	d.examined = examined{
		URL: s.URL, Protocol: string(s.Protocol), ProtocolBy: s.ProtocolBy, Model: some(s.Model), ModelBy: some(s.ModelBy),
		Models: s.Models, Cold: s.Cold, Looks: []lookDocument{}, Elsewhere: []placeDocument{}, Stopped: some(s.Stopped),
	}
	for _, l := range s.Looks {
		d.Looks = append(d.Looks, lookDocument{l.Method, l.URL, some(l.Status), some(l.Type), some(l.To), spanMS(l.Wait), l.Headers, some(l.Message), some(l.Failed)})
	}
	for _, p := range s.Elsewhere {
		d.Elsewhere = append(d.Elsewhere, placeDocument{p.URL, string(p.Protocol)})
	}
	d.Requests, d.Findings = []requestDocument{}, []findingDocument{}
	for i := range s.Requests {
		d.Requests = append(d.Requests, documentRequest(&s.Requests[i]))
	}
	for _, f := range d.found {
		d.Findings = append(d.Findings, documentFinding(f))
	}
}

func documentFinding(f finding.Finding) findingDocument {
	return findingDocument{f.ID, string(f.Severity), f.Title, f.Evidence, f.Fix, spanMS(f.Cost)}
}

func documentRequest(r *seen.Request) requestDocument {
	rec, link := &r.Record, &r.Record.Transport
	since := func(at time.Duration) *float64 { return spanMS(r.Since(at)) }
	d := requestDocument{
		ID: rec.ID, Prompt: r.Prompt, Gzip: r.Gzip, Outcome: rec.Outcome.String(), Reason: some(rec.Reason), Finish: some(rec.Finish),
		Status: some(link.Status), HTTP: some(link.HTTP), Connection: connectionDocument{nil, spanMS(link.DNS), spanMS(link.Connect), spanMS(link.TLS)},
		TTFBMS: since(rec.FirstByte), TTFTMS: since(rec.FirstOutput), TTFOMS: since(rec.FirstText), TTFVMS: since(rec.FirstSeen),
		LastMS: since(rec.LastOutput), E2EMS: since(rec.End),
		PromptTokens: stated(rec.PromptTokens), CachedTokens: stated(rec.CachedTokens), OutputTokens: stated(rec.OutputTokens),
		TokenSource: rec.TokenSource, Chunks: rec.Chunks,
		Server: serverDocument{
			spanMS(rec.Server.Queue), spanMS(rec.Server.Load), spanMS(rec.Server.Prefill), spanMS(rec.Server.Decode), spanMS(rec.Server.Total),
		},
		RetryAfterMS: spanMS(link.RetryAfter), Headers: r.Headers, Events: documentEvents(r), LeftOut: max(0, len(r.Events)-mostEvents),
	}
	if rec.Sent != pipeline.Unknown {
		d.Connection.Reused = &link.Reused
	}
	d.TPOTMS = spanMS(tpot(r))
	if r.Reply != nil && r.Reply.Usage != nil {
		d.ReasoningTokens = stated(r.Reply.Usage.Reasoning)
	}
	return d
}

// tpot returns the time per output token; Unknown where nobody can tell it, as of an answer
// that came in one read.
func tpot(r *seen.Request) time.Duration {
	if r.Reply == nil || r.Record.FirstOutput == r.Record.LastOutput {
		return pipeline.Unknown
	}
	return r.Reply.TPOT()
}

func documentEvents(r *seen.Request) []eventDocument {
	events := []eventDocument{}
	for i, e := range r.Events[:min(len(r.Events), mostEvents)] {
		d := eventDocument{AtMS: milliseconds(r.Since(e.At)), Kind: e.Kind, Bytes: e.Bytes, Text: e.Text}
		if i > 0 {
			gap := milliseconds(e.At - r.Events[i-1].At)
			d.GapMS = &gap
		}
		events = append(events, d)
	}
	return events
}

// some returns a value that is nil where it says nothing.
func some[T comparable](v T) *T {
	var nothing T
	if v == nothing {
		return nil
	}
	return &v
}

// stated returns a count that is nil where nobody stated it.
func stated(n int) *int {
	if n == pipeline.UnknownCount {
		return nil
	}
	return &n
}

// spanMS returns a span in ms that is nil where it is not known.
func spanMS(d time.Duration) *float64 {
	if d == pipeline.Unknown {
		return nil
	}
	v := milliseconds(d)
	return &v
}
