package main

import (
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
	Engine        *string  `json:"engine"` // null for an ideal one
	Devices       int      `json:"devices"`
	GPUs          int      `json:"gpus"`
	Split         string   `json:"split"`
	Stages        int      `json:"stages"`
	BandwidthGBs  float64  `json:"bandwidth_gb_s"`
	TFLOPS        *float64 `json:"tflops"` // 16-bit, or as typed
	Weights       string   `json:"weights"`
	BitsPerWeight float64  `json:"bits_per_weight"` // of the layers; of the experts in a mixture of experts
	SteadyBits    float64  `json:"steady_bits"`     // of the layers beside the experts
	HeadBits      float64  `json:"head_bits"`       // of the embedding and the output head
	KVCache       string   `json:"kv_cache"`
	Ideal         bool     `json:"ideal"`
	PromptTokens  int      `json:"prompt_tokens"`
	ContextTokens int      `json:"context_tokens"`
	Batch         int      `json:"batch"`
	Running       int      `json:"running"` // sequences that decode at once: those of the batch that the KV cache holds
	Warnings      []string `json:"warnings"`

	WeightsGB          float64         `json:"weights_gb"`
	TTFTMS             *float64        `json:"ttft_ms"`      // of one request alone: front end and prompt; null when it would not run
	FrontEndMS         *float64        `json:"front_end_ms"` // of it, before the prompt is queued
	PromptMS           *float64        `json:"prompt_ms"`    // of it, the steps that take in the prompt; prefill_ms unless the engine cuts it
	PrefillMS          *float64        `json:"prefill_ms"`
	PrefillBoundBy     *roofline.Bound `json:"prefill_bound_by"`
	DecodeMS           float64         `json:"decode_ms"`
	BoundBy            roofline.Bound  `json:"bound_by"` // of the decode step
	TPSSingle          float64         `json:"tps_single"`
	TPSAggregate       float64         `json:"tps_aggregate"`
	KVBytesPerToken    *int64          `json:"kv_bytes_per_token"`
	KVBytesPerSequence *int64          `json:"kv_bytes_per_sequence"` // of sliding windows, once full
	KVTokens           *int            `json:"kv_tokens"`             // that one sequence can have
	KVTokensGiven      bool            `json:"kv_tokens_given"`       // rather than computed
	KVSequences        *int            `json:"kv_sequences"`          // of the context, that the cache holds
	Accuracy           *accuracy       `json:"accuracy"`              // null for an ideal engine

	PrefillTerms *termsMS  `json:"prefill_terms_ms"`
	DecodeTerms  termsMS   `json:"decode_terms_ms"`
	Constants    constants `json:"constants"`
	Origins      []origin  `json:"constants_from"` // null for an ideal engine
	Sources      *sources  `json:"sources"`
	Notes        []string  `json:"notes"`

	decode  roofline.Terms
	experts bool // the model has some
}

// termsMS are the terms of a step. Of a compute and a memory term, the larger
// counts; of the smaller matmul term, so does the share constants.exposed.
type termsMS struct {
	MatmulCompute    float64 `json:"matmul_compute"`
	MatmulMemory     float64 `json:"matmul_memory"`
	AttentionCompute float64 `json:"attention_compute"`
	AttentionMemory  float64 `json:"attention_memory"`
	Scores           float64 `json:"scores"`
	Activations      float64 `json:"activations"`
	Communication    float64 `json:"communication"`
	Fixed            float64 `json:"fixed"`
}

// sources say where the figures of the catalogue were read.
type sources struct {
	Model              string `json:"model"`
	ModelNote          string `json:"model_note"`
	ModelUnverified    bool   `json:"model_unverified"`
	Hardware           string `json:"hardware"`
	HardwareUnverified bool   `json:"hardware_unverified"`
	Engine             string `json:"engine"`
	EngineUnverified   bool   `json:"engine_unverified"`
	ReadOn             string `json:"read_on"`
}

func newPrediction(plan *roofline.Plan, o *predictOptions, cache roofline.Room) *prediction {
	d := plan.Deployment()
	room := newRoom(o, cache)
	decode := plan.DecodeBatch(room.running, o.context)
	r := &prediction{
		Model: d.Model.Name, Params: d.Model.TotalParams(), Hardware: d.Hardware.Name,
		Devices: d.Devices(), GPUs: d.GPUs, Split: d.Split, Stages: d.Stages,
		BandwidthGBs: d.Hardware.Bandwidth / 1e9, TFLOPS: known(max(d.Hardware.FP16, d.Hardware.FP32)/1e12, 0),
		Weights: d.Weights.String(), BitsPerWeight: d.Weights.Bits(), SteadyBits: d.Weights.SteadyBits(d.Model), HeadBits: d.Weights.HeadBits(),
		KVCache: d.KV.String(), Ideal: o.ideal,
		PromptTokens: o.prompt, ContextTokens: o.context, Batch: o.batch, Running: room.running, Warnings: room.warnings(d, plan.Missing(), o.ideal),
		WeightsGB:          float64(plan.WeightBytes()) / 1e9,
		DecodeMS:           milliseconds(plan.Step(decode)),
		decode:             plan.Explain(decode),
		KVBytesPerToken:    known(plan.KVBytesPerToken(), pipeline.UnknownCount),
		KVBytesPerSequence: known(plan.KVBytesPerSequence(), pipeline.UnknownCount),
		KVTokens:           known(room.tokens, pipeline.UnknownCount), KVTokensGiven: d.KVTokens > 0, KVSequences: known(room.sequences, pipeline.UnknownCount),
		Constants: newConstants(plan),
		Sources:   newSources(d),
		Notes:     append([]string{}, plan.Notes()...),
		experts:   d.Model.Experts > 0,
	}
	if !o.ideal {
		r.Engine, r.Origins = &d.Engine.Name, newOrigins(plan, "profile "+o.named.profile)
		r.addFirstToken(plan)
	}
	r.BoundBy = r.decode.BoundBy()
	r.DecodeTerms = newTermsMS(r.decode)
	r.TPSSingle, r.TPSAggregate = plan.TPS(room.running, o.context)
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
		Scores: milliseconds(t.Scores), Activations: milliseconds(t.Activations),
		Communication: milliseconds(t.Communication), Fixed: milliseconds(t.Fixed),
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
		Engine: d.Engine.Source, EngineUnverified: d.Engine.Unverified,
		ReadOn: catalog.ReadOn,
	}
}
