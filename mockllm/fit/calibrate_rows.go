package fit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/roofline"
)

// Subject is what constants belong to: an engine on a machine, with weights that are
// multiplied in one way.
type Subject struct {
	Engine, Hardware string
	Weights, Models  []string // that were measured, sorted
	GPUs             []int
}

func subjectOf(deployments []roofline.Deployment) Subject {
	var s Subject
	for _, d := range deployments {
		s.Engine, s.Hardware = d.Engine.Name, d.Hardware.Name
		s.Weights = append(s.Weights, d.Weights.String())
		s.Models = append(s.Models, d.Model.Name)
		s.GPUs = append(s.GPUs, max(1, d.GPUs))
	}
	s.Weights, s.Models, s.GPUs = distinct(s.Weights), distinct(s.Models), distinct(s.GPUs)
	return s
}

// measured is a row with what its prediction starts from.
type measured struct {
	row        Row
	deployment roofline.Deployment
}

// CalibrateRows fits the constants of one engine on one machine to its measurements.
// All rows must be of it. Rows that nothing can be predicted for are left out and
// returned.
func CalibrateRows(ctx context.Context, c *catalog.Catalog, rows []Row) (Calibration, []Skipped, error) {
	predicted, skipped := samples(c, rows)
	var all []measured
	for _, s := range predicted {
		d, err := s.row.Deployment(c)
		if err != nil {
			return Calibration{}, skipped, err
		}
		all = append(all, measured{s.row, d})
	}
	if len(all) == 0 {
		return Calibration{}, skipped, noRows(skipped)
	}
	if err := checkOneSubject(all); err != nil {
		return Calibration{}, skipped, err
	}
	out, err := calibrate(ctx, all[0].deployment, evidenceOf(all), func(v roofline.Constants) ([]float64, error) {
		errs := make([]float64, len(all))
		for i := range all {
			errs[i] = all[i].errorUnder(v)
		}
		return errs, nil
	})
	var deployments []roofline.Deployment
	for _, m := range all {
		deployments = append(deployments, m.deployment)
		out.Rows = append(out.Rows, m.row)
	}
	out.Subject = subjectOf(deployments)
	return out, skipped, err
}

func evidenceOf(all []measured) evidence {
	var e evidence
	var models []string
	for _, m := range all {
		phase := m.row.Phase()
		e.phases = append(e.phases, phase)
		e.decodes = e.decodes || phase == Decode || m.row.Metric == AggregateRate
		e.long = e.long || phase == Prefill && m.row.Prompt >= longPrompt
		models = append(models, m.deployment.Model.Name)
	}
	e.models = len(distinct(models))
	return e
}

// longPrompt is the tokens from which on a prompt mostly takes what computing it takes.
const longPrompt = 512

func noRows(skipped []Skipped) error {
	if len(skipped) == 0 {
		return errors.New("no measurements to fit")
	}
	return fmt.Errorf("of %s none can be predicted, such as line %d: %w", counted(len(skipped), "measurement"), skipped[0].Row.Line, skipped[0].Reason)
}

// errorUnder returns predicted over measured, less one, when the knobs have the
// values that they have in v, and all else is built in.
func (m *measured) errorUnder(v roofline.Constants) float64 {
	d := m.deployment
	d.Constants = roofline.Defaults(d)
	for _, k := range knobs {
		k.set(&d.Constants, k.of(&v))
	}
	p, err := roofline.Partial(d)
	if err != nil {
		return math.NaN()
	}
	return m.row.predict(p)/m.row.Value - 1
}

// checkOneSubject reports rows whose constants are not the same.
func checkOneSubject(all []measured) error {
	var engines, hardware, weights, uses []string
	for _, m := range all {
		d := m.deployment
		engines, hardware = append(engines, d.Engine.Name), append(hardware, d.Hardware.Name)
		weights, uses = append(weights, d.Weights.String()), append(uses, strings.Join(roofline.Uses(d), " "))
	}
	var errs []error
	one := func(what, flag string, names []string) {
		if names = distinct(names); len(names) > 1 {
			errs = append(errs, fmt.Errorf("the measurements are of %d %s, want one: choose with %s among %s", len(names), what, flag, strings.Join(names, ", ")))
		}
	}
	one("engines", "--engine", engines)
	one("machines", "--hardware", hardware)
	if len(distinct(uses)) > 1 {
		one("kinds of weights, which are multiplied in different ways", "--weights", weights)
	}
	return errors.Join(errs...)
}

func distinct[T interface{ ~string | ~int }](values []T) []T {
	slices.Sort(values)
	return slices.Compact(values)
}
