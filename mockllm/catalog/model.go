package catalog

import (
	_ "embed"
	"fmt"
	"math"
)

// Model is the shape of a language model. Its zero fields mean "has none", apart
// from a model of which only Published is known, whose Layers is 0.
type Model struct {
	Name            string
	Published       int64 // parameters in all, as its makers state it
	PublishedActive int64 // parameters used for one token, as its makers state it

	Layers  int
	Hidden  int  // width of the residual stream
	Heads   int  // query heads
	KVHeads int  // key and value heads
	HeadDim int  // width of one head; with latent attention, of a value and of the unrotated part of a key
	FFN     int  // width of the MLP; of one expert in a mixture of experts
	Gated   bool // the MLP has three matrices; two when it is plain
	Vocab   int
	Tied    bool // the input embedding is the output head as well

	Experts       int // per layer, of which a router chooses; 0 when the model is dense
	ActiveExperts int // experts that are chosen for one token
	SharedExperts int // experts beside those, used for every token
	DenseLayers   int // first layers that have one MLP instead of experts
	DenseFFN      int // width of their MLP

	// Multi-head latent attention: for one token and layer it keeps KVRank values,
	// from which keys and values are made, and RopeDim values of a rotated key that
	// all heads share. All 0 when keys and values are kept whole.
	KVRank    int
	RopeDim   int
	QueryRank int // width to which queries are pressed on the way; 0 when they are not

	// Window is the sliding window in tokens that WindowShare of the layers
	// attend to; 0 when all layers attend to everything.
	Window      int
	WindowShare float64

	// Weights names the format in which its makers publish the weights, one of
	// WeightFormats; "" when that is not known.
	Weights string

	MaxContext int    // tokens, as published
	Source     string // where the shape was read
	Note       string // caveats
	Unverified bool   // the shape was written from memory and awaits a source
	Own        bool   // it is a row of a user's file
}

// HasShape reports whether more than the number of parameters is known.
func (m Model) HasShape() bool { return m.Layers > 0 }

// MLAValues returns how many values latent attention keeps for one token and
// layer; 0 when keys and values are kept whole.
func (m Model) MLAValues() int { return m.KVRank + m.RopeDim }

// AttentionParams returns the parameters of the attention matrices in all layers:
// L * d*h*(2H + 2G), or with latent attention of ranks r and s and a rotated part
// of width p
//
//	L * (d*s + s*H*(h+p) + d*(r+p) + r*H*2h + H*h*d)
//
// with d*H*(h+p) in place of the first two terms when queries are not pressed.
// Source of the latter: inference/model.py of deepseek-ai/DeepSeek-V3, read
// 2026-11-29.
func (m Model) AttentionParams() int64 {
	d, h, heads := int64(m.Hidden), int64(m.HeadDim), int64(m.Heads)
	if m.KVRank == 0 {
		return int64(m.Layers) * d * h * (2*heads + 2*int64(m.KVHeads))
	}
	p, r, s := int64(m.RopeDim), int64(m.KVRank), int64(m.QueryRank)
	queries := d * heads * (h + p)
	if s > 0 {
		queries = d*s + s*heads*(h+p)
	}
	return int64(m.Layers) * (queries + d*(r+p) + r*heads*2*h + heads*h*d)
}

// CachedParams returns those of AttentionParams that make what is cached of a token, and
// with latent attention those that press its queries beside: L * 2*d*h*G, or
// L * d*(s+r+p).
func (m Model) CachedParams() int64 {
	values := 2 * int64(m.HeadDim) * int64(m.KVHeads)
	if m.KVRank > 0 {
		values = int64(m.QueryRank + m.MLAValues())
	}
	return int64(m.Layers) * int64(m.Hidden) * values
}

// mlpParams returns the parameters of one MLP of that width: 3*d*f, or 2*d*f when
// it is plain.
func (m Model) mlpParams(width int) int64 {
	matrices := int64(2)
	if m.Gated {
		matrices = 3
	}
	return matrices * int64(m.Hidden) * int64(width)
}

// ExpertLayers returns the layers that have experts.
func (m Model) ExpertLayers() int {
	if m.Experts == 0 {
		return 0
	}
	return m.Layers - m.DenseLayers
}

// RoutedParams returns the parameters of all experts, of all layers, among which a
// router chooses.
func (m Model) RoutedParams() int64 {
	return int64(m.ExpertLayers()) * int64(m.Experts) * m.mlpParams(m.FFN)
}

// SteadyParams returns the parameters of the layers that every token is multiplied
// with: the attention, the MLPs of dense layers and the shared experts. The router,
// some thousandths, is left out.
func (m Model) SteadyParams() int64 {
	mlps := int64(m.Layers) * m.mlpParams(m.FFN)
	if m.Experts > 0 {
		mlps = int64(m.DenseLayers)*m.mlpParams(m.DenseFFN) + int64(m.ExpertLayers())*int64(m.SharedExperts)*m.mlpParams(m.FFN)
	}
	return m.AttentionParams() + mlps
}

// LinearParams returns the parameters of the matrices in all layers, every expert
// counted.
func (m Model) LinearParams() int64 { return m.SteadyParams() + m.RoutedParams() }

// ActiveLinearParams returns those of LinearParams that one token is multiplied
// with.
func (m Model) ActiveLinearParams() int64 {
	return m.SteadyParams() + int64(m.ExpertLayers())*int64(m.ActiveExperts)*m.mlpParams(m.FFN)
}

// EmbeddingParams returns the size of the input embedding, V * d.
func (m Model) EmbeddingParams() int64 { return int64(m.Vocab) * int64(m.Hidden) }

// HeadParams returns the size of the output head, V * d, whether or not it is
// the embedding.
func (m Model) HeadParams() int64 { return m.EmbeddingParams() }

// TotalParams returns the parameters that the shape accounts for: the layers, the
// embedding, and the output head unless it is the embedding. Norms and biases,
// some thousandths, are left out. It is Published when there is no shape.
func (m Model) TotalParams() int64 {
	if !m.HasShape() {
		return m.Published
	}
	total := m.LinearParams() + m.EmbeddingParams()
	if !m.Tied {
		total += m.HeadParams()
	}
	return total
}

// ActiveParams returns those of TotalParams that one token is multiplied with,
// the output head included.
func (m Model) ActiveParams() int64 {
	if !m.HasShape() {
		return m.PublishedActive
	}
	return m.ActiveLinearParams() + m.HeadParams()
}

var modelColumns = []string{
	"name", "total_params_b", "active_params_b", "layers", "hidden", "heads", "kv_heads", "head_dim", "ffn_dim", "mlp", "vocab",
	"tied_embeddings", "n_experts", "experts_per_token", "shared_experts", "dense_layers", "dense_ffn_dim", "kv_lora_rank",
	"q_lora_rank", "rope_dim", "window_tokens", "window_share", "weights", "max_context", "source", "note",
}

//go:embed models.csv
var modelsCSV string

func parseModel(r *record) Model {
	m := Model{
		Name:          r.required("name"),
		Layers:        r.requiredCount("layers"),
		Hidden:        r.requiredCount("hidden"),
		Heads:         r.requiredCount("heads"),
		FFN:           r.requiredCount("ffn_dim"),
		Gated:         parseMLP(r) == "gated",
		Vocab:         r.requiredCount("vocab"),
		Tied:          r.flag("tied_embeddings"),
		Experts:       r.count("n_experts"),
		ActiveExperts: r.count("experts_per_token"),
		SharedExperts: r.count("shared_experts"),
		DenseLayers:   r.count("dense_layers"),
		DenseFFN:      r.count("dense_ffn_dim"),
		KVRank:        r.count("kv_lora_rank"),
		QueryRank:     r.count("q_lora_rank"),
		RopeDim:       r.count("rope_dim"),
		Window:        r.count("window_tokens"),
		WindowShare:   r.share("window_share"),
		Weights:       parseWeights(r),
		MaxContext:    r.requiredCount("max_context"),
		Source:        r.stated("source", r.file),
		Note:          r.text("note"),
		Unverified:    unverified(r.text("source")),
		Own:           r.user,
	}
	m.KVHeads = r.countOr("kv_heads", m.Heads)
	m.HeadDim = r.countOr("head_dim", m.Hidden/max(1, m.Heads))
	m.check(r)
	m.Published = parseParams(r, "total_params_b", m.TotalParams())
	m.checkTotal(r)
	m.PublishedActive = parseParams(r, "active_params_b", m.ActiveParams())
	return m
}

// WeightFormats lists the formats in which models are published.
func WeightFormats() []string { return []string{"fp16", "fp8", "int4", "nvfp4", "mxfp4"} }

// parseWeights returns the format of the weights, of 16 bits when a user's row does
// not say.
func parseWeights(r *record) string { return r.oneOfOr("weights", "fp16", WeightFormats()...) }

// parseMLP returns the kind of MLP, gated when a user's row does not say.
func parseMLP(r *record) string { return r.oneOfOr("mlp", "gated", "gated", "plain") }

// parseParams returns a number of parameters, that of the shape when a user's row
// does not say.
func parseParams(r *record, column string, byShape int64) int64 {
	if r.user && r.text(column) == "" {
		return byShape
	}
	return int64(math.Round(r.requiredNumber(column) * giga))
}

// check reports cells that do not go together.
func (m Model) check(r *record) {
	together := func(a, b string, hasA, hasB bool) {
		if hasA != hasB {
			r.bad(b, r.text(b), "must be there exactly when "+a+" is")
		}
	}
	together("n_experts", "experts_per_token", m.Experts > 0, m.ActiveExperts > 0)
	together("dense_layers", "dense_ffn_dim", m.DenseLayers > 0, m.DenseFFN > 0)
	together("kv_lora_rank", "rope_dim", m.KVRank > 0, m.RopeDim > 0)
	together("window_tokens", "window_share", m.Window > 0, m.WindowShare > 0)
	only := func(column string, has, allowed bool, why string) {
		if has && !allowed {
			r.bad(column, r.text(column), why)
		}
	}
	only("shared_experts", m.SharedExperts > 0, m.Experts > 0, "needs n_experts")
	only("dense_layers", m.DenseLayers > 0, m.Experts > 0 && m.DenseLayers < m.Layers, "needs n_experts, and fewer than layers")
	only("q_lora_rank", m.QueryRank > 0, m.KVRank > 0, "needs kv_lora_rank")
	only("experts_per_token", m.ActiveExperts > m.Experts && m.Experts > 0, false, "want at most n_experts")
	m.checkSizes(r)
	only("kv_heads", m.KVHeads > 0 && m.Heads%m.KVHeads != 0, false, "must divide heads")
}

// checkSizes reports a shape that cannot be added up, and windows that leave no layer
// without one: those are what the cache is counted in.
func (m Model) checkSizes(r *record) {
	if n := m.atMost(); n > mostParams {
		r.fail("the shape has some %.0e parameters: check layers, hidden, heads, head_dim, ffn_dim, vocab, ranks and the experts", n)
	}
	whole := float64(m.Layers) * (1 - m.WindowShare)
	if m.WindowShare > 0 && whole < 1-1e-9 { // shares such as 31/32 are not exact
		r.bad("window_share", r.text("window_share"), fmt.Sprintf("leaves none of %d layers that see everything, want at most %d/%d", m.Layers, m.Layers-1, m.Layers))
	}
}

// atMost returns more parameters than the matrices of any one kind have: as if each were
// as large as the largest.
func (m Model) atMost() float64 {
	in := max(m.Hidden, m.QueryRank, m.KVRank)
	out := max(m.FFN, m.DenseFFN, m.Vocab, m.QueryRank, m.KVRank+m.RopeDim, m.Heads*(m.HeadDim+m.RopeDim))
	return float64(m.Layers) * float64(in) * float64(out) * float64(max(1, m.Experts+m.SharedExperts))
}

// mostParams is more than the matrices of any model have, and what can be added up.
const mostParams = 1e16

// totalTolerance is how far the parameters of a user's row may be from those of its
// shape. The largest difference of a built-in row is 11 %, a vision tower that the shape
// leaves out; a plain MLP taken for a gated one is off by a fifth and more.
const totalTolerance = .15

// checkTotal reports a number of parameters that the shape cannot have.
func (m Model) checkTotal(r *record) {
	shape := float64(m.TotalParams())
	if !r.user || len(r.errs) > 0 || math.Abs(float64(m.Published)/shape-1) <= totalTolerance {
		return
	}
	r.bad("total_params_b", r.text("total_params_b"),
		fmt.Sprintf("the shape has %.3g billion parameters: check layers, hidden, ffn_dim, vocab, mlp and the experts, or leave this empty", shape/giga))
}

// share returns a cell that is empty, and then 0, or a fraction below 1 such as 5/6.
func (r *record) share(column string) float64 {
	s := r.text(column)
	if s == "" {
		return 0
	}
	var part, whole int
	if n, err := fmt.Sscanf(s, "%d/%d", &part, &whole); n != 2 || err != nil || part <= 0 || whole <= part {
		r.bad(column, s, "want a fraction below 1, such as 5/6")
		return 0
	}
	return float64(part) / float64(whole)
}

var modelTable = table[Model]{"a model", modelColumns, parseModel}

func modelNames(m Model) []string { return []string{m.Name} }

// AllModels returns every built-in model in the order of the table.
func AllModels() []Model { return Builtin().Models() }

// FindModel returns the built-in model with that name, as Catalog.Model does.
func FindModel(name string) (Model, error) { return Builtin().Model(name) }
