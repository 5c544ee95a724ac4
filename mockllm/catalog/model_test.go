package catalog

import (
	"math"
	"strings"
	"testing"
)

// Totals that the shape cannot give, with the reason.
var totalExceptions = map[string]string{
	"Gemma-3-4B":    "the published total includes the vision tower",
	"Gemma-3-12B":   "the published total includes the vision tower",
	"DeepSeek-V3":   "latent attention has fewer parameters than its heads suggest, and three layers are dense",
	"Llama-4-Scout": "the shared expert is not in the shape",
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
	m, err := FindModel("Llama-3.1-8B")
	if err != nil {
		t.Fatal(err)
	}
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

func TestTiedEmbeddingCountsOnce(t *testing.T) {
	m, err := FindModel("Qwen2.5-0.5B")
	if err != nil {
		t.Fatal(err)
	}
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
			{"latent attention", m.MLAValues > 0, "MLA"},
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
		m, err := FindModel(name)
		if err != nil {
			t.Fatal(err)
		}
		if m.Window != want.window || m.WindowShare != want.share {
			t.Errorf("%s: window %d over %g of the layers, want %d over %g", name, m.Window, m.WindowShare, want.window, want.share)
		}
	}
}
