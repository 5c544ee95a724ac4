package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"halfsecond/simulators/runner"
	"halfsecond/simulators/scenario"
)

// caps bound what a run may send to an endpoint.
type caps struct{ requests, tokens int }

// Default caps: a careless run costs little even at the price of a large model.
const (
	defaultMaxRequests = 1_000
	defaultMaxTokens   = 1_000_000
)

func (c *caps) addFlags(f *pflag.FlagSet) {
	f.IntVar(&c.requests, "max-requests", defaultMaxRequests, "most `requests` to an endpoint")
	f.IntVar(&c.tokens, "max-tokens", defaultMaxTokens, "most `tokens` to and from an endpoint")
}

// validate reports caps that let nothing pass.
func (c caps) validate() error {
	var errs []error
	if c.requests < 1 {
		errs = append(errs, fmt.Errorf("--max-requests %d: want at least 1", c.requests))
	}
	if c.tokens < 1 {
		errs = append(errs, fmt.Errorf("--max-tokens %d: want at least 1", c.tokens))
	}
	return errors.Join(errs...)
}

// allow refuses a run on an endpoint that is likely to exceed the caps.
func (c caps) allow(ctx context.Context, s *scenario.Scenario, set runner.Settings) error {
	if set.Target != runner.Endpoint {
		return nil
	}
	e, err := runner.EstimateRun(ctx, s, set)
	if err != nil {
		return err
	}
	return usageError(c.over(e))
}

// over says which caps an estimate exceeds.
func (c caps) over(e runner.Estimate) error {
	var errs []error
	if e.Requests > c.requests {
		errs = append(errs, fmt.Errorf("the run would send about %d requests, more than --max-requests %d: lower --n or raise it", e.Requests, c.requests))
	}
	if e.Tokens() > c.tokens {
		errs = append(errs, fmt.Errorf("the run would take about %d tokens, more than --max-tokens %d: lower --n or raise it", e.Tokens(), c.tokens))
	}
	return errors.Join(errs...)
}
