package scenario

import (
	"math"
	"time"

	"halfsecond/mockllm/cluster"
	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// Service is a language model as it is met. Of an engine that is its replicas, each
// behind an API server, and the router before them.
type Service struct {
	Name    string // of the model
	Context int    // most tokens, prompt and output, of one request
	Shares  bool   // it looks at what prompts have in common
	// Addresses says that the hash of a prompt's head decides which replica it goes
	// to: not only who shares it matters, but the number itself.
	Addresses bool
	// Load is how long it takes to bring the model into memory for the first time; 0
	// when it is there always.
	Load time.Duration
	// Loads says that the model is not always in memory.
	Loads bool
	// Build returns it on a loop, as it is when a run begins.
	Build func(loop pipeline.Scheduler) engine.Engine
}

// Service returns the model as a service; the seed is that of its random draws. The
// error says what makes it impossible.
func (m LLM) Service(seed uint64) (Service, error) {
	switch {
	case m.Cassette != nil:
		return Service{}, errCassette
	case m.Engine == nil:
		return m.hosted(seed), nil
	}
	return m.Engine.service(seed)
}

// hosted is a model known by its latencies. Each request has its first-token time by its
// Draw.
func (m LLM) hosted(seed uint64) Service {
	s := Service{Name: m.TTFT.Component, Context: math.MaxInt32}
	if s.Name == "" {
		s.Name = "hosted"
	}
	s.Build = func(loop pipeline.Scheduler) engine.Engine {
		draws := dist.NewKeyed(seed, "scenario/hosted")
		return engine.NewHosted(loop, engine.HostedConfig{
			First: func(draw uint64) time.Duration { return m.TTFT.Draw(draws.Of(draw)) },
			Next:  time.Duration(math.Round(1e9 / m.TokensPerSecond)),
		})
	}
	return s
}

// tokenizers is how many prompts an API server tokenises at a time: vLLM's and
// SGLang's have one worker unless told otherwise, and llama.cpp's does it in its one
// loop (see engine.FrontConfig).
const tokenizers = 1

func (e *Engine) service(seed uint64) (Service, error) {
	r, err := e.Replica()
	if err != nil {
		return Service{}, err
	}
	c := r.Config()
	s := Service{Name: e.Model, Context: r.Context(), Addresses: e.routed() && e.policy() == cluster.PolicyPrefix}
	s.Shares = c.PrefixCache || c.SlotCache || s.Addresses
	cold, err := e.cold(r)
	if err != nil {
		return Service{}, err
	}
	s.Load, s.Loads = cold.Load, e.loads()
	if e.routed() {
		s.Build = func(loop pipeline.Scheduler) engine.Engine { return cluster.New(loop, e.cluster(r, cold, seed)) }
		return s, e.cluster(r, cold, seed).Validate()
	}
	s.Build = func(loop pipeline.Scheduler) engine.Engine { return e.build(r, cold, seed)(loop) }
	return s, nil
}

// routed reports whether there is a router before the engine.
func (e *Engine) routed() bool { return e.Replicas > 1 || len(e.Failures) > 0 }

// policy returns the router's policy.
func (e *Engine) policy() cluster.Policy {
	p, _ := cluster.ParsePolicy(e.Router) // it is one, or there is no router
	return p
}

// cluster returns the replicas behind their router; each has draws of its own. One
// that failed loads the model as if for the first time, for it may start elsewhere.
func (e *Engine) cluster(r engine.Replica, cold engine.ColdConfig, seed uint64) cluster.Config {
	c := cluster.Config{
		Policy: e.policy(), Prefix: cluster.PrefixConfig{Margin: cluster.DefaultMargin},
		Retries: e.Retries, HealthDelay: e.HealthDelay, SlowStart: e.SlowStart, Load: cold.Load,
	}
	for i := range e.Replicas {
		c.Replicas = append(c.Replicas, e.build(r, cold, seed+uint64(i)))
	}
	for _, f := range e.Failures {
		c.Failures = append(c.Failures, cluster.Failure(f))
	}
	return c
}

// loads reports whether the model has to be loaded at times.
func (e *Engine) loads() bool { return e.ColdStart != ColdStart{} }

// cold tells when the model of a replica is loaded and how long that takes. A load
// after the first finds the weights in the page cache.
func (e *Engine) cold(r engine.Replica) (engine.ColdConfig, error) {
	c := engine.ColdConfig{Load: e.ColdStart.Time, Reload: e.ColdStart.Time, WarmUp: e.WarmUp, Idle: e.IdleUnload, Loaded: e.Loaded}
	if !e.ColdStart.Auto {
		return c, nil
	}
	l, err := r.Load()
	c.Load, c.Reload = engine.LoadTime(l, false), engine.LoadTime(l, true)
	return c, err
}

// build returns the builder of one replica, which counts on being called once for
// each start of it: a replica that comes back after a failure has loaded the model, and
// nobody asked it yet.
func (e *Engine) build(r engine.Replica, cold engine.ColdConfig, seed uint64) func(loop pipeline.Scheduler) engine.Engine {
	if r.Drafting != nil {
		d := *r.Drafting
		d.Seed = seed
		r.Drafting = &d
	}
	family := r.Plan.Deployment().Engine
	front := engine.FrontConfig{Fixed: family.RequestFixed, PerToken: family.TokenizeToken, Workers: tokenizers}
	return func(loop pipeline.Scheduler) engine.Engine {
		var x engine.Engine
		if e.loads() {
			x = engine.NewCold(loop, cold, r.Build)
			cold.Loaded, cold.Unused = true, true
		} else {
			x = r.Build(loop)
		}
		if front.Fixed > 0 || front.PerToken > 0 {
			x = engine.NewFront(loop, front, x)
		}
		return x
	}
}

// Hosted returns a rented model whose time to the first token is that of a component of
// the catalogue, at so many tokens a second after it. The error says why there is none.
func Hosted(component string, tokensPerSecond float64) (LLM, error) {
	d, err := fromCatalog(component, []string{"llm"})
	return LLM{TTFT: d, TokensPerSecond: tokensPerSecond}, err
}
