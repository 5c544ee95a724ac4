package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/fit"
)

// validateOptions say what is judged and how, as typed.
type validateOptions struct {
	cross  string
	worst  int
	e2e    string
	replay replayOptions
	given  func(flag string) bool // whether a flag was typed
}

func newValidateCmd(p *program) *cobra.Command {
	o := &validateOptions{}
	cmd := &cobra.Command{
		Use:   "validate [FILE]",
		Short: "Predicted beside measured, with the error",
		Long: `Validate predicts measurements of real engines on real hardware and says how far off
it is: over all rows, by engine, GPU, model and metric, and row by row.

FILE holds measurements in the columns that 'go doc halfsecond/mockllm/fit' describes;
without one it is the 459 published ones that are built in. A row that nothing can be
predicted for (an unknown engine, a count that its source does not state) is skipped,
counted and explained. --catalog names a file with hardware, models and engines of
your own.

Predictions use the built-in constants, which were fitted on the built-in rows. With
--cross gpu, all rows of one GPU after the other are left out, every constant is fitted
on the remaining rows of FILE, and those left out are predicted: the honest figure for
hardware that nobody fitted. --cross model does the same with models.

With --e2e, validate replays a recorded run of a server instead (one request a line:
arrival_s, first_token_s, last_token_s, input_tokens, output_tokens; queued_s if known)
through the engine that --model, --hardware and the flags after them describe, and
compares TTFT, TPOT and latency. It calls the replay near when every mean is within 15 %
of the measured one, and otherwise says what may be wrong, such as a limit of requests at
once that the recorded server seems to have had and the replay had not.`,
		Example: `  halfsecond validate
  halfsecond validate --cross gpu
  halfsecond validate mine.csv --worst 20 --catalog my-hardware.txt
  halfsecond validate mine.csv --cross model --format csv
  halfsecond validate --e2e run.csv --model Llama-3.1-8B --hardware RTX-4090 --kv-tokens 41408
  halfsecond validate --e2e run.csv --model Llama-3.1-8B --hardware L40S --max-sequences 128 --token-budget 2048`,
		Annotations: offers("table", "json", "csv"),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("want one file of measurements, got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.given = cmd.Flags().Changed
			return runValidate(cmd.Context(), p, args, o)
		},
	}
	o.addFlags(cmd.Flags())
	return cmd
}

func (o *validateOptions) addFlags(f *pflag.FlagSet) {
	f.SortFlags = false
	f.StringVar(&o.cross, "cross", "", "leave out one `gpu or model` at a time and predict it by constants fitted on the rest")
	f.IntVar(&o.worst, "worst", 10, "`rows` with the largest errors to show")
	f.StringVar(&o.e2e, "e2e", "", "`file` with a recorded run of a server to replay")
	o.replay.addFlags(f)
}

// replayFlags are those that only a replay has. Measurements say the same in their
// rows.
var replayFlags = []string{
	"model", "hardware", "engine", "gpus", "split", "stages", "weights", "kv-cache", "kv-tokens", "max-sequences", "token-budget", "profile", "skip",
}

// check reports flags that do not go together.
func (o *validateOptions) check(p *program, args []string) error {
	var errs []error
	refuse := func(flags []string, why string) {
		for _, f := range flags {
			if o.given(f) {
				errs = append(errs, fmt.Errorf("--%s %s", f, why))
			}
		}
	}
	if !o.given("e2e") {
		refuse(replayFlags, "is for --e2e: a row says what was measured")
		if o.cross != "" && groupings[o.cross] == nil {
			errs = append(errs, fmt.Errorf("--cross %s: want gpu or model", o.cross))
		}
		if o.worst < 0 {
			errs = append(errs, fmt.Errorf("--worst %d: want 0 or more", o.worst))
		}
		return errors.Join(errs...)
	}
	refuse([]string{"cross", "worst"}, "is for measurements, not for --e2e")
	if len(args) > 0 {
		errs = append(errs, fmt.Errorf("%s: --e2e names the file to replay, so there is none to validate", args[0]))
	}
	if p.Format == "csv" {
		errs = append(errs, errors.New("--format csv is for measurements, not for --e2e"))
	}
	return errors.Join(errs...)
}

// groupings are what --cross can leave out.
var groupings = map[string]func(fit.Row) string{
	"gpu":   func(r fit.Row) string { return r.GPU },
	"model": func(r fit.Row) string { return r.Model },
}

// runValidate predicts measurements, or replays a run, and prints what came out.
func runValidate(ctx context.Context, p *program, args []string, o *validateOptions) error {
	if err := o.check(p, args); err != nil {
		return usageError(err)
	}
	if o.given("e2e") {
		return runReplay(ctx, p, o.e2e, &o.replay)
	}
	name, rows, err := readRows(args)
	if err != nil {
		return usageError(err)
	}
	c, err := openCatalog(o.replay.served.catalog)
	if err != nil {
		return usageError(err)
	}
	v, err := o.validate(ctx, p, c, rows)
	if err != nil {
		return unfinished(ctx, err)
	}
	v.file, v.builtIn = name, isBuiltIn(rows)
	if err := v.show(p, o.worst); err != nil {
		return err
	}
	if len(v.result.Rows) == 0 {
		return &exitError{exitUnmeasured, fmt.Errorf("of %s in %s none could be predicted", counted(len(rows), "measurement"), name)}
	}
	return nil
}

// unfinished returns the error of work on the user's files that did not end: that it was
// interrupted, or else what is wrong with them.
func unfinished(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return &exitError{exitUnmeasured, errors.New("interrupted before the work was done")}
	}
	return usageError(err)
}

// readRows returns the measurements of the file that was named, or the built-in ones.
func readRows(args []string) (name string, rows []fit.Row, err error) {
	if len(args) == 0 {
		return fit.PublishedName, fit.Published(), nil
	}
	data, err := readFile(args[0], mostTextFile)
	if err != nil {
		return args[0], nil, err
	}
	rows, err = fit.ReadRows(args[0], bytes.NewReader(data))
	return args[0], rows, err
}

// isBuiltIn reports whether rows are the built-in ones, from whatever file.
func isBuiltIn(rows []fit.Row) bool { return slices.Equal(rows, fit.Published()) }

// validate sets predictions beside the rows.
func (o *validateOptions) validate(ctx context.Context, p *program, c *catalog.Catalog, rows []fit.Row) (*validation, error) {
	if o.cross == "" {
		return &validation{result: fit.Validate(c, rows)}, nil
	}
	bar := p.lateBar("leaving out")
	defer bar.close()
	result, err := fit.Cross(ctx, c, rows, groupings[o.cross], bar.done)
	if err != nil {
		return nil, err
	}
	if result.Groups == 1 {
		return nil, fmt.Errorf("--cross %s: all rows are of the %s %s, so that none is left to fit on", o.cross, noun(o.cross), groupings[o.cross](result.Rows[0].Row))
	}
	inSample := fit.Summarise(fit.Refit(c, rows).Rows)
	return &validation{result: result, cross: o.cross, inSample: &inSample}, nil
}

// lateBar is a bar that comes up when there is still work after a second.
type lateBar struct {
	bar   bar
	shown func(n int) bar
	from  time.Time
}

func (p *program) lateBar(about string) *lateBar {
	return &lateBar{shown: func(n int) bar { return p.bar(about, n) }, from: time.Now().Add(time.Second)}
}

// done says how many of the fits are done.
func (b *lateBar) done(n, of int) {
	if b.bar == (bar{}) && time.Now().After(b.from) {
		b.bar = b.shown(of)
	}
	b.bar.done(n)
}

func (b *lateBar) close() { b.bar.close() }
