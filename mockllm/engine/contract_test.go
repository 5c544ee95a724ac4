package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/engine/kv"
	"halfsecond/pipeline"
)

const ms = time.Millisecond

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
	checks int

	priorities int // the step from one priority to the next
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
	if w.rand.IntN(4) > 0 {
		x := text{family: 1 + w.rand.Uint64N(3), own: uint64(len(w.probes) + 10), shared: w.rand.IntN(250), tokens: p.Prompt + p.Output}
		p.Blocks = func(dst []uint64, size int) []uint64 {
			if p.dones > 0 {
				w.t.Error("asked for blocks after Done")
			}
			return x.blocks(dst, size)
		}
	}
	p.Priority = w.rand.IntN(3) * w.priorities
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
		w.cancelAny()
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

// cancelAny gives up one of the requests so far.
func (w *world) cancelAny() {
	if n := len(w.probes); n > 0 {
		w.cancel(w.probes[w.rand.IntN(n)])
	}
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
		w.cancelAny()
	}
	w.check()
}

// check holds the invariants of every instant.
func (w *world) check() {
	s := w.engine.Stats()
	if s.Submitted != s.Finished+s.Cancelled+s.Refused+s.Waiting+s.Running {
		w.t.Fatalf("at %s: submitted %d is not the sum of %+v", w.loop.Now(), s.Submitted, s)
	}
	if s.BlocksUsed < 0 || s.BlocksCached < 0 || s.BlocksUsed+s.BlocksCached > s.BlocksTotal {
		w.t.Fatalf("at %s: %d blocks used and %d cached of %d", w.loop.Now(), s.BlocksUsed, s.BlocksCached, s.BlocksTotal)
	}
	w.checks++
	if e, ok := w.engine.(*Batched); ok && w.checks%3 == 0 {
		w.checkBlocks(e, s)
	}
	if now := w.loop.Now(); now < w.last {
		w.t.Fatalf("time went back from %s to %s", w.last, now)
	}
	w.last = w.loop.Now()
}

// checkBlocks compares the blocks that the requests of a Batched engine hold with what
// it says, and with what they need.
func (w *world) checkBlocks(e *Batched, s Stats) {
	held, slow, promised, decoding, holders := 0, 0, 0, 0, 0
	shared := map[kv.Block]bool{}
	for _, p := range w.probes {
		held += p.blocks
		if p.blocks > 0 {
			holders++
		}
		if x := p.extra; x != nil {
			held, slow, promised = held+x.windowed, slow+x.slow, promised+x.promised
			if e.spills {
				held -= x.slow
			}
			for _, b := range append(slices.Clone(x.held), x.windows...) {
				shared[b] = true
			}
		}
		if need := e.config.windowBlocks(p.blocks); p.state == running && e.config.Slots == 0 && need > 0 && p.extra.windowed < need {
			w.t.Fatalf("at %s: a request of %d blocks has %d for its windows, which need %d", w.loop.Now(), p.blocks, p.extra.windowed, need)
		}
		if p.state == running && p.computed+p.planned > p.blocks*e.config.BlockTokens {
			w.t.Fatalf("at %s: a request computes %d tokens in %d blocks", w.loop.Now(), p.computed+p.planned, p.blocks)
		}
		if (p.state == running || p.state == leaving && p.blocks > 0) && p.decoding {
			decoding++
		}
	}
	free := s.BlocksTotal - s.BlocksUsed - s.BlocksCached
	switch m := e.memory.(type) {
	case *counter:
		if free != m.free {
			w.t.Fatalf("at %s: %d blocks are free, the engine says %d", w.loop.Now(), m.free, free)
		}
	case *lanes:
		held = holders * m.blocks
	case *prefixes:
		held = len(shared)
		if free != m.cache.Free() || s.BlocksCached != m.cache.Idle() {
			w.t.Fatalf("at %s: %d blocks free and %d idle, the engine says %d and %d", w.loop.Now(), m.cache.Free(), m.cache.Idle(), free, s.BlocksCached)
		}
	}
	if held != s.BlocksUsed || slow != s.BlocksSlow || promised != e.promised {
		w.t.Fatalf("at %s: requests hold %d blocks, %d beside and %d promised, the engine says %d, %d and %d",
			w.loop.Now(), held, slow, promised, s.BlocksUsed, s.BlocksSlow, e.promised)
	}
	if s.BlocksSlow < 0 || s.BlocksSlow > e.config.Overflow.Blocks || e.promised > e.config.KVBlocks {
		w.t.Fatalf("at %s: %d of %d blocks beside the cache, %d of %d promised", w.loop.Now(), s.BlocksSlow, e.config.Overflow.Blocks, e.promised, e.config.KVBlocks)
	}
	if e.prompts != s.Running-decoding {
		w.t.Fatalf("at %s: %d of %d decode, the engine counts %d prompts", w.loop.Now(), decoding, s.Running, e.prompts)
	}
}

// judge checks every request once all is over.
func (w *world) judge() {
	tokens := 0
	for i, p := range w.probes {
		tokens += p.generated
		what := fmt.Sprintf("request %d (prompt %d, output %d, limit %d, %s)", i, p.Prompt, p.Output, p.Limit, p.outcome)
		if x := p.extra; p.blocks > 0 || x != nil && x.slow+x.promised+x.windowed+len(x.held)+len(x.windows) > 0 {
			w.t.Errorf("%s: holds %d blocks at its end, %+v", what, p.blocks, x)
		}
		if p.CachedTokens >= p.Prompt {
			w.t.Errorf("%s: %d tokens of the prompt cached", what, p.CachedTokens)
		}
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
			if p.Reason == nil || p.generated != 0 || p.Scheduled != pipeline.Unknown {
				w.t.Errorf("%s: reason %v, %d tokens", what, p.Reason, p.generated)
			}
		default:
			w.t.Errorf("%s: an engine cannot end so", what)
		}
	}
	s := w.engine.Stats()
	if s.Waiting+s.Running+s.BlocksUsed+s.BlocksSlow != 0 || s.OutputTokens != tokens {
		w.t.Errorf("at the end %+v; the requests saw %d tokens", s, tokens)
	}
}

// TestContract runs random traffic, cancels and submits from callbacks through
// every engine.
func TestContract(t *testing.T) {
	for _, subject := range subjects {
		t.Run(subject.name, func(t *testing.T) {
			total := Stats{}
			for seed := range uint64(16) {
				s := run(t, subject, seed).engine.Stats()
				total.Preemptions += s.Preemptions
				total.BytesMoved += s.BytesMoved
				total.PrefixHits += s.PrefixHits
				total.Evictions += s.Evictions
				total.Accepted += s.Accepted
			}
			exercised(t, subject.name, total)
		})
	}
}

// TestDeterministic: the same traffic twice gives the same instants.
func TestDeterministic(t *testing.T) {
	for _, subject := range subjects {
		sameTwice(t, subject, 3)
	}
}

// sameTwice runs a subject's traffic twice, compares what the requests saw and returns
// the engine's statistics.
func sameTwice(t *testing.T, s subject, seed uint64) Stats {
	first, second := run(t, s, seed), run(t, s, seed)
	for i, p := range first.probes {
		q := second.probes[i]
		if p.done != q.done || p.outcome != q.outcome || p.generated != q.generated || p.Last != q.Last || p.CachedTokens != q.CachedTokens {
			t.Fatalf("%s: request %d was done at %s, the second time at %s", s.name, i, p.done, q.done)
		}
	}
	a, b := first.engine.Stats(), second.engine.Stats()
	if a != b {
		t.Errorf("%s: %+v, the second time %+v", s.name, a, b)
	}
	return a
}

func run(t *testing.T, s subject, seed uint64) *world {
	w := &world{t: t, subject: s, rand: rand.New(rand.NewPCG(seed, 7)), priorities: int(seed % 2)}
	w.engine = s.make(&w.loop)
	w.traffic()
	if err := w.loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.judge()
	return w
}

// exercised checks that the traffic was hard enough to test what a subject is about.
func exercised(t *testing.T, name string, total Stats) {
	for _, c := range []struct {
		word string
		n    int
	}{
		{"little memory", total.Preemptions}, {"swap", int(total.BytesMoved)}, {"spill", int(total.BytesMoved)},
		{"prefix cache", total.PrefixHits}, {"keep", total.PrefixHits}, {"speculation", total.Accepted},
		{"little room", total.Preemptions}, {"prefix cache, little memory", total.Evictions},
	} {
		if strings.Contains(name, c.word) && c.n == 0 {
			t.Errorf("nothing happened that a test of %q is about: %+v", c.word, total)
		}
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
				w.cancelAny()
				w.check()
			})
		}
	}
}

// TestFirstComeFirstServed: of equal requests none starts before one that came
// earlier, and each ends once.
func TestFirstComeFirstServed(t *testing.T) {
	for _, subject := range subjects {
		t.Run(subject.name, func(t *testing.T) {
			var loop pipeline.Virtual
			e := subject.make(&loop)
			var requests []*Request
			ended := 0
			for i := range 30 {
				r := &Request{Prompt: 50, Output: 10, Done: func(pipeline.Outcome) { ended++ }}
				requests = append(requests, r)
				loop.At(time.Duration(i)*ms, pipeline.RankTimer, func() { e.Submit(r) })
			}
			if err := loop.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			last := time.Duration(0)
			for i, r := range requests {
				if r.Reason != nil {
					continue
				}
				if r.Scheduled < last {
					t.Errorf("request %d was scheduled at %s, one before it at %s", i, r.Scheduled, last)
				}
				last = r.Scheduled
			}
			if ended != 30 {
				t.Fatalf("%d ended, want 30", ended)
			}
		})
	}
}
