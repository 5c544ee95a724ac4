package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline/price"
	"halfsecond/pipeline/trace"
)

// Endpoint is a service that a run asked, and what bounded that.
type Endpoint struct {
	Stage       string   `json:"stage"`
	URL         string   `json:"url"`
	Protocol    string   `json:"protocol"`
	Model       string   `json:"model"`
	PerUser     int      `json:"per_user"`
	Cold        bool     `json:"cold"`
	MaxRequests int      `json:"max_requests"`
	MaxTokens   int      `json:"max_tokens"`
	MaxCost     *float64 `json:"max_cost_usd"`
	Limits      *Limits  `json:"limits"`
	Price       *Price   `json:"price"`
}

// Limits are how long each phase of a request could take, and the most bytes of an answer.
type Limits struct {
	Connect   float64 `json:"connect_ms"`
	FirstByte float64 `json:"first_byte_ms"`
	Gap       float64 `json:"gap_ms"`
	Whole     float64 `json:"whole_ms"`
	Bytes     int64   `json:"bytes"`
}

// Price is what a million tokens of a model cost, in US dollars.
type Price struct {
	Input  float64  `json:"input_usd_per_m"`
	Cached *float64 `json:"cached_input_usd_per_m"`
	Output float64  `json:"output_usd_per_m"`
	Model  *string  `json:"model"`
	Source string   `json:"source"`
	Date   *string  `json:"date"`
}

// Cost is what a run cost, in US dollars.
type Cost struct {
	USD       float64 `json:"usd"`
	MostUSD   float64 `json:"most_usd"`
	Requests  int     `json:"requests"`
	Prompt    int     `json:"prompt_tokens"`
	Cached    int     `json:"cached_tokens"`
	Output    int     `json:"output_tokens"`
	Uncounted int     `json:"uncounted"`
	Part      bool    `json:"part"`

	least, most price.Dollars
}

func endpoints(h *trace.Header) (all []Endpoint) {
	for i := range h.Endpoints {
		e := &h.Endpoints[i]
		out := Endpoint{
			Stage: e.Stage, URL: e.URL, Protocol: e.Protocol, Model: e.Model, PerUser: e.PerUser, Cold: e.Cold,
			MaxRequests: e.MaxRequests, MaxTokens: e.MaxTokens, Limits: limits(e.Limits), Price: priceOf(e.Price),
		}
		if e.MaxCost > 0 {
			out.MaxCost = usd(e.MaxCost)
		}
		all = append(all, out)
	}
	return all
}

func limits(l trace.Limits) *Limits {
	if l == (trace.Limits{}) {
		return nil
	}
	ms := func(d time.Duration) float64 { return budgets.Duration.Reported(float64(d)) }
	return &Limits{ms(l.Connect), ms(l.FirstByte), ms(l.Gap), ms(l.Whole), l.Bytes}
}

func priceOf(p price.Price) *Price {
	if !p.Known() {
		return nil
	}
	out := &Price{Input: *usd(p.Input * price.Million), Output: *usd(p.Output * price.Million), Model: text(p.Model), Source: p.Source, Date: text(p.Date)}
	if p.Cached != price.Unpublished {
		out.Cached = usd(p.Cached * price.Million)
	}
	return out
}

func usd(d price.Dollars) *float64 {
	v := d.USD()
	return &v
}

// cost returns what a run cost, nil when that is not known.
func cost(run trace.Run) *Cost {
	c := run.Cost()
	if !c.Known {
		return nil
	}
	t := c.Tally
	return &Cost{
		USD: c.Least.USD(), MostUSD: c.Most.USD(), Requests: t.Requests, Prompt: t.Counted.Prompt, Cached: t.Counted.Cached,
		Output: t.Counted.Output, Uncounted: t.Uncounted, Part: c.Part, least: c.Least, most: c.Most,
	}
}

// words say what the language models of a run cost, each at its price.
func (c *Cost) words(asked []trace.Endpoint) string {
	cached := ""
	if c.Cached > 0 {
		cached = fmt.Sprintf(" (%s of them cached)", count(c.Cached))
	}
	head := "Cost"
	if len(ofSpeech(asked)) > 0 {
		head = "Cost of the language model alone"
	}
	if c.Part {
		head += " of what the file holds, which is not all that was sent"
	}
	words := fmt.Sprintf("%s: %s for %s%s and %s of answers in %s",
		head, c.least, counted(c.Prompt, "token")+" of prompts", cached, count(c.Output), counted(c.Requests, "request"))
	last := price.Price{}
	for i := range asked {
		if p := asked[i].Price; p.Known() && p != last {
			words += fmt.Sprintf("; %s at %s", asked[i].Model, p)
			last = p
		}
	}
	words += "."
	switch {
	case c.Uncounted > 0 && c.most > c.least:
		words += fmt.Sprintf(" Of %s nobody counted all tokens: up to %s more.", counted(c.Uncounted, "request"), c.most-c.least)
	case c.Uncounted > 0:
		words += fmt.Sprintf(" Of %s nobody counted all tokens, which cost more.", counted(c.Uncounted, "request"))
	}
	return words
}

// ofSpeech returns the speech services among those that were asked.
func ofSpeech(asked []trace.Endpoint) (services []trace.Endpoint) {
	for _, e := range asked {
		if e.Stage != "" && e.Stage != "llm" {
			services = append(services, e)
		}
	}
	return services
}

// unpricedSpeech says that what speech services cost is in no sum; it is empty where none was
// asked.
func unpricedSpeech(asked []trace.Endpoint) string {
	var names []string
	for _, e := range ofSpeech(asked) {
		names = append(names, fmt.Sprintf("%s of %s", cmp.Or(e.Model, "a bot"), e.Stage))
	}
	if names == nil {
		return ""
	}
	return fmt.Sprintf("Not counted is what %s cost: speech is paid for by the minute that is heard, the character that is spoken or the token of audio. 'halfsecond run --check' says about how much that is, where a list price is known.", strings.Join(names, " and "))
}

// guard says which endpoints a run asked, what bounded that, and what it cost.
func (r *Report) guard() section {
	asked := r.analysis.Run.Header.Endpoints
	s := section{title: "The endpoint"}
	for i := range asked {
		s.notes = append(s.notes, placeWords(&asked[i]), boundWords(&asked[i]))
	}
	s.notes = append(s.notes, languageServerWords(r.analysis.Run.Footer.LanguageServer)...)
	if words := askedWith(r.analysis.Run.Traces); words != "" {
		s.notes = append(s.notes, words)
	}
	if r.Cost != nil {
		s.notes = append(s.notes, r.Cost.words(asked))
	}
	if words := unpricedSpeech(asked); words != "" {
		s.notes = append(s.notes, words)
	}
	s.notes = append(s.notes, overCaps(r.analysis.Run)...)
	return s
}

// overCaps say by how much a run went over its caps. What is under way when a cap is met
// may take more than it stood for.
func overCaps(run trace.Run) (notes []string) {
	all := run.Header.Endpoints
	i := slices.IndexFunc(all, func(e trace.Endpoint) bool { return e.MaxTokens > 0 || e.MaxCost > 0 })
	if i < 0 {
		return nil
	}
	cost, caps := run.Cost(), &all[i] // which are those of all endpoints together
	say := func(over string) {
		notes = append(notes, fmt.Sprintf("%s over the cap: requests that were under way took more than what they stood for.", over))
	}
	if n := cost.Tally.Tokens().All() - caps.MaxTokens; caps.MaxTokens > 0 && n > 0 {
		say(counted(n, "token"))
	}
	if caps.MaxCost > 0 && cost.Known && cost.Most > caps.MaxCost {
		say((cost.Most - caps.MaxCost).String())
	}
	return notes
}

func placeWords(e *trace.Endpoint) string {
	how := "a connection is kept for the next request, and one that takes text as it comes is opened before there is any"
	hears := e.Stage == "stt" || e.Stage == "speech_to_speech"
	switch {
	case e.Protocol == trace.LanguageServerProtocol:
		return fmt.Sprintf("llm: %s, a language server (%s); it is asked for one completion at the cursor (textDocument/inlineCompletion).", cmp.Or(e.Model, "a program"), e.URL)
	case hears && e.Cold:
		how = "each turn opens a session"
	case hears:
		how = "a session lasts for a turn, or for a call where the scenario says how many turns one has"
	case e.Cold:
		how = "each request opens a connection"
	case e.Stage == "llm":
		how = "a connection is kept for the next request"
	}
	return fmt.Sprintf("%s: %s at %s by %s; %s.", e.Stage, cmp.Or(e.Model, "a bot"), e.URL, e.Protocol, how)
}

// boundWords say which caps and limits there were.
func boundWords(e *trace.Endpoint) string {
	caps := []string{}
	if e.MaxRequests > 0 {
		caps = append(caps, counted(e.MaxRequests, "request"))
	}
	if e.MaxTokens > 0 {
		caps = append(caps, counted(e.MaxTokens, "token"))
	}
	if e.MaxCost > 0 {
		caps = append(caps, e.MaxCost.String())
	}
	words := "Caps: none"
	if len(caps) > 0 {
		words = "Caps: " + strings.Join(caps, ", ")
	}
	if e.PerUser > 0 {
		words += fmt.Sprintf("; of each user %s in flight", counted(e.PerUser, "request"))
	}
	if l := e.Limits; l != (trace.Limits{}) {
		words += fmt.Sprintf(". Limits: %s for a connection, %s to the first byte, %s between reads, %s for all of it, %s bytes of an answer",
			l.Connect, l.FirstByte, l.Gap, l.Whole, budgets.Number(float64(l.Bytes), 0))
	}
	return words + "."
}
