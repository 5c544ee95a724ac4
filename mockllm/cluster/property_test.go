package cluster

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline"
)

// tenth is a Stepper of 10 ms a step.
type tenth struct{}

func (tenth) Batch() roofline.Batch { return roofline.Batch{} }

func (tenth) Step(roofline.Batch) time.Duration { return 10 * ms }

func batched(l pipeline.Scheduler) engine.Engine {
	return engine.NewBatched(l, engine.BatchedConfig{Steps: tenth{}, MaxSequences: 4, TokenBudget: 64, KVBlocks: 40})
}

// cold is a batched engine behind an API server that is unloaded when idle.
func cold(l pipeline.Scheduler) engine.Engine {
	return engine.NewCold(l, engine.ColdConfig{Load: 200 * ms, Reload: 100 * ms, Idle: 50 * ms}, func(l pipeline.Scheduler) engine.Engine {
		return engine.NewFront(l, engine.FrontConfig{Fixed: ms, PerToken: ms / 10, Workers: 1}, batched(l))
	})
}

// random is a batched engine with random habits, which keeps prompts, drafts and plans
// ahead or not.
func random(r *rand.Rand) func(pipeline.Scheduler) engine.Engine {
	c := engine.BatchedConfig{
		Steps: tenth{}, MaxSequences: 1 + r.IntN(4), TokenBudget: 64, KVBlocks: 16 + r.IntN(24), BlockTokens: 16,
		PrefixCache: r.IntN(2) == 0, Ahead: r.IntN(2) == 0, PrefillFirst: r.IntN(2) == 0, WholePrompts: r.IntN(2) == 0,
		OnFull:   engine.Policies()[r.IntN(len(engine.Policies()))],
		Overflow: engine.Overflow{Blocks: 1 + r.IntN(20), TokenBytes: 1000, Rate: 1e9},
	}
	if r.IntN(2) == 0 {
		c.Speculation = &engine.Speculation{Tokens: 1 + r.IntN(4), Acceptance: .6}
	}
	return func(l pipeline.Scheduler) engine.Engine { return engine.NewBatched(l, c) }
}

// probe is one request of the property test and what it saw.
type probe struct {
	engine.Request
	job         *job
	told, dones int
	outcome     pipeline.Outcome
	cancelled   bool
}

// world drives a cluster with random traffic and failures.
type world struct {
	t       *testing.T
	loop    pipeline.Virtual
	rand    *rand.Rand
	cluster *Cluster
	probes  []*probe
	log     []string
}

// newWorld makes a cluster of four replicas, one of each kind, with random settings.
func newWorld(t *testing.T, policy Policy, seed uint64) *world {
	w := &world{t: t, rand: rand.New(rand.NewPCG(seed, uint64(policy)))}
	c := Config{
		Replicas: append(slots(1, 2), batched, cold, random(w.rand)), Policy: policy, Prefix: PrefixConfig{Margin: w.rand.IntN(3)},
		Retries: w.rand.IntN(4), HealthDelay: time.Duration(w.rand.IntN(300)) * ms,
		SlowStart: time.Duration(w.rand.IntN(1000)) * ms, Load: time.Duration(w.rand.IntN(300)) * ms,
	}
	for i := range c.Replicas {
		for at := w.rand.IntN(2000); at < 6000; {
			f := Failure{Replica: i, At: time.Duration(at) * ms, For: time.Duration(w.rand.IntN(500)) * ms}
			c.Failures = append(c.Failures, f)
			at = int((f.At+f.For+c.Load)/ms) + 1 + w.rand.IntN(3000)
		}
	}
	w.cluster = New(&w.loop, c)
	return w
}

func (w *world) submit() {
	p := &probe{}
	p.Prompt, p.Output = 1+w.rand.IntN(200), 1+w.rand.IntN(30)
	if w.rand.IntN(20) == 0 {
		p.Prompt = 5000 // fits nowhere
	}
	if key := w.rand.Uint64N(4); key > 0 {
		p.Blocks = func(dst []uint64, size int) []uint64 {
			if p.dones > 0 {
				w.t.Error("asked for blocks after Done")
			}
			for n := size; n <= p.Prompt+p.Output; n += size {
				dst = append(dst, key<<32+uint64(n))
			}
			return dst
		}
	}
	p.NotifyAt = 1
	p.Notify = func(n int) int { return w.notified(p, n) }
	p.Done = func(o pipeline.Outcome) { w.finished(p, o) }
	w.probes = append(w.probes, p)
	w.cluster.Submit(&p.Request)
	p.job = w.cluster.jobs[&p.Request]
	if p.dones > 0 {
		w.t.Error("Done from inside Submit")
	}
	w.check()
}

func (w *world) notified(p *probe, n int) int {
	if n <= p.told || p.dones > 0 || p.cancelled {
		w.t.Errorf("told of %d tokens after %d, done %d times, cancelled %t", n, p.told, p.dones, p.cancelled)
	}
	p.told = n
	if w.rand.IntN(60) == 0 {
		w.cancel(p)
	}
	w.check()
	return n + 1
}

func (w *world) cancel(p *probe) {
	p.cancelled = p.cancelled || p.dones == 0
	w.cluster.Cancel(&p.Request)
}

func (w *world) finished(p *probe, o pipeline.Outcome) {
	p.dones++
	p.outcome = o
	w.log = append(w.log, fmt.Sprint(p.Prompt, o, w.loop.Now(), p.Generated(), p.Reason))
	if w.rand.IntN(10) == 0 && len(w.probes) < 400 {
		w.submit()
	}
	w.check()
}

// check holds the invariants of every instant.
func (w *world) check() {
	s := w.cluster.Stats()
	if s.Submitted != len(w.probes) || s.Submitted != s.Finished+s.Cancelled+s.Refused+s.Failed+s.Waiting+s.Running || s.Waiting < 0 || s.Running < 0 {
		w.t.Fatalf("at %s: %d requests, %+v", w.loop.Now(), len(w.probes), s)
	}
	sum := engine.Total(w.cluster.Replicas()...)
	if sum.Finished != s.Finished || sum.Refused != s.Refused || sum.OutputTokens != s.OutputTokens || sum.Steps != s.Steps || sum.Running != s.Running || sum.BlocksUsed != s.BlocksUsed {
		w.t.Fatalf("at %s: replicas add up to %+v, the cluster says %+v", w.loop.Now(), sum, s)
	}
}

func (w *world) run() {
	at := time.Duration(0)
	for range 150 {
		at += time.Duration(w.rand.IntN(60)) * ms
		w.loop.At(at, pipeline.RankTimer, w.submit)
		if w.rand.IntN(5) == 0 {
			w.loop.At(at+time.Duration(w.rand.IntN(300))*ms, pipeline.RankInput, func() {
				if n := len(w.probes); n > 0 {
					w.cancel(w.probes[w.rand.IntN(n)])
				}
				w.check()
			})
		}
	}
	if err := w.loop.Run(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	w.judge()
}

// judge checks every request once all is over.
func (w *world) judge() {
	tokens := 0
	for i, p := range w.probes {
		tokens += p.Generated()
		what := fmt.Sprintf("request %d (prompt %d, output %d, %s, %v)", i, p.Prompt, p.Output, p.outcome, p.Reason)
		silent := p.Generated() - p.told // who gives up among the tokens of a step hears no more of them
		if p.dones != 1 || silent < 0 || silent > 0 && !p.cancelled {
			w.t.Errorf("%s: done %d times, told of %d tokens of %d", what, p.dones, p.told, p.Generated())
		}
		if p.cancelled != (p.outcome == pipeline.Cancelled) {
			w.t.Errorf("%s: cancelled is %t", what, p.cancelled)
		}
		if reasoned := p.outcome == pipeline.Error || p.outcome == pipeline.Refused; reasoned != (p.Reason != nil) {
			w.t.Errorf("%s: reason %v", what, p.Reason)
		}
		if p.outcome == pipeline.OK && p.Generated() != p.Output {
			w.t.Errorf("%s: %d tokens", what, p.Generated())
		}
	}
	if s := w.cluster.Stats(); s.Waiting+s.Running+s.BlocksUsed+s.BlocksSlow != 0 || s.OutputTokens != tokens {
		w.t.Errorf("at the end %+v, the requests saw %d tokens", s, tokens)
	}
}

// TestRandomFailures: under random failures, cancels and submits from callbacks every
// request ends exactly once, the statistics add up at every instant, and the same
// seed gives the same run.
func TestRandomFailures(t *testing.T) {
	for policy := range policies {
		outcomes := map[pipeline.Outcome]int{}
		rerouted := 0
		for seed := range uint64(40) {
			w, again := newWorld(t, policy, seed), newWorld(t, policy, seed)
			w.run()
			again.run()
			if !slices.Equal(w.log, again.log) {
				t.Fatalf("%s, seed %d: two runs differ", policy, seed)
			}
			for _, p := range w.probes {
				outcomes[p.outcome]++
				if p.outcome == pipeline.OK && len(p.job.tried) > 0 {
					rerouted++
				}
			}
		}
		for _, o := range []pipeline.Outcome{pipeline.OK, pipeline.Error, pipeline.Cancelled, pipeline.Refused} {
			if outcomes[o] < 100 {
				t.Errorf("%s: %d requests ended %s: the test does not test them", policy, outcomes[o], o)
			}
		}
		if rerouted < 100 {
			t.Errorf("%s: %d requests ended well after they were routed again: the test does not test them", policy, rerouted)
		}
		t.Logf("%s: %v, %d of them ok after they were routed again", policy, outcomes, rerouted)
	}
}
