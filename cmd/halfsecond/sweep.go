package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"halfsecond/pipeline/trace"
	"halfsecond/simulators/runner"
	"halfsecond/simulators/scenario"
	"halfsecond/simulators/study"
)

// sweepOptions are the inputs of sweep, as typed: those of the runs, and its own.
type sweepOptions struct {
	runOptions
	from, to   float64
	rates      []string
	findKnee   bool
	resolution float64
	repeats    int
}

func newSweepCmd(p *program) *cobra.Command {
	o := &sweepOptions{}
	cmd := &cobra.Command{
		Use:   "sweep SCENARIO",
		Short: "Run a scenario under more and more load, and find where it leaves its budgets",
		Long: `Sweep runs a scenario again and again under other loads: requests a second where
arrivals are open, users at a time where they are a closed loop; a trace is played
faster, a ramp is held. It prints for each load what was offered and achieved, the
metric that the budgets limit, the share of interactions that keep that limit (goodput),
and whether the load is inside the budgets.

Without --rates the loads double from --from to --to, which are a quarter of the
scenario's own load and four times it unless they are given. --find-knee ends at the
first load that is outside, for which it goes to 1024 times the scenario's own unless at
an endpoint, or halves the lowest until one is inside; below a load that --from or
--rates states as the lowest it never goes. Then it tries those between,
until the highest load inside and the lowest outside are found to --resolution. The
answer is two loads: up to the first one every run passed every budget, from the second
one on every run failed one. Between them runs differ, or cannot be judged. Runs of a
load differ by their seed (--repeats); how far their p95 lie apart stands beside it.

Unless the scenario states a warm_up above 0, the start-up of each run is found by a test
and cut away, with the end of a closed loop, when not all users ask any more. That takes
100 interactions or more a run. What passes in a run that never becomes steady counts as
unsure. Of a trace nothing is cut, for its load is not steady.

No higher load is tried after one under which less than half of what is asked for ends
ok. On the target endpoint a sweep is refused when it may exceed --max-requests,
--max-tokens or --max-cost all in all; --check prints that estimate.

It ends with 0 if some load is inside the budgets, with 1 if none is, and with 3 if it
could not finish or nothing could be judged; what was found until then is shown, also
where a later load could not begin. --out keeps the traces of every run in a
folder of its own, for halfsecond report. --format csv prints a row for each run.`,
		Example: `  halfsecond sweep load --find-knee
  halfsecond sweep load --rates 10,20,40,80 --n 500
  halfsecond sweep voice --from 1 --to 64 --format csv
  halfsecond sweep azure-conv --rates 5,10,20 --repeats 1
  halfsecond sweep my.yaml --endpoint llm=http://127.0.0.1:8000/v1 --find-knee --n 100 --repeats 1 --max-requests 3000`,
		Annotations: offers("table", "json", "csv"),
		Args:        oneArgument("a built-in scenario or a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name, o.given = args[0], cmd.Flags().Changed
			return runSweep(cmd.Context(), p, o)
		},
	}
	inGroups(cmd, group("Loads", o.addLoads), group("Runs", o.runOptions.addFlags), o.guardGroup())
	return cmd
}

func (o *sweepOptions) addLoads(f *pflag.FlagSet) {
	f.StringSliceVar(&o.rates, "rates", nil, "`loads` to run, ascending, such as 5,10,20: requests a second, or users of a closed loop")
	f.Float64Var(&o.from, "from", 0, "lowest `load`, below which none is tried; the next is twice as high, and so on (default: a quarter of the scenario's own)")
	f.Float64Var(&o.to, "to", 0, "highest `load` (default: four times the scenario's own)")
	f.BoolVar(&o.findKnee, "find-knee", false, "look for the highest load inside the budgets")
	f.Float64Var(&o.resolution, "resolution", .05, "how far apart the loads are between which the knee is, as a `share`; users are never less than one apart")
	f.IntVar(&o.repeats, "repeats", 3, "`runs` of each load, each with a seed of its own")
}

// runSweep runs one scenario under many loads and reports them.
func runSweep(ctx context.Context, p *program, o *sweepOptions) error {
	s, err := scenario.Load(o.name)
	if err != nil {
		return usageError(err)
	}
	set, err := o.sweep(s)
	if err != nil {
		return usageError(err)
	}
	estimate, err := study.EstimateSweep(ctx, s, set)
	if err != nil {
		return usageError(err)
	}
	e := o.guard.at(estimate, set.Endpoint.Model)
	if o.check {
		return o.showCheck(p, s, set, e)
	}
	if set.Target == runner.Endpoint {
		if err := o.begin(p, set.Settings, e); err != nil {
			return err
		}
	}
	e.reserve(&set.Endpoint)
	set.Endpoint.Waits = p.waits
	bar := p.bar(set.Target, study.MostRuns(s, set))
	set.Ran, set.Around = bar.done, o.around
	w, err := study.Sweep(ctx, s, set)
	bar.close()
	if err != nil {
		return err
	}
	doc := newSweepDocument(s, set, w)
	if err := p.showSweep(doc); err != nil {
		return err
	}
	return doc.err()
}

// sweep resolves what the flags and the scenario say.
func (o *sweepOptions) sweep(s *scenario.Scenario) (study.SweepSettings, error) {
	one, err := o.settings(s)
	set := study.SweepSettings{Settings: one, FindKnee: o.findKnee, Resolution: o.resolution, Repeats: o.repeats,
		Bounded: o.given("from") || len(o.rates) > 0}
	errs := []error{err, o.oneModel()}
	if o.repeats < 1 || o.repeats > 1000 {
		errs = append(errs, fmt.Errorf("--repeats %d: want 1 to 1000", o.repeats))
	}
	if !(o.resolution >= .001 && o.resolution <= 1) {
		errs = append(errs, fmt.Errorf("--resolution %g: want 0.001 to 1", o.resolution))
	}
	if s.Grid != nil {
		return set, errors.Join(append(errs, errors.New("a comparison of models (kind grid) has no load to sweep"))...)
	}
	set.Loads, err = o.loads(s, one.Target)
	return set, errors.Join(append(errs, err)...)
}

// loads returns the loads to begin with.
func (o *sweepOptions) loads(s *scenario.Scenario, target string) ([]float64, error) {
	if len(o.rates) > 0 {
		if o.given("from") || o.given("to") {
			return nil, errors.New("--rates states every load: --from and --to do not go with it")
		}
		return parseLoads(o.rates)
	}
	from, to := short(s.Arrivals.Load()/4), short(s.Arrivals.Load()*4)
	if o.findKnee && target != runner.Endpoint {
		to = short(s.Arrivals.Load() * 1024)
	}
	if !s.Arrivals.Open() {
		from = max(1, math.Floor(from))
	}
	if o.given("from") {
		from, to = o.from, max(to, o.from)
	}
	if o.given("to") {
		to = o.to
		if !o.given("from") {
			from = min(from, to)
		}
	}
	if !(from > 0) || !(to >= from) || math.IsInf(to, 1) {
		return nil, fmt.Errorf("--from %g --to %g: want loads above 0, in this order", from, to)
	}
	return doubling(from, to), nil
}

// short returns three digits of a load, which nobody wrote.
func short(load float64) float64 {
	v, err := strconv.ParseFloat(strconv.FormatFloat(load, 'g', 3, 64), 64)
	if err != nil {
		panic(err)
	}
	return v
}

// doubling returns loads from one to another, each twice the one before, but the last.
func doubling(from, to float64) (loads []float64) {
	for load := from; load < to; load *= 2 {
		loads = append(loads, load)
	}
	return append(loads, to)
}

func parseLoads(texts []string) (loads []float64, err error) {
	for _, text := range texts {
		v, bad := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(text), "/s"), 64)
		if bad != nil || !(v > 0) || math.IsInf(v, 1) {
			err = errors.Join(err, fmt.Errorf("--rates %s: want numbers above 0, such as 5,10,20", text))
		}
		loads = append(loads, v)
	}
	slices.Sort(loads)
	return slices.Compact(loads), err
}

// around carries one run out, keeping its traces where --out says.
func (o *sweepOptions) around(load float64, repeat int, set runner.Settings, run func(runner.Settings) (trace.Run, error)) (trace.Run, error) {
	one := o.runOptions
	if one.out != "" {
		one.out = filepath.Join(one.out, fmt.Sprintf("%g-%d", load, repeat+1))
	}
	return one.carryOut(bar{}, set, run)
}

// sweepCheck is what --check prints.
type sweepCheck struct {
	checked
	Loads    []float64 `json:"loads"`
	LoadUnit string    `json:"load_unit"`
	MostRuns int       `json:"most_runs"`
}

// showCheck prints what a sweep would do at most.
func (o *sweepOptions) showCheck(p *program, s *scenario.Scenario, set study.SweepSettings, e priced) (err error) {
	c := sweepCheck{
		checked: o.checked(s, set.Settings, e),
		Loads:   set.Loads, LoadUnit: s.Arrivals.LoadUnit(), MostRuns: study.MostRuns(s, set),
	}
	if p.Format == "json" {
		err = writeJSON(p.out, c)
	} else {
		err = c.writeTable(p)
	}
	return errors.Join(err, c.over())
}

func (c *sweepCheck) writeTable(p *program) error {
	t := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "valid\t%s (%s), hash %.12s\n", c.Scenario, c.Kind, c.ScenarioHash)
	fmt.Fprintf(t, "would run\t%d times at most, %d interactions or more each on %s, seed %d\n", c.MostRuns, c.N, c.Target, c.Seed)
	fmt.Fprintf(t, "loads\t%s %s to begin with\n", strings.Trim(fmt.Sprint(c.Loads), "[]"), c.LoadUnit)
	c.writeSent(t, "at most"+either(c.Estimate.AtMost, "", " about"))
	c.writeGuard(t)
	return t.Flush()
}
