package main

import (
	"errors"

	"github.com/spf13/pflag"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/roofline"
)

// served is a deployment as a recorded server had it set up, as typed.
type served struct {
	namedDeployment
	maxSequences, tokenBudget int
}

// addLimits adds the flags of what the server's scheduler was told.
func (s *served) addLimits(f *pflag.FlagSet) {
	f.IntVar(&s.maxSequences, "max-sequences", 0, "most `requests` that it ran at once (default: as the engine has it)")
	f.IntVar(&s.tokenBudget, "token-budget", 0, "most `tokens` of a step (default: as the engine has it)")
}

// replica returns the server, with the constants of the profile where there is one. It
// reports all that is wrong at once.
func (s *served) replica() (engine.Replica, error) {
	d, err := s.find()
	err = errors.Join(err,
		within("max-sequences", s.maxSequences, 0, mostSequences),
		within("token-budget", s.tokenBudget, 0, mostTokens))
	if err != nil {
		return engine.Replica{}, err
	}
	plan, err := roofline.New(d)
	if err != nil {
		return engine.Replica{}, err
	}
	r := engine.Replica{Plan: plan, MaxSequences: s.maxSequences, TokenBudget: s.tokenBudget}
	return r, r.Validate()
}
