package engine

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"halfsecond/pipeline"
)

func init() {
	batched := func(l pipeline.Scheduler) Engine {
		return NewBatched(l, BatchedConfig{Steps: linear{5 * ms, 10 * us}, MaxSequences: 8, TokenBudget: 64, KVBlocks: 24})
	}
	subjects = append(subjects,
		subject{"cold", func(l pipeline.Scheduler) Engine {
			return NewCold(l, ColdConfig{Load: 700 * ms, Reload: 90 * ms, Idle: 30 * ms}, batched)
		}, 6 * ms},
		subject{"cold with a warm-up", func(l pipeline.Scheduler) Engine {
			return NewCold(l, ColdConfig{Load: 300 * ms, Reload: 90 * ms, WarmUp: 40 * ms, Idle: 30 * ms}, batched)
		}, 6 * ms},
		subject{"cold with a front", func(l pipeline.Scheduler) Engine {
			return NewCold(l, ColdConfig{Load: 700 * ms, Reload: 90 * ms, Idle: 1, Loaded: true}, func(l pipeline.Scheduler) Engine {
				return NewFront(l, FrontConfig{Fixed: ms}, many(l))
			})
		}, 0},
	)
}

func oneSlot(loop pipeline.Scheduler) Engine { return one(loop) }

// TestCold: the first request waits for the load, the next come after it in order;
// the model goes after 100 ms without requests and comes back faster.
func TestCold(t *testing.T) {
	var loop pipeline.Virtual
	e := NewCold(&loop, ColdConfig{Load: time.Second, Reload: 200 * ms, Idle: 100 * ms}, oneSlot)
	var log []string
	a := ask(&loop, e, &log, "a", 10*ms, 10, 1)
	ask(&loop, e, &log, "b", 500*ms, 10, 1)
	ask(&loop, e, &log, "c", 1010*ms, 10, 1)
	ask(&loop, e, &log, "d", 1259*ms, 10, 1) // 99 ms after c
	ask(&loop, e, &log, "e", 1409*ms, 10, 1) // 100 ms after d
	loop.At(1408*ms, pipeline.RankInput, func() {
		if s := e.Stats(); s.Loads != 1 || s.BlocksTotal != 63 {
			t.Errorf("just before it is unloaded %+v", s)
		}
	})
	expect(t, &loop, &log, "a1@1060 a:ok@1060 b1@1110 b:ok@1110 c1@1160 c:ok@1160 d1@1309 d:ok@1309 e1@1659 e:ok@1659")
	if a.Scheduled != 1010*ms {
		t.Errorf("a scheduled at %s, want 1.01s", a.Scheduled)
	}
	if s := e.Stats(); s.Loads != 2 || s.Submitted != 5 || s.Finished != 5 || s.OutputTokens != 5 || s.BlocksTotal != 63 {
		t.Errorf("at the end %+v", s)
	}
}

// TestColdForgets: with the model goes what the engine had cached.
func TestColdForgets(t *testing.T) {
	var loop pipeline.Virtual
	e := NewCold(&loop, ColdConfig{Load: time.Second, Reload: 200 * ms, Idle: 100 * ms}, func(l pipeline.Scheduler) Engine {
		return NewBatched(l, BatchedConfig{Steps: linear{10 * ms, 0}, MaxSequences: 1, TokenBudget: 100, KVBlocks: 10, PrefixCache: true})
	})
	var found []int
	for _, at := range []time.Duration{0, 1050 * ms, 1200 * ms} {
		r := &Request{Prompt: 64, Output: 1, Blocks: func(dst []uint64, size int) []uint64 { return append(dst, 1, 2, 3, 4) }}
		r.Done = func(pipeline.Outcome) { found = append(found, r.CachedTokens) }
		loop.At(at, pipeline.RankTimer, func() { e.Submit(r) })
	}
	for at, want := range map[time.Duration]int{1159 * ms: 4, 1160 * ms: 0} {
		loop.At(at, pipeline.RankInput, func() {
			if got := e.Stats().BlocksCached; got != want {
				t.Errorf("at %s %d blocks are cached, want %d", at, got, want)
			}
		})
	}
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(found, []int{0, 48, 0}) {
		t.Errorf("prompts found %d tokens in the cache, want 0, 48 and, after the model was unloaded, 0", found)
	}
}

// TestWarmUp: the first request after a load takes a second longer, and so does who
// comes meanwhile; those after them do not, nor does a model that has served before. All
// know how long they waited for the model.
func TestWarmUp(t *testing.T) {
	var loop pipeline.Virtual
	e := NewCold(&loop, ColdConfig{Load: 3 * time.Second, Reload: 2 * time.Second, WarmUp: time.Second, Idle: 10 * time.Second}, oneSlot)
	var log []string
	a := ask(&loop, e, &log, "a", 0, 10, 1)
	b := ask(&loop, e, &log, "b", 3500*ms, 10, 1)
	c := ask(&loop, e, &log, "c", 5000*ms, 10, 1)
	d := ask(&loop, e, &log, "d", 20_000*ms, 10, 1) // after it was unloaded
	expect(t, &loop, &log, "a1@4050 a:ok@4050 b1@4100 b:ok@4100 c1@5050 c:ok@5050 d1@23050 d:ok@23050")
	for i, r := range []*Request{a, b, c, d} {
		if want := []time.Duration{4000 * ms, 500 * ms, 0, 3000 * ms}[i]; r.Loading != want {
			t.Errorf("request %d waited %s for the model, want %s", i, r.Loading, want)
		}
	}
}

// TestWarmUpOfNobody: when those who waited for a load gave up, the next request finds
// the model in memory, and warms it up; so it does at a model that was just started.
func TestWarmUpOfNobody(t *testing.T) {
	var loop pipeline.Virtual
	e := NewCold(&loop, ColdConfig{Load: time.Second, WarmUp: 300 * ms}, oneSlot)
	var log []string
	a := ask(&loop, e, &log, "a", 0, 10, 1)
	loop.At(400*ms, pipeline.RankInput, func() { e.Cancel(a) })
	b := ask(&loop, e, &log, "b", 2000*ms, 10, 1)
	expect(t, &loop, &log, "a:cancelled@400 b1@2350 b:ok@2350")
	if b.Loading != 300*ms {
		t.Errorf("b waited %s for the model, want 300ms", b.Loading)
	}
	for unused, want := range map[bool]string{false: "a1@50 a:ok@50", true: "a1@350 a:ok@350"} {
		var loop pipeline.Virtual
		var log []string
		ask(&loop, NewCold(&loop, ColdConfig{Load: time.Second, WarmUp: 300 * ms, Loaded: true, Unused: unused}, oneSlot), &log, "a", 0, 10, 1)
		expect(t, &loop, &log, want)
	}
}

// TestColdKept: what is loaded and never unloaded does not load.
func TestColdKept(t *testing.T) {
	var loop pipeline.Virtual
	e := NewCold(&loop, ColdConfig{Load: time.Second, Reload: time.Second, Loaded: true}, oneSlot)
	var log []string
	ask(&loop, e, &log, "a", 0, 10, 1)
	ask(&loop, e, &log, "b", time.Hour, 10, 1)
	expect(t, &loop, &log, "a1@50 a:ok@50 b1@3600050 b:ok@3600050")
	if n := e.Stats().Loads; n != 0 {
		t.Errorf("%d loads, want none", n)
	}
}

// TestColdReload: a model that was in memory when the run started has its weights
// cached at its first load.
func TestColdReload(t *testing.T) {
	var loop pipeline.Virtual
	e := NewCold(&loop, ColdConfig{Load: time.Second, Reload: 200 * ms, Idle: 5 * time.Minute, Loaded: true}, oneSlot)
	var log []string
	ask(&loop, e, &log, "a", 5*time.Minute-1, 10, 1)
	ask(&loop, e, &log, "b", 10*time.Minute+50*ms-1, 10, 1)
	expect(t, &loop, &log, "a1@300049 a:ok@300049 b1@600299 b:ok@600299")
}

// TestColdCancel: a request that gives up while the model loads leaves at once, and
// the load goes on; the idle time counts from its end.
func TestColdCancel(t *testing.T) {
	var loop pipeline.Virtual
	e := NewCold(&loop, ColdConfig{Load: time.Second, Reload: 200 * ms, Idle: 100 * ms}, oneSlot)
	var log []string
	a := ask(&loop, e, &log, "a", 0, 10, 1)
	loop.At(400*ms, pipeline.RankInput, func() { e.Cancel(a) })
	loop.At(500*ms, pipeline.RankInput, func() {
		if s := e.Stats(); s.Cancelled != 1 || s.Waiting != 0 || s.Loads != 1 {
			t.Errorf("at 500ms %+v", s)
		}
	})
	ask(&loop, e, &log, "b", 1099*ms, 10, 1)
	expect(t, &loop, &log, "a:cancelled@400 b1@1149 b:ok@1149")
}

// TestColdServesAgain: a request that its asker uses for another once it has ended,
// as a Stage does, counts once each time. The model stays while its third answer runs
// for longer than the idle time.
func TestColdServesAgain(t *testing.T) {
	var loop pipeline.Virtual
	e := NewCold(&loop, ColdConfig{Load: time.Second, Reload: 200 * ms, Idle: 100 * ms, Loaded: true}, func(l pipeline.Scheduler) Engine { return many(l) })
	var ends []time.Duration
	var r *Request
	done := func(pipeline.Outcome) { ends = append(ends, loop.Now()) }
	r = &Request{Done: done}
	for _, at := range []time.Duration{0, 100 * ms, 200 * ms} {
		loop.At(at, pipeline.RankTimer, func() {
			*r = Request{Prompt: 10, Output: 1, Done: r.Done}
			if at == 200*ms {
				r.Output = 31
			}
			e.Submit(r)
		})
	}
	loop.At(450*ms, pipeline.RankInput, func() { e.Submit(&Request{Prompt: 10, Output: 1, Done: done}) })
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []time.Duration{50 * ms, 150 * ms, 500 * ms, 550 * ms}; !slices.Equal(ends, want) || e.Stats().Loads != 0 {
		t.Errorf("requests ended at %v after %d loads, want %v and none", ends, e.Stats().Loads, want)
	}
}

func TestColdValidate(t *testing.T) {
	err := ColdConfig{Load: -1, Reload: -2, WarmUp: -4, Idle: -3}.Validate()
	if want := "load is -1ns, must not be negative\nreload is -2ns, must not be negative\nwarm-up is -4ns, must not be negative\nidle is -3ns, must not be negative"; err == nil || err.Error() != want {
		t.Errorf("Validate = %v, want %s", err, want)
	}
}

// TestTotal: every field is in the sum.
func TestTotal(t *testing.T) {
	var a, b Stats
	for i := range reflect.TypeFor[Stats]().NumField() {
		reflect.ValueOf(&a).Elem().Field(i).SetInt(int64(1 + i))
		reflect.ValueOf(&b).Elem().Field(i).SetInt(100)
	}
	got := reflect.ValueOf(Total(a, b))
	for i := range got.NumField() {
		if n := got.Field(i).Int(); n != int64(101+i) {
			t.Errorf("%s = %d, want %d", got.Type().Field(i).Name, n, 101+i)
		}
	}
}

func TestLoadTime(t *testing.T) {
	local := Load{Start: 13 * time.Second, Weights: 16e9, Storage: 4e9, Host: 8e9}
	for _, c := range []struct {
		name   string
		load   Load
		cached bool
		want   time.Duration
	}{
		{"from the disk", local, false, 17 * time.Second},
		{"from the page cache", local, true, 15 * time.Second},
		{"no limits", Load{Start: time.Second, Weights: 16e9}, false, time.Second},
		{"the host is slower", Load{Weights: 16e9, Storage: 4e9, Host: 2e9}, false, 8 * time.Second},
		{"only a disk", Load{Weights: 16e9, Storage: 4e9}, false, 4 * time.Second},
		{"nothing", Load{}, true, 0},
	} {
		if got := LoadTime(c.load, c.cached); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestLoadTimeMeasured: the catalogue's time to start and rate explain four models.
// vLLM 0.10.1.1 on one A100, mean of five starts with a warm compile cache and, it
// seems, the files in the page cache. Weights are the models' parameters at 16 bits;
// source as in the catalogue's SOURCES.md, rows "actual_total_time" of model_size.
func TestLoadTimeMeasured(t *testing.T) {
	for _, c := range []struct {
		model    string
		weights  float64
		measured time.Duration
	}{
		{"Llama-3.2-3B", 6.43e9, 40368 * ms},
		{"Yi-6B", 12.12e9, 43755 * ms},
		{"Llama-2-7B", 13.48e9, 44952 * ms},
		{"Llama-2-13B", 26.03e9, 58709 * ms},
	} {
		l := loadOf(t, served(t, "vllm", nil))
		l.Weights = c.weights
		got := LoadTime(l, true)
		if err := got.Seconds()/c.measured.Seconds() - 1; err < -.04 || err > .04 {
			t.Errorf("%s: %s, measured %s", c.model, got, c.measured)
		} else {
			t.Logf("%s: %.1f s, measured %.1f (%+.1f %%)", c.model, got.Seconds(), c.measured.Seconds(), 100*err)
		}
	}
}

func loadOf(t *testing.T, r Replica) Load {
	t.Helper()
	l, err := r.Load()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestLoad: weights come from an SSD, a process for each device that shares every
// layer takes them in, and what drafts comes with its model.
func TestLoad(t *testing.T) {
	one := served(t, "vllm", nil)
	weights := float64(one.Plan.WeightBytes())
	if got, want := loadOf(t, one), (Load{33 * time.Second, weights, 5e9, 1e9}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	eight := replica(t, "Llama-3.1-8B", "H100-SXM", 8)
	if got, want := loadOf(t, eight), (Load{33 * time.Second, weights, 5e9, 8e9}); got != want {
		t.Errorf("on eight: %+v, want %+v", got, want)
	}
	if cold, warm := LoadTime(loadOf(t, eight), false), LoadTime(loadOf(t, eight), true); cold-warm != time.Duration(weights*(1/5e9-1/8e9)*1e9+.5) {
		t.Errorf("from the disk %s and from the page cache %s", cold, warm)
	}
	split := served(t, "llama.cpp", nil)
	d := split.Plan.Deployment()
	d.GPUs = 2
	split.Plan = planOf(t, d)
	if got, want := loadOf(t, split), (Load{time.Second, weights, 5e9, 1.7e9}); got != want {
		t.Errorf("on two that share by layers: %+v, want %+v", got, want)
	}
	one.Drafting = &Drafting{Head: true, Tokens: 1}
	if got, want := loadOf(t, one).Weights-weights, 2*251_662_336.; got != want {
		t.Errorf("a head of %g bytes, want %g", got, want)
	}
	if _, err := served(t, "trtllm", nil).Load(); err == nil || err.Error() != "how long trtllm takes to start was not measured" {
		t.Errorf("error = %v", err)
	}
}

// TestLoadingOfWhoGaveUp: one that leaves during the load waited for it until then.
func TestLoadingOfWhoGaveUp(t *testing.T) {
	var loop pipeline.Virtual
	e := NewCold(&loop, ColdConfig{Load: time.Second}, oneSlot)
	var log []string
	a := ask(&loop, e, &log, "a", 100*ms, 10, 1)
	loop.At(500*ms, pipeline.RankInput, func() { e.Cancel(a) })
	expect(t, &loop, &log, "a:cancelled@500")
	if a.Loading != 400*ms {
		t.Errorf("waited %s for the model, want 400ms", a.Loading)
	}
}
