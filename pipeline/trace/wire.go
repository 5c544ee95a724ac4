package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"halfsecond/pipeline"
)

// nanos is a duration that is null when unknown or missing. The zero nanos is
// unknown.
type nanos struct {
	d     time.Duration
	known bool
}

func toNanos(d time.Duration) nanos { return nanos{d, d != pipeline.Unknown} }

func (n nanos) duration() time.Duration {
	if !n.known {
		return pipeline.Unknown
	}
	return n.d
}

func (n nanos) MarshalJSON() ([]byte, error) { return appendNanos(nil, n.duration()), nil }

func (n *nanos) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*n = nanos{}
		return nil
	}
	v, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil || time.Duration(v) == pipeline.Unknown {
		return fmt.Errorf("%s is not a whole number of nanoseconds", b)
	}
	*n = nanos{time.Duration(v), true}
	return nil
}

// count is a number of tokens that is null when unknown or missing.
type count struct {
	n     int
	known bool
}

func (c count) value() int {
	if !c.known {
		return pipeline.UnknownCount
	}
	return c.n
}

func (c count) MarshalJSON() ([]byte, error) { return appendCount(nil, c.value()), nil }

func (c *count) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*c = count{}
		return nil
	}
	n, err := strconv.Atoi(string(b))
	if err != nil || n < 0 {
		return fmt.Errorf("%s is not a count", b)
	}
	*c = count{n, true}
	return nil
}

// outcome is an outcome by name. The zero outcome is a missing one.
type outcome struct {
	o     pipeline.Outcome
	known bool
}

func (o *outcome) UnmarshalJSON(b []byte) error {
	var name string
	if err := json.Unmarshal(b, &name); err != nil {
		return err
	}
	parsed, err := pipeline.ParseOutcome(name)
	*o = outcome{parsed, true}
	return err
}

func (o outcome) MarshalJSON() ([]byte, error) { return json.Marshal(o.o.String()) }

type wireHeader struct {
	Trace        int           `json:"halfsecond_trace"`
	Scenario     string        `json:"scenario"`
	Kind         string        `json:"kind"`
	ScenarioHash string        `json:"scenario_hash"`
	Target       string        `json:"target"`
	Seed         uint64        `json:"seed"`
	N            int           `json:"n"`
	WarmUp       int           `json:"warm_up,omitempty"`
	Version      string        `json:"version"`
	Budgets      []string      `json:"budgets,omitempty"`
	Stages       []wireStage   `json:"stages,omitempty"`
	Endpoints    []wirePlace   `json:"endpoints,omitempty"`
	TextsHashed  bool          `json:"texts_hashed,omitempty"`
	Load         *wireLoad     `json:"load,omitempty"`
	SelfTest     *wireSelfTest `json:"self_test,omitempty"`
	ScenarioText string        `json:"scenario_text"`
	LeastVisible int64         `json:"least_visible_ns,omitempty"`
	Hold         int64         `json:"hold_ns,omitempty"`
	Quality      *wireQuality  `json:"quality,omitempty"`
}

type wireQuality struct {
	Language string `json:"language"`
	Checker  string `json:"checker"`
	Repair   int64  `json:"repair_ns"`
	Assumed  bool   `json:"repair_assumed,omitempty"`
}

func (w *wireQuality) quality() Quality {
	if w == nil {
		return Quality{}
	}
	return Quality{w.Language, w.Checker, time.Duration(w.Repair), w.Assumed}
}

func qualityToWire(q Quality) *wireQuality {
	if q == (Quality{}) {
		return nil
	}
	return &wireQuality{q.Language, q.Checker, int64(q.Repair), q.Assumed}
}

type wireStage struct {
	Name      string `json:"name"`
	Simulated bool   `json:"simulated"`
	Component string `json:"component,omitempty"`
	NoSpread  bool   `json:"no_spread,omitempty"`
	Engine    string `json:"engine,omitempty"`
}

func headerToWire(h Header) wireHeader {
	w := wireHeader{
		Trace: Version, Scenario: h.Scenario, Kind: h.Kind, ScenarioHash: h.ScenarioHash, Target: h.Target,
		Seed: h.Seed, N: h.N, WarmUp: h.WarmUp, Version: h.Version, Budgets: h.Budgets, TextsHashed: h.TextsHashed, Load: loadToWire(h.Load), SelfTest: selfTestToWire(h.SelfTest), ScenarioText: h.ScenarioText, LeastVisible: int64(h.LeastVisible), Hold: int64(h.Hold), Quality: qualityToWire(h.Quality),
	}
	for _, s := range h.Stages {
		w.Stages = append(w.Stages, wireStage(s))
	}
	for _, e := range h.Endpoints {
		w.Endpoints = append(w.Endpoints, placeToWire(e))
	}
	return w
}

func (w wireHeader) header() Header {
	h := Header{
		Scenario: w.Scenario, Kind: w.Kind, ScenarioHash: w.ScenarioHash, Target: w.Target,
		Seed: w.Seed, N: w.N, WarmUp: w.WarmUp, Version: w.Version, Budgets: w.Budgets, TextsHashed: w.TextsHashed, Load: w.Load.load(), SelfTest: w.SelfTest.selfTest(), ScenarioText: w.ScenarioText, LeastVisible: time.Duration(w.LeastVisible), Hold: time.Duration(w.Hold), Quality: w.Quality.quality(),
	}
	for _, s := range w.Stages {
		h.Stages = append(h.Stages, Stage(s))
	}
	for i := range w.Endpoints {
		h.Endpoints = append(h.Endpoints, w.Endpoints[i].endpoint())
	}
	return h
}

type wireFooter struct {
	End      bool         `json:"end"`
	N        int          `json:"n"`
	Lateness wireLateness `json:"lateness"`
	Finished bool         `json:"finished"`
	Reason   string       `json:"reason,omitempty"`
	Cut      bool         `json:"cut,omitempty"`

	Background *wireBackground `json:"background,omitempty"`
	Engines    []wireEngine    `json:"engines,omitempty"`
	Prompts    *wirePrompts    `json:"prompts,omitempty"`
	Counters   []wireCounters  `json:"counters,omitempty"`
	Effort     *wireEffort     `json:"effort,omitempty"`
	Used       []wireUsed      `json:"used,omitempty"`

	LanguageServer *LanguageServer `json:"language_server,omitempty"`
}

type wireEngine struct {
	Model       string `json:"model,omitempty"`
	Variant     string `json:"variant,omitempty"`
	Prompt      int    `json:"prompt_tokens,omitempty"`
	Blocks      int    `json:"blocks"`
	Peak        int    `json:"peak"`
	Held        int    `json:"held"`
	Steps       int    `json:"steps"`
	Full        int    `json:"full"`
	Preemptions int    `json:"preemptions"`
	TokensMoved int    `json:"tokens_moved"`
}

type wireBackground struct {
	Requests int `json:"requests"`
	OK       int `json:"ok"`
}

type wireLateness struct {
	N   int   `json:"n"`
	P50 nanos `json:"p50_ns"`
	P99 nanos `json:"p99_ns"`
	Max nanos `json:"max_ns"`
}

func footerToWire(f Footer) wireFooter {
	w := wireFooter{
		End: true, N: f.N, Finished: f.Finished, Reason: f.Reason, Cut: f.Cut, Prompts: promptsToWire(f.Prompts), Counters: countersToWire(f.Counters), Effort: effortToWire(f.Effort), Used: usedToWire(f.Used),
		Lateness: latenessToWire(f.Lateness), LanguageServer: f.LanguageServer,
	}
	if f.Background != (Background{}) {
		b := wireBackground(f.Background)
		w.Background = &b
	}
	for _, e := range f.Engines {
		w.Engines = append(w.Engines, wireEngine(e))
	}
	return w
}

func (w wireFooter) footer() Footer {
	f := Footer{
		N: w.N, Finished: w.Finished, Reason: w.Reason, Cut: w.Cut, Prompts: w.Prompts.prompts(), Counters: countersOf(w.Counters), Effort: w.Effort.effort(), Used: usedOf(w.Used),
		Lateness: w.Lateness.lateness(), LanguageServer: w.LanguageServer,
	}
	if w.Background != nil {
		f.Background = Background(*w.Background)
	}
	for _, e := range w.Engines {
		f.Engines = append(f.Engines, Engine(e))
	}
	return f
}

type wireTrace struct {
	Kind     string          `json:"kind"`
	Session  int             `json:"session"`
	Index    int             `json:"index"`
	Due      nanos           `json:"due_ns"`
	End      nanos           `json:"end_ns"`
	Late     nanos           `json:"late_ns"`
	Outcome  outcome         `json:"outcome"`
	Reason   string          `json:"reason"`
	Spans    []wireSpan      `json:"spans"`
	Marks    []wireMark      `json:"marks"`
	Requests []wireRequest   `json:"requests"`
	Hearings []wireHearing   `json:"hearings"`
	Sayings  []wireSaying    `json:"sayings"`
	Answers  []wireAnswer    `json:"answers"`
	Uses     []pipeline.Use  `json:"uses"`  // its fields are called the same, but for case
	Facts    []pipeline.Fact `json:"facts"` // as above
}

type wireSpan struct {
	Name      string            `json:"name"`
	Start     nanos             `json:"start_ns"`
	End       nanos             `json:"end_ns"`
	After     []pipeline.SpanID `json:"after"`
	Simulated bool              `json:"simulated"`
}

type wireMark struct {
	Name string `json:"name"`
	At   nanos  `json:"at_ns"`
}

type wireRequest struct {
	ID             int64         `json:"id"`
	Due            nanos         `json:"due_ns"`
	Sent           nanos         `json:"sent_ns"`
	Scheduled      nanos         `json:"scheduled_ns"`
	Loading        nanos         `json:"loading_ns"`
	FirstByte      nanos         `json:"first_byte_ns"`
	FirstOutput    nanos         `json:"first_output_ns"`
	FirstText      nanos         `json:"first_text_ns"`
	FirstSeen      nanos         `json:"first_seen_ns"`
	LastOutput     nanos         `json:"last_output_ns"`
	End            nanos         `json:"end_ns"`
	Closed         nanos         `json:"closed_ns"`
	AtClose        wireWork      `json:"at_close"`
	AtEnd          wireWork      `json:"at_end"`
	Outcome        outcome       `json:"outcome"`
	Reason         string        `json:"reason"`
	Finish         string        `json:"finish"`
	PromptTokens   count         `json:"prompt_tokens"`
	PromptEstimate int           `json:"prompt_estimate"`
	CachedTokens   count         `json:"cached_tokens"`
	OutputTokens   count         `json:"output_tokens"`
	LimitTokens    int           `json:"limit_tokens"`
	TokenSource    string        `json:"token_source"`
	Impossible     string        `json:"impossible"`
	Chunks         int           `json:"chunks"`
	Empty          bool          `json:"empty"`
	Unread         int           `json:"unread"`
	Choices        int           `json:"choices"`
	Together       int           `json:"together"`
	Opening        wireOpening   `json:"opening"`
	Gaps           wireGaps      `json:"gaps"`
	LongestGap     nanos         `json:"longest_gap_ns"`
	Simulated      bool          `json:"simulated"`
	Server         wireServer    `json:"server"`
	Transport      wireTransport `json:"transport"`
	Way            wireWay       `json:"way"`
}

type wireWork struct {
	Prompt count `json:"prompt_tokens"`
	Output count `json:"output_tokens"`
}

func (w wireWork) work() pipeline.Work {
	return pipeline.Work{Prompt: w.Prompt.value(), Output: w.Output.value()}
}

type wireWay struct {
	Out  int64 `json:"out_ns"`
	Back int64 `json:"back_ns"`
}

type wireServer struct {
	Queue   nanos `json:"queue_ns"`
	Load    nanos `json:"load_ns"`
	Prefill nanos `json:"prefill_ns"`
	Decode  nanos `json:"decode_ns"`
	Total   nanos `json:"total_ns"`
}

type wireTransport struct {
	Status     int    `json:"status"`
	HTTP       string `json:"http"`
	Encoding   string `json:"encoding"`
	Reused     bool   `json:"reused"`
	DNS        nanos  `json:"dns_ns"`
	Connect    nanos  `json:"connect_ns"`
	TLS        nanos  `json:"tls_ns"`
	RetryAfter nanos  `json:"retry_after_ns"`
	Burst      bool   `json:"burst"`

	Headers []pipeline.Fact `json:"headers"`
}

// check reports what is wrong with a span, given its place in the list.
func (s *wireSpan) check(id int) error {
	if !s.Start.known {
		return errors.New("start_ns is missing")
	}
	for _, a := range s.After {
		if a < 0 || int(a) >= id {
			return fmt.Errorf("it waits for span %d, which does not come before it", a)
		}
	}
	return nil
}

// trace checks what the rest of the program relies on: known due and start
// instants, and spans that wait only for earlier spans.
func (w *wireTrace) trace() (pipeline.Trace, error) {
	t := pipeline.Trace{
		Kind: w.Kind, Session: w.Session, Index: w.Index,
		Due: w.Due.duration(), End: w.End.duration(), Late: w.Late.duration(),
		Outcome: w.Outcome.o, Reason: w.Reason, Uses: w.Uses, Facts: w.Facts,
	}
	switch {
	case !w.Due.known:
		return t, errors.New("due_ns is missing")
	case !w.Outcome.known:
		return t, errors.New("outcome is missing")
	}
	for i, s := range w.Spans {
		if err := s.check(i); err != nil {
			return t, fmt.Errorf("span %d (%s): %w", i, s.Name, err)
		}
		t.Spans = append(t.Spans, pipeline.Span{
			Name: s.Name, Start: s.Start.duration(), End: s.End.duration(), After: s.After, Simulated: s.Simulated,
		})
	}
	for _, m := range w.Marks {
		t.Marks = append(t.Marks, pipeline.Mark{Name: m.Name, At: m.At.duration()})
	}
	for i := range w.Requests {
		if !w.Requests[i].Outcome.known {
			return t, fmt.Errorf("request %d: outcome is missing", w.Requests[i].ID)
		}
		t.Requests = append(t.Requests, w.Requests[i].request())
	}
	err := w.spoken(&t)
	return t, err
}

func (w *wireRequest) request() pipeline.Request {
	return pipeline.Request{
		ID: w.ID, Due: w.Due.duration(), Sent: w.Sent.duration(), Scheduled: w.Scheduled.duration(), Loading: w.Loading.duration(),
		FirstByte: w.FirstByte.duration(), FirstOutput: w.FirstOutput.duration(), FirstText: w.FirstText.duration(),
		FirstSeen: w.FirstSeen.duration(), LastOutput: w.LastOutput.duration(), End: w.End.duration(),
		Closed: w.Closed.duration(), AtClose: w.AtClose.work(), AtEnd: w.AtEnd.work(),
		Outcome: w.Outcome.o, Reason: w.Reason, Finish: w.Finish,
		PromptTokens: w.PromptTokens.value(), CachedTokens: w.CachedTokens.value(), OutputTokens: w.OutputTokens.value(),
		PromptEstimate: w.PromptEstimate, LimitTokens: w.LimitTokens, TokenSource: w.TokenSource, Impossible: w.Impossible, Chunks: w.Chunks, Empty: w.Empty, Unread: w.Unread, Choices: w.Choices, Together: w.Together, Opening: pipeline.Opening(w.Opening), Gaps: pipeline.Gaps(w.Gaps), LongestGap: w.LongestGap.duration(), Simulated: w.Simulated,
		Server: pipeline.ServerTime{
			Queue: w.Server.Queue.duration(), Load: w.Server.Load.duration(), Prefill: w.Server.Prefill.duration(),
			Decode: w.Server.Decode.duration(), Total: w.Server.Total.duration(),
		},
		Transport: w.Transport.transport(),
		Way:       pipeline.Way{Out: time.Duration(w.Way.Out), Back: time.Duration(w.Way.Back)},
	}
}

func (w *wireTransport) transport() pipeline.Transport {
	return pipeline.Transport{
		Status: w.Status, HTTP: w.HTTP, Encoding: w.Encoding,
		Reused: w.Reused, DNS: w.DNS.duration(), Connect: w.Connect.duration(), TLS: w.TLS.duration(),
		RetryAfter: w.RetryAfter.duration(), Burst: w.Burst,
		Headers: w.Headers,
	}
}

func toTransport(t *pipeline.Transport) wireTransport {
	return wireTransport{
		Status: t.Status, HTTP: t.HTTP, Encoding: t.Encoding,
		Reused: t.Reused, DNS: toNanos(t.DNS), Connect: toNanos(t.Connect), TLS: toNanos(t.TLS),
		RetryAfter: toNanos(t.RetryAfter), Burst: t.Burst,
		Headers: t.Headers,
	}
}
