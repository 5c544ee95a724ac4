package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"halfsecond/pipeline/endpoint"
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
	f.IntVar(&c.requests, "max-requests", defaultMaxRequests, "most `requests` to an endpoint, and turns of speech services")
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

// over says which caps an estimate exceeds.
func (c caps) over(e runner.Estimate) error {
	var errs []error
	if e.Requests > c.requests {
		errs = append(errs, fmt.Errorf("the run would send %s %d requests, more than --max-requests %d: lower --n or raise it", e.About(), e.Requests, c.requests))
	}
	if e.Tokens() > c.tokens {
		errs = append(errs, fmt.Errorf("the run would take %s %d tokens, more than --max-tokens %d: lower --n or raise it", e.About(), e.Tokens(), c.tokens))
	}
	return errors.Join(errs...)
}

// guard bounds what a run sends to an endpoint, what it spends there, and how long and how
// much the endpoint may answer.
type guard struct {
	caps
	money
	limits
}

func (g *guard) addFlags(f *pflag.FlagSet) {
	g.caps.addFlags(f)
	g.money.addFlags(f)
	g.limits.addFlags(f)
}

// resolve reads what was typed. It reports all that is wrong at once.
func (g *guard) resolve() error {
	return errors.Join(g.caps.validate(), g.money.resolve(), g.limits.validate())
}

// bind sets what holds for a client.
func (g *guard) bind(c *endpoint.Config) {
	c.MaxRequests, c.MaxTokens = g.caps.requests, g.caps.tokens
	g.money.bind(c)
	g.limits.bind(c)
}

// over says which caps an estimate exceeds.
func (g *guard) over(e priced) error { return errors.Join(g.caps.over(e.Estimate), g.money.over(e)) }

// elsewhere refuses what was typed of money and limits for a target that is no endpoint.
func (g *guard) elsewhere(target string, given func(flag string) bool) error {
	var typed []string
	for _, name := range append(moneyFlags, limitFlags...) {
		if given(name) {
			typed = append(typed, "--"+name)
		}
	}
	if len(typed) == 0 {
		return nil
	}
	return fmt.Errorf("%s: for --target endpoint, not for %s", strings.Join(typed, ", "), target)
}

// allow refuses a run on an endpoint that is likely to exceed the caps, and says before
// another what it will take. What is set apart for speech services counts in the settings.
func (o *runOptions) allow(ctx context.Context, p *program, s *scenario.Scenario, set *runner.Settings) error {
	if set.Target != runner.Endpoint {
		return nil
	}
	estimate, err := runner.EstimateRun(ctx, s, *set)
	if err != nil {
		return err
	}
	e := o.guard.at(estimate, set.Endpoint.Model)
	e.reserve(&set.Endpoint)
	return o.begin(p, *set, e)
}

// begin refuses what is likely to exceed the caps, and says otherwise what it will take: of each
// service in a line.
func (o *runOptions) begin(p *program, set runner.Settings, e priced) error {
	if err := o.guard.over(e); err != nil {
		return usageError(err)
	}
	if p.Quiet {
		return nil
	}
	var b strings.Builder
	if set.Endpoint.URL != "" {
		fmt.Fprintf(&b, "asking %s %s %s: %s %d tokens of prompts, %d of answers%s\n",
			set.Endpoint.ShownURL(), e.About(), counted(e.Asked(), "time"), e.About(), e.PromptTokens, e.OutputTokens, e.andCost())
	}
	if set.Server != nil {
		fmt.Fprintf(&b, "asking the language server %s %s %s\n", set.Server.Program(), e.About(), counted(e.Asked(), "time"))
	}
	for _, u := range e.speech {
		fmt.Fprintf(&b, "%s\n", u.words())
	}
	_, err := io.WriteString(p.err, b.String())
	return err
}
