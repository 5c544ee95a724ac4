package scenario

import (
	"halfsecond/mockllm/cluster"
	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
)

// Service is an engine as it is met: its replicas, each behind an API server, and the
// router before them.
type Service struct {
	Context int  // most tokens, prompt and output, of one request
	Shares  bool // it looks at what prompts have in common
	// Addresses says that the hash of a prompt's head decides which replica it goes
	// to: not only who shares it matters, but the number itself.
	Addresses bool

	engine  *Engine
	replica engine.Replica
	seed    uint64
}

// tokenizers is how many prompts an API server tokenises at a time: vLLM's and
// SGLang's have one worker unless told otherwise, and llama.cpp's does it in its one
// loop (see engine.FrontConfig).
const tokenizers = 1

// Service returns the engine as a service; the seed is that of its random draws. The
// error says what makes it impossible.
func (e *Engine) Service(seed uint64) (Service, error) {
	r, err := e.Replica()
	if err != nil {
		return Service{}, err
	}
	c := r.Config()
	s := Service{Context: r.Context(), Addresses: e.routed() && e.policy() == cluster.PolicyPrefix, engine: e, replica: r, seed: seed}
	s.Shares = c.PrefixCache || c.SlotCache || s.Addresses
	if e.routed() {
		return s, s.cluster().Validate()
	}
	return s, nil
}

// routed reports whether there is a router before the engine.
func (e *Engine) routed() bool { return e.Replicas > 1 || len(e.Failures) > 0 }

// policy returns the router's policy.
func (e *Engine) policy() cluster.Policy {
	p, _ := cluster.ParsePolicy(e.Router) // it is one, or there is no router
	return p
}

// Build returns the service on a loop.
func (s Service) Build(loop pipeline.Scheduler) engine.Engine {
	if s.engine.routed() {
		return cluster.New(loop, s.cluster())
	}
	return s.build(0)(loop)
}

func (s Service) cluster() cluster.Config {
	e := s.engine
	c := cluster.Config{
		Policy: e.policy(), Prefix: cluster.PrefixConfig{Margin: cluster.DefaultMargin},
		Retries: e.Retries, HealthDelay: e.HealthDelay, SlowStart: e.SlowStart, Load: e.ColdStart,
	}
	for i := range e.Replicas {
		c.Replicas = append(c.Replicas, s.build(i))
	}
	for _, f := range e.Failures {
		c.Failures = append(c.Failures, cluster.Failure(f))
	}
	return c
}

// loads reports whether the model has to be loaded at times.
func (e *Engine) loads() bool { return e.ColdStart > 0 }

// build returns the builder of one replica. What it builds after a failure has loaded
// the model already.
func (s Service) build(i int) func(loop pipeline.Scheduler) engine.Engine {
	r, e := s.replica, s.engine
	if r.Drafting != nil {
		d := *r.Drafting
		d.Seed = s.seed + uint64(i)
		r.Drafting = &d
	}
	cold := engine.ColdConfig{Load: e.ColdStart, Reload: e.ColdStart, Idle: e.IdleUnload, Loaded: e.Loaded}
	family := r.Plan.Deployment().Engine
	front := engine.FrontConfig{Fixed: family.RequestFixed, PerToken: family.TokenizeToken, Workers: tokenizers}
	return func(loop pipeline.Scheduler) engine.Engine {
		var x engine.Engine
		if e.loads() {
			x = engine.NewCold(loop, cold, r.Build)
			cold.Loaded = true
		} else {
			x = r.Build(loop)
		}
		if front.Fixed > 0 || front.PerToken > 0 {
			x = engine.NewFront(loop, front, x)
		}
		return x
	}
}
