package mock

import (
	"fmt"
	"math"
	"testing"
	"time"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/server"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// Hosted serves a rented model under that name: its time to the first token is the
// published one of a component of the catalogue, such as "llm-gpt-4o-aiewf-eval", and then
// come so many tokens a second. It ends the test when there is no such component.
func Hosted(name, component string, tokensPerSecond float64) Option {
	return func(t testing.TB, o *options) {
		t.Helper()
		first, err := published(component)
		if err == nil && !(tokensPerSecond > 0) {
			err = fmt.Errorf("%g tokens a second: want more than 0", tokensPerSecond)
		}
		if err != nil {
			t.Fatalf("mock: %v", err)
		}
		o.config.Models = append(o.config.Models, server.Model{
			Name: name, Context: math.MaxInt32, Build: func(loop pipeline.Scheduler) engine.Engine {
				draws := dist.NewKeyed(o.config.Seed, "mock/"+name)
				return engine.NewHosted(loop, engine.HostedConfig{
					First: func(draw uint64) time.Duration { return first.Draw(draws.Of(draw)) },
					Next:  time.Duration(math.Round(1e9 / tokensPerSecond)),
				})
			},
		})
	}
}

// published returns the latency of a language model of the catalogue: its median, with
// its spread where that is known.
func published(component string) (dist.Dist, error) {
	c, err := catalog.FindComponent(component)
	switch {
	case err != nil:
		return dist.Dist{}, err
	case c.Kind != "llm" || c.WholeTurn() || c.P50 == pipeline.Unknown:
		return dist.Dist{}, fmt.Errorf("component %s is no language model with a published median", c.Slug)
	case !c.SpreadKnown():
		return dist.Constant(c.P50), nil
	}
	return dist.FromQuantiles(c.P50, c.P95)
}
