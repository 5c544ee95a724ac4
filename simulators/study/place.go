package study

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"halfsecond/pipeline/endpoint"
	"halfsecond/simulators/scenario"
)

// Model is one that an endpoint serves.
type Model struct {
	Name     string // its name there
	Scenario string // the model of the scenario that it is; empty for none
}

// Models returns what to compare at an endpoint: the models of these names, or else
// those that the scenario gives names to, or else those of the scenario, if the endpoint
// has all of them by their names, or else the only one that it has.
func Models(ctx context.Context, s *scenario.Scenario, e endpoint.Config, names []string) ([]Model, error) {
	if len(names) == 0 {
		if stated := Stated(s, e); len(stated) > 0 {
			return stated, nil
		}
		var err error
		if names, err = endpoint.Models(ctx, e, s.Grid.Models); err != nil {
			return nil, err
		}
	}
	var models []Model
	for i, name := range names {
		if name == "" || slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("model name %q is empty or given twice", name)
		}
		m := Model{Name: name}
		if slices.Contains(s.Grid.Models, name) {
			m.Scenario = name
		}
		models = append(models, m)
	}
	return models, nil
}

// AtMost returns the models of the scenario by their own names: the most that an endpoint
// can be asked for when nothing else names any.
func AtMost(s *scenario.Scenario) []Model {
	models := make([]Model, len(s.Grid.Models))
	for i, m := range s.Grid.Models {
		models[i] = Model{Name: m, Scenario: m}
	}
	return models
}

// Stated returns the models of the scenario to which it gives names at the endpoint;
// endpoints.llm.model, where it is given, is the name of a single one.
func Stated(s *scenario.Scenario, e endpoint.Config) []Model {
	if e.Model != "" {
		m := Model{Name: e.Model}
		if len(s.Grid.Models) == 1 {
			m.Scenario = s.Grid.Models[0]
		}
		return []Model{m}
	}
	var models []Model
	for _, m := range s.Grid.Models {
		for _, c := range s.Endpoints.Cells {
			if c.Model == m && c.Variant == "" && c.Name != "" {
				models = append(models, Model{Name: c.Name, Scenario: m})
				break
			}
		}
	}
	return models
}

// remote returns a cell at the endpoint.
func remote(g *scenario.Grid, set Settings, m Model, l length, v scenario.Variant) cell {
	c := cell{model: m.Name, variant: v, prompt: l.tokens, skipped: l.skipped, serving: g.Serving(g.Models[0], v), place: set.Endpoint}
	c.place.Model = m.Name
	bound := false
	for _, b := range set.Cells {
		if (b.Model == "" || b.Model == m.Scenario) && (b.Variant == "" || b.Variant == v.Name) {
			if b.URL != "" {
				c.place.URL = b.URL
				bound = bound || b.Variant != ""
			}
			if b.Name != "" {
				c.place.Model = b.Name
			}
		}
	}
	if set.PriceOf != nil {
		c.place.Price = set.PriceOf(c.place.Model)
	}
	if c.skipped == "" && !bound && !reflect.DeepEqual(v.Engine, g.Variants[0].Engine) {
		c.skipped = "a client cannot switch this on or off: name an endpoint that has it in endpoints.cells"
	}
	return c
}
