package fit

import (
	"context"
	"fmt"
	"slices"
	"time"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline"
)

// Replayed is what an engine made of the arrivals of a run.
type Replayed struct {
	Run   []Timed // in the order of the run that was replayed
	Stats engine.Stats
}

// Replay sends the requests of a run, each at its arrival, to an engine on modelled
// hardware, through the API front of its family. What their prompts have in common is
// not known, so they share nothing, but one that has to give way finds what is still
// cached of it.
//
// Times count as a recorded run's do: Queued is the first instant after the front at
// which the engine plans a step and takes note of who has come, unless the run did not
// record it. The error names the line of a request that does not fit, or is ctx's.
func Replay(ctx context.Context, r engine.Replica, run []Timed) (Replayed, error) {
	return replayFirst(ctx, r, run, len(run))
}

// ReplayWith is Replay with other constants.
func ReplayWith(ctx context.Context, r engine.Replica, c roofline.Constants, run []Timed) (Replayed, error) {
	var err error
	if r.Plan, err = planWith(r.Plan, c); err != nil {
		return Replayed{}, err
	}
	return Replay(ctx, r, run)
}

func planWith(p *roofline.Plan, c roofline.Constants) (*roofline.Plan, error) {
	d := p.Deployment()
	d.Constants = c
	return roofline.New(d)
}

// replayFirst is Replay of as much of a run as it takes for the first requests to end.
// What is returned of the others has no meaning.
func replayFirst(ctx context.Context, r engine.Replica, run []Timed, first int) (Replayed, error) {
	if err := r.Validate(); err != nil {
		return Replayed{}, err
	}
	enough, stop := context.WithCancel(ctx)
	defer stop()
	p := &replay{first: first, missing: first, stop: stop, out: slices.Clone(run), sent: make([]*engine.Request, len(run)), errs: make([]error, len(run))}
	c := r.Config()
	p.steps = &planned{Stepper: c.Steps, loop: &p.loop}
	c.Steps = p.steps
	p.engine = p.served(r.Plan.Deployment().Engine, engine.NewBatched(&p.loop, c))
	for i := range run {
		p.loop.At(run[i].Arrival, pipeline.RankInput, func() { p.submit(i) })
	}
	if err := p.loop.Run(enough); err != nil && p.missing > 0 {
		return Replayed{}, err
	}
	for _, err := range p.errs {
		if err != nil {
			return Replayed{}, err
		}
	}
	p.queued()
	return Replayed{p.out, p.engine.Stats()}, nil
}

// replay is a run on its way through the engine.
type replay struct {
	loop   pipeline.Virtual
	engine engine.Engine
	steps  *planned
	came   map[*engine.Request]time.Duration // to the engine, through the front
	sent   []*engine.Request
	out    []Timed
	errs   []error // why a request was refused

	first, missing int // requests that are wanted, and how many of them are under way
	stop           func()
}

// tokenizers is how many workers tokenise prompts in a server's front; see
// engine.FrontConfig.
const tokenizers = 1

// served puts the front of an engine's family before it.
func (p *replay) served(family catalog.Engine, e engine.Engine) engine.Engine {
	p.came = map[*engine.Request]time.Duration{}
	e = door{e, p}
	c := engine.FrontConfig{Fixed: family.RequestFixed, PerToken: family.TokenizeToken, Workers: tokenizers}
	if c.Validate() != nil {
		return e // a program without a server
	}
	return engine.NewFront(&p.loop, c, e)
}

// door notes when requests come to an engine.
type door struct {
	engine.Engine
	replay *replay
}

// Submit implements engine.Engine.
func (d door) Submit(r *engine.Request) {
	d.replay.came[r] = d.replay.loop.Now()
	d.Engine.Submit(r)
}

// planned notes when steps are planned.
type planned struct {
	engine.Stepper
	loop *pipeline.Virtual
	at   []time.Duration // ascending
}

// Step implements engine.Stepper.
func (p *planned) Step(b roofline.Batch) time.Duration {
	p.at = append(p.at, p.loop.Now())
	return p.Stepper.Step(b)
}

// submit sends request i to the engine.
func (p *replay) submit(i int) {
	t := &p.out[i]
	r := &engine.Request{Prompt: t.Prompt, Output: t.Output, NotifyAt: 1, Blocks: ownBlocks(i, t.Prompt+t.Output)}
	r.Notify = func(int) int {
		t.First = p.loop.Now()
		return 0
	}
	r.Done = func(o pipeline.Outcome) {
		t.Last = r.Last
		if o != pipeline.OK {
			p.errs[i] = fmt.Errorf("line %d: %w", t.Line, r.Reason)
		}
		if i < p.first {
			if p.missing--; p.missing == 0 && p.first < len(p.out) {
				p.stop()
			}
		}
	}
	p.sent[i] = r
	p.engine.Submit(r)
}

// ownBlocks returns the blocks of request i, which it has in common with no other.
func ownBlocks(i, tokens int) func(dst []uint64, size int) []uint64 {
	return func(dst []uint64, size int) []uint64 {
		for block := range tokens / size {
			dst = append(dst, uint64(i+1)<<32|uint64(block))
		}
		return dst
	}
}

// queued sets when the engine took note of each request.
func (p *replay) queued() {
	for i := range p.out {
		t := &p.out[i]
		if t.Queued == pipeline.Unknown {
			continue
		}
		if k, _ := slices.BinarySearch(p.steps.at, p.came[p.sent[i]]); k < len(p.steps.at) {
			t.Queued = p.steps.at[k]
		}
	}
}
