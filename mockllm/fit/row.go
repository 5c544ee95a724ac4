package fit

import (
	"fmt"
	"slices"
	"strings"
)

// Metric is what a row measured.
type Metric string

// The metrics of rows. Rates are tokens a second, times are milliseconds.
const (
	PrefillRate   Metric = "prefill_tok_s"   // prompt tokens of the whole batch over the time to compute them
	DecodeRate    Metric = "decode_tok_s"    // tokens of the whole batch while decoding
	TTFT          Metric = "ttft_ms"         // time to first token
	TPOT          Metric = "tpot_ms"         // time per output token
	AggregateRate Metric = "aggregate_tok_s" // output tokens over the whole time, prefill included
)

// Metrics lists what rows can have measured.
func Metrics() []Metric { return []Metric{PrefillRate, DecodeRate, TTFT, TPOT, AggregateRate} }

// Unit returns "ms" for times and "tok/s" for rates.
func (m Metric) Unit() string {
	if m == TTFT || m == TPOT {
		return "ms"
	}
	return "tok/s"
}

// computes reports whether a metric depends on the compute rate of the hardware even
// for a single sequence.
func (m Metric) computes() bool { return m != DecodeRate && m != TPOT }

// Unstated is a count that a row leaves empty.
const Unstated = -1

// How several devices can share a load, as rows spell it.
const (
	parallelNone     = "none"
	parallelTensor   = "tp"
	parallelLayer    = "layer"
	parallelReplicas = "dp"
)

// Row is one measurement of a model on some hardware.
type Row struct {
	Line         int    // in its file, from 1
	ID           string // "line 7" when the file gives none
	Source       string
	Engine       string // software with its version, as the source names it
	Model, GPU   string // names of the catalogue
	WeightFormat string
	Bits         float64 // of one weight, scales included; 0 when it is not stated
	GPUs         int     // at least 1
	Parallelism  string  // "tp", "layer", "dp" for replicas of one device each, or "none"; "" as the engine does

	// Prompt is the prompt tokens of one sequence and Generated the tokens produced
	// after them; Batch is the sequences at once, on all replicas together. Each may be
	// Unstated, a Batch in the sense of as many as fit.
	Prompt, Generated, Batch int

	Metric Metric
	Value  float64 // in the unit of Metric, more than 0
	Note   string  // its words "closed-loop", "fp8 KV" and "kernel NAME" count
}

// ClosedLoop reports whether a row comes from a server under a fixed number of
// clients, each of which sends its next request when the last one is answered: its
// TPOT holds the prompts of the others.
func (r Row) ClosedLoop() bool { return strings.Contains(r.Note, "closed-loop") }

// lacks says what keeps a row from being predicted, or nil.
func (r Row) lacks() error {
	crowded := r.Metric == TPOT && r.ClosedLoop() && r.Batch != 1
	switch {
	case !slices.Contains(Metrics(), r.Metric):
		return fmt.Errorf("metric %q is none of %v", r.Metric, Metrics())
	case r.Batch == Unstated && r.Metric != AggregateRate:
		return fmt.Errorf("batch is empty: only %s can do without", AggregateRate)
	case r.Prompt < 1 && (r.Metric.computes() || crowded):
		return fmt.Errorf("prompt_tokens is not stated: %s depends on it", r.Metric)
	case r.Generated < 1 && (r.Metric == AggregateRate || crowded):
		return fmt.Errorf("gen_tokens_or_context is not stated: %s depends on it", r.Metric)
	}
	return nil
}

// replicas returns how many copies of the model share the load.
func (r Row) replicas() int {
	if r.Parallelism == parallelReplicas {
		return r.GPUs
	}
	return 1
}

// sequences returns those that one replica has at once, the most when they do not
// divide evenly.
func (r Row) sequences() int {
	if r.Batch == Unstated {
		return Unstated
	}
	return (r.Batch + r.replicas() - 1) / r.replicas()
}

// context returns the tokens of a sequence halfway through its answer. Where prompt
// and answer are not stated they are taken as short.
func (r Row) context() int { return max(0, r.Prompt) + max(1, r.Generated/2) }
