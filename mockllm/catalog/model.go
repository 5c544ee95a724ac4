package catalog

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"sync"
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
	HeadDim int  // width of one head
	FFN     int  // width of the MLP; of one expert in a mixture of experts
	Gated   bool // the MLP has three matrices; two when it is plain
	Vocab   int
	Tied    bool // the input embedding is the output head as well

	Experts       int // per layer; 0 when the model is dense
	ActiveExperts int // experts used for one token

	// MLAValues is how many values multi-head latent attention keeps for one
	// token and layer; 0 when keys and values are kept whole.
	MLAValues int

	// Window is the sliding window in tokens that WindowShare of the layers
	// attend to; 0 when all layers attend to everything.
	Window      int
	WindowShare float64

	MaxContext int    // tokens, as published
	Source     string // where the shape was read
	Note       string // caveats
	Unverified bool   // the shape was written from memory and awaits a source
}

// HasShape reports whether more than the number of parameters is known.
func (m Model) HasShape() bool { return m.Layers > 0 }

// LinearParams returns the parameters of the matrices in all layers, every expert
// counted: L * (d*h*(2H + 2G) + 3*d*f*E), with 2*d*f instead of 3*d*f for a plain
// MLP and E = 1 for a dense model. Latent attention and shared experts are not
// accounted for.
func (m Model) LinearParams() int64 {
	attention := int64(m.Hidden) * int64(m.HeadDim) * int64(2*m.Heads+2*m.KVHeads)
	matrices := int64(2)
	if m.Gated {
		matrices = 3
	}
	mlp := matrices * int64(m.Hidden) * int64(m.FFN) * int64(max(1, m.Experts))
	return int64(m.Layers) * (attention + mlp)
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

var modelColumns = []string{
	"name", "total_params_b", "active_params_b", "layers", "hidden", "heads", "kv_heads", "head_dim", "ffn_dim", "mlp", "vocab",
	"tied_embeddings", "n_experts", "experts_per_token", "mla_values", "window_tokens", "window_share", "max_context", "source", "note",
}

//go:embed models.csv
var modelsCSV string

func parseModel(r *record) Model {
	m := Model{
		Name:            r.required("name"),
		Published:       int64(math.Round(r.requiredNumber("total_params_b") * giga)),
		PublishedActive: int64(math.Round(r.requiredNumber("active_params_b") * giga)),
		Layers:          r.requiredCount("layers"),
		Hidden:          r.requiredCount("hidden"),
		Heads:           r.requiredCount("heads"),
		KVHeads:         r.requiredCount("kv_heads"),
		HeadDim:         r.requiredCount("head_dim"),
		FFN:             r.requiredCount("ffn_dim"),
		Gated:           r.oneOf("mlp", "gated", "plain") == "gated",
		Vocab:           r.requiredCount("vocab"),
		Tied:            r.flag("tied_embeddings"),
		Experts:         r.count("n_experts"),
		ActiveExperts:   r.count("experts_per_token"),
		MLAValues:       r.count("mla_values"),
		Window:          r.count("window_tokens"),
		WindowShare:     r.share("window_share"),
		MaxContext:      r.requiredCount("max_context"),
		Source:          r.required("source"),
		Note:            r.text("note"),
		Unverified:      unverified(r.text("source")),
	}
	if (m.Window > 0) != (m.WindowShare > 0) {
		r.bad("window_share", r.text("window_share"), "must be there exactly when window_tokens is")
	}
	return m
}

// share returns a cell that is empty, and then 0, or a fraction such as 5/6.
func (r *record) share(column string) float64 {
	s := r.text(column)
	if s == "" {
		return 0
	}
	var part, whole int
	if n, err := fmt.Sscanf(s, "%d/%d", &part, &whole); n != 2 || err != nil || part <= 0 || whole < part {
		r.bad(column, s, "want a fraction such as 5/6")
		return 0
	}
	return float64(part) / float64(whole)
}

var models = sync.OnceValue(func() *index[Model] {
	rows := mustRead("models.csv", modelsCSV, modelColumns, parseModel)
	return newIndex("model", rows, func(m Model) []string { return []string{m.Name} })
})

// AllModels returns every model in the order of the table.
func AllModels() []Model { return slices.Clone(models().rows) }

// FindModel returns the model with that name. Case and punctuation do not matter
// as long as only one model matches. The error is a *NotFoundError.
func FindModel(name string) (Model, error) { return models().find(name) }
