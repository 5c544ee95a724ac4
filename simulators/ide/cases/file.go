// Package cases runs ghost-text cases that are written down: what a person types, how the
// plugin and the server behave, and the figures that follow.
//
// Read file.go for the form of a file, typist.go for what happens in an editor and script.go
// for how it is typed there, run.go for how a case is run, and figures.go, counts.go and
// screen.go for what is told of it.
package cases

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"halfsecond/mockllm/given"
)

// File is a file of cases.
type File struct {
	Format  string `json:"format"` // "ide-cases"
	Version int    `json:"version"`
	Cases   []Case `json:"cases"`
}

// Case is one thing that happens, and variants of it.
type Case struct {
	ID       string
	Title    string
	Variants []Variant

	settings map[string]json.RawMessage // all else, by its key
}

// Variant is a case with some of its values replaced, and the figures to expect.
type Variant struct {
	Name   string                     `json:"name"`
	Set    map[string]json.RawMessage `json:"set"` // values by their paths, such as plugin.cancel
	Expect map[string]Expected        `json:"expect"`
}

// Expected is a figure.
type Expected struct {
	Value     any     `json:"value"` // a number, a text, true or false, null, or a list
	Unit      string  `json:"unit"`
	Tolerance float64 `json:"tolerance"` // on the virtual clock
	Or        []any   `json:"or"`        // other right answers
}

// Setup is all that a variant is run with. Times are in milliseconds.
type Setup struct {
	ID       string          `json:"id"`
	Title    string          `json:"title"`
	Assumed  json.RawMessage `json:"assumed"`
	Document Document        `json:"document"`
	Keys     []Keys          `json:"keys"`
	Requests []Asked         `json:"requests"`
	Others   []Other         `json:"other_requests"`
	Plugin   Plugin          `json:"plugin"`
	Server   given.Server    `json:"server"`
	Network  Network         `json:"network"`
	Until    *float64        `json:"until_ms"`
	Budget   *float64        `json:"budget_ms"`
	folder   func(path string) ([]byte, error)
}

// Document is what is edited.
type Document struct {
	Before  string  `json:"before"`
	After   string  `json:"after"`
	Version int     `json:"version"`
	Truth   *string `json:"truth"` // the line as it will be
	Ghost   string  `json:"ghost"` // visible at 0
	KB      float64 `json:"file_kb"`
}

// Keys is one step, or several that are alike.
type Keys struct {
	At        float64 `json:"t_ms"`
	Gap       float64 `json:"gap_ms"`
	Count     int     `json:"count"` // characters of no importance
	Type      string  `json:"type"`
	Backspace int     `json:"backspace"`
	Move      int     `json:"move"` // lines
	Accept    bool    `json:"accept"`
	Focus     bool    `json:"focus"`
	Popup     *string `json:"popup"` // the selected entry
	Trace     string  `json:"trace"` // a recording
}

// Asked is requests without a typist: one for each character of Text, or one for the
// document as it stands.
type Asked struct {
	At   float64 `json:"t_ms"`
	Text string  `json:"text"`
}

// Other is a request of somebody else: it holds a slot, or is answered as stated.
type Other struct {
	At     float64  `json:"t_ms"`
	Kind   string   `json:"kind"`
	Hold   float64  `json:"hold_ms"`
	Prompt int      `json:"prompt_tokens"`
	N      int      `json:"n"`
	TPOT   *float64 `json:"tpot_ms"`
}

// Plugin is the plugin's rules.
type Plugin struct {
	Debounce        float64  `json:"debounce_ms"`
	Throttle        float64  `json:"throttle_ms"`
	Trailing        bool     `json:"trailing"`
	Cancel          string   `json:"cancel"`
	KeepMatching    bool     `json:"keep_matching"`
	Rest            string   `json:"rest"`
	EditorToken     bool     `json:"editor_token"`
	Cache           string   `json:"cache"`
	AskAnew         bool     `json:"ask_anew"` // with cache last: about what is typed as suggested as well
	StoreSuperseded bool     `json:"store_superseded"`
	Prompt          *Prompt  `json:"prompt"`
	PreparePerKB    float64  `json:"prepare_ms_per_kb"`
	PrepareKB       *float64 `json:"prepare_kb"`
	OnLimit         string   `json:"on_limit"`
	Speculate       bool     `json:"speculate"`
	SpeculateCancel bool     `json:"speculate_cancel"`
	Accept          string   `json:"accept"`
	MinVisible      float64  `json:"min_visible_ms"`
	WarmUpOnFocus   bool     `json:"warm_up_on_focus"`
	Protocol        string   `json:"protocol"`
}

// Prompt is how the prompt is made of the document.
type Prompt struct {
	Layout string `json:"layout"`
	Prefix int    `json:"prefix_tokens"`
	Suffix int    `json:"suffix_tokens"`
	Window int    `json:"window_tokens"`
	Grid   int    `json:"grid_tokens"`
}

// Network is the way to the server.
type Network struct {
	RTT     float64 `json:"rtt_ms"`
	HTTP    string  `json:"http"`
	TCPRTTs float64 `json:"tcp_rtts"`
	TLSRTTs float64 `json:"tls_rtts"`
	Warm    bool    `json:"warm"`
}

// defaults is what a case has where it says nothing.
func defaults() Setup {
	return Setup{
		Document: Document{Version: 1},
		Plugin:   Plugin{Cancel: "none", Rest: "finish", Cache: "none", OnLimit: "send", SpeculateCancel: true, Accept: "insert", MinVisible: 300, Protocol: "http"},
		Server:   given.Default(),
		Network:  Network{HTTP: "1.1", TCPRTTs: 1, TLSRTTs: 1},
	}
}

// UnmarshalJSON keeps what a case sets for Setup.
func (c *Case) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &c.settings); err != nil {
		return err
	}
	var named struct {
		ID       string
		Title    string
		Variants []Variant
	}
	read := json.NewDecoder(bytes.NewReader(data))
	if err := read.Decode(&named); err != nil {
		return err
	}
	c.ID, c.Title, c.Variants = named.ID, named.Title, named.Variants
	delete(c.settings, "variants")
	if c.ID == "" || len(c.Variants) == 0 {
		return fmt.Errorf("case %q: want an id and variants", c.ID)
	}
	return nil
}

// Read reads a file of cases. Its name stands in errors.
func Read(name string, data []byte) (*File, error) {
	var f File
	read := json.NewDecoder(bytes.NewReader(data))
	read.DisallowUnknownFields()
	if err := read.Decode(&f); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if f.Format != "ide-cases" || f.Version != 1 {
		return nil, fmt.Errorf(`%s: format %q version %d, want "ide-cases" version 1`, name, f.Format, f.Version)
	}
	return &f, nil
}

// Setup returns what a variant is run with. Folder reads the files that it names.
func (c *Case) Setup(v *Variant, folder func(path string) ([]byte, error)) (*Setup, error) {
	all := map[string]json.RawMessage{}
	for key, value := range c.settings {
		all[key] = value
	}
	for path, value := range v.Set {
		if err := set(all, strings.Split(path, "."), value); err != nil {
			return nil, fmt.Errorf("%s, %s: set %s: %w", c.ID, v.Name, path, err)
		}
	}
	whole, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	s := defaults()
	s.folder = folder
	read := json.NewDecoder(bytes.NewReader(whole))
	read.DisallowUnknownFields()
	if err := read.Decode(&s); err != nil {
		return nil, fmt.Errorf("%s, %s: %w", c.ID, v.Name, err)
	}
	if err := errors.Join(s.validate(), s.Server.Validate()); err != nil {
		return nil, fmt.Errorf("%s, %s: %w", c.ID, v.Name, err)
	}
	return &s, nil
}

// set replaces the value at a path.
func set(in map[string]json.RawMessage, path []string, value json.RawMessage) error {
	if len(path) == 1 {
		in[path[0]] = value
		return nil
	}
	inner := map[string]json.RawMessage{}
	if have, ok := in[path[0]]; ok {
		if err := json.Unmarshal(have, &inner); err != nil {
			return err
		}
	}
	if err := set(inner, path[1:], value); err != nil {
		return err
	}
	whole, err := json.Marshal(inner)
	in[path[0]] = whole
	return err
}

// validate reports every word that is none.
func (s *Setup) validate() error {
	p := &s.Plugin
	words := []struct {
		name, value string
		want        []string
	}{
		{"plugin.cancel", p.Cancel, []string{"none", "discard", "wire"}},
		{"plugin.rest", p.Rest, []string{"close", "finish"}},
		{"plugin.cache", p.Cache, []string{"none", "last", "lru"}},
		{"plugin.on_limit", p.OnLimit, []string{"send", "wait"}},
		{"plugin.accept", p.Accept, []string{"insert", "replace_line"}},
		{"plugin.protocol", p.Protocol, []string{"http", "lsp"}},
		{"network.http", s.Network.HTTP, []string{"1.1", "2"}},
	}
	if p.Prompt != nil {
		layouts := []string{"", "prefix_only", "psm", "line_after_middle", "spm", "spm_middle"}
		words = append(words, struct {
			name, value string
			want        []string
		}{"plugin.prompt.layout", p.Prompt.Layout, layouts})
	}
	var errs []error
	if p.AskAnew && p.Cache != "last" {
		errs = append(errs, fmt.Errorf("plugin.ask_anew: has no effect beside cache %s, want last", p.Cache))
	}
	for _, w := range words {
		if !slices.Contains(w.want, w.value) {
			errs = append(errs, fmt.Errorf("%s: %q, want one of %s", w.name, w.value, strings.Join(w.want, ", ")))
		}
	}
	return errors.Join(errs...)
}
