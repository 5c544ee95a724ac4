package engine

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline"
)

const ms = time.Millisecond

// linear is a Stepper with a fixed cost and a cost a token.
type linear struct{ step, token time.Duration }

func (l linear) Step(b roofline.Batch) time.Duration {
	return l.step + time.Duration(b.Tokens)*l.token
}

// subject is an engine under the contract, with the longest time that a cancel
// may take.
type subject struct {
	name    string
	make    func(loop pipeline.Scheduler) Engine
	longest time.Duration
}

var subjects = []subject{
	{"batched", func(l pipeline.Scheduler) Engine {
		return NewBatched(l, BatchedConfig{Steps: linear{5 * ms, 10 * time.Microsecond}, MaxSequences: 8, TokenBudget: 64, KVBlocks: 1000})
	}, 6 * ms},
	{"batched, little memory", func(l pipeline.Scheduler) Engine {
		return NewBatched(l, BatchedConfig{Steps: linear{5 * ms, 10 * time.Microsecond}, MaxSequences: 8, TokenBudget: 64, KVBlocks: 24})
	}, 6 * ms},
	{"batched, one sequence", func(l pipeline.Scheduler) Engine {
		return NewBatched(l, BatchedConfig{Steps: linear{1, 1}, MaxSequences: 1, TokenBudget: 1, KVBlocks: 30})
	}, 2},
	{"slots", func(l pipeline.Scheduler) Engine {
		return NewSlots(l, SlotsConfig{Service: Fixed{40 * ms, 7 * ms}, Slots: 3, MaxContext: 300})
	}, 0},
	{"one slot", func(l pipeline.Scheduler) Engine {
		return NewSlots(l, SlotsConfig{Service: Fixed{ms, 0}, Slots: 1, MaxContext: 300})
	}, 0},
	{"hosted", func(l pipeline.Scheduler) Engine {
		return NewHosted(l, HostedConfig{First: func() time.Duration { return 30 * ms }, Next: 3 * ms})
	}, 0},
}

// probe is one request of the property test, with what it saw.
type probe struct {
	Request
	submitted, cancelled, done time.Duration
	outcome                    pipeline.Outcome
	dones, told                int
}

// world drives an engine with random traffic and checks every promise.
type world struct {
	t *testing.T
	subject
	loop   pipeline.Virtual
	rand   *rand.Rand
	engine Engine
	probes []*probe
	last   time.Duration
}

func (w *world) submit() {
	p := &probe{submitted: w.loop.Now(), cancelled: pipeline.Unknown}
	p.Prompt, p.Output = 1+w.rand.IntN(200), 1+w.rand.IntN(60)
	if w.rand.IntN(3) == 0 {
		p.Limit = 1 + w.rand.IntN(60)
	}
	if w.rand.IntN(20) == 0 {
		p.Prompt = 5000 // fits nowhere but at a hosted model
	}
	p.NotifyAt = 1 + w.rand.IntN(3)
	p.Notify = func(n int) int { return w.notified(p, n) }
	p.Done = func(o pipeline.Outcome) { w.finished(p, o) }
	w.probes = append(w.probes, p)
	w.engine.Submit(&p.Request)
	if p.dones > 0 {
		w.t.Error("Done from inside Submit")
	}
}

func (w *world) notified(p *probe, n int) int {
	w.check()
	if n <= p.told || n > p.Tokens() || p.dones > 0 {
		w.t.Errorf("told of %d tokens after %d of %d, done %d times", n, p.told, p.Tokens(), p.dones)
	}
	if p.cancelled != pipeline.Unknown {
		w.t.Errorf("told of a token at %s, cancelled at %s", w.loop.Now(), p.cancelled)
	}
	p.told = n
	switch w.rand.IntN(40) {
	case 0:
		w.cancel(p)
	case 1:
		w.submit()
	case 2:
		w.cancel(w.probes[w.rand.IntN(len(w.probes))])
	case 3:
		return 0
	}
	return n + 1 + w.rand.IntN(10)
}

func (w *world) cancel(p *probe) {
	if p.cancelled == pipeline.Unknown && p.dones == 0 {
		p.cancelled = w.loop.Now()
	}
	w.engine.Cancel(&p.Request)
}

func (w *world) finished(p *probe, o pipeline.Outcome) {
	p.dones++
	p.done, p.outcome = w.loop.Now(), o
	switch w.rand.IntN(10) {
	case 0:
		if len(w.probes) < 400 {
			w.submit()
		}
	case 1, 2:
		w.cancel(w.probes[w.rand.IntN(len(w.probes))])
	}
	w.check()
}

// check holds the invariants of every instant.
func (w *world) check() {
	s := w.engine.Stats()
	if s.Submitted != s.Finished+s.Cancelled+s.Refused+s.Waiting+s.Running {
		w.t.Fatalf("at %s: submitted %d is not the sum of %+v", w.loop.Now(), s.Submitted, s)
	}
	if s.BlocksUsed < 0 || s.BlocksUsed > s.BlocksTotal {
		w.t.Fatalf("at %s: %d blocks used of %d", w.loop.Now(), s.BlocksUsed, s.BlocksTotal)
	}
	if held := w.held(); held >= 0 && held != s.BlocksUsed {
		w.t.Fatalf("at %s: requests hold %d blocks, the engine says %d", w.loop.Now(), held, s.BlocksUsed)
	}
	if now := w.loop.Now(); now < w.last {
		w.t.Fatalf("time went back from %s to %s", w.last, now)
	}
	w.last = w.loop.Now()
}

// held counts the blocks that the requests of a Batched engine hold.
func (w *world) held() int {
	if _, ok := w.engine.(*Batched); !ok {
		return -1
	}
	n := 0
	for _, p := range w.probes {
		n += p.blocks
		if p.state == running && p.computed+p.planned > p.blocks*BlockTokens {
			w.t.Fatalf("at %s: a request computes %d tokens in %d blocks", w.loop.Now(), p.computed+p.planned, p.blocks)
		}
	}
	return n
}

// judge checks every request once all is over.
func (w *world) judge() {
	tokens := 0
	for i, p := range w.probes {
		tokens += p.generated
		what := fmt.Sprintf("request %d (prompt %d, output %d, limit %d, %s)", i, p.Prompt, p.Output, p.Limit, p.outcome)
		if p.dones != 1 {
			w.t.Errorf("%s: done %d times", what, p.dones)
		}
		if p.done < p.submitted || p.Scheduled != pipeline.Unknown && (p.Scheduled < p.submitted || p.Scheduled > p.done) {
			w.t.Errorf("%s: submitted %s, scheduled %s, done %s", what, p.submitted, p.Scheduled, p.done)
		}
		switch p.outcome {
		case pipeline.OK:
			if p.generated != p.Tokens() {
				w.t.Errorf("%s: %d tokens out", what, p.generated)
			}
		case pipeline.Cancelled:
			if p.cancelled == pipeline.Unknown || p.done > p.cancelled+w.longest {
				w.t.Errorf("%s: cancelled at %s, gone at %s, a step is %s at most", what, p.cancelled, p.done, w.longest)
			}
		case pipeline.Refused:
			if p.Reason == nil || p.generated != 0 {
				w.t.Errorf("%s: reason %v, %d tokens", what, p.Reason, p.generated)
			}
		default:
			w.t.Errorf("%s: an engine cannot end so", what)
		}
	}
	s := w.engine.Stats()
	if s.Waiting+s.Running+s.BlocksUsed != 0 || s.OutputTokens != tokens {
		w.t.Errorf("at the end %+v; the requests saw %d tokens", s, tokens)
	}
}

// TestContract runs random traffic, cancels and submits from callbacks through
// every engine.
func TestContract(t *testing.T) {
	for _, subject := range subjects {
		t.Run(subject.name, func(t *testing.T) {
			preemptions := 0
			for seed := range uint64(40) {
				w := &world{t: t, subject: subject, rand: rand.New(rand.NewPCG(seed, 7))}
				w.engine = subject.make(&w.loop)
				w.traffic()
				if err := w.loop.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				w.judge()
				preemptions += w.engine.Stats().Preemptions
			}
			if subject.name == "batched, little memory" && preemptions == 0 {
				t.Error("little memory never made a sequence give way: the test does not test preemption")
			}
		})
	}
}

func (w *world) traffic() {
	at := time.Duration(0)
	for range 150 {
		if w.rand.IntN(4) > 0 {
			at += time.Duration(w.rand.IntN(60)) * ms
		}
		w.loop.At(at, pipeline.RankTimer, func() { w.submit(); w.check() })
		if w.rand.IntN(4) == 0 {
			w.loop.At(at+time.Duration(w.rand.IntN(300))*ms, pipeline.RankInput, func() {
				w.cancel(w.probes[w.rand.IntN(len(w.probes))])
				w.check()
			})
		}
	}
}

// TestFirstComeFirstServed: with equal requests none overtakes another.
func TestFirstComeFirstServed(t *testing.T) {
	for _, subject := range subjects {
		t.Run(subject.name, func(t *testing.T) {
			var loop pipeline.Virtual
			e := subject.make(&loop)
			var order []int
			for i := range 30 {
				r := &Request{Prompt: 50, Output: 10}
				r.Done = func(pipeline.Outcome) { order = append(order, i) }
				loop.At(time.Duration(i)*ms, pipeline.RankTimer, func() { e.Submit(r) })
			}
			if err := loop.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			for i, got := range order {
				if got != i {
					t.Fatalf("ended in order %v", order)
				}
			}
			if len(order) != 30 {
				t.Fatalf("%d ended, want 30", len(order))
			}
		})
	}
}
