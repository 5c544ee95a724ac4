package main

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline"
)

// prediction is the result, in the units and under the names of the JSON document.
// What is unknown is null.
type prediction struct {
	Model         string   `json:"model"`
	Params        int64    `json:"params"`
	Hardware      string   `json:"hardware"`
	GPUs          int      `json:"gpus"`
	BandwidthGBs  float64  `json:"bandwidth_gb_s"`
	TFLOPS        *float64 `json:"tflops"` // 16-bit, or as typed
	Weights       string   `json:"weights"`
	BitsPerWeight float64  `json:"bits_per_weight"`
	Ideal         bool     `json:"ideal"`
	PromptTokens  int      `json:"prompt_tokens"`
	ContextTokens int      `json:"context_tokens"`
	Batch         int      `json:"batch"`

	WeightsGB       float64         `json:"weights_gb"`
	PrefillMS       *float64        `json:"prefill_ms"`
	PrefillBoundBy  *roofline.Bound `json:"prefill_bound_by"`
	DecodeMS        float64         `json:"decode_ms"`
	BoundBy         roofline.Bound  `json:"bound_by"` // of the decode step
	TPSSingle       float64         `json:"tps_single"`
	TPSAggregate    float64         `json:"tps_aggregate"`
	KVBytesPerToken *int64          `json:"kv_bytes_per_token"`
	KVTokens        *int            `json:"kv_tokens"`

	PrefillTerms *termsMS  `json:"prefill_terms_ms"`
	DecodeTerms  termsMS   `json:"decode_terms_ms"`
	Constants    constants `json:"constants"`
	Sources      *sources  `json:"sources"`
	Notes        []string  `json:"notes"`

	decode roofline.Terms
}

// termsMS are the terms of a step. Of a compute and a memory term, the larger
// counts.
type termsMS struct {
	MatmulCompute    float64 `json:"matmul_compute"`
	MatmulMemory     float64 `json:"matmul_memory"`
	AttentionCompute float64 `json:"attention_compute"`
	AttentionMemory  float64 `json:"attention_memory"`
	Communication    float64 `json:"communication"`
	Fixed            float64 `json:"fixed"`
}

// constants are those of the engine that was assumed.
type constants struct {
	MFU              float64 `json:"mfu"`
	AttentionMFU     float64 `json:"attention_mfu"`
	MBU              float64 `json:"mbu"`
	AttentionMBU     float64 `json:"attention_mbu"`
	KVDequant        float64 `json:"kv_dequant"`
	StepFixedMS      float64 `json:"step_fixed_ms"`
	LayerFixedMS     float64 `json:"layer_fixed_ms"`
	SequenceFixedMS  float64 `json:"sequence_fixed_ms"`
	AllReduceMS      float64 `json:"all_reduce_latency_ms"`
	BusShare         float64 `json:"bus_share"`
	MemoryUse        float64 `json:"memory_use"`
	ActivationsBytes int64   `json:"activations_bytes"`
	NonTorchBytes    int64   `json:"non_torch_bytes"`
}

// sources say where the figures of the catalogue were read.
type sources struct {
	Model              string `json:"model"`
	ModelNote          string `json:"model_note"`
	ModelUnverified    bool   `json:"model_unverified"`
	Hardware           string `json:"hardware"`
	HardwareUnverified bool   `json:"hardware_unverified"`
	ReadOn             string `json:"read_on"`
}

func newPrediction(plan *roofline.Plan, o *predictOptions, kvTokens int) *prediction {
	d := plan.Deployment()
	decode := plan.DecodeBatch(o.batch, o.context)
	r := &prediction{
		Model: d.Model.Name, Params: d.Model.TotalParams(), Hardware: d.Hardware.Name, GPUs: d.GPUs,
		BandwidthGBs: d.Hardware.Bandwidth / 1e9, TFLOPS: known(max(d.Hardware.FP16, d.Hardware.FP32)/1e12, 0),
		Weights: d.Weights.String(), BitsPerWeight: d.Weights.Bits(), Ideal: o.ideal,
		PromptTokens: o.prompt, ContextTokens: o.context, Batch: o.batch,
		WeightsGB:       float64(plan.WeightBytes()) / 1e9,
		DecodeMS:        milliseconds(plan.Step(decode)),
		decode:          plan.Explain(decode),
		KVBytesPerToken: known(plan.KVBytesPerToken(), pipeline.UnknownCount),
		KVTokens:        known(kvTokens, pipeline.UnknownCount),
		Constants:       newConstants(d.Constants),
		Sources:         newSources(d),
		Notes:           append([]string{}, notes(plan, o, kvTokens)...),
	}
	r.BoundBy = r.decode.BoundBy()
	r.DecodeTerms = newTermsMS(r.decode)
	r.TPSSingle, r.TPSAggregate = plan.TPS(o.batch, o.context)
	if prefill := plan.Prefill(o.prompt); prefill != pipeline.Unknown {
		terms := plan.Explain(plan.PrefillBatch(o.prompt))
		ms, bound, termsMS := milliseconds(prefill), terms.BoundBy(), newTermsMS(terms)
		r.PrefillMS, r.PrefillBoundBy, r.PrefillTerms = &ms, &bound, &termsMS
	}
	return r
}

// known returns a pointer to a value, or nil when it is the one that stands for
// unknown.
func known[T comparable](v, unknown T) *T {
	if v == unknown {
		return nil
	}
	return &v
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func newTermsMS(t roofline.Terms) termsMS {
	return termsMS{
		MatmulCompute: milliseconds(t.MatmulCompute), MatmulMemory: milliseconds(t.MatmulMemory),
		AttentionCompute: milliseconds(t.AttentionCompute), AttentionMemory: milliseconds(t.AttentionMemory),
		Communication: milliseconds(t.Communication), Fixed: milliseconds(t.Fixed),
	}
}

func newConstants(c roofline.Constants) constants {
	return constants{
		MFU: c.MFU, AttentionMFU: c.AttentionMFU, MBU: c.MBU, AttentionMBU: c.AttentionMBU,
		KVDequant:   c.KVDequant,
		StepFixedMS: milliseconds(c.StepFixed), LayerFixedMS: milliseconds(c.LayerFixed), SequenceFixedMS: milliseconds(c.SequenceFixed),
		AllReduceMS: milliseconds(c.AllReduceLatency), BusShare: c.BusShare,
		MemoryUse: c.MemoryUse, ActivationsBytes: c.WorkingMemory, NonTorchBytes: c.NonTorch,
	}
}

// newSources returns nil for bare numbers, which have none.
func newSources(d roofline.Deployment) *sources {
	if d.Model.Source == "" {
		return nil
	}
	return &sources{
		Model: d.Model.Source, ModelNote: d.Model.Note, ModelUnverified: d.Model.Unverified,
		Hardware: d.Hardware.Source, HardwareUnverified: d.Hardware.Unverified,
		ReadOn: catalog.ReadOn,
	}
}

// notes returns the plan's, and what the asked numbers go beyond.
func notes(plan *roofline.Plan, o *predictOptions, kvTokens int) []string {
	m := plan.Deployment().Model
	out := plan.Notes()
	if longest := max(o.prompt, o.context); m.MaxContext > 0 && longest > m.MaxContext {
		out = append(out, fmt.Sprintf("%s takes at most %d tokens as published; figures at %d only continue the formula", m.Name, m.MaxContext, longest))
	}
	if fit := kvTokens / o.context; kvTokens >= 0 && fit < o.batch {
		out = append(out, fmt.Sprintf("the KV cache holds %d sequences of %d tokens, not %d: the others would wait", fit, o.context, o.batch))
	}
	return out
}

// writeTable prints the prediction for people.
func (r *prediction) writeTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintf(t, "%s in %s on %s%s\n\n", r.Model, r.Weights, r.where(), map[bool]string{true: ", by an ideal engine"}[r.Ideal])
	if r.PrefillMS != nil {
		fmt.Fprintf(t, "prefill\t%s ms\t%d prompt tokens alone, bound by %s\n", significant(*r.PrefillMS), r.PromptTokens, *r.PrefillBoundBy)
	} else {
		fmt.Fprintf(t, "prefill\tunknown\tneeds the compute rate\n")
	}
	fmt.Fprintf(t, "decode step\t%s ms\tbatch of %d at a context of %d tokens, bound by %s\n", significant(r.DecodeMS), r.Batch, r.ContextTokens, r.BoundBy)
	fmt.Fprintf(t, "tokens a second\t%s\teach sequence; %s all together\n", significant(r.TPSSingle), significant(r.TPSAggregate))
	fmt.Fprintf(t, "weights\t%s GB\t%s parameters of %g bits%s\n", significant(r.WeightsGB), billions(r.Params), r.BitsPerWeight, r.headBits())
	fmt.Fprintf(t, "KV cache\t%s\t%s\n", r.kvTokens(), r.kvBytes())
	fmt.Fprintf(t, "\n%s\n\n", r.verdict())
	r.writeTerms(t)
	for i, n := range r.Notes {
		fmt.Fprintf(t, "%s- %s\n", map[bool]string{true: "\nnotes\n"}[i == 0], n)
	}
	r.Sources.write(t)
	return t.Flush()
}

func (r *prediction) where() string {
	if r.GPUs > 1 {
		return fmt.Sprintf("%d x %s", r.GPUs, r.Hardware)
	}
	return r.Hardware
}

// headBits says what the bits of a quantised model of the catalogue leave out.
func (r *prediction) headBits() string {
	if r.Sources != nil && r.BitsPerWeight < 16 {
		return ", embedding and output head of 16"
	}
	return ""
}

func (r *prediction) kvTokens() string {
	if r.KVTokens == nil {
		return "unknown"
	}
	return fmt.Sprintf("%d tokens", *r.KVTokens)
}

func (r *prediction) kvBytes() string {
	switch {
	case r.KVBytesPerToken == nil:
		return "needs the model's shape"
	case r.KVTokens == nil:
		return fmt.Sprintf("%d bytes a token; the memory size is unknown", *r.KVBytesPerToken)
	default:
		return fmt.Sprintf("%d bytes a token", *r.KVBytesPerToken)
	}
}

// verdict says in words what a decode step spends its time on and what would help.
func (r *prediction) verdict() string {
	share := fmt.Sprintf("%.0f %% of a decode step", 100*milliseconds(r.decode.By(r.BoundBy))/r.DecodeMS)
	switch r.BoundBy {
	case roofline.Compute:
		return "Multiplying takes " + share + ": more compute, fewer bits the hardware can multiply in, or a smaller batch make it shorter."
	case roofline.Communication:
		return "Communication takes " + share + ": fewer GPUs or a faster interconnect make it shorter."
	case roofline.Fixed:
		return "Fixed costs of the engine take " + share + ": faster hardware hardly helps, and a larger batch costs little."
	}
	if r.decode.AttentionMemory > r.decode.MatmulMemory {
		return "Reading memory takes " + share + ", most of it the KV cache: more bandwidth, a shorter context or a smaller batch make it shorter."
	}
	return "Reading memory takes " + share + ", most of it the weights: more bandwidth or fewer bits make it shorter, and a larger batch costs little."
}

// writeTerms prints where the time of both steps goes.
func (r *prediction) writeTerms(w io.Writer) {
	prefill := func(pick func(termsMS) float64) string {
		if r.PrefillTerms == nil {
			return "-"
		}
		return termText(pick(*r.PrefillTerms))
	}
	fmt.Fprintf(w, "where the time goes\tdecode\tprefill\n")
	for _, row := range []struct {
		name string
		pick func(termsMS) float64
	}{
		{"weights: multiply", func(t termsMS) float64 { return t.MatmulCompute }},
		{"weights: read", func(t termsMS) float64 { return t.MatmulMemory }},
		{"attention: multiply", func(t termsMS) float64 { return t.AttentionCompute }},
		{"attention: read", func(t termsMS) float64 { return t.AttentionMemory }},
		{"communication", func(t termsMS) float64 { return t.Communication }},
		{"fixed costs", func(t termsMS) float64 { return t.Fixed }},
	} {
		fmt.Fprintf(w, "  %s\t%s\t%s\n", row.name, termText(row.pick(r.DecodeTerms)), prefill(row.pick))
	}
	fmt.Fprintf(w, "  of multiply and read, which overlap, the longer counts\n")
}

// termText prints a part of a step in ms.
func termText(ms float64) string {
	switch {
	case ms == 0:
		return "-"
	case ms < .01:
		return "< 0.01 ms"
	default:
		return significant(ms) + " ms"
	}
}

// significant prints a number with three digits that mean something.
func significant(v float64) string {
	digits := 0
	switch {
	case v < 10:
		digits = 2
	case v < 100:
		digits = 1
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// billions prints a number of parameters.
func billions(n int64) string { return significant(float64(n)/1e9) + " billion" }

// write prints where the figures were read; nothing for bare numbers.
func (s *sources) write(w io.Writer) {
	if s == nil {
		return
	}
	note := ""
	if s.ModelNote != "" {
		note = "; " + s.ModelNote
	}
	fmt.Fprintf(w, "\nsources, read on %s\n- model: %s%s%s\n- hardware: %s%s\n",
		s.ReadOn, s.Model, note, mark(s.ModelUnverified), s.Hardware, mark(s.HardwareUnverified))
}

// mark is the visible mark of figures that await a source.
func mark(unverified bool) string {
	if unverified {
		return " [unverified]"
	}
	return ""
}
