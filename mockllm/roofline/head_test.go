package roofline

import (
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/catalog"
)

func head(t *testing.T, p *Plan) *Plan {
	t.Helper()
	h, err := p.Head()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// A pass of a head reads a layer, the joining matrix and the model's output head, of
// which only the first two are its own.
func TestHead(t *testing.T) {
	for _, test := range []struct {
		model string
		own   int64 // parameters
		read  int64 // of them, by one token
	}{
		// 4096*128*(2*32+2*8) + 3*4096*14336, and 2*4096*4096 to 1,365 parts.
		{"Llama-3.1-8B", 41_943_040 + 176_160_768 + 33_558_528, 251_662_336},
		// 2560*80*4*32 + 2*2560*10240 + 2*2560*2560 of a plain MLP.
		{"Phi-2", 26_214_400 + 52_428_800 + 13_107_200, 91_750_400},
		// 64 heads of 64 with 8 of keys and values, 128 experts of 3*2880*2880 of which 4 are
		// read; the joining matrix is nearest to 1 of them.
		{"gpt-oss-120b", 26_542_080 + 129*24_883_200, 26_542_080 + 5*24_883_200},
	} {
		m := model(t, test.model)
		p := counting(t, m)
		h := head(t, p)
		if got, want := h.WeightBytes(), 2*test.own; got != want {
			t.Errorf("%s: a head of %d bytes, want %d", test.model, got, want)
		}
		got, want := h.Explain(h.DecodeBatch(1, 1)).MatmulMemory, time.Duration(2*(test.read+m.HeadParams()))
		if got < want-1 || got > want+1 {
			t.Errorf("%s: a pass reads %d bytes, want %d", test.model, got, want)
		}
	}
}

// Its constants, formats and devices are the model's, and the engine says what a pass
// costs on top.
func TestHeadOfADeployment(t *testing.T) {
	d := Deployment{Model: model(t, "Llama-3.1-8B"), Hardware: hardware(t, "A100-80GB-SXM"), Weights: INT4, KV: KVFP8, GPUs: 2, Stages: 2, KVTokens: 4096}
	p := plan(t, d)
	h := head(t, p)
	got, want := h.Deployment(), p.Deployment()
	want.Model, want.Stages, want.KVTokens = got.Model, 1, 0
	if got.Constants != want.Constants || got.Weights != want.Weights || got.KV != want.KV || got.Devices() != 2 {
		t.Errorf("the head is %+v\nwant %+v", got, want)
	}
	slow := d
	slow.Engine = defaultEngine()
	slow.Engine.DraftPass = 700 * time.Microsecond
	if got := head(t, plan(t, slow)).Decode(1, 100) - h.Decode(1, 100); got != slow.Engine.DraftPass {
		t.Errorf("a pass takes %s longer, want %s", got, slow.Engine.DraftPass)
	}
	if got, want := plan(t, slow).Decode(1, 100), p.Decode(1, 100); got != want {
		t.Errorf("a step of the model itself takes %s, want %s", got, want)
	}
}

// Of devices that share by layers, the last one has the head.
func TestHeadOfALayerSplit(t *testing.T) {
	d := Deployment{Model: model(t, "Llama-3.1-8B"), Hardware: hardware(t, "RTX-4090")}
	alone := head(t, plan(t, d))
	d.GPUs, d.Split = 2, catalog.SplitLayer
	if got, want := head(t, plan(t, d)).Decode(1, 100), alone.Decode(1, 100); got != want {
		t.Errorf("a pass takes %s, want %s as on one device", got, want)
	}
}

func TestNoHead(t *testing.T) {
	p, err := Partial(Deployment{Model: catalog.Model{Name: "X", Published: 7e9}, Hardware: hardware(t, "H100-SXM")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Head(); err == nil || !strings.Contains(err.Error(), "X: a drafting head of a model of unknown shape") {
		t.Errorf("error = %v", err)
	}
}
