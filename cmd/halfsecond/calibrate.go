package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"halfsecond/mockllm/fit"
)

// calibrateOptions say what is fitted to what, as typed.
type calibrateOptions struct {
	served         served
	first          int
	choice         fit.Choice
	out            string
	name, measured string
	given          func(flag string) bool // whether a flag was typed
}

func newCalibrateCmd(p *program) *cobra.Command {
	o := &calibrateOptions{}
	cmd := &cobra.Command{
		Use:   "calibrate FILE",
		Short: "Fit the constants of one engine on one machine to measurements",
		Long: `Calibrate fits the few constants that no datasheet tells (the shares of the peak
compute rate and of the memory bandwidth that an engine reaches, and its fixed costs
a step, a layer and a sequence) to measurements of one engine on one machine, and
writes them to a profile that scenarios and 'validate --e2e' can name.

FILE is one of
  - measurements in the columns of 'halfsecond validate': model and so on are in the
    rows, and flags choose among them;
  - a recorded run of a server, one request a line (arrival_s, first_token_s,
    last_token_s, input_tokens, output_tokens; queued_s if known), whose arrivals are
    replayed through the engine: --model and --hardware say what served it;
  - a folder that 'halfsecond run --out' wrote: likewise.

A constant that the measurements do not tell keeps its built-in value, and the report
says which measurements would tell it. One is told when predictions err clearly more,
by half a percentage point on average at least, with a share off by a half or a fixed
cost by a factor of e, whatever the other constants are.

The report asks whether the measurements come from this engine on this machine at all
when a fitted constant is hard to believe of it: a share within 2 % of 1, the figure of
the datasheet, which only a faster machine would explain; or further off the built-in
value than one expects from machine to machine, a share by more than a factor of 1.65
(e to the .5) or a fixed cost by more than 2.72 (e). It does not change the fit.

The share of the compute rate is the one that is really used, which on GeForce boards is
more than the constant of the built-in table. The share of the bandwidth and the fixed
costs are fitted only where something was measured of decoding. When the fitted constants
predict the measurements no better than the built-in ones, neither on average nor at the
median, no profile is written and the exit code is 3.`,
		Example: `  halfsecond calibrate mine.csv --engine vllm --hardware RTX-4090 --out mine.profile
  halfsecond calibrate run.csv --model Llama-3.1-8B --hardware RTX-4090 --kv-tokens 41408 --first 100
  halfsecond calibrate results --served my-model --model Llama-3.1-8B --hardware L40S --out l40s.profile`,
		Args: oneArgument("a file of measurements, a recorded run, or a folder that --out made"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.given = cmd.Flags().Changed
			return runCalibrate(cmd.Context(), p, args[0], o)
		},
	}
	o.addFlags(cmd.Flags())
	return cmd
}

func (o *calibrateOptions) addFlags(f *pflag.FlagSet) {
	f.SortFlags = false
	o.served.addNames(f)
	o.served.addLimits(f)
	f.IntVar(&o.first, "first", 0, "fit only so many `requests` from the first on, and judge the fit by the others")
	f.StringVar(&o.choice.Model, "served", "", "`name` of the model in a run of several")
	f.StringVar(&o.choice.Variant, "variant", "", "`name` of the variant in a run of several")
	f.StringVar(&o.out, "out", "", "`file` to write the profile to")
	f.StringVar(&o.name, "name", "", "`name` of the profile (default: that of its file)")
	f.StringVar(&o.measured, "measured", "", "`day` of the measurements, such as 2026-04-12")
}

// runCalibrate fits, reports and writes the profile.
func runCalibrate(ctx context.Context, p *program, file string, o *calibrateOptions) error {
	if err := o.check(); err != nil {
		return usageError(err)
	}
	source, err := openSource(file)
	if err != nil {
		return usageError(err)
	}
	result, err := o.calibrate(ctx, source)
	if err != nil {
		return unfinished(ctx, err)
	}
	unwritten := o.write(result)
	if err := errors.Join(result.show(p), unwritten); err != nil || result.Improves.any() {
		return err
	}
	return &exitError{exitUnmeasured, errors.New("the fitted constants predict these measurements no better than the built-in ones")}
}

func (r *calibrateResult) show(p *program) error {
	if p.Format == "json" {
		return writeJSON(p.out, r)
	}
	return r.writeTable(p.out)
}

// check reports flags that cannot be right, whatever the file is.
func (o *calibrateOptions) check() error {
	var errs []error
	if o.first < 0 {
		errs = append(errs, fmt.Errorf("--first %d: want 0 or more", o.first))
	}
	if o.measured != "" {
		if err := fit.CheckDay(o.measured); err != nil {
			errs = append(errs, fmt.Errorf("--measured %w", err))
		}
	}
	return errors.Join(append(errs, o.checkOut())...)
}

// checkOut reports a file for the profile that is there already, or whose folder is not.
func (o *calibrateOptions) checkOut() error {
	if o.out == "" {
		return nil
	}
	if _, err := os.Stat(o.out); err == nil {
		return fmt.Errorf("--out %s: it is there already; name another file", o.out)
	}
	if info, err := os.Stat(filepath.Dir(o.out)); err != nil || !info.IsDir() {
		return fmt.Errorf("--out %s: there is no folder %s", o.out, filepath.Dir(o.out))
	}
	return nil
}

// source is a file of measurements.
type source struct {
	name string // as typed
	data []byte
	kind sourceKind
}

type sourceKind int

const (
	measuredRows sourceKind = iota
	recordedRun
	ownRun
)

// openSource reads the file, or the traces in a folder, and tells by its first line
// what it holds.
func openSource(name string) (source, error) {
	path := name
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		path = filepath.Join(name, traceFile)
	}
	data, err := readSource(path)
	if errors.Is(err, fs.ErrNotExist) && path != name {
		return source{}, fmt.Errorf("%s: no run in this folder; 'halfsecond run --out' makes one", name)
	}
	if err != nil {
		return source{}, err
	}
	s := source{name: name, data: data}
	header, _, _ := bytes.Cut(data, []byte("\n"))
	switch {
	case bytes.HasPrefix(bytes.TrimSpace(header), []byte("{")):
		s.kind = ownRun
	case bytes.Contains(header, []byte("arrival_s")):
		s.kind = recordedRun
	}
	return s, nil
}

// readSource reads a file of measurements or, as its beginning shows, of traces, which is
// longer.
func readSource(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	if beginning, err := in.Peek(1); err == nil && beginning[0] == '{' {
		return readMost(in, path, mostRunFile)
	}
	return readMost(in, path, mostTextFile)
}

// hash returns the SHA-256 of the file, in hexadecimal.
func (s source) hash() string {
	sum := sha256.Sum256(s.data)
	return hex.EncodeToString(sum[:])
}

// calibrate fits the constants to what the source holds.
func (o *calibrateOptions) calibrate(ctx context.Context, s source) (*calibrateResult, error) {
	if s.kind == measuredRows {
		return o.calibrateRows(ctx, s)
	}
	if s.kind == recordedRun {
		if o.choice != (fit.Choice{}) {
			return nil, errors.New("--served and --variant choose among the requests of a folder that 'halfsecond run --out' wrote")
		}
		run, err := fit.ReadTimed(s.name, bytes.NewReader(s.data))
		if err != nil {
			return nil, err
		}
		return o.calibrateRun(ctx, s, run, fit.LeftOut{})
	}
	run, err := readTraces(s.name)
	if err != nil {
		return nil, err
	}
	timed, left, err := fit.TimedOf(run, o.choice)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	return o.calibrateRun(ctx, s, timed, left)
}

// calibrateRows fits the rows that the flags choose.
func (o *calibrateOptions) calibrateRows(ctx context.Context, s source) (*calibrateResult, error) {
	for _, flag := range []string{"first", "served", "variant", "kv-cache", "kv-tokens", "max-sequences", "token-budget", "gpus", "split", "stages"} {
		if o.given(flag) {
			return nil, fmt.Errorf("--%s is for runs, %s holds measurements: their rows say it", flag, s.name)
		}
	}
	rows, err := fit.ReadRows(s.name, bytes.NewReader(s.data))
	if err != nil {
		return nil, err
	}
	c, err := openCatalog(o.served.catalog)
	if err != nil {
		return nil, err
	}
	want := fit.Filter{Hardware: o.served.hardware, Model: o.served.model}
	if o.given("engine") {
		want.Engine = o.served.engine
	}
	if o.given("weights") {
		want.Weights = o.served.weights
	}
	chosen, err := want.Choose(c, rows)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	found, skipped, err := fit.CalibrateRows(ctx, c, chosen)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	result := newCalibrateResult(o.profile(s, found), found)
	result.addRows(found, skipped)
	return result, nil
}

// calibrateRun fits the times of the first requests of a run, and judges by the rest.
func (o *calibrateOptions) calibrateRun(ctx context.Context, s source, run []fit.Timed, left fit.LeftOut) (*calibrateResult, error) {
	if o.first >= len(run) {
		return nil, fmt.Errorf("--first %d: want less than the %s of the run", o.first, counted(len(run), "request"))
	}
	r, err := o.served.replica()
	if err != nil {
		return nil, err
	}
	found, err := fit.CalibrateRun(ctx, r, run, o.first)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	result := newCalibrateResult(o.profile(s, found), found)
	return result, result.addRun(ctx, r, run, o.first, left)
}

// profile returns what is written of a calibration.
func (o *calibrateOptions) profile(s source, c fit.Calibration) fit.Profile {
	p := c.Profile()
	p.Name, p.Data, p.Hash, p.Measured = o.name, filepath.Base(filepath.Clean(s.name)), s.hash(), o.measured
	if p.Name == "" {
		p.Name = stem(o.out)
	}
	if p.Name == "" {
		p.Name = stem(p.Data)
	}
	return p
}

// stem returns the name of a file without folder and ending.
func stem(file string) string {
	if file == "" {
		return ""
	}
	return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
}

// write writes the profile, if it is of use. It never writes over a file.
func (o *calibrateOptions) write(r *calibrateResult) error {
	if o.out == "" || !r.Improves.any() {
		return nil
	}
	f, err := os.OpenFile(o.out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	_, err = f.WriteString(r.profile.Text())
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(fmt.Errorf("--out: %w", err), os.Remove(o.out))
	}
	r.Written = &o.out
	return nil
}
