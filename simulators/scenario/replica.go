package scenario

import (
	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/roofline"
)

// Replica returns the engine on the catalogue's hardware. The error says what makes
// it impossible, such as weights that do not fit.
func (e *Engine) Replica() (engine.Replica, error) {
	m, err := catalog.FindModel(e.Model)
	if err != nil {
		return engine.Replica{}, err
	}
	h, err := catalog.FindHardware(e.Hardware)
	if err != nil {
		return engine.Replica{}, err
	}
	weights, err := roofline.ParseFormat(e.Weights)
	if err != nil {
		return engine.Replica{}, err
	}
	plan, err := roofline.New(roofline.Deployment{Model: m, Hardware: h, GPUs: e.GPUs, Weights: weights})
	if err != nil {
		return engine.Replica{}, err
	}
	r := engine.Replica{Plan: plan, MaxSequences: e.MaxSequences, TokenBudget: e.TokenBudget}
	if e.Scheduler == "slots" {
		r.Slots = e.Slots
	}
	return r, r.Validate()
}
