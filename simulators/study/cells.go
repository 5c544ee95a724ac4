package study

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"halfsecond/budgets"
	"halfsecond/budgets/grid"
	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/fit"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/endpoint"
	"halfsecond/simulators/runner"
	"halfsecond/simulators/scenario"
)

// cell is one model, served in one way, at one length of the prompt.
type cell struct {
	id      int    // its place in the grid, from 0
	model   string // as reports name it: at an endpoint by the name that it has there
	variant scenario.Variant
	prompt  int
	serving *scenario.Engine // on the target endpoint none that answers: a run has to name one
	served  []pipeline.Fact  // how, in words; none on the target endpoint
	place   endpoint.Config  // on the target endpoint
	skipped string           // why it cannot be measured; empty when it can
}

// cells returns the grid's cells on a target: model by model, and for each length of
// the prompt every variant, so that what is compared most runs close together.
func cells(s *scenario.Scenario, set Settings) []cell {
	g := s.Grid
	var all []cell
	add := func(c cell) {
		c.id = len(all)
		all = append(all, c)
	}
	if set.Target == runner.Endpoint {
		for _, m := range set.Models {
			for _, l := range lengthsAt(g, m) {
				for _, v := range g.Variants {
					add(remote(g, set, m, l, v))
				}
			}
		}
		return all
	}
	for _, m := range g.Models {
		for _, l := range lengths(g, m, contextOf(g, m, engine.Replica.Context)) {
			for _, v := range g.Variants {
				e := g.Serving(m, v)
				facts := append(served(g, e, v), errorOf(e, l.tokens, s)...)
				add(cell{model: m, variant: v, prompt: l.tokens, serving: e, served: facts, skipped: l.skipped})
			}
		}
	}
	return all
}

// served returns the facts of how an engine serves a variant.
func served(g *scenario.Grid, e *scenario.Engine, v scenario.Variant) []pipeline.Fact {
	facts := []pipeline.Fact{{Name: grid.FactEngine, Value: e.String()}}
	if changes := g.Changes(v); changes != "" {
		facts = append(facts, pipeline.Fact{Name: grid.FactChanges, Value: changes})
	}
	if e.Speculation != nil {
		facts = append(facts, pipeline.Fact{Name: grid.FactAssumed, Value: "acceptance"})
	}
	if unverified := e.Unverified(); len(unverified) > 0 {
		facts = append(facts, pipeline.Fact{Name: grid.FactUnverified, Value: strings.Join(unverified, ", ")})
	}
	if r, err := e.Replica(); err == nil {
		if c := r.Config(); !c.WholePrompts {
			facts = append(facts, pipeline.Fact{Name: grid.FactChunk, Value: strconv.Itoa(c.TokenBudget)})
		}
	}
	return facts
}

// errorOf returns the fact of how far off the model of an engine is for prompts of so many
// tokens, when each user has a request under way.
func errorOf(e *scenario.Engine, prompt int, s *scenario.Scenario) []pipeline.Fact {
	words := e.Errors(fit.Asked{Prompt: prompt, Sequences: max(1, s.Arrivals.Users), Context: prompt + s.Grid.OutputTokens/2})
	if words == "" {
		return nil
	}
	return []pipeline.Fact{{Name: grid.FactError, Value: words}}
}

// length is a length of the prompt for one model.
type length struct {
	tokens  int
	skipped string
}

// lengthsAt returns the grid's lengths for a model at an endpoint. Its context is taken to be
// that of the scenario's model, where it is one; how much its server has room for nobody knows.
func lengthsAt(g *scenario.Grid, m Model) []length {
	if slices.Contains(g.Models, m.Scenario) {
		stated := func(r engine.Replica) int { return cmp.Or(r.Config().MaxContext, math.MaxInt) }
		return lengths(g, m.Scenario, contextOf(g, m.Scenario, stated))
	}
	all := make([]length, len(g.Prompts))
	for i, n := range g.Prompts {
		all[i].tokens = n
	}
	return all
}

// lengths returns the grid's lengths for a model with room for so many tokens. Those that
// leave no room for the answer are skipped, and the longest that does is measured in their
// place.
func lengths(g *scenario.Grid, model string, room int) []length {
	longest := room - g.OutputTokens
	why := fmt.Sprintf("with the answer of %s that is more than the %s tokens that %s has room for", number(g.OutputTokens), number(room), model)
	if longest > 0 {
		why += fmt.Sprintf("; %s, the longest prompt that leaves room, is measured", number(longest))
	}
	var fit, beyond []length
	for _, n := range g.Prompts {
		if n <= longest {
			fit = append(fit, length{tokens: n})
			continue
		}
		beyond = append(beyond, length{n, why})
	}
	if len(beyond) > 0 && longest > 0 && (len(fit) == 0 || fit[len(fit)-1].tokens < longest) {
		fit = append(fit, length{tokens: longest})
	}
	return append(fit, beyond...)
}

// contextOf returns the most tokens of one request to a model that every variant
// has room for, by what a replica says.
func contextOf(g *scenario.Grid, model string, room func(engine.Replica) int) int {
	least := 0
	for i, v := range g.Variants {
		r, err := g.Serving(model, v).Replica()
		if err != nil {
			panic(fmt.Sprintf("study: %s, %s: %v, which reading the scenario refuses", model, v.Name, err))
		}
		if n := room(r); i == 0 || n < least {
			least = n
		}
	}
	return least
}

// seed returns the seed of a cell's own run: what one cell draws says nothing of what
// another does, as intervals over several cells take for granted.
func (c *cell) seed(whole uint64, beside bool) uint64 {
	way := 0
	if beside {
		way = 1
	}
	r := dist.Stream(whole, "study/cell", c.id, way)
	return r.Uint64()
}

// scenarioFor returns the run of one cell.
func (c *cell) scenarioFor(s *scenario.Scenario) *scenario.Scenario {
	one := *s
	one.Kind, one.Grid, one.Budgets = "bench", nil, nil
	one.Name = fmt.Sprintf("%s: %s, %s, %s tokens", s.Name, c.model, c.variant.Name, number(c.prompt))
	one.Bench = &scenario.Bench{
		PromptTokens: dist.ConstantCount(c.prompt), OutputTokens: dist.ConstantCount(s.Grid.OutputTokens),
		LLM: scenario.LLM{Engine: c.serving},
	}
	return &one
}

func number(n int) string { return budgets.Number(float64(n), 0) }
