package catalog

import (
	"math"
	"strings"
	"testing"
)

// Totals that the shape cannot give, with the reason.
var totalExceptions = map[string]string{
	"Gemma-3-4B":  "the published total includes the vision tower",
	"Gemma-3-12B": "the published total includes the vision tower",
}

func TestTotalsAgreeWithThePublishedOnes(t *testing.T) {
	for _, m := range AllModels() {
		off := math.Abs(float64(m.TotalParams())/float64(m.Published) - 1)
		_, excepted := totalExceptions[m.Name]
		if (off > .03) != excepted {
			t.Errorf("%s: %d parameters by shape, %d published (%.1f %% off), exception: %v",
				m.Name, m.TotalParams(), m.Published, 100*off, excepted)
		}
	}
}

func TestParametersOfAShape(t *testing.T) {
	m := named(t, "Llama-3.1-8B")
	// 32 * (4096*128*(2*32+2*8) + 3*4096*14336), and 128256 * 4096.
	if got, want := m.LinearParams(), int64(6_979_321_856); got != want {
		t.Errorf("LinearParams() = %d, want %d", got, want)
	}
	if got, want := m.EmbeddingParams(), int64(525_336_576); got != want {
		t.Errorf("EmbeddingParams() = %d, want %d", got, want)
	}
	if got, want := m.TotalParams(), int64(8_029_995_008); got != want {
		t.Errorf("TotalParams() = %d, want %d", got, want)
	}
}

// Totals of mixtures of experts agree with the published ones within 1 %, and active
// parameters within 3 %; makers disagree on whether the input embedding is active.
func TestParametersOfExperts(t *testing.T) {
	for _, test := range []struct {
		model         string
		total, active float64 // billions, as published
		embedding     bool    // the active ones count the input embedding
	}{
		{"Mixtral-8x7B", 46.7, 12.9, true},
		{"Qwen3-30B-A3B", 30.5, 3.3, true},
		{"Qwen3-235B-A22B", 235, 22, true},
		{"gpt-oss-20b", 20.9, 3.6, false},
		{"gpt-oss-120b", 116.8, 5.1, false},
		{"DeepSeek-V3", 671, 37, false},
		{"DeepSeek-V2-Lite", 15.7, 2.4, false},
	} {
		m := named(t, test.model)
		total, active := float64(m.TotalParams())/1e9, float64(m.ActiveParams())/1e9
		if test.embedding {
			active += float64(m.EmbeddingParams()) / 1e9
		}
		if math.Abs(total/test.total-1) > .01 || math.Abs(active/test.active-1) > .03 {
			t.Errorf("%s: %.2f billion parameters, %.2f active; published %v and %v", test.model, total, active, test.total, test.active)
		}
	}
}

// Latent attention by hand: DeepSeek-V3 has 61 layers of
// 7168*1536 + 1536*128*192 + 7168*576 + 512*128*256 + 128*128*7168.
func TestLatentAttentionParams(t *testing.T) {
	if got, want := named(t, "DeepSeek-V3").AttentionParams(), int64(61*187_105_280); got != want {
		t.Errorf("AttentionParams() = %d, want %d", got, want)
	}
	// Queries are not pressed: 2048*16*192 in place of the first two terms.
	if got, want := named(t, "DeepSeek-V2-Lite").AttentionParams(), int64(27*(2048*16*192+2048*576+512*16*256+16*128*2048)); got != want {
		t.Errorf("AttentionParams() = %d, want %d", got, want)
	}
}

func named(t *testing.T, name string) Model {
	t.Helper()
	m, err := FindModel(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestTiedEmbeddingCountsOnce(t *testing.T) {
	m := named(t, "Qwen2.5-0.5B")
	if got, want := m.TotalParams(), m.LinearParams()+m.EmbeddingParams(); got != want {
		t.Errorf("TotalParams() = %d, want %d", got, want)
	}
}

func TestModelWithoutShapeHasItsPublishedTotal(t *testing.T) {
	m := Model{Published: 70e9}
	if m.HasShape() || m.TotalParams() != 70e9 {
		t.Errorf("HasShape() = %v, TotalParams() = %d", m.HasShape(), m.TotalParams())
	}
}

// The columns that were taken from the notes still say what the notes say.
func TestColumnsAgreeWithTheNotes(t *testing.T) {
	for _, m := range AllModels() {
		for _, check := range []struct {
			what   string
			column bool
			note   string
		}{
			{"plain MLP", !m.Gated, "plain"},
			{"sliding window", m.Window > 0, "sliding window"},
			{"latent attention", m.MLAValues() > 0, "MLA"},
		} {
			if inNote := strings.Contains(m.Note, check.note); check.column != inNote {
				t.Errorf("%s: %s is %v by column, %v by note %q", m.Name, check.what, check.column, inNote, m.Note)
			}
		}
	}
}

func TestSlidingWindow(t *testing.T) {
	for name, want := range map[string]struct {
		window int
		share  float64
	}{
		"Gemma-2-9B":   {4096, .5},
		"Gemma-3-27B":  {1024, 5. / 6},
		"gpt-oss-20b":  {128, .5},
		"Llama-3.1-8B": {0, 0},
	} {
		m := named(t, name)
		if m.Window != want.window || m.WindowShare != want.share {
			t.Errorf("%s: window %d over %g of the layers, want %d over %g", name, m.Window, m.WindowShare, want.window, want.share)
		}
	}
}
