package ide

import (
	"slices"
	"testing"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
	"halfsecond/pipeline/link"
	"halfsecond/simulators/ide/cache"
	"halfsecond/simulators/ide/plugin"
)

// limited puts a limit of one request in so long before the rig's model, and a plugin that
// waits as it is told.
func (r *rig) limited(per, retry time.Duration) {
	slots := engine.NewSlots(r.loop, engine.SlotsConfig{Service: engine.Fixed{TTFT: 40 * ms}, Slots: 4, MaxContext: 1 << 20})
	quota := engine.NewQuota(r.loop, engine.QuotaConfig{Requests: 1, Per: per, RetryAfter: retry}, slots)
	r.config.LLM, r.config.Plugin.OnLimit = engine.NewStage(r.loop, quota), plugin.LimitWait
}

// What was refused last is asked for again, once the server takes it, although nobody types.
func TestProbe(t *testing.T) {
	r := newRig(t, 1, 0, 0)
	r.limited(time.Second, 400*ms)
	traces := r.play(open("", "").will("ab = 1").key(0, "a").key(100*ms, "b"))
	b := traces[1]
	if got := sent(requests(traces)); !slices.Equal(got, []int64{0, 100, 500, 900, 1300}) {
		t.Errorf("sent at %v, want the refused one every 400 ms until the second is over", got)
	}
	if b.Outcome != pipeline.OK || b.Reason != "" || b.Fact("held") != "limit" || b.Mark("first_character") != 1340*ms {
		t.Errorf("the key ended %s %q, held by %q, first character at %s; want ok, held by limit, 1.34s", b.Outcome, b.Reason, b.Fact("held"), b.Mark("first_character"))
	}
	spans := ""
	for _, s := range b.Spans {
		spans += s.Name + " " + s.Start.String() + "-" + s.End.String() + " "
	}
	if want := "debounce 100ms-100ms llm_first_token 100ms-100ms client_queue 100ms-500ms llm_first_token 500ms-500ms " +
		"client_queue 500ms-900ms llm_first_token 900ms-900ms client_queue 900ms-1.3s llm_first_token 1.3s-1.34s "; spans != want {
		t.Errorf("it waited\n%s, want\n%s", spans, want)
	}
}

// A server that never takes it, and one that has no wait to tell, end no run.
func TestProbesEnd(t *testing.T) {
	for retry, want := range map[time.Duration]int{time.Second: 2 + mostProbes, 0: 2} {
		r := newRig(t, 1, 0, 0)
		r.limited(time.Hour, retry)
		traces := r.play(open("", "").will("ab = 1").key(0, "a").key(100*ms, "b"))
		if n := len(requests(traces)); n != want || traces[1].Outcome != pipeline.Refused {
			t.Errorf("retry after %s: %d requests, the last %s; want %d, refused", retry, n, traces[1].Outcome, want)
		}
	}
}

// The refusal of a request that was closed before it came reaches nobody.
func TestRefusedOnceClosed(t *testing.T) {
	r := newRig(t, 1, 0, 0)
	r.limited(time.Hour, time.Second)
	r.config.LLM = link.Between(r.loop, link.Path{RoundTrip: func(uint64) time.Duration { return 20 * ms }}, r.config.LLM)
	r.config.Plugin.Cancel = plugin.CancelWire
	traces := r.play(open("", "").will("abc = 1").key(0, "a").key(100*ms, "b").key(115*ms, "c").key(500*ms, "d"))
	if got := sent(requests(traces))[:3]; !slices.Equal(got, []int64{0, 100, 115}) {
		t.Errorf("sent at %v, want c asked for at 115, before the refusal of b", got)
	}
	if traces[1].Outcome != pipeline.OK || traces[1].Requests[0].Outcome != pipeline.Cancelled {
		t.Errorf("the key whose request was closed ended %s, its request %s; want ok, cancelled", traces[1].Outcome, traces[1].Requests[0].Outcome)
	}
}

// What the cache has is shown while the server wants no requests.
func TestCacheWhileLimited(t *testing.T) {
	r := newRig(t, 1, 0, 0)
	r.limited(time.Hour, 5*time.Second)
	r.config.Plugin.Cache = cache.Config{Capacity: 10}
	a := open("x", "").will("xa = 1").key(0, "a").backspace(200*ms).key(400*ms, "a").key(600*ms, "z")
	if c := r.play(a)[2]; c.Fact("source") != "cache" || c.Mark("first_character") != 400*ms {
		t.Errorf("the key that types it again has its text from %s at %s, want the cache at 400ms", c.Fact("source"), c.Mark("first_character"))
	}
}
