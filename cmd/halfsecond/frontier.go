package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"halfsecond/budgets"
	"halfsecond/budgets/report"
	"halfsecond/budgets/report/picture"
	"halfsecond/mockllm/catalog"
	"halfsecond/pipeline/price"
	"halfsecond/simulators/runner"
	"halfsecond/simulators/scenario"
	"halfsecond/simulators/study"
)

// frontierOptions are the inputs of frontier, as typed.
type frontierOptions struct {
	name     string
	lists    map[string]*string // of values, by the flag of a setting
	vary     []string
	also     []string
	hours    []string
	seed     uint64
	n        int
	repeats  int
	capacity bool
	check    bool
	out      string
	html     string
	given    func(flag string) bool
}

func newFrontierCmd(p *program) *cobra.Command {
	o := &frontierOptions{lists: map[string]*string{}}
	cmd := &cobra.Command{
		Use:   "frontier SCENARIO",
		Short: "Which settings of a ghost-text plugin, a model and its hardware are worth having?",
		Long: `Frontier runs a ghost-text scenario (kind ide) on the simulator with every
combination of some settings, and says which of them no other beats: in the share of
opportunities inside the budget, in cost, in flashes, in tokens computed for nobody and,
where suggestions are accepted, in characters saved. Of those it recommends the cheapest that holds every budget of the
scenario; where none does, the one with the most inside, and what is missing. Beside it
stands what leaving the scenario's own settings brings, and what their neighbours would.

Every combination has the same seeds, so that the same people type the same keys and what
differs is the settings. Each is run --repeats times; what differs by less than half a
point of a share, or 1 % of the rest, or not in every run, is no difference.

Values are written as in a scenario file, with commas between; ~ leaves a key out. Flags
stand for the keys of docs/scenario.md, and --vary is for any other. --cache takes words:
off; typed, which keeps a suggestion while the typing follows it; lru, which also finds
earlier answers at the same place again, 250 of them; prefix, which also finds them after
their beginning was typed; or the value of ide.plugin.cache, in braces. Without any of
these flags it tries debounces of 0, 75, 150 and 350 ms, with and without closing
requests, with all words of --cache but prefix.

--for adds keys to one value, as a model that is right more often:
--for 'Qwen2.5-7B: ide.answer.truth=65%'.

Costs are in dollars where --dollars-hour states what an hour of each accelerator costs;
of a hosted model (llm: {component: ...}) by its price in 'halfsecond catalog prices'.
Otherwise they are seconds of the accelerator for 1,000 keys, and settings on different
accelerators are not compared: each has a recommendation of its own. Nobody's price is
invented.

A model that does not fit its accelerator, and settings that cannot be together, are named
with the reason. --capacity looks for how many developers can type at a time on what is
recommended until some run breaks a budget, 200 keys or more each: their number is doubled,
then halved to within 5 %. 'halfsecond sweep --find-knee' shows the loads of one setting.

--check prints how many runs there would be. --out keeps frontier.html, .svg, .csv and
.json in a folder, --html writes the page alone.

It ends with 0 if some settings that were tried hold every budget, with 1 if none do, and
with 3 if it could not finish; after an interrupt what was done by then is shown.`,
		Example: `  halfsecond frontier ide
  halfsecond frontier ide --debounce 0ms,75ms,350ms --model Qwen2.5-1.5B,Qwen2.5-7B --hardware L4,L40S
  halfsecond frontier my.yaml --model Qwen2.5-1.5B,Qwen2.5-7B --for 'Qwen2.5-7B: ide.answer.truth=65%'
  halfsecond frontier my.yaml --hardware L4,L40S --dollars-hour L4=0.8 --dollars-hour L40S=1.9 --capacity
  halfsecond frontier my.yaml --vary ide.plugin.prompt.prefix='256 lines,1500' --vary ide.llm.prefix_cache=true,false --out results`,
		Annotations: offers("table", "json", "csv", "markdown"),
		Args:        oneArgument("a built-in scenario or a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name, o.given = args[0], cmd.Flags().Changed
			return runFrontier(cmd.Context(), p, o)
		},
	}
	inGroups(cmd, group("Settings to try", o.addSettings), group("Runs", o.addRuns))
	return cmd
}

func (o *frontierOptions) addSettings(f *pflag.FlagSet) {
	f.SortFlags = false
	for _, s := range frontierFlags {
		o.lists[s.flag] = f.String(s.flag, "", s.usage)
	}
	f.StringArrayVar(&o.vary, "vary", nil, "`KEY=VALUES` of any other key of the scenario, such as ide.plugin.max_tokens=24,48; may be given again")
	f.StringArrayVar(&o.also, "for", nil, "`VALUE: KEY=VALUE` to set with one of the values, with semicolons between several; may be given again")
	f.StringArrayVar(&o.hours, "dollars-hour", nil, "`NAME=DOLLARS` that an hour of an accelerator costs you, such as L4=0.80; may be given again")
}

func (o *frontierOptions) addRuns(f *pflag.FlagSet) {
	f.SortFlags = false
	f.Uint64Var(&o.seed, "seed", 0, "`number` that every random draw follows from (default: the scenario's)")
	f.IntVar(&o.n, "n", 0, "`keys` of each run (default: the scenario's)")
	f.IntVar(&o.repeats, "repeats", 3, "`runs` of each combination, each with a seed of its own")
	f.BoolVar(&o.capacity, "capacity", false, "look for how many developers fit on what is recommended; takes arrivals that are a closed loop")
	f.StringVar(&o.out, "out", "", "`folder` to keep the page, the picture, the rows and the document in")
	f.StringVar(&o.html, "html", "", "`file` to write the page to")
	f.BoolVar(&o.check, "check", false, "say what would be run, and what is impossible, and run nothing")
}

// runFrontier tries the settings and reports them.
func runFrontier(ctx context.Context, p *program, o *frontierOptions) error {
	set, err := o.settings()
	if err != nil {
		return usageError(err)
	}
	plan, err := study.PlanFrontier(set)
	if err != nil {
		return usageError(err)
	}
	if o.check {
		return showFrontierPlan(p, plan)
	}
	if err := o.mayKeep(); err != nil {
		return usageError(err)
	}
	bar := p.bar(runner.Sim, plan.Runs())
	plan.OnRun(bar.done)
	f, err := study.Frontier(ctx, plan)
	bar.close()
	if err != nil {
		return err
	}
	if o.capacity && ctx.Err() == nil {
		bar := p.bar("developers on "+runner.Sim, plan.CapacityRuns(f))
		plan.OnRun(bar.done)
		err := study.FrontierCapacity(ctx, plan, f)
		bar.close()
		if err != nil {
			return err
		}
	}
	r := report.NewFrontier(f)
	if err := errors.Join(p.showFrontier(r), o.keep(r)); err != nil {
		return err
	}
	return frontierError(r)
}

// settings resolves what the flags and the scenario say.
func (o *frontierOptions) settings() (set study.FrontierSettings, err error) {
	base, err := scenario.Load(o.name)
	if err != nil {
		return set, err
	}
	set = study.FrontierSettings{
		Settings: runner.Settings{Target: runner.Sim, Seed: base.Run.Seed, N: base.Run.N, Version: buildVersion()}, Repeats: o.repeats,
		Load:    func(changes []scenario.Change) (*scenario.Scenario, error) { return scenario.LoadWith(o.name, changes) },
		PriceOf: (&money{}).priceOf,
	}
	if o.given("seed") {
		set.Seed = o.seed
	}
	if o.given("n") {
		set.N = o.n
	}
	var errs []error
	if set.N < 1 || set.N > scenario.MostInteractions {
		errs = append(errs, fmt.Errorf("--n %d: want 1 to %d", set.N, scenario.MostInteractions))
	}
	if o.repeats < 1 || o.repeats > 100 {
		errs = append(errs, fmt.Errorf("--repeats %d: want 1 to 100", o.repeats))
	}
	if o.capacity && base.IDE != nil && base.Arrivals.Open() {
		errs = append(errs, errors.New("--capacity counts users at a time: the scenario's arrivals have to be {process: closed, users: 1}"))
	}
	set.Varied, err = o.varied()
	errs = append(errs, err)
	set.Hours, err = o.prices()
	return set, errors.Join(append(errs, err)...)
}

// prices reads what hours of accelerators cost.
func (o *frontierOptions) prices() (map[string]price.Dollars, error) {
	hours := map[string]price.Dollars{}
	var errs []error
	for _, text := range o.hours {
		name, sum, found := cut(text, "=")
		d, err := price.Parse(sum)
		h, unknown := catalog.Builtin().Hardware(name)
		switch {
		case !found || err == nil && d == 0:
			errs = append(errs, fmt.Errorf("--dollars-hour %s: want a name and dollars above 0, such as L4=0.80", text))
		case err != nil:
			errs = append(errs, fmt.Errorf("--dollars-hour %s: %w", text, err))
		case unknown != nil: // a row of the scenario's own catalogue
			hours[name] = d
		default:
			hours[h.Name] = d
		}
	}
	return hours, errors.Join(errs...)
}

// showFrontierPlan prints what would be run.
func showFrontierPlan(p *program, plan *study.FrontierPlan) error {
	impossible, all := 0, 0
	for i := range plan.Cells {
		c := &plan.Cells[i]
		if !c.Beside {
			all++
		}
		if c.Impossible != "" {
			impossible++
		}
	}
	keys := plan.Runs() * plan.N
	if p.Format == "json" {
		return writeJSON(p.out, map[string]any{"scenario": plan.Frontier.Scenario, "scenario_hash": plan.Hash, "combinations": all, "impossible": impossible, "runs": plan.Runs(), "keys": keys})
	}
	t := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "valid\t%s, hash %.12s\n", plan.Frontier.Scenario, plan.Hash)
	fmt.Fprintf(t, "would run\t%s of settings, %s in all, %s keys on sim, seed %d\n", counted(all, "combination"), counted(plan.Runs(), "run"), budgets.Number(float64(keys), 0), plan.Seed)
	for i := range plan.Cells {
		if c := &plan.Cells[i]; c.Impossible != "" {
			fmt.Fprintf(t, "impossible\t%s: %s\n", plan.Name(c), c.Impossible)
		}
	}
	return t.Flush()
}

// showFrontier prints a frontier in the format that was asked for.
func (p *program) showFrontier(r *report.Frontier) error {
	switch p.Format {
	case "json":
		return r.JSON(p.out)
	case "csv":
		return r.CSV(p.out)
	case "markdown":
		return r.Markdown(p.out)
	}
	return r.Table(p.out, report.Options{Width: min(p.width, 140), Color: p.color && p.width > 0})
}

// mayKeep makes the folder of --out, and reports what will not be kept where it is asked for,
// which is worth knowing before all is run.
func (o *frontierOptions) mayKeep() error {
	var errs []error
	for _, flag := range []struct{ name, value string }{{"html", o.html}, {"out", o.out}} {
		if o.given(flag.name) && flag.value == "" {
			errs = append(errs, fmt.Errorf("--%s is empty: want a name", flag.name))
		}
	}
	if o.html != "" {
		if err := mayReplace(o.html); err != nil {
			errs = append(errs, fmt.Errorf("--html: %w", err))
		}
	}
	if o.out != "" {
		err := os.MkdirAll(o.out, 0o755)
		for _, ending := range frontierFiles {
			if err == nil {
				err = mayReplace(o.file(ending))
			}
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("--out: %w", err))
		}
	}
	return errors.Join(errs...)
}

// frontierFiles are the endings of the files that --out keeps.
var frontierFiles = []string{"html", "svg", "csv", "json"}

func (o *frontierOptions) file(ending string) string {
	return filepath.Join(o.out, "frontier."+ending)
}

// keep writes what --out and --html ask for.
func (o *frontierOptions) keep(r *report.Frontier) error {
	if o.out == "" && o.html == "" {
		return nil
	}
	svg, err := frontierSVG(r)
	if err != nil {
		return err
	}
	page := func(w io.Writer) error { return r.HTML(w, svg) }
	if o.html != "" {
		if err := replaceFile(o.html, page); err != nil {
			return fmt.Errorf("--html: %w", err)
		}
	}
	if o.out == "" {
		return nil
	}
	picture := func(w io.Writer) error { _, err := w.Write(svg); return err }
	write := map[string]func(io.Writer) error{"html": page, "svg": picture, "csv": r.CSV, "json": r.JSON}
	for _, ending := range frontierFiles {
		if svg == nil && ending == "svg" {
			continue
		}
		if err := replaceFile(o.file(ending), write[ending]); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	return nil
}

// frontierSVG draws a frontier; nil where there is nothing to draw.
func frontierSVG(r *report.Frontier) ([]byte, error) {
	if !r.Measured() {
		return nil, nil
	}
	var svg bytes.Buffer
	if err := picture.Frontier(r).SVG(&svg); err != nil {
		return nil, err
	}
	out := svg.Bytes()
	if i := bytes.Index(out, []byte("<svg")); i > 0 { // a page has a head of its own
		out = out[i:]
	}
	return out, nil
}

// frontierError turns a frontier into an exit code.
func frontierError(r *report.Frontier) error {
	switch {
	case r.Unfinished != nil:
		return &exitError{exitUnmeasured, fmt.Errorf("the frontier did not finish (%s): it is of what was run by then", *r.Unfinished)}
	case !r.Measured():
		return &exitError{exitUnmeasured, errors.New("nothing was run to the end")}
	case !r.Holds():
		return &exitError{code: exitFailed}
	}
	return nil
}
