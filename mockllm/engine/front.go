package engine

import (
	"errors"
	"fmt"
	"time"

	"halfsecond/pipeline"
)

// FrontConfig tells what a request costs before it is queued.
type FrontConfig struct {
	// Fixed is spent on each request by itself, however many there are: reading
	// it, checking it, filling the chat template, handing it over. Zero or more.
	Fixed time.Duration
	// PerToken is the time to tokenise one token of a prompt. Zero or more.
	PerToken time.Duration
	// Workers tokenise one prompt each, in order of arrival; 0 means that every
	// prompt has its own.
	//
	// Serving software in Python has one by default. vLLM's API server hands
	// prompts to a pool of renderer_num_workers threads, 1 unless told otherwise,
	// so that its event loop stays responsive; source: vllm-project/vllm,
	// vllm/utils/async_utils.py (AsyncMicrobatchTokenizer) and
	// vllm/renderers/base.py, and docs/design/arch_overview.md (one API server
	// process unless data parallel), read 2026-11-29. SGLang's tokenizer manager
	// is one process, --tokenizer-worker-num 1; source: sgl-project/sglang
	// python/sglang/srt/server_args.py, read 2026-11-29.
	Workers int
}

// Validate reports everything that makes a configuration impossible. A front that
// costs nothing is one: there should be none.
func (c FrontConfig) Validate() error {
	var errs []error
	if c.Fixed < 0 {
		errs = append(errs, fmt.Errorf("fixed cost of a request is %s, must not be negative", c.Fixed))
	}
	if c.PerToken < 0 {
		errs = append(errs, fmt.Errorf("cost of a prompt token is %s, must not be negative", c.PerToken))
	}
	if c.Workers < 0 {
		errs = append(errs, fmt.Errorf("tokenising workers is %d, must not be negative", c.Workers))
	}
	if c.Fixed == 0 && c.PerToken == 0 {
		errs = append(errs, errors.New("a front without any cost: leave it out"))
	}
	return errors.Join(errs...)
}

// Front is the API server before an engine: a request spends its fixed cost,
// queues for a worker, is tokenised and then submitted. Until then it is one of
// the engine's waiting requests. One that gives up leaves at once, but a worker
// that has begun finishes its prompt: a thread cannot be called back. Not modelled:
// vLLM tokenises up to 32 prompts that come within 2 ms in one call.
type Front struct {
	loop   pipeline.Scheduler
	engine Engine
	config FrontConfig
	lobby  lobby

	waiting []*guest // for a worker, in order of arrival there
	busy    int      // workers
}

// NewFront puts an API server before an engine on the same loop. It panics when
// the configuration is not valid.
func NewFront(loop pipeline.Scheduler, c FrontConfig, e Engine) *Front {
	if err := c.Validate(); err != nil {
		panic(fmt.Sprintf("engine: %v", err))
	}
	return &Front{loop: loop, engine: e, config: c, lobby: newLobby(loop)}
}

// Submit implements Engine.
func (f *Front) Submit(r *Request) {
	g := f.lobby.enter(r)
	if f.config.Workers == 0 {
		f.loop.After(f.config.Fixed+f.tokenising(r), pipeline.RankTimer, func() { f.handOver(g) })
		return
	}
	f.loop.After(f.config.Fixed, pipeline.RankTimer, func() {
		f.waiting = append(f.waiting, g)
		f.work()
	})
}

func (f *Front) tokenising(r *Request) time.Duration {
	return time.Duration(r.Prompt) * f.config.PerToken
}

// work gives free workers the prompts that wait.
func (f *Front) work() {
	for f.busy < f.config.Workers && len(f.waiting) > 0 {
		g := f.waiting[0]
		f.waiting = f.waiting[1:]
		if g.request == nil {
			continue
		}
		f.busy++
		f.loop.After(f.tokenising(g.request), pipeline.RankTimer, func() {
			f.busy--
			f.handOver(g)
			f.work()
		})
	}
}

// handOver submits the request, unless it gave up.
func (f *Front) handOver(g *guest) {
	if r := f.lobby.release(g); r != nil {
		f.engine.Submit(r)
	}
}

// Cancel implements Engine.
func (f *Front) Cancel(r *Request) {
	if !f.lobby.cancel(r) {
		f.engine.Cancel(r)
	}
}

// Stats implements Engine.
func (f *Front) Stats() Stats { return f.lobby.with(f.engine.Stats()) }
