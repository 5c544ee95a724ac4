package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"halfsecond/budgets/report"
	"halfsecond/budgets/report/picture"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/runner"
	"halfsecond/simulators/scenario"
	"halfsecond/simulators/study"
)

var errCSV = errors.New("--format csv is for comparisons of models, such as 'halfsecond run bench'")

// notForGrids refuses what a comparison of models does not have.
func (p *program) notForGrids() error {
	if p.Format == "markdown" || p.Format == "junit" || p.Format == "html" {
		return usageError(fmt.Errorf("--format %s is not for comparisons of models (kind grid), which have no budgets: want table, json or csv", p.Format))
	}
	return nil
}

// onlyForGrids refuses what only a comparison of models has.
func (o *runOptions) onlyForGrids(p *program) error {
	if p.Format == "csv" {
		return errCSV
	}
	return o.oneModel()
}

// runBench compares the models of a grid and reports what follows.
func runBench(ctx context.Context, p *program, o *runOptions, s *scenario.Scenario, one runner.Settings) error {
	if err := p.notForGrids(); err != nil {
		return err
	}
	set, err := o.grid(ctx, s, one)
	if err != nil {
		return err
	}
	e := o.pricedGrid(s, set)
	if o.check {
		all := set.Settings
		all.N = study.Traces(s, set)
		return p.showCheck(o.checked(s, all, e))
	}
	if set.Target == runner.Endpoint {
		if err := o.begin(p, set.Settings, e); err != nil {
			return err
		}
	}
	run, err := o.carryOut(p.bar(set.Target, study.Traces(s, set)), set.Settings, func(one runner.Settings) (trace.Run, error) {
		set.Settings = one
		return study.Compare(ctx, s, set)
	})
	if err != nil {
		return err
	}
	b, err := report.NewBench(run)
	if err != nil {
		return err
	}
	undrawn := o.draw(b)
	beside, err := benchBesideSim(ctx, s, set, b)
	if err != nil {
		return err
	}
	if err := errors.Join(p.showBench(b, beside, nil), undrawn); err != nil {
		return err
	}
	return benchError(b, either(o.out == "", "comparison", "comparison, of which there are no pictures,"))
}

// grid resolves what the flags say of how to compare.
func (o *runOptions) grid(ctx context.Context, s *scenario.Scenario, one runner.Settings) (study.Settings, error) {
	set := study.Settings{Settings: one, Cells: s.Endpoints.Cells}
	if o.model != "" {
		return set, usageError(errors.New("--model is for a scenario that asks one model: name those to compare with --endpoint-model"))
	}
	if set.N < 2 {
		return set, usageError(fmt.Errorf("--n %d: a comparison repeats every cell, want at least 2", set.N))
	}
	if set.Target != runner.Endpoint {
		if len(o.models) > 0 {
			return set, usageError(fmt.Errorf("--endpoint-model is for --target endpoint, not for %s", set.Target))
		}
		return set, nil
	}
	var err error
	if o.unlisted(s, set) {
		set.Models = study.AtMost(s)
		return set, nil
	}
	if o.check && len(o.models) == 0 {
		set.Models = study.Stated(s, set.Endpoint)
		return set, nil
	}
	if set.Models, err = study.Models(ctx, s, set.Endpoint, o.models); err != nil {
		return set, &unbegun{"comparison", err}
	}
	return set, usageError(o.pricedModels(study.Asked(s, set)))
}

// unlisted reports whether nobody has said which models there are and the endpoint is not
// asked either. All of the scenario are the most; one that has only one is asked for that.
func (o *runOptions) unlisted(s *scenario.Scenario, set study.Settings) bool {
	return o.check && set.Target == runner.Endpoint && len(o.models) == 0 && len(study.Stated(s, set.Endpoint)) == 0
}

// pricedModels reports models that a cap of money has no price of.
func (o *runOptions) pricedModels(names []string) error {
	var errs []error
	for _, name := range names {
		errs = append(errs, o.guard.needs(name))
	}
	return errors.Join(errs...)
}

// pricedGrid returns what a comparison would send, and what that would cost.
func (o *runOptions) pricedGrid(s *scenario.Scenario, set study.Settings) priced {
	e := priced{Estimate: study.Estimate(s, set), price: o.guard.fixed}
	e.cost, e.known = study.Cost(s, set)
	e.AtMost = o.unlisted(s, set)
	return e
}

// draw writes the table of cells and the pictures of a comparison where --out says. There
// are none of a part of a comparison, which nothing about them would tell, and no pictures
// of one from which nothing follows.
func (o *runOptions) draw(b *report.Bench) error {
	if o.out == "" || !b.Finished {
		return nil
	}
	if err := replaceFile(filepath.Join(o.out, cellsFile), b.CSV); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	if b.Unfit != nil {
		return nil
	}
	for _, p := range picture.Bench(b) {
		if err := replaceFile(filepath.Join(o.out, p.Name+".svg"), p.SVG); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
		if err := replaceFile(filepath.Join(o.out, p.Name+".png"), p.PNG); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	return nil
}

// cellsFile is the name of the table of a comparison's cells in its folder.
const cellsFile = "cells.csv"

// benchBesideSim compares on the simulator too, when it was done on the mock.
func benchBesideSim(ctx context.Context, s *scenario.Scenario, set study.Settings, b *report.Bench) (*report.BenchComparison, error) {
	if set.Target != runner.Mock || ctx.Err() != nil {
		return nil, nil
	}
	set.Target, set.Progress, set.Keep, set.Begin, set.KeepExchange = runner.Sim, nil, nil, nil, nil
	run, err := study.Compare(ctx, s, set)
	if err != nil {
		return nil, err
	}
	sim, err := report.NewBench(run)
	if err != nil {
		return nil, err
	}
	c := report.CompareBench(sim, b)
	return &c, nil
}

// benchDocument is a comparison with what ran beside it, as one JSON document.
type benchDocument struct {
	*report.Bench
	BesideSim *report.BenchComparison `json:"beside_sim,omitempty"` // on the target mock
	RawLog    *again                  `json:"raw_log,omitempty"`    // of a report, where bytes crossed a wire
}

// showBench prints a comparison in the format that was asked for.
func (p *program) showBench(b *report.Bench, beside *report.BenchComparison, bytes *again) error {
	switch {
	case p.Format == "csv":
		return b.CSV(p.out)
	case p.Format == "json" && beside == nil && bytes == nil:
		return b.JSON(p.out)
	case p.Format == "json":
		return writeJSON(p.out, benchDocument{b, beside, bytes})
	}
	o := report.Options{Width: min(p.width, 120), Color: p.color && p.width > 0}
	if err := b.Table(p.out, o); err != nil {
		return err
	}
	if bytes != nil {
		return bytes.writeTable(p.out)
	}
	if beside == nil {
		return nil
	}
	fmt.Fprintln(p.out)
	return beside.Table(p.out, o)
}

// reportBench reports the traces of a comparison.
func reportBench(p *program, run trace.Run, path string) error {
	if err := p.notForGrids(); err != nil {
		return err
	}
	b, err := report.NewBench(run)
	if err != nil {
		return usageError(err)
	}
	bytes, err := recountRun(path, run)
	if err != nil {
		return usageError(err)
	}
	if err := p.showBench(b, nil, bytes); err != nil {
		return err
	}
	return cmp.Or(bytes.err(), benchError(b, "comparison"))
}

// benchError turns a comparison that lacks something into an exit code.
func benchError(b *report.Bench, what string) error {
	switch {
	case !b.Finished:
		return unfinishedRun(what, b.UnfinishedReason, b.N, b.NAsked)
	case b.Unfit != nil: // which is the first thing that the report says
		return &exitError{code: exitUnmeasured}
	case !b.Measured():
		return &exitError{exitUnmeasured, errors.New("some cells have no figures: the notes of the report say why")}
	}
	return nil
}
