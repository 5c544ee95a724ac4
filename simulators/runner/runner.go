// Package runner carries a scenario out on a target and returns its traces.
//
// Read runner.go for the course of a run, model.go for the three forms of the
// language model, load.go for how interactions fall due, background.go for what
// other people ask meanwhile, speech_audio.go for turns in sound, stages.go for what is
// known of the stages before the run, allowance.go for the cap over all services,
// tester.go for what is known of the tester itself,
// counters.go for what the server counts of it, and hidden.go for how texts are kept out of
// the traces. language_server.go has a language server in the model's place, and
// inspection.go checks the syntax of completions.
package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/langserver"
	"halfsecond/pipeline/exchange"
	"halfsecond/pipeline/price"
	"halfsecond/pipeline/quantile"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/bench"
	"halfsecond/simulators/scenario"
	"halfsecond/simulators/voice"
)

// Targets are the places where a scenario can run.
const (
	Sim      = "sim"      // the models inside the loop, on the virtual clock
	Mock     = "mock"     // the same models behind our own server, over sockets
	Endpoint = "endpoint" // whatever the user runs or rents
)

// Targets lists them.
func Targets() []string { return []string{Sim, Mock, Endpoint} }

// Settings say how to carry a scenario out. They are no part of the experiment.
type Settings struct {
	Target  string
	Seed    uint64
	N       int    // interactions to report, at least 1
	Version string // of the program, for the record

	// Endpoint is where the language model is on the target "endpoint". Without the
	// name of a model it is the only one that the endpoint lists.
	Endpoint endpoint.Config
	// PriceOf, when set, returns the price of a model there, the zero Price when it is not
	// known. It takes the place of the endpoint's own.
	PriceOf func(model string) price.Price
	// Server, when set, is the language server that completes in the place of Endpoint, of kind
	// ide.
	Server *langserver.Config
	// Speech is where speech services are, on the target "endpoint". With them the language
	// model may stay modelled.
	Speech Speech
	// PerUser is how many requests of one user may be in flight there; 0 means 1.
	PerUser int
	// Salt sets the prompts apart from those of other runs with the same seed, so that a
	// server which keeps prompts has seen none of them; 0 does not.
	Salt uint64

	// Interactions, when set, makes what falls due in a run of requests, in place of
	// the scenario's own.
	Interactions func(Stand) Interactions

	// Begin, when set, is handed the header before anything runs. Keep is handed
	// each trace of the report as it is finished, and Progress is told how many
	// there are; both are called on the loop. An error of Begin or Keep ends the
	// run.
	Begin    func(trace.Header) error
	Keep     func(*pipeline.Trace) error
	Progress func(done int)

	// KeepExchange, when set, is handed what went over the wire for each request, warm-up
	// and background included, from goroutines of their own. An error of it ends the run.
	KeepExchange func(*exchange.Exchange) error
	// HashTexts keeps texts out of the traces: what was said, and a server's words of a
	// failure, which may repeat what it was asked.
	HashTexts bool

	// Checking, when set, has the syntax of an editor's completions checked though the scenario
	// does not say so, or says with which program.
	Checking *Checking

	// SelfTest has the tester read streams of known timing before a run over sockets, which
	// takes half a second; see TestItself.
	SelfTest bool

	// Metrics is where the server at an endpoint shows what it counts itself: a URL, or a
	// path such as counters.AtRoot on the endpoint's host; "" does not look. What it counted
	// of the report's requests is in the footer.
	Metrics string

	network network
	forget  bool // do not keep the traces: Keep has seen them
}

// run is a run under way.
type run struct {
	scenario *scenario.Scenario
	settings Settings
	clock    clock
	model    pipeline.LLM       // as the interactions see it
	direct   pipeline.LLM       // without the way to it and what holds users back
	server   *langserver.Client // nil where there is none
	engine   engine.Engine      // of the simulator; nil on other targets
	others   others
	sizing   *bench.Sizing // of prompts; nil counts as the mock does
	services voice.Services
	lastID   int64
	kept     int          // traces of the report
	fail     func(error)  // ends the run, from any goroutine
	over     func() error // the cap of the endpoint that was met; nil on the simulator
	shared   *endpoint.Quota
	spent    func(error) // takes a cap of the language model that was met, once its requests have ended
	traces   []pipeline.Trace
	lateness *quantile.Histogram
	selfTest trace.SelfTest
	effort   trace.Effort
	counting *counting        // by the server; nil where it is not looked at
	counted  []trace.Counters // what came of that
	inspects *inspection      // of the answers' syntax; nil where none is asked for
}

// clock is a driver of the loop.
type clock interface {
	pipeline.Scheduler
	Run(ctx context.Context) error
}

// Run carries the scenario out. When ctx ends first, or Keep fails, the run has
// what was finished by then and its footer says why; the error is for what kept
// it from running at all.
func Run(ctx context.Context, s *scenario.Scenario, set Settings) (trace.Run, error) {
	r := &run{scenario: s, settings: set, lateness: quantile.NewHistogram()}
	return r.carryOut(ctx)
}

// ErrInterrupted is that of a run whose context ended before it began.
var ErrInterrupted = errors.New("interrupted")

func (r *run) carryOut(ctx context.Context) (trace.Run, error) {
	s, set := r.scenario, r.settings
	if !set.forget {
		r.traces = make([]pipeline.Trace, 0, min(max(0, set.N), tracesAhead))
	}
	outer := ctx
	ctx, cancel := context.WithCancelCause(outer)
	defer cancel(nil)
	r.fail = func(err error) { cancel(err) }
	if err := r.withoutEffect(); err != nil {
		return trace.Run{Header: r.header()}, fmt.Errorf("run %s on %s: %w", s.Name, set.Target, err)
	}
	var err error
	if r.inspects, err = r.inspect(outer); err != nil {
		return trace.Run{Header: r.header()}, fmt.Errorf("run %s on %s: %w", s.Name, set.Target, err)
	}
	r.selfTest = TestItself(ctx, set)
	stop, err := r.setUp(ctx)
	out := trace.Run{Header: r.header()}
	if err != nil {
		if outer.Err() != nil { // what it broke off is no fault of the endpoint's
			err = ErrInterrupted
		}
		return out, fmt.Errorf("run %s on %s: %w", s.Name, set.Target, err)
	}
	load, err := r.startLoad(r.fail)
	if err == nil && s.Background != nil {
		r.startOthers(s.Background, load)
	}
	if err == nil && set.Begin != nil {
		err = set.Begin(out.Header)
	}
	if err != nil {
		return out, errors.Join(fmt.Errorf("run %s: %w", s.Name, err), stop())
	}
	if s.WarmUp == 0 {
		r.counting.beginIdle()
	}
	err = r.drive(ctx)
	r.counted = r.counting.end(r.untilInterrupted(ctx))
	err = errors.Join(err, stop())
	if r.inspects != nil {
		err = errors.Join(err, r.inspects.finish(r.record))
	}
	if r.clock.Now() == pipeline.LastInstant {
		err = errors.Join(err, errors.New("it went on for more than 292 years of its own time, beyond which nothing is exact"))
	}
	out.Traces = r.traces
	out.Footer = r.footer(ctx, err, load.whole())
	return out, nil
}

// tracesAhead is for how many traces room is made before a run.
const tracesAhead = 100_000

// pulse is how often the tester looks whether it is late on the wall clock, beside
// the work of the run: a stall that hits nothing scheduled delays what it reads.
const pulse = 10 * time.Millisecond

// beat schedules the first pulse, and each one the next.
func (r *run) beat(w *pipeline.Wall) {
	at := time.Duration(0)
	var next func()
	next = func() {
		at += pulse
		w.At(at, pipeline.RankTimer, next)
	}
	w.At(at, pipeline.RankTimer, next)
}

// setUp makes the loop and the language model; stop takes them down again.
func (r *run) setUp(ctx context.Context) (stop func() error, err error) {
	switch r.settings.Target {
	case Sim:
		loop := &pipeline.Virtual{}
		r.clock = loop
		r.model, err = r.simulated(loop)
		r.hearOnLoop(loop)
		return func() error { return nil }, err
	case Mock:
		return r.setUpMock(ctx)
	case Endpoint:
		return r.setUpReal(ctx)
	}
	return nil, fmt.Errorf("unknown target %q: want sim, mock or endpoint", r.settings.Target)
}

// nextID numbers the requests of the run.
func (r *run) nextID() int64 {
	r.lastID++
	return r.lastID
}

// late returns how late the loop handles the work in hand, or nil on the virtual
// clock, which never is.
func (r *run) late() func() time.Duration {
	if w, ok := r.clock.(*pipeline.Wall); ok {
		return w.Late
	}
	return nil
}

// keep takes a finished trace of the report.
func (r *run) keep(t *pipeline.Trace) error {
	r.kept++
	if r.settings.HashTexts {
		hideTexts(t)
	}
	if r.settings.Progress != nil {
		r.settings.Progress(r.kept)
	}
	if r.inspects == nil {
		return r.record(t)
	}
	r.inspects.hold(t)
	if r.inspects.full() {
		return r.inspects.finish(r.record)
	}
	return nil
}

// record puts a trace of the report where it stays.
func (r *run) record(t *pipeline.Trace) error {
	if !r.settings.forget {
		r.traces = append(r.traces, *t)
	}
	if r.settings.Keep != nil {
		return r.settings.Keep(t)
	}
	return nil
}

// capMet returns the cap that ended the run; nil while none did.
func (r *run) capMet() error {
	if r.over == nil {
		return nil
	}
	return r.over()
}

// untilInterrupted returns the context of what comes after a run, which a cap that was met
// does not end.
func (r *run) untilInterrupted(ctx context.Context) context.Context {
	if r.capMet() != nil && !errors.Is(context.Cause(ctx), context.Canceled) {
		return context.WithoutCancel(ctx)
	}
	return ctx
}

func (r *run) header() trace.Header {
	s := r.scenario
	h := trace.Header{
		Scenario: s.Name, Kind: s.Kind, ScenarioHash: s.Hash(), ScenarioText: s.Canonical(),
		Target: r.settings.Target, Seed: r.settings.Seed, N: r.settings.N, WarmUp: s.WarmUp, Version: r.settings.Version,
		Stages: stages(s, r.settings.Target), TextsHashed: r.settings.HashTexts,
		Load: r.asks(), SelfTest: r.selfTest,
	}
	if r.settings.Target == Endpoint {
		if r.settings.Endpoint.URL != "" {
			h.Endpoints = []trace.Endpoint{Place(r.settings.Endpoint, max(1, r.settings.PerUser))}
		}
		if r.settings.Server != nil {
			h.Endpoints = append(h.Endpoints, r.serverPlace())
		}
		h.Endpoints = append(h.Endpoints, r.settings.Speech.places()...)
	}
	if s.IDE != nil {
		h.LeastVisible, h.Hold = s.IDE.Plugin.Display.LeastVisible, s.IDE.Plugin.Display.Hold
	}
	if r.inspects != nil {
		h.Quality = r.inspects.said
	}
	h.Stages = r.lossless(h.Stages)
	r.unmodelled(h.Stages)
	for _, b := range s.Budgets {
		h.Budgets = append(h.Budgets, b.Expression)
	}
	return h
}

// unmodelled says which stages are real that usually are simulated, or the reverse.
func (r *run) unmodelled(stages []trace.Stage) {
	for i := range stages {
		s := &stages[i]
		switch {
		case slices.Contains(r.settings.Speech.real(), s.Name):
			*s = trace.Stage{Name: s.Name}
		case r.settings.Target == Endpoint && r.settings.Endpoint.URL == "" && r.settings.Server == nil && (s.Name == pipeline.SpanLLMFirstToken || s.Name == pipeline.SpanGathering):
			s.Simulated = true
		}
	}
}

// engines returns what became of the modelled engine's KV cache, none where it has none
// that is known.
func (r *run) engines() []trace.Engine {
	if r.engine == nil {
		return nil
	}
	s := r.engine.Stats()
	if s.Steps == 0 {
		return nil
	}
	return []trace.Engine{{
		Blocks: s.BlocksTotal, Peak: s.BlocksPeak, Held: s.BlocksHeld, Steps: s.Steps, Full: s.StepsFull,
		Preemptions: s.Preemptions, TokensMoved: s.TokensMoved,
	}}
}

func (r *run) footer(ctx context.Context, err error, whole bool) trace.Footer {
	over := r.capMet()
	f := trace.Footer{N: r.kept, Finished: whole && err == nil && over == nil, Lateness: trace.LatenessOf(r.lateness), Background: r.others.Background, Engines: r.engines(), Prompts: r.prompts(), Counters: r.counted, Effort: r.effort, Used: r.used(), LanguageServer: r.serverCounts()}
	switch cause := context.Cause(ctx); {
	case f.Finished && r.kept < r.settings.N:
		f.Finished, f.Reason = false, "the recorded sessions ended before"
	case f.Finished:
	case over != nil && !errors.Is(cause, context.Canceled):
		f.Reason = over.Error()
	case cause == nil && err != nil:
		f.Reason = err.Error()
	case cause == nil:
		f.Reason = "it ended before all interactions did"
	case errors.Is(cause, context.Canceled):
		f.Reason = "interrupted"
	default:
		f.Reason = cause.Error()
	}
	return f
}
