package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"halfsecond/budgets"
	"halfsecond/budgets/report"
	"halfsecond/budgets/thresholds"
	"halfsecond/budgets/versus"
	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// checkOptions are the inputs of check, as typed.
type checkOptions struct {
	thresholds string
	baseline   string
	seed       uint64
	anyway     bool
}

func newCheckCmd(p *program) *cobra.Command {
	o := &checkOptions{}
	cmd := &cobra.Command{
		Use:   "check RUN",
		Short: "For CI: is a stored run inside a file of thresholds, and not worse than a run before?",
		Long: `Check judges a run that 'run --out' kept, and ends with a code that a CI job can go by.
Nothing is run again.

--thresholds names a file of budgets that count in place of the scenario's: what a
pull request has to keep is then in the repository that is tested, apart from the
experiment. The budgets are written as in a scenario, and read as strictly:

  budgets:
    - share(ttfc < 150ms) >= 90%
    - mean(requests_per_key) <= 1.2
  matters: 5%   # beside --baseline: smaller differences of durations do not matter

Without it the budgets of the scenario are judged.

--baseline names a run before: a folder, a trace file, or what 'compare --save' kept. The
two are compared as 'compare' does it, with an interval for each difference and a word
that follows from it; what decides is how interactions land, what the budgets of this
check are about, goodput by them, and what ended ok.

Of a run with a raw log the numbers are computed again from it, as 'report' does.

--format junit prints a suite for the budgets and one for the figures that decide,
--format markdown a page for a pull request, with the rest folded away. 'halfsecond report'
and 'compare' show each of them in full.

Exit codes: 0 every budget is kept, and nothing that decides is worse; 1 a budget failed, or
something is worse; 3 a budget could not be measured, or nothing could be told beside the
baseline, or the run did not finish, whatever else is said of it; 2 bad usage, a bad file,
or runs that cannot be compared.`,
		Example: `  halfsecond check results --thresholds latency.yaml
  halfsecond check results --thresholds latency.yaml --baseline baseline.json --format junit > latency.xml
  halfsecond check results --thresholds latency.yaml --baseline before --format markdown >> "$GITHUB_STEP_SUMMARY"`,
		Annotations: offers("table", "json", "markdown", "junit"),
		Args:        oneArgument("a folder that --out made, or a trace file"),
		RunE:        func(cmd *cobra.Command, args []string) error { return runCheck(cmd.Context(), p, o, args[0]) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.thresholds, "thresholds", "", "`file` of budgets to judge by, in place of the scenario's")
	f.StringVar(&o.baseline, "baseline", "", "`run` before to compare with: a folder, a trace file or a baseline")
	f.Uint64Var(&o.seed, "seed", 1, "`number` that the resampling of a comparison follows from")
	f.BoolVar(&o.anyway, "anyway", false, "compare with a run of another scenario or target, or with the run itself, too")
	return cmd
}

func runCheck(_ context.Context, p *program, o *checkOptions, path string) error {
	run, err := readTraces(path)
	if err != nil {
		return usageError(err)
	}
	demanded, err := o.demand(path, &run)
	if err != nil {
		return usageError(err)
	}
	r, err := report.New(run)
	if err != nil {
		return usageError(err)
	}
	c := report.NewCheck(r, o.thresholds)
	if err := o.compare(c, path, demanded); err != nil {
		return usageError(err)
	}
	bytes, err := recountRun(path, run)
	if err != nil {
		return usageError(err)
	}
	if err := p.showCheckOf(c, bytes); err != nil {
		return err
	}
	return cmp.Or(bytes.err(), checkError(c))
}

// demand reads the thresholds, has the run judged by them, and refuses a check of nothing.
func (o *checkOptions) demand(path string, run *trace.Run) (*thresholds.File, error) {
	demanded := &thresholds.File{}
	switch {
	case run.Header.Kind == pipeline.KindGrid:
		return nil, fmt.Errorf("%s: this is a comparison of models (kind grid), which has no budgets: 'halfsecond report' shows it", path)
	case o.thresholds != "":
		data, err := os.ReadFile(o.thresholds)
		if err != nil {
			return nil, fmt.Errorf("--thresholds: %w", err)
		}
		if demanded, err = thresholds.Parse(o.thresholds, data, budgets.MetricsOf(*run)); err != nil {
			return nil, err
		}
		run.Header.Budgets = demanded.Budgets
	case len(run.Header.Budgets) == 0 && o.baseline == "":
		return nil, fmt.Errorf("%s: its scenario has no budgets, so there is nothing to check: want --thresholds FILE, --baseline RUN, or both", path)
	}
	return demanded, nil
}

// compare holds the run against the baseline, if there is one.
func (o *checkOptions) compare(c *report.Check, path string, demanded *thresholds.File) error {
	if o.baseline == "" {
		return nil
	}
	if !o.anyway && sameFile(o.baseline, path) {
		return fmt.Errorf("--baseline %s is the run itself: want one before it; --anyway compares it with itself", o.baseline)
	}
	before, err := readSide(o.baseline, demanded.Budgets...)
	if err != nil {
		return fmt.Errorf("--baseline: %w", err)
	}
	err = c.Beside(o.baseline, before, versus.Settings{Matters: demanded.Matters, Seed: o.seed, Anyway: o.anyway})
	if errors.Is(err, versus.ErrDiffer) {
		err = fmt.Errorf("%w\n--anyway compares them all the same, and warns of this", err)
	}
	if err != nil {
		return fmt.Errorf("%s (A) and %s (B) are not comparable:\n%w", o.baseline, path, err)
	}
	return nil
}

// checkDocument is a check with what came of reading the raw log again, as one JSON document.
type checkDocument struct {
	*report.Check
	RawLog *again `json:"raw_log,omitempty"`
}

// showCheckOf prints a check in the format that was asked for.
func (p *program) showCheckOf(c *report.Check, bytes *again) error {
	switch p.Format {
	case "json":
		return writeJSON(p.out, checkDocument{c, bytes})
	case "markdown":
		return c.Markdown(p.out)
	case "junit":
		return c.JUnit(p.out)
	}
	err := c.Table(p.out, report.Options{Width: min(p.width, 120), Color: p.color && p.width > 0})
	if err != nil || bytes == nil {
		return err
	}
	return bytes.writeTable(p.out)
}

// checkError turns the verdict of a check into an exit code.
func checkError(c *report.Check) error {
	switch {
	case !c.Run.Finished:
		return verdictError(c.Run)
	case c.Verdict == budgets.Fail:
		return &exitError{code: exitFailed}
	case c.Verdict == budgets.Unmeasured:
		return &exitError{code: exitUnmeasured}
	}
	return nil
}
