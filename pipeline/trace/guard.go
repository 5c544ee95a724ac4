package trace

import (
	"time"

	"halfsecond/pipeline/price"
)

// Limits are how long a run waited for each phase of a request at most, and the most
// bytes of a reply that it read. The zero Limits is that of a file without.
type Limits struct {
	Connect, FirstByte, Gap, Whole time.Duration
	Bytes                          int64
}

type wirePlace struct {
	Stage       string      `json:"stage"`
	URL         string      `json:"url"`
	Protocol    string      `json:"protocol"`
	Model       string      `json:"model"`
	MaxRequests int         `json:"max_requests"`
	MaxTokens   int         `json:"max_tokens"`
	MaxCost     wireDollars `json:"max_cost_usd,omitempty"`
	PerUser     int         `json:"per_user"`
	Cold        bool        `json:"cold,omitempty"`
	IgnoreEOS   bool        `json:"ignore_eos,omitempty"`
	Voice       string      `json:"voice,omitempty"`
	Language    string      `json:"language,omitempty"`
	Recordings  string      `json:"recordings,omitempty"`
	Limits      *wireLimits `json:"limits,omitempty"`
	Price       *wirePrice  `json:"price,omitempty"`
}

type wireLimits struct {
	Connect   int64 `json:"connect_ns"`
	FirstByte int64 `json:"first_byte_ns"`
	Gap       int64 `json:"gap_ns"`
	Whole     int64 `json:"whole_ns"`
	Bytes     int64 `json:"bytes"`
}

type wirePrice struct {
	Input  wirePerMillion  `json:"input_usd_per_m"`
	Cached *wirePerMillion `json:"cached_input_usd_per_m"`
	Output wirePerMillion  `json:"output_usd_per_m"`
	Model  string          `json:"model,omitempty"`
	Source string          `json:"source"`
	Date   string          `json:"date,omitempty"`
}

func placeToWire(e Endpoint) wirePlace {
	w := wirePlace{
		Stage: e.Stage, URL: e.URL, Protocol: e.Protocol, Model: e.Model, MaxRequests: e.MaxRequests, MaxTokens: e.MaxTokens,
		MaxCost: wireDollars(e.MaxCost), PerUser: e.PerUser, Cold: e.Cold, IgnoreEOS: e.IgnoreEOS,
		Voice: e.Voice, Language: e.Language, Recordings: e.Recordings,
	}
	if l := e.Limits; l != (Limits{}) {
		w.Limits = &wireLimits{int64(l.Connect), int64(l.FirstByte), int64(l.Gap), int64(l.Whole), l.Bytes}
	}
	if p := e.Price; p.Known() {
		w.Price = &wirePrice{Input: wirePerMillion(p.Input), Output: wirePerMillion(p.Output), Model: p.Model, Source: p.Source, Date: p.Date}
		if p.Cached != price.Unpublished {
			w.Price.Cached = (*wirePerMillion)(&p.Cached)
		}
	}
	return w
}

func (w *wirePlace) endpoint() Endpoint {
	e := Endpoint{
		Stage: w.Stage, URL: w.URL, Protocol: w.Protocol, Model: w.Model, MaxRequests: w.MaxRequests, MaxTokens: w.MaxTokens,
		MaxCost: price.Dollars(w.MaxCost), PerUser: w.PerUser, Cold: w.Cold, IgnoreEOS: w.IgnoreEOS,
		Voice: w.Voice, Language: w.Language, Recordings: w.Recordings,
	}
	if l := w.Limits; l != nil {
		e.Limits = Limits{time.Duration(l.Connect), time.Duration(l.FirstByte), time.Duration(l.Gap), time.Duration(l.Whole), l.Bytes}
	}
	if p := w.Price; p != nil {
		e.Price = price.Price{
			Input: price.Dollars(p.Input), Cached: price.Unpublished, Output: price.Dollars(p.Output),
			Model: p.Model, Source: p.Source, Date: p.Date,
		}
		if p.Cached != nil {
			e.Price.Cached = price.Dollars(*p.Cached)
		}
	}
	return e
}

// wireDollars is a sum of money as a number of US dollars.
type wireDollars price.Dollars

func (d wireDollars) MarshalJSON() ([]byte, error) { return []byte(price.Dollars(d).Exact()), nil }

func (d *wireDollars) UnmarshalJSON(b []byte) error {
	v, err := price.Parse(string(b))
	*d = wireDollars(v)
	return err
}

// wirePerMillion is the price of a token as that of a million in US dollars.
type wirePerMillion price.Dollars

func (d wirePerMillion) MarshalJSON() ([]byte, error) {
	return []byte((price.Dollars(d) * price.Million).Exact()), nil
}

func (d *wirePerMillion) UnmarshalJSON(b []byte) error {
	v, err := price.PerMillion(string(b))
	*d = wirePerMillion(v)
	return err
}

// wireUsed is what was used of a model at an endpoint.
type wireUsed struct {
	Model     string     `json:"model"`
	Requests  int        `json:"requests"`
	Counted   wireTokens `json:"counted"`
	Uncounted int        `json:"uncounted"`
	Assumed   wireTokens `json:"assumed"`
}

type wireTokens struct {
	Prompt int `json:"prompt_tokens"`
	Cached int `json:"cached_tokens"`
	Output int `json:"output_tokens"`
}

func usedToWire(used []Used) (out []wireUsed) {
	for _, u := range used {
		t := u.Tally
		out = append(out, wireUsed{u.Model, t.Requests, wireTokens(t.Counted), t.Uncounted, wireTokens(t.Assumed)})
	}
	return out
}

func usedOf(used []wireUsed) (out []Used) {
	for _, w := range used {
		t := price.Tally{Requests: w.Requests, Counted: price.Tokens(w.Counted), Uncounted: w.Uncounted, Assumed: price.Tokens(w.Assumed)}
		out = append(out, Used{w.Model, t})
	}
	return out
}
