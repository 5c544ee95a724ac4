package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"halfsecond/budgets"
	"halfsecond/budgets/report"
	"halfsecond/budgets/versus"
	"halfsecond/pipeline"
)

// compareOptions are the inputs of compare, as typed.
type compareOptions struct {
	save    string
	matters string
	seed    uint64
	anyway  bool
}

func newCompareCmd(p *program) *cobra.Command {
	opts := &compareOptions{}
	cmd := &cobra.Command{
		Use:   "compare A B | compare --save FILE A",
		Short: "Is one run better or worse than another?",
		Long: `Compare says of run B whether it is better or worse than run A: of how interactions
land, of each metric and of each stage, by p50, p90, p95 and p99, of goodput and
failures, and of ghost text's requests a key and effective speed. A and B are folders that 'run --out' made, trace files, or baselines.

Every word follows from the interval of the difference, never from two numbers alone:
better or worse where the interval holds no zero and reaches beyond what matters; no
difference that matters where all of it is smaller; else it cannot be told. A
difference of durations matters from --matters of A on (5 %, by convention: of a budget
of 500 ms less than two frames of a screen), and from 1 ms on where it is no pace; one
of counts and speeds from --matters on, and one of shares from 1 point on.

Intervals are those of samples drawn again (bootstrap, seeded): whole sessions, or
blocks of neighbours in time, where interactions depend on each other. Those of a table
hold the truth together in 95 of 100 comparisons. Only the first table decides: how
interactions land, what the scenario has budgets for, goodput, and what ended ok.

Runs of different scenarios or targets are refused, and so are a run and itself, a
baseline or a copy of it; --anyway compares them, and warns. Two simulations of one seed
are compared, with a warning: they show what a change of the program made. Runs that did
not finish, and runs that are unfit, are shown and not judged. Each other condition that
differs is a warning with both values: connections, --ignore-eos, limits, HTTP version,
texts, program and so on.

Runs of one scenario and one seed are paired: the same interaction of both is drawn again
together, so that what it has in common in both, its lengths and what fell due beside it,
does not blur the difference. Other runs are drawn each for itself, and it is said why.

--save FILE keeps what a comparison needs of a run in one file, a baseline, which a
repository can hold: the exact samples of every metric, no texts and no URLs. Compare
takes it in place of the run.

Exit codes: 0 not worse; 1 worse; 3 nothing could be told, or a run did not finish or
is unfit; 2 bad usage, a bad file, or runs that cannot be compared.`,
		Example: `  halfsecond compare before after
  halfsecond compare --save baseline.json before
  halfsecond compare baseline.json after --format markdown
  halfsecond compare baseline.json after --format junit > compare.xml
  halfsecond compare before after --matters 10%`,
		Annotations: offers("table", "json", "markdown", "junit"),
		Args:        opts.arguments,
		RunE:        func(cmd *cobra.Command, args []string) error { return runCompare(cmd.Context(), p, opts, args) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&opts.save, "save", "", "keep run A as a baseline in `file`, in place of a regular one that is there")
	f.StringVar(&opts.matters, "matters", "5%", "`share` of a duration, a count or a speed below which a difference does not matter")
	f.Uint64Var(&opts.seed, "seed", 1, "`number` that the resampling follows from")
	f.BoolVar(&opts.anyway, "anyway", false, "compare runs of different scenarios or targets, and one run with itself, too")
	return cmd
}

// arguments checks how many runs are named.
func (o *compareOptions) arguments(_ *cobra.Command, args []string) error {
	want := 2
	if o.save != "" {
		want = 1
	}
	switch {
	case len(args) == want:
		return nil
	case want == 1:
		return fmt.Errorf("--save keeps one run: want one folder or trace file, there are %d arguments", len(args))
	case len(args) > want:
		return fmt.Errorf("unexpected argument %q: want two runs, A and B", args[want])
	}
	return errors.New("an argument is missing: want two runs, A and B, each a folder that --out made, a trace file, or a baseline")
}

func runCompare(_ context.Context, p *program, o *compareOptions, args []string) error {
	if o.save != "" {
		return saveBaseline(p, o.save, args[0])
	}
	matters, err := shareFrom(o.matters)
	if err != nil {
		return usageError(fmt.Errorf("--matters %s: %w", o.matters, err))
	}
	if !o.anyway && sameFile(args[0], args[1]) {
		return usageError(fmt.Errorf("%s and %s are the same run: want two; --anyway compares it with itself", args[0], args[1]))
	}
	a, errA := readSide(args[0])
	b, errB := readSide(args[1])
	if err := errors.Join(errA, errB); err != nil {
		return usageError(err)
	}
	c, err := versus.Compare(a, b, versus.Settings{Matters: matters, Seed: o.seed, Anyway: o.anyway})
	if errors.Is(err, versus.ErrDiffer) {
		err = fmt.Errorf("%w\n--anyway compares them all the same, and warns of this", err)
	}
	if err != nil {
		return usageError(fmt.Errorf("%s and %s are not comparable:\n%w", args[0], args[1], err))
	}
	if err := p.showVersus(report.NewVersus(c)); err != nil {
		return err
	}
	switch c.Verdict {
	case versus.Regression:
		return &exitError{code: exitFailed}
	case versus.Undecided:
		return &exitError{code: exitUnmeasured}
	}
	return nil
}

// shareFrom reads a share such as 5% or 0.5%, above 0 and at most 100 %.
func shareFrom(text string) (float64, error) {
	number, isShare := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !isShare || !(v > 0 && v <= 100) {
		return 0, errors.New("want a share above 0% and up to 100%, such as 5%")
	}
	return v / 100, nil
}

// sameFile reports whether two names are of one run's file.
func sameFile(a, b string) bool {
	infoA, errA := os.Stat(traceFileOf(a))
	infoB, errB := os.Stat(traceFileOf(b))
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// readSide reads a run for a comparison: from a baseline, or from traces. These are judged by
// other budgets than the scenario's where there are some.
func readSide(path string, others ...string) (*versus.Run, error) {
	is, err := isBaseline(path)
	if err != nil {
		return nil, err
	}
	if is {
		return readBaseline(path)
	}
	run, err := readTraces(path)
	if err != nil {
		return nil, err
	}
	if others != nil {
		run.Header.Budgets = others
	}
	a, err := budgets.Analyse(run)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return versus.Of(a), nil
}

// isBaseline reports whether a file is a baseline. A folder is none.
func isBaseline(path string) (bool, error) {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return false, err
	}
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	beginning, err := bufio.NewReader(file).Peek(len(`{"halfsecond_baseline":`))
	if err != nil && err != io.EOF {
		return false, err
	}
	return versus.IsBaseline(beginning), nil
}

func readBaseline(path string) (*versus.Run, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	run, err := versus.Read(&inLines{from: file, most: mostTraceLine})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return run, nil
}

// saveBaseline keeps a run in a file. One that nothing could be held against is not kept.
func saveBaseline(p *program, name, path string) error {
	run, err := readSide(path)
	switch {
	case err != nil:
		return usageError(err)
	case run.Kind == pipeline.KindGrid:
		return usageError(fmt.Errorf("%s: this is a comparison of models (kind grid), of which there are no baselines", path))
	case run.Unfinished != "":
		return &exitError{exitUnmeasured, fmt.Errorf("%s: the run did not finish (%s), so it is no baseline", path, run.Unfinished)}
	case run.Unfit != "":
		return &exitError{exitUnmeasured, fmt.Errorf("%s: the run is unfit, so it is no baseline: %s", path, run.Unfit)}
	}
	if err := replaceFile(name, run.Write); err != nil {
		return fmt.Errorf("--save: %w", err)
	}
	if p.Format == "json" {
		return writeJSON(p.out, map[string]any{"saved": name, "scenario": run.Scenario, "scenario_hash": run.ScenarioHash, "n": run.N})
	}
	_, err = fmt.Fprintf(p.out, "saved %s: %s on %s, %d interactions, scenario hash %.12s\n", name, run.Scenario, run.Target, run.N, run.ScenarioHash)
	return err
}

// showVersus prints a comparison in the format that was asked for.
func (p *program) showVersus(v *report.Versus) error {
	switch p.Format {
	case "json":
		return v.JSON(p.out)
	case "markdown":
		return v.Markdown(p.out)
	case "junit":
		return v.JUnit(p.out)
	}
	return v.Table(p.out, report.Options{Width: min(p.width, 120), Color: p.color && p.width > 0})
}
