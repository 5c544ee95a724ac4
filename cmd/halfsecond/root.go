package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/agnivade/levenshtein"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"
	"golang.org/x/term"

	"halfsecond/pipeline"
)

// Exit codes.
const (
	exitPassed     = 0 // every budget passed, or there was nothing to judge
	exitFailed     = 1 // a budget failed
	exitUsage      = 2 // bad usage, or a bad file
	exitUnmeasured = 3 // a budget could not be measured, or the run could not finish, which goes before 1
)

// exitError makes the program end with a code. Its err is printed unless nil.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usageError marks an error as the user's: bad flags, values or files. It is nil
// when err is.
func usageError(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{exitUsage, err}
}

// program is what every command gets: streams, and the tool's own settings.
type program struct {
	out, err io.Writer
	settings
	width    int  // columns of the terminal on out, 0 when it is none
	color    bool // NO_COLOR is not set
	progress bool // err is a terminal and --quiet is not set: progress may be shown on it
	started  bool // the command line was understood
	printed  outlet
}

// settings are the tool's own, from flags and HALFSECOND_ variables. They never
// change what a run computes.
type settings struct {
	Format string `mapstructure:"format"`
	Quiet  bool   `mapstructure:"quiet"`
}

func newProgram() *program {
	p := &program{
		out: os.Stdout, err: os.Stderr,
		color:    os.Getenv("NO_COLOR") == "",
		progress: term.IsTerminal(int(os.Stderr.Fd())),
	}
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		p.width = width
	}
	return p
}

// run executes one command line and returns the exit code. An interrupt cancels
// the command's context; a second one ends the process.
func run(args []string, p *program) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	p.printed.Writer = p.out
	p.out = &p.printed
	root := newRootCmd(p)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	return p.finish(cmd, err)
}

// finish prints what went wrong, if anything, and returns the exit code.
func (p *program) finish(cmd *cobra.Command, err error) int {
	if err == nil {
		return exitPassed
	}
	exit := &exitError{exitUnmeasured, err}
	if !p.started {
		exit = &exitError{exitUsage, fmt.Errorf("%w\nsee '%s --help'", err, cmd.CommandPath())}
	}
	errors.As(err, &exit)
	if exit.err != nil {
		for line := range strings.SplitSeq(exit.err.Error(), "\n") {
			// A server's words may be among them.
			fmt.Fprintf(p.err, "halfsecond: %s\n", pipeline.Printable(strings.ReplaceAll(line, "\t", "  ")))
		}
		if err := p.showNothing(cmd, exit); err != nil {
			fmt.Fprintf(p.err, "halfsecond: %v\n", err)
		}
	}
	return exit.code
}

func newRootCmd(p *program) *cobra.Command {
	root := &cobra.Command{
		Use:   "halfsecond",
		Short: "Does a voice reply land inside 500 ms, and a ghost-text completion inside 150 ms?",
		Long: `halfsecond tells whether a voice reply lands inside 500 ms and a ghost-text
completion inside 150 ms: first on modelled hardware, before anything is bought,
then on the real endpoints, with the same scenario and the same report.

Exit codes: 0 every budget passed; 1 a budget failed; 2 bad usage or a bad file;
3 a budget could not be measured, or the run could not finish, whatever the budgets
say of the part that did.

HALFSECOND_FORMAT and HALFSECOND_QUIET set --format and --quiet. NO_COLOR is
honoured. No variable changes what a run computes.`,
		Version:           buildVersion(),
		SilenceUsage:      true,
		SilenceErrors:     true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return p.start(cmd) },
	}
	root.SetOut(p.out)
	root.SetErr(p.err)
	root.SetFlagErrorFunc(explainFlagError)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.PersistentFlags().String("format", "table", "output `format`: table or json, unless a command offers others")
	root.PersistentFlags().BoolP("quiet", "q", false, "no progress")
	asGroup(root)
	root.AddCommand(
		newRunCmd(p),
		newSweepCmd(p),
		newFrontierCmd(p),
		newReportCmd(p),
		newImportCmd(p),
		newCompareCmd(p),
		newCheckCmd(p),
		newInitCmd(p),
		newKeysCmd(p),
		newMockCmd(p),
		newRecordCmd(p),
		newReplayCmd(p),
		newPredictCmd(p),
		newDoctorCmd(p),
		newCatalogCmd(p),
		newValidateCmd(p),
		newCalibrateCmd(p),
	)
	return root
}

// asGroup makes a command that only holds others print its help, and refuse a name
// that none of them has.
func asGroup(cmd *cobra.Command) {
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		var names []string
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				names = append(names, c.Name())
			}
		}
		if n := nearest(args[0], names); n != "" {
			return fmt.Errorf("unknown command %q for %q; did you mean %q?", args[0], cmd.CommandPath(), n)
		}
		return fmt.Errorf("unknown command %q for %q: want one of %s", args[0], cmd.CommandPath(), strings.Join(names, ", "))
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
}

// allFormats are the values of --format that some command has.
var allFormats = []string{"table", "json", "jsonl", "csv", "markdown", "junit", "html"}

const formatsKey = "formats"

// offers is the annotation of a command that has these values of --format; without
// it a command has table and json.
func offers(formats ...string) map[string]string {
	return map[string]string{formatsKey: strings.Join(formats, " ")}
}

// start resolves the settings before a command runs.
func (p *program) start(cmd *cobra.Command) error {
	if err := p.settings.read(cmd.Flags()); err != nil {
		return err
	}
	offered := []string{"table", "json"}
	if list, ok := cmd.Annotations[formatsKey]; ok {
		offered = strings.Fields(list)
	}
	switch {
	case slices.Contains(offered, p.Format):
		p.progress = p.progress && !p.Quiet
		if p.Format == "json" {
			p.out = escaped(p.out)
		}
		p.started = true
		return nil
	case slices.Contains(allFormats, p.Format):
		return fmt.Errorf("format %q is not available here: %s offers %s", p.Format, cmd.CommandPath(), strings.Join(offered, ", "))
	default:
		return fmt.Errorf("unknown format %q%s", p.Format, cmp.Or(orMeant(p.Format, offered), ": "+cmd.CommandPath()+" offers "+strings.Join(offered, ", ")))
	}
}

// read takes each setting from its flag, else from its variable, else from the
// flag's default.
func (s *settings) read(flags *pflag.FlagSet) error {
	v := viper.New()
	v.SetEnvPrefix("halfsecond")
	for _, name := range []string{"format", "quiet"} {
		if err := errors.Join(v.BindPFlag(name, flags.Lookup(name)), v.BindEnv(name)); err != nil {
			return err
		}
	}
	if err := v.UnmarshalExact(s); err != nil {
		return fmt.Errorf("HALFSECOND_QUIET=%s: want true or false", os.Getenv("HALFSECOND_QUIET"))
	}
	return nil
}

// explainFlagError says what a flag should have been.
func explainFlagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		name := unknown.GetSpecifiedName()
		meant := nearest(name, names)
		if ours := otherWords[name]; slices.Contains(names, ours) {
			meant = ours
		}
		if meant == "" {
			return fmt.Errorf("unknown flag --%s", name)
		}
		return fmt.Errorf("unknown flag --%s; did you mean --%s?", name, meant)
	}
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		f := invalid.GetFlag()
		kinds := map[string]string{"int": "a whole number", "uint64": "a whole number from 0 on", "float64": "a number", "bool": "true or false", "duration": "a time such as 1.5s"}
		if want, ok := kinds[f.Value.Type()]; ok {
			return fmt.Errorf("--%s %s: want %s", f.Name, invalid.GetValue(), want)
		}
	}
	return err
}

// otherWords are what others call some of our flags.
var otherWords = map[string]string{
	"listen": "addr", "port": "addr", "host": "addr", "bind": "addr", "address": "addr", "url": "endpoint", "output": "out",
	"tp": "gpus", "pp": "stages", "concurrency": "batch", "quantization": "weights", "device": "hardware", "gpu": "hardware",
}

// nearest returns the name with the fewest edits to what was typed; "" where none is near:
// a third of the letters and one more are other ones, and neither is a part of the other.
func nearest(typed string, names []string) string {
	if len(typed) == 0 || len(names) == 0 {
		return ""
	}
	best := slices.MinFunc(names, func(a, b string) int {
		return levenshtein.ComputeDistance(typed, a) - levenshtein.ComputeDistance(typed, b)
	})
	if levenshtein.ComputeDistance(typed, best) > min(len(typed)/3+1, len(typed)-1) && !strings.Contains(best, typed) && !strings.Contains(typed, best) {
		return ""
	}
	return best
}

// meant says which of some names may have been meant, or else which there are.
func meant(typed string, names []string) string {
	if n := nearest(typed, names); n != "" {
		return fmt.Sprintf("did you mean %s?", n)
	}
	return "want one of " + strings.Join(names, ", ")
}

// orMeant adds to a sentence that has all names which of them may have been meant, if any.
func orMeant(typed string, names []string) string {
	if n := nearest(typed, names); n != "" {
		return fmt.Sprintf("; did you mean %q?", n)
	}
	return ""
}

// version is set by the Makefile: the tag or commit of the tree.
var version string

// buildVersion returns the version of the build: what the Makefile or the Go
// command knows of it.
func buildVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// writeJSON writes one document, indented.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(escaped(w))
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
