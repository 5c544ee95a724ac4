package main

import (
	"fmt"

	"halfsecond/mockllm/catalog"
)

var modelList = catalogList[catalog.Model]{
	name: "models", about: "Language models and their shapes",
	all: (*catalog.Catalog).Models, find: (*catalog.Catalog).Model,
	columns:  modelColumns,
	document: func(m catalog.Model) any { return newModelJSON(m) },
}

var modelColumns = []column[catalog.Model]{
	{"name", true, func(m catalog.Model) string { return m.Name }},
	{"params", true, func(m catalog.Model) string { return figure(float64(m.Published), 1e9, "B") }},
	{"active", true, func(m catalog.Model) string { return figure(float64(m.PublishedActive), 1e9, "B") }},
	{"layers", true, func(m catalog.Model) string { return count(m.Layers) }},
	{"hidden", true, func(m catalog.Model) string { return count(m.Hidden) }},
	{"heads", true, func(m catalog.Model) string { return count(m.Heads) }},
	{"kv heads", true, func(m catalog.Model) string { return count(m.KVHeads) }},
	{"head dim", false, func(m catalog.Model) string { return count(m.HeadDim) }},
	{"ffn", false, func(m catalog.Model) string { return count(m.FFN) }},
	{"mlp", false, func(m catalog.Model) string { return either(m.Gated, "gated", "plain") }},
	{"vocabulary", false, func(m catalog.Model) string { return count(m.Vocab) }},
	{"embeddings", false, func(m catalog.Model) string { return either(m.Tied, "tied", "apart") }},
	{"experts", true, func(m catalog.Model) string {
		if m.Experts == 0 {
			return ""
		}
		return fmt.Sprintf("%d of %d", m.ActiveExperts, m.Experts)
	}},
	{"shared experts", false, func(m catalog.Model) string { return count(m.SharedExperts) }},
	{"dense layers", false, func(m catalog.Model) string {
		if m.DenseLayers == 0 {
			return ""
		}
		return fmt.Sprintf("%d, with an MLP of width %d", m.DenseLayers, m.DenseFFN)
	}},
	{"window", false, func(m catalog.Model) string {
		if m.Window == 0 {
			return ""
		}
		return fmt.Sprintf("%d tokens in %.0f %% of the layers", m.Window, 100*m.WindowShare)
	}},
	{"latent attention", false, func(m catalog.Model) string {
		if m.KVRank == 0 {
			return ""
		}
		return fmt.Sprintf("%d values a token and layer: rank %d, rotated %d, queries %d", m.MLAValues(), m.KVRank, m.RopeDim, m.QueryRank)
	}},
	{"weights", true, func(m catalog.Model) string { return m.Weights }},
	{"context", true, func(m catalog.Model) string { return count(m.MaxContext) }},
	{"status", true, func(m catalog.Model) string { return rowStatus(m.Unverified, m.Own) }},
	{"source", true, func(m catalog.Model) string { return m.Source }},
	{"read on", false, func(m catalog.Model) string { return readOn(m.Own) }},
	{"note", true, func(m catalog.Model) string { return m.Note }},
}

// modelJSON is a model as a JSON document; what it does not have is null.
type modelJSON struct {
	Name          string   `json:"name"`
	Params        int64    `json:"params"`
	ActiveParams  int64    `json:"active_params"`
	Layers        int      `json:"layers"`
	Hidden        int      `json:"hidden"`
	Heads         int      `json:"heads"`
	KVHeads       int      `json:"kv_heads"`
	HeadDim       int      `json:"head_dim"`
	FFN           int      `json:"ffn"`
	Gated         bool     `json:"gated_mlp"`
	Vocab         int      `json:"vocabulary"`
	Tied          bool     `json:"tied_embeddings"`
	Experts       *int     `json:"experts"`
	ActiveExperts *int     `json:"active_experts"`
	SharedExperts *int     `json:"shared_experts"`
	DenseLayers   *int     `json:"dense_layers"`
	DenseFFN      *int     `json:"dense_ffn"`
	MLAValues     *int     `json:"mla_values"`
	KVRank        *int     `json:"kv_rank"`
	RopeDim       *int     `json:"rope_dim"`
	QueryRank     *int     `json:"query_rank"`
	WindowTokens  *int     `json:"window_tokens"`
	WindowShare   *float64 `json:"window_share"`
	Weights       string   `json:"weights"` // the format in which they are published
	MaxContext    int      `json:"max_context_tokens"`
	Unverified    bool     `json:"unverified"`
	Source        string   `json:"source"`
	ReadOn        *string  `json:"read_on"` // null for a row of the user\'s own
	Own           bool     `json:"own"`
	Note          string   `json:"note"`
}

func newModelJSON(m catalog.Model) modelJSON {
	return modelJSON{
		Name: m.Name, Params: m.Published, ActiveParams: m.PublishedActive,
		Layers: m.Layers, Hidden: m.Hidden, Heads: m.Heads, KVHeads: m.KVHeads, HeadDim: m.HeadDim, FFN: m.FFN,
		Gated: m.Gated, Vocab: m.Vocab, Tied: m.Tied,
		Experts: known(m.Experts, 0), ActiveExperts: known(m.ActiveExperts, 0), SharedExperts: known(m.SharedExperts, 0),
		DenseLayers: known(m.DenseLayers, 0), DenseFFN: known(m.DenseFFN, 0),
		MLAValues: known(m.MLAValues(), 0), KVRank: known(m.KVRank, 0), RopeDim: known(m.RopeDim, 0), QueryRank: known(m.QueryRank, 0),
		WindowTokens: known(m.Window, 0), WindowShare: known(m.WindowShare, 0), Weights: m.Weights, MaxContext: m.MaxContext,
		Unverified: m.Unverified, Source: m.Source, ReadOn: known(readOn(m.Own), ""), Own: m.Own, Note: m.Note,
	}
}
