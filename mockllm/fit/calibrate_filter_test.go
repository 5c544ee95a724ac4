package fit

import (
	"strings"
	"testing"

	"halfsecond/mockllm/catalog"
)

func TestFilter(t *testing.T) {
	rows := rowsOf(t, measurement{"Llama-3.1-8B", 20, 2, 1, TPOT}, measurement{"TinyLlama-1.1B", 20, 2, 1, TPOT})
	other := rows[0]
	other.Engine, other.WeightFormat, other.GPU = "sglang", "fp8", "H100-SXM"
	unknown := rows[0]
	unknown.Model = "GPT-5"
	rows = append(rows, other, unknown)
	for _, test := range []struct {
		f    Filter
		want int
		err  string
	}{
		{Filter{}, 4, ""},
		{Filter{Engine: "VLLM"}, 2, ""},
		{Filter{Hardware: "h100 sxm"}, 1, ""},
		{Filter{Model: "tinyllama 1.1b", Weights: "bf16"}, 1, ""},
		{Filter{Weights: "fp8", Engine: "vllm"}, 0, "of 4 measurements none is of fp8, vllm"},
		{Filter{Engine: "nobody", Weights: "fp7"}, 0, `unknown weight format "fp7"`},
	} {
		got, err := test.f.Choose(catalog.Builtin(), rows)
		if len(got) != test.want || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%+v: %d rows, %v; want %d, %q", test.f, len(got), err, test.want, test.err)
		}
	}
}
