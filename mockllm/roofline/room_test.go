package roofline

import (
	"errors"
	"testing"

	"halfsecond/pipeline"
)

// A sequence takes the bytes of all its tokens in the layers that keep them and of those
// in the window in the others, so that so many fit: the closed form, in bytes.
func TestRoomWithWindows(t *testing.T) {
	const each = 2048            // bytes of a token and layer: 2 * 8 heads * 64 values * 2
	m := model(t, "gpt-oss-20b") // 12 layers of each kind, a window of 128 tokens
	free := unit.Memory - 2*m.TotalParams()
	room, err := counting(t, m).Room(BlockTokens)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := int64(room.Longest()), (free-12*128*each)/(12*each)/16*16; got != want {
		t.Errorf("the longest sequence has %d tokens, want %d", got, want)
	}
	for tokens, bytes := range map[int]int64{16: 24 * 16, 128: 24 * 128, 144: 12*144 + 12*128, 100_000: 12*100_000 + 12*128} {
		if got, want := int64(room.Sequences(tokens)), free/(bytes*each); got != want {
			t.Errorf("%d sequences of %d tokens, want %d", got, tokens, want)
		}
	}
}

// Windows of five times as many layers, of models by several devices, and of a draft.
func TestWindowBlocks(t *testing.T) {
	five, gemma := Windows{{1024, 5. / 6 / (1 - 5./6)}}, model(t, "Gemma-3-27B")
	for _, test := range []struct {
		name            string
		w               Windows
		n, size, blocks int
	}{
		{"none", nil, 100, 16, 0},
		{"one block of five", five, 1, 16, 5},
		{"up to the window", five, 64, 16, 320},
		{"beyond it", five, 65, 16, 320},
		{"a part of a block", Windows{{100, .5}}, 7, 16, 4}, // 50 of 100 tokens
		{"two windows", Windows{{16, 1}, {32, .25}}, 9, 16, 2},
		{"large blocks", five, 2, 1000, 6}, // 5,120 tokens
		{"of a split model", windows([]*Plan{counting(t, gemma, gpus(4))}), 64, 16, 320},
		{"of a model and a draft that is as large", windows([]*Plan{counting(t, gemma), counting(t, gemma)}), 64, 16, 320},
	} {
		if got := test.w.Blocks(test.n, test.size); got != test.blocks {
			t.Errorf("%s: %d blocks, want %d", test.name, got, test.blocks)
		}
	}
	for blocks, want := range map[int]int{0: 0, 5: 0, 6: 1, 11: 1, 12: 2, 384: 64, 385: 65, 1000: 680} {
		if got := five.Longest(blocks, 16); got != want {
			t.Errorf("%d blocks hold a sequence of %d, want %d", blocks, got, want)
		}
	}
}

// Several devices hold a sequence as often as they repeat it, whether it is divided by
// heads or by layers, with its windows.
func TestRoomOfSeveralDevices(t *testing.T) {
	m := model(t, "Gemma-3-27B") // 62 layers, of which 5 of 6 see 1,024 tokens; 16 heads of 128
	const layer = 2 * 16 * 128 * 2
	for name, change := range map[string]func(*Deployment){"heads": gpus(4), "layers": stages(4)} {
		room, err := counting(t, m, change).Room(BlockTokens)
		if err != nil {
			t.Fatal(err)
		}
		free := float64(4*unit.Memory - 2*m.TotalParams())
		want := (free - 62*5./6*1024*layer) / (62 / 6. * layer)
		if got := float64(room.Longest()); got > want || got < want-2*BlockTokens {
			t.Errorf("divided by %s: the longest sequence has %g tokens, want %g", name, got, want)
		}
	}
}

// A window larger than what there is holds no more than that.
func TestWindowThatNobodyFills(t *testing.T) {
	w := Windows{{1 << 40, 2}}
	if got := w.Longest(1000, 16); got != 333 || w.Blocks(got, 16) != 666 {
		t.Errorf("1000 blocks hold a sequence of %d and %d of its windows, want 333 and 666", got, w.Blocks(got, 16))
	}
}

// A number that was given is that of one sequence.
func TestRoomThatIsGiven(t *testing.T) {
	room, err := counting(t, model(t, "gpt-oss-20b"), func(d *Deployment) { d.KVTokens = 4100 }).Room(256)
	if err != nil || room.Blocks != 16+1 || room.Longest() != 4096 { // half a block, rounded up
		t.Errorf("%+v of %d tokens, %v; want 17 blocks of 256 and 4096 tokens", room, room.Longest(), err)
	}
}

func TestUnknownRoom(t *testing.T) {
	p, err := Partial(Deployment{Model: model(t, "Llama-3.1-8B"), Hardware: hardware(t, "CPU-EPYC-12ch-DDR5-4800")})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := p.Room(BlockTokens); err != nil || r.Known() || r.Longest() != pipeline.UnknownCount || r.Sequences(1) != pipeline.UnknownCount {
		t.Errorf("%+v, %v; want an unknown one", r, err)
	}
}

// Weights and caches of a model and its draft fill the devices, each counted as often
// as devices hold it, and a block more would not fit.
func TestRoomBeside(t *testing.T) {
	for _, test := range []struct {
		model, draft string
		gpus, stages int
		hardware     string
		repeated     int64 // copies of the caches
	}{
		{"Llama-3.1-8B", "Llama-3.2-1B", 1, 1, "H100-SXM", 1},
		{"Llama-3.1-70B", "Llama-3.2-1B", 8, 1, "H100-SXM", 1},
		{"Llama-3.1-70B", "Llama-3.2-1B", 16, 1, "H100-SXM", 2}, // 8 KV heads each
		{"Llama-3.1-70B", "Llama-3.2-1B", 4, 4, "H100-SXM", 1},
		{"DeepSeek-V3", "DeepSeek-V3", 16, 1, "H200-SXM", 16}, // latent attention
	} {
		d := Deployment{Hardware: hardware(t, test.hardware), GPUs: test.gpus, Stages: test.stages, Weights: FP8}
		d.Model = model(t, test.model)
		p := plan(t, d)
		d.Model = model(t, test.draft)
		draft := plan(t, d)
		if test.model == test.draft {
			draft = head(t, p)
		}
		for _, x := range []*Plan{p, draft} {
			if got, want := x.DeviceKVBytesPerToken(), test.repeated*x.KVBytesPerToken(); got != want {
				t.Errorf("%s on %d: %d bytes a token on all devices, want %d", x.d.Model.Name, test.gpus, got, want)
			}
		}
		room, err := p.Room(BlockTokens, draft)
		if err != nil {
			t.Fatal(err)
		}
		tokens := room.Longest()
		c := p.d.Constants
		left := p.have() - p.WeightBytes() - draft.WeightBytes() - c.WorkingMemory*int64(test.stages) - c.NonTorch*int64(p.d.Devices())
		each := p.DeviceKVBytesPerToken() + draft.DeviceKVBytesPerToken()
		if int64(tokens)*each > left || int64(tokens+BlockTokens)*each <= left {
			t.Errorf("%s and %s on %d: %d tokens of %d bytes do not fill %d bytes", test.model, test.draft, test.gpus, tokens, each, left)
		}
	}
}

func TestRoomBesideGiven(t *testing.T) {
	d := Deployment{Model: model(t, "Llama-3.1-8B"), Hardware: hardware(t, "H100-SXM"), KVTokens: 4099}
	p := plan(t, d)
	if got, err := p.Room(BlockTokens, p); got.Longest() != 4096 || err != nil {
		t.Errorf("%d tokens, error %v; want those given, 4096", got.Longest(), err)
	}
	d.Hardware, d.Weights, d.KVTokens = hardware(t, "RTX-4090"), FP16, 0
	p = plan(t, d)
	var fit *FitError
	if _, err := p.Room(BlockTokens, p); !errors.As(err, &fit) || fit.Need != p.need()+p.WeightBytes() {
		t.Errorf("error = %v, want that twice the model does not fit", err)
	}
}
