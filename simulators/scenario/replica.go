package scenario

import (
	"fmt"
	"strings"
	"time"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/roofline"
)

// Engine is a model of the catalogue on accelerators of the catalogue. Where it says
// so, a zero field means as the software has it.
type Engine struct {
	Model, Hardware string
	Software        string // the family of engines
	GPUs            int
	Split           string // "tensor" or "layer"; "": as the software has it
	Stages          int
	Weights         string // a format, or native for the one the model was published in
	KVCache         string
	KVTokens        int      // 0: what fills the memory
	Profile         *Profile // nil: the built-in constants

	MaxSequences int    // 0: as the software has it, as are those below
	Slots        int    // of software with slots
	TokenBudget  int    //
	Chunked      *bool  //
	PrefixCache  *bool  //
	OnFull       string //
	PrefixTTL    time.Duration
	SwapRate     float64 // GB a second of each accelerator, with OnFull "swap"
	SpillRate    float64 // GB a second, with OnFull "spill"
	Speculation  *Speculation

	ColdStart  ColdStart     // how long it takes to load the model; zero: it is there always
	WarmUp     time.Duration // with a ColdStart: how much longer the first request after a load takes
	Loaded     bool          // with a ColdStart: a run begins with it
	IdleUnload time.Duration // with a ColdStart: when an idle model is unloaded; 0: never

	Replicas    int // copies of all this
	Failures    []Failure
	Router      string // of several replicas, and of one that fails: the policy
	Retries     int
	HealthDelay time.Duration // until the router knows
	SlowStart   time.Duration

	Rows *catalog.Catalog // that the names are from; nil: the built-in ones
}

// ColdStart says how long it takes to load a model: a time, or with Auto what the
// engine takes for its weights.
type ColdStart struct {
	Auto bool
	Time time.Duration
}

// Speculation is speculative decoding.
type Speculation struct {
	Draft      string // a model, "ngram", "eagle" or "mtp"
	Tokens     int    // drafted at a time
	Acceptance float64
}

// Failure is the death of a replica.
type Failure struct {
	Replica int           // from 0
	At      time.Duration // since the run began
	For     time.Duration // until it is started again; it then loads
}

const (
	draftNGram = "ngram"
	draftEagle = "eagle"
	draftMTP   = "mtp"
)

var draftWords = []string{draftNGram, draftEagle, draftMTP}

// assumedAcceptance returns the acceptance of a drafter where the file states none.
func assumedAcceptance(draft string) float64 {
	switch draft {
	case draftNGram:
		return engine.LookupAcceptance
	case draftEagle, draftMTP:
		return engine.HeadAcceptance
	default:
		return engine.ModelAcceptance
	}
}

// catalog returns the catalogue that the names are from.
func (e *Engine) catalog() *catalog.Catalog {
	if e.Rows == nil {
		return catalog.Builtin()
	}
	return e.Rows
}

// family returns the habits of the software on this hardware, as far as both are
// known.
func (e *Engine) family() catalog.Engine {
	f, _ := e.catalog().Engine(e.Software)
	h, _ := e.catalog().Hardware(e.Hardware)
	return f.On(h)
}

// Replica returns one replica of the engine. The error says what makes it impossible,
// such as weights that do not fit.
func (e *Engine) Replica() (engine.Replica, error) {
	plan, err := e.plan(e.Model)
	if err != nil {
		return engine.Replica{}, err
	}
	r := engine.Replica{
		Plan: plan, MaxSequences: e.MaxSequences, TokenBudget: e.TokenBudget, Slots: e.Slots,
		Chunked: e.Chunked, PrefixCache: e.PrefixCache, PrefixTTL: e.PrefixTTL, OnFull: engine.Policy(e.OnFull),
		OverflowRate: 1e9 * (e.SwapRate + e.SpillRate),
	}
	if e.Speculation != nil {
		if r.Drafting, err = e.drafting(); err != nil {
			return engine.Replica{}, err
		}
	}
	return r, r.Validate()
}

// plan returns what a model takes on the engine's devices, by the profile if there is
// one: its constants are the engine's on that machine, whichever model was measured.
func (e *Engine) plan(model string) (*roofline.Plan, error) {
	d, err := e.deployment(model)
	if err != nil {
		return nil, err
	}
	if p := e.Profile; p != nil {
		if d.Constants, err = p.Constants(d); err != nil {
			return nil, err
		}
	}
	return roofline.New(d)
}

// deployment returns a model on the engine's devices.
func (e *Engine) deployment(model string) (roofline.Deployment, error) {
	d := roofline.Deployment{GPUs: e.GPUs, Stages: e.Stages, Split: e.Split, KVTokens: e.KVTokens}
	var err error
	if d.Model, err = e.catalog().Model(model); err != nil {
		return d, err
	}
	if d.Hardware, err = e.catalog().Hardware(e.Hardware); err != nil {
		return d, err
	}
	if d.Engine, err = e.catalog().Engine(e.Software); err != nil {
		return d, err
	}
	if d.Weights, err = roofline.ParseFormat(e.Weights); err != nil {
		return d, err
	}
	d.Weights = d.Weights.Of(d.Model, d.Engine, d.Hardware)
	d.KV, err = roofline.ParseKVFormat(e.KVCache)
	return d, err
}

// WeightFormat returns the name of the format that the weights have: Weights itself, or
// what native stands for.
func (e *Engine) WeightFormat() string {
	d, err := e.deployment(e.Model)
	if err != nil {
		return e.Weights
	}
	return d.Weights.String()
}

func (e *Engine) drafting() (*engine.Drafting, error) {
	s := e.Speculation
	d := &engine.Drafting{Tokens: s.Tokens, Acceptance: s.Acceptance}
	switch s.Draft {
	case draftNGram:
	case draftEagle, draftMTP:
		d.Head = true
	default:
		var err error
		if d.Model, err = e.plan(s.Draft); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// Unverified names the rows of the catalogue, of those that the engine rests on, that were
// written from memory and await a source.
func (e *Engine) Unverified() (rows []string) {
	d, err := e.deployment(e.Model)
	if err != nil {
		return nil
	}
	add := func(kind, name string, unverified bool) {
		if unverified {
			rows = append(rows, kind+" "+name)
		}
	}
	add("model", d.Model.Name, d.Model.Unverified)
	add("hardware", d.Hardware.Name, d.Hardware.Unverified)
	add("engine", d.Engine.Name, d.Engine.Unverified)
	return rows
}

// String describes the engine in a line: the model, what it runs on, and what a reader
// of its figures would be surprised not to know.
func (e *Engine) String() string {
	f := e.family()
	words := []string{fmt.Sprintf("%s (%s) on %d x %s by %s", e.Model, e.WeightFormat(), max(1, e.GPUs)*max(1, e.Stages), e.Hardware, e.Software)}
	add := func(when bool, format string, args ...any) {
		if when {
			words = append(words, fmt.Sprintf(format, args...))
		}
	}
	add(e.OnFull != "" && e.OnFull != f.OnFull, "policy %s at a full cache", e.OnFull)
	add(e.KVTokens > 0, "a cache of %d tokens", e.KVTokens)
	if s := e.Speculation; s != nil {
		add(true, "%d tokens drafted by %s, %.0f %% accepted", s.Tokens, s.Draft, 100*s.Acceptance)
	}
	e.addStarts(add)
	add(e.Replicas > 1, "%d replicas", e.Replicas)
	add(e.routed(), "router %s", e.Router)
	for _, x := range e.Failures {
		add(true, "replica %d dies at %s for %s", x.Replica, x.At, x.For)
	}
	if e.Profile != nil {
		add(true, "constants of %s", e.Profile.Name)
	}
	return strings.Join(words, ", ")
}

// addStarts describes when the model is brought into memory.
func (e *Engine) addStarts(add func(when bool, format string, args ...any)) {
	if !e.loads() {
		return
	}
	takes := e.ColdStart.Time
	if r, err := e.Replica(); err == nil {
		if c, err := e.cold(r); err == nil {
			takes = c.Load
		}
	}
	add(true, "cold start of %s", takes.Round(time.Millisecond))
	add(e.WarmUp > 0, "warm-up of %s", e.WarmUp)
	add(e.Loaded, "loaded at first")
	add(e.IdleUnload > 0, "unloaded after %s idle", e.IdleUnload)
}
