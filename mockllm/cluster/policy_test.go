package cluster

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
)

// stream submits n requests of one token at equal gaps from an instant.
func (r *rig) stream(n int, from, gap time.Duration, blocks func([]uint64, int) []uint64) {
	for i := range n {
		q := &engine.Request{Prompt: 512, Output: 1, Blocks: blocks, Done: func(pipeline.Outcome) {}}
		r.loop.At(from+time.Duration(i)*gap, pipeline.RankTimer, func() { r.Submit(q) })
	}
}

// key is the Blocks of prompts that are alike if their keys are.
func key(k int) func([]uint64, int) []uint64 {
	return func(dst []uint64, size int) []uint64 {
		for n := size; n <= 513; n += size {
			dst = append(dst, rank(uint64(k), n))
		}
		return dst
	}
}

// TestLeastLoaded: the fewest requests waiting and running, the first of equals.
func TestLeastLoaded(t *testing.T) {
	r := newRig(t, Config{Replicas: slots(3, 1), Policy: PolicyLeastLoaded})
	r.ask("a", 0)     // 0 to 60 ms at replica 0
	r.ask("b", 1*ms)  // replica 1
	r.ask("c", 2*ms)  // replica 2
	r.ask("d", 3*ms)  // replica 0 again
	r.ask("e", 61*ms) // replicas have 1, 0, 1
	r.run("a1@50 b1@51 c1@52 a2@60 a:ok@60 b2@61 b:ok@61 c2@62 c:ok@62 d1@110 e1@111 d2@120 d:ok@120 e2@121 e:ok@121")
	r.expectSent(2, 2, 1)
}

// TestWeight: a tenth at first, then the share of the time that has passed.
func TestWeight(t *testing.T) {
	r := newRig(t, Config{Replicas: slots(2, 1), SlowStart: 10 * time.Second, Failures: []Failure{{Replica: 1, At: time.Second, For: time.Second}}})
	for _, c := range []struct {
		at   time.Duration
		want float64
	}{
		{0, 1}, {2 * time.Second, .1}, {2999 * ms, .1}, {3 * time.Second, .1}, {4500 * ms, .25}, {12*time.Second - 1, 1 - 1e-10}, {12 * time.Second, 1},
	} {
		r.loop.At(c.at, pipeline.RankStart, func() {
			if got := r.weight(r.replicas[1]); math.Abs(got-c.want) > 1e-12 || r.weight(r.replicas[0]) != 1 {
				t.Errorf("at %s weights %v and %v, want 1 and %v", c.at, r.weight(r.replicas[0]), got, c.want)
			}
		})
	}
	r.run("")
}

// TestSlowStart: of 1,000 requests in the 10 s after its return, round robin gives
// replica 1 the integral of w/(1+w): 1 s of 1/11 and then of x/(1+x) for x from .1
// to 1, which is 10 (.9 - ln(2/1.1)): 311.
func TestSlowStart(t *testing.T) {
	r := newRig(t, Config{Replicas: slots(2, 100), SlowStart: 10 * time.Second, Failures: []Failure{{Replica: 1, At: 0, For: time.Second}}})
	r.stream(1000, time.Second+10*ms, 10*ms, nil)
	r.run("")
	if n := r.sent()[1]; n < 310 || n > 312 {
		t.Errorf("replica 1 was sent %d of 1000, want 311 and 1 for rounding", n)
	}
	r.stream(1000, r.loop.Now(), 10*ms, nil)
	before := r.sent()[1]
	r.run("")
	if n := r.sent()[1] - before; n != 500 {
		t.Errorf("replica 1 was sent %d of 1000 when the start was over, want 500", n)
	}
}

// TestLeastLoadedSlowStart: at a weight of .1, a replica without requests counts as
// one with 9.
func TestLeastLoadedSlowStart(t *testing.T) {
	for _, want := range [][]int{{10, 0}, {10, 1}, {11, 1}} {
		r := newRig(t, Config{
			Replicas: slots(2, 100), Policy: PolicyLeastLoaded, SlowStart: time.Hour,
			Failures: []Failure{{Replica: 1, At: 0, For: time.Second}},
		})
		r.stream(want[0]+want[1], 2*time.Second, 0, nil)
		r.run("")
		r.expectSent(want...)
	}
}

// TestAffinity: one prompt goes to one replica, many go to all alike, and the death
// of one moves only its own.
func TestAffinity(t *testing.T) {
	const n = 2000
	homes := func(failures ...Failure) (all [n]int) {
		r := newRig(t, Config{Replicas: slots(4, 1), Policy: PolicyPrefix, Failures: failures})
		for i := range all {
			h, ok := r.choose(&job{request: &engine.Request{Prompt: 512, Blocks: key(i)}})
			if again, _ := r.choose(&job{request: &engine.Request{Prompt: 400, Blocks: key(i)}}); !ok || again != h {
				t.Fatalf("prompt %d belongs to replica %d and to %d", i, h, again)
			}
			all[i] = h
		}
		return all
	}
	before := homes()
	counts := make([]int, 4)
	for _, h := range before {
		counts[h]++
	}
	for i, c := range counts {
		if sd := math.Sqrt(n * .25 * .75); math.Abs(float64(c)-n/4) > 4.4*sd {
			t.Errorf("replica %d has %d prompts of %d, want %d within %.0f", i, c, n, n/4, 4.4*sd)
		}
	}
	r := newRig(t, Config{Replicas: slots(4, 1), Policy: PolicyPrefix})
	r.replicas[2].healthy = false
	for i, h := range before {
		now, _ := r.choose(&job{request: &engine.Request{Prompt: 512, Blocks: key(i)}})
		if h != 2 && now != h || now == 2 {
			t.Fatalf("prompt %d moved from replica %d to %d when 2 died", i, h, now)
		}
	}
}

// TestHead: the first 256 tokens name the replica, of a shorter prompt its whole
// blocks, and never the answer.
func TestHead(t *testing.T) {
	r := newRig(t, Config{Replicas: slots(1, 1), Policy: PolicyPrefix})
	var asked []int
	blocks := func(dst []uint64, size int) []uint64 { // of 300 tokens, prompt and answer
		asked = append(asked, size)
		for n := size; n <= 300; n += size {
			dst = append(dst, uint64(n))
		}
		return dst
	}
	for _, c := range []struct {
		prompt int
		want   uint64 // tokens in the head; 0 for none
	}{{300, 256}, {256, 256}, {255, 240}, {40, 32}, {16, 16}, {15, 0}} {
		got, ok := r.key(&engine.Request{Prompt: c.prompt, Blocks: blocks})
		if got != c.want || ok != (c.want > 0) {
			t.Errorf("prompt of %d tokens: head %d (%t), want %d", c.prompt, got, ok, c.want)
		}
	}
	if _, ok := r.key(&engine.Request{Prompt: 300}); ok {
		t.Error("a request without Blocks has a head")
	}
	if want := []int{256, 256, 16, 16, 16, 16}; !slices.Equal(asked, want) {
		t.Errorf("asked for blocks of %d, want %d", asked, want)
	}
}

// TestSpill: a hot prefix fills its replica up to the bound, then the next in its
// order. With 4 replicas and a margin of 10, n requests at one have a mean of n/4
// and are too many above n/4+10, that is from 14. Without a margin none gets more
// than 1.25 times the mean: 31 of 100.
func TestSpill(t *testing.T) {
	for _, c := range []struct {
		margin, n int
		want      string
	}{
		{DefaultMargin, 14, "[0 0 0 14]"},
		{DefaultMargin, 15, "[0 0 1 14]"},
		{0, 2, "[0 0 1 1]"},
		{0, 100, "[7 31 31 31]"},
	} {
		r := newRig(t, Config{Replicas: slots(4, 1000), Policy: PolicyPrefix, Prefix: PrefixConfig{Margin: c.margin}})
		r.stream(c.n, 0, 0, key(1))
		r.loop.RunUntil(0)
		got := r.sent()
		slices.Sort(got)
		if fmt.Sprint(got) != c.want {
			t.Errorf("margin %d: %d requests are spread %d, want %s", c.margin, c.n, got, c.want)
		}
	}
}

// TestSpillInSlowStart: the bound shrinks with the weight. At .1, of 21 requests the
// hot prefix's own replica takes the first two, while the bound is 10 and 10.5, and
// the last, when the mean is 10 and the bound 20.
func TestSpillInSlowStart(t *testing.T) {
	c := Config{Replicas: slots(2, 1000), Policy: PolicyPrefix, Prefix: PrefixConfig{Margin: 10}, SlowStart: time.Hour}
	home, _ := newRig(t, c).choose(&job{request: &engine.Request{Prompt: 512, Blocks: key(1)}})
	c.Failures = []Failure{{Replica: home, At: 0, For: time.Second}}
	r := newRig(t, c)
	r.stream(21, 2*time.Second, 0, key(1))
	r.run("")
	if n := r.sent()[home]; n != 3 {
		t.Errorf("the prefix's own replica was sent %d, want 3", n)
	}
}

// TestNoIdentity: requests that share nothing go round robin.
func TestNoIdentity(t *testing.T) {
	r := newRig(t, Config{Replicas: slots(3, 10), Policy: PolicyPrefix})
	r.stream(9, 0, ms, nil)
	r.run("")
	r.expectSent(3, 3, 3)
}

func TestPolicyNames(t *testing.T) {
	for i, name := range Policies() {
		if p, err := ParsePolicy(name); err != nil || p != Policy(i) || p.String() != name {
			t.Errorf("ParsePolicy(%s) = %v, %v", name, p, err)
		}
	}
	if _, err := ParsePolicy("random"); err == nil || err.Error() != `no router policy "random": want one of ["round_robin" "least_loaded" "prefix"]` {
		t.Errorf("ParsePolicy(random): %v", err)
	}
	if got := Policy(9).String(); got != "policy(9)" {
		t.Errorf("Policy(9) is %s", got)
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		config Config
		want   string
	}{
		{Config{}, "no replicas, want at least 1"},
		{
			Config{Replicas: slots(2, 1), Policy: 7, Retries: -1, HealthDelay: -1, SlowStart: -2, Load: -3, Prefix: PrefixConfig{Tokens: 100, Factor: .5, Margin: -4}},
			"no policy 7\nretries is -1, must not be negative\nhealth delay is -1ns, must not be negative\nslow start is -2ns, must not be negative\nload is -3ns, must not be negative\n" +
				"prefix tokens is 100, must be a multiple of 16\nprefix load factor is 0.5, must be at least 1\nprefix load margin is -4, must not be negative",
		},
		{
			Config{Replicas: slots(2, 1), Load: time.Second, Failures: []Failure{{2, 0, 0}, {0, -1, 0}, {1, 5 * time.Second, time.Second}, {1, 0, 4 * time.Second}, {0, 0, 0}, {0, time.Second + 1, 0}}},
			"failure of replica 0 at -1ns for 0s: neither may be negative\nfailure of replica 2: there are 0 to 1\nfailure of replica 1 at 5s: it is down until 5s",
		},
	} {
		if err := c.config.Validate(); err == nil || err.Error() != c.want {
			t.Errorf("Validate = %v\nwant %s", err, c.want)
		}
	}
}
