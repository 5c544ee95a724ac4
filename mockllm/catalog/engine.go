package catalog

import (
	_ "embed"
	"math"
	"slices"
	"strings"
	"time"
)

// Engine is a family of serving software and its habits. Its zero fields mean "has
// none" or "no limit".
type Engine struct {
	Name    string
	Aliases []string // other names of the same thing

	// RunsOn holds the vendors and families of hardware that it is made for, none when
	// it runs on all; PortedTo those on which a port of it runs.
	RunsOn, PortedTo []string

	MaxSequences int  // most requests that run at once
	TokenBudget  int  // most tokens computed in one step
	Chunked      bool // a long prompt is cut into what the budget leaves
	PrefillFirst bool // prompts go first and alone, and decodes wait for them
	PlansAhead   bool // a step is planned while the one before it is computed, unless a model or n-grams draft

	// On devices of at least LargeMemory bytes the two limits are these, where they
	// are not 0. LargeExcept begins the names of devices that do not count as large.
	LargeMemory       int64
	LargeExcept       string
	LargeMaxSequences int
	LargeTokenBudget  int

	PrefixCache bool // blocks of earlier prompts are kept and found again, unless switched off
	PrefixBlock int  // tokens of one block of the cache
	SlotCache   bool // a slot keeps the tokens of its own last request only

	OnFull string // what gives when the cache is full: one of OnFullPolicies
	// Slots is how many requests an engine of slots serves at once; 0 for a paged cache.
	// Each slot has a fixed part of the cache and a step computes a micro-batch, so the
	// limits and orders above mean nothing to it and are zero.
	Slots int

	MicroBatch     int  // most tokens that are computed at a time; 0 for all of a step
	FlashAttention bool // attention never writes its scores to memory
	// Kernels names the code that multiplies, one of KernelNames: engines with the same
	// share the constants that were fitted to measurements.
	Kernels         string
	AllLogits       bool   // the output head is computed for every token of a prompt
	FirstTokenSteps int    // decode steps that pass before the first token is handed out
	Split           string // how several devices share a model: SplitTensor or SplitLayer

	RequestFixed  time.Duration // from the arrival of a request to its place in the queue
	TokenizeToken time.Duration // the same, for each token of the prompt
	DraftPass     time.Duration // of a pass of a drafting head, beside its computing and what every step costs

	StartTime  time.Duration // to start, beside reading the weights; 0 when not known
	LoadRate   float64       // bytes of weights a second that a process takes from the page cache to its device; 0 when not known
	IdleUnload time.Duration // after which an idle model leaves the memory; 0 for never

	Source     string // where the habits were read
	Note       string // caveats
	Unverified bool   // some of them were written from memory and await a source
	Own        bool   // it is a row of a user's file
}

// How several devices can share one model.
const (
	SplitTensor = "tensor" // every device has a part of every layer
	SplitLayer  = "layer"  // every device has some of the layers
)

// What an engine can do when a running request finds the cache full.
const (
	OnFullRecompute = "recompute" // the last one to join gives way and is computed again later
	OnFullSwap      = "swap"      // its cache moves to the host's memory and back
	OnFullSpill     = "spill"     // nobody gives way: what does not fit lies on a disk, and each step reads it there
	OnFullReserve   = "reserve"   // never happens: room for the longest answer is taken beforehand
	OnFullRefuse    = "refuse"    // a request that might not fit is refused
)

// OnFullPolicies lists what OnFull can be.
func OnFullPolicies() []string {
	return []string{OnFullRecompute, OnFullSwap, OnFullSpill, OnFullReserve, OnFullRefuse}
}

// KernelNames lists what Kernels can be: servers with captured graphs, those of 2023
// without, early vLLM, transformers, gpt-fast; programs for one user's board that
// unpack weights (exllamav2, TinyChat, MLC), AutoAWQ's two kernels, llama.cpp and
// ik_llama.cpp. On Apple hardware and on processors the back end decides instead.
func KernelNames() []string {
	return []string{"serving", "serving-2023", "eager", "transformers", "gpt-fast", "local", "autoawq", "awq-gemv", "llama.cpp", "ik"}
}

// Support says whether software runs on some hardware.
type Support uint8

// Kinds of Support.
const (
	Supported   Support = iota // it is made for it, or nothing is known
	Ported                     // a port of it runs there
	Unsupported                // it does not run there
)

// Support says whether the engine runs on a device. Of a device without a family, as
// a user's row may be, nothing is known.
func (e Engine) Support(h Hardware) Support {
	among := func(words []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, h.Vendor) || strings.EqualFold(w, h.Family) })
	}
	switch {
	case len(e.RunsOn) == 0 || h.Family == "" || h.Family == "groq" || among(e.RunsOn):
		return Supported
	case among(e.PortedTo):
		return Ported
	}
	return Unsupported
}

// On returns the engine with the limits that it sets itself on such a device.
func (e Engine) On(h Hardware) Engine {
	excepted := e.LargeExcept != "" && strings.HasPrefix(h.Name, e.LargeExcept)
	if e.LargeMemory == 0 || h.Memory < e.LargeMemory || excepted {
		return e
	}
	if e.LargeMaxSequences > 0 {
		e.MaxSequences = e.LargeMaxSequences
	}
	if e.LargeTokenBudget > 0 {
		e.TokenBudget = e.LargeTokenBudget
	}
	return e
}

var engineColumns = []string{
	"name", "aliases", "runs_on", "ported_to", "max_sequences", "token_budget", "large_memory_GB", "large_except", "large_max_sequences",
	"large_token_budget", "chunked_prefill", "prefill_first", "plans_ahead", "prefix_cache", "prefix_block_tokens", "slot_cache", "on_full", "slots",
	"micro_batch_tokens", "flash_attention", "kernels", "all_logits", "first_token_steps", "split", "request_fixed_ms",
	"tokenize_us_per_token", "draft_pass_ms", "start_s", "load_GB_s", "idle_unload_s", "source", "note",
}

//go:embed engines.csv
var enginesCSV string

// enginesLike returns the table of engines in which one has the habits of another
// where there is no column.
func enginesLike(other Engine) table[Engine] {
	return table[Engine]{"an engine", engineColumns, func(r *record) Engine {
		e := other
		e.Name, e.Aliases = r.required("name"), r.list("aliases")
		e.Source, e.Note = r.stated("source", r.file), r.text("note")
		e.Unverified, e.Own = unverified(e.Source) || unverified(e.Note), r.user
		e.RunsOn, e.PortedTo = r.list("runs_on"), r.list("ported_to")
		e.parseLimits(r)
		e.parseCache(r)
		e.parseTimes(r)
		return e
	}}
}

// set sets a field to what its cell says when there is such a column.
func set[T any](r *record, column string, field *T, parse func(column string) T) {
	if r.has(column) {
		*field = parse(column)
	}
}

func (e *Engine) parseLimits(r *record) {
	set(r, "max_sequences", &e.MaxSequences, r.count)
	set(r, "token_budget", &e.TokenBudget, r.count)
	set(r, "large_memory_GB", &e.LargeMemory, func(c string) int64 { return int64(r.number(c) * gib) })
	set(r, "large_except", &e.LargeExcept, r.text)
	set(r, "large_max_sequences", &e.LargeMaxSequences, r.count)
	set(r, "large_token_budget", &e.LargeTokenBudget, r.count)
	set(r, "chunked_prefill", &e.Chunked, r.flag)
	set(r, "prefill_first", &e.PrefillFirst, r.flag)
	set(r, "plans_ahead", &e.PlansAhead, r.flag)
	set(r, "slots", &e.Slots, r.count)
	set(r, "micro_batch_tokens", &e.MicroBatch, r.count)
	set(r, "flash_attention", &e.FlashAttention, r.flag)
	set(r, "kernels", &e.Kernels, func(c string) string { return r.oneOf(c, KernelNames()...) })
	set(r, "all_logits", &e.AllLogits, r.flag)
	set(r, "first_token_steps", &e.FirstTokenSteps, r.count)
	set(r, "split", &e.Split, func(c string) string { return r.oneOf(c, SplitTensor, SplitLayer) })
}

func (e *Engine) parseCache(r *record) {
	set(r, "prefix_cache", &e.PrefixCache, r.flag)
	set(r, "prefix_block_tokens", &e.PrefixBlock, r.count)
	set(r, "slot_cache", &e.SlotCache, r.flag)
	if e.Slots > 0 {
		e.useSlots(r)
	} else {
		set(r, "on_full", &e.OnFull, func(c string) string { return r.oneOf(c, OnFullPolicies()...) })
	}
	if e.PrefixCache && e.PrefixBlock == 0 {
		r.bad("prefix_block_tokens", "", "must be there when prefix_cache is 1")
	}
	if e.SlotCache && e.Slots == 0 {
		r.bad("slots", "", "must be there when slot_cache is 1")
	}
	if e.Slots == 0 && e.MaxSequences == 0 {
		r.bad("max_sequences", "", "must be there unless slots is")
	}
}

// useSlots takes away what means nothing to an engine of slots, and reports it where
// the row itself says it.
func (e *Engine) useSlots(r *record) {
	for _, column := range []string{"max_sequences", "token_budget", "large_memory_GB", "prefill_first", "plans_ahead", "prefix_cache", "on_full"} {
		if s := r.text(column); s != "" && s != "0" {
			r.bad(column, s, "means nothing with slots, which have a fixed part of the cache each and compute a micro-batch a step")
		}
	}
	e.MaxSequences, e.TokenBudget, e.OnFull = 0, 0, ""
	e.LargeMemory, e.LargeExcept, e.LargeMaxSequences, e.LargeTokenBudget = 0, "", 0, 0
	e.Chunked, e.PrefillFirst, e.PlansAhead, e.PrefixCache = e.MicroBatch > 0, false, false, false
}

func (e *Engine) parseTimes(r *record) {
	set(r, "request_fixed_ms", &e.RequestFixed, r.duration)
	set(r, "tokenize_us_per_token", &e.TokenizeToken, r.duration)
	set(r, "draft_pass_ms", &e.DraftPass, r.duration)
	set(r, "start_s", &e.StartTime, r.duration)
	set(r, "load_GB_s", &e.LoadRate, func(c string) float64 { return giga * r.number(c) })
	set(r, "idle_unload_s", &e.IdleUnload, r.duration)
}

// list returns the words of a cell, which a bar separates.
func (r *record) list(column string) []string {
	if r.text(column) == "" {
		return nil
	}
	return strings.Split(r.text(column), "|")
}

// units are those at the end of the names of columns that hold a time.
var units = map[string]time.Duration{
	"request_fixed_ms": time.Millisecond, "tokenize_us_per_token": time.Microsecond, "draft_pass_ms": time.Millisecond,
	"start_s": time.Second, "idle_unload_s": time.Second,
}

// duration returns a cell that is empty, and then 0, or a positive number of the
// unit that the column's name states.
func (r *record) duration(column string) time.Duration {
	return time.Duration(math.Round(min(r.number(column), 1e6) * float64(units[column])))
}

func engineNames(e Engine) []string { return append([]string{e.Name}, e.Aliases...) }

// AllEngines returns every built-in engine family in the order of the table.
func AllEngines() []Engine { return Builtin().Engines() }

// FindEngine returns the built-in engine family with that name or alias, as
// Catalog.Engine does.
func FindEngine(name string) (Engine, error) { return Builtin().Engine(name) }
