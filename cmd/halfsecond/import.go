package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"halfsecond/budgets/report"
	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
	"halfsecond/pipeline/trace"
	"halfsecond/pipeline/trace/others"
)

// importTarget is the target of a run that others measured.
const importTarget = "import"

// importOptions are the inputs of import, as typed.
type importOptions struct {
	out             string
	budgets         []string
	uplink, playout time.Duration
	given           func(flag string) bool
}

func newImportCmd(p *program) *cobra.Command {
	opts := &importOptions{}
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "Judge voice turns that others timed: OpenTelemetry, Pipecat, LiveKit, Deepgram, Vapi, CSV",
		Long: `Import reads timing that a voice bot or its platform logged, makes a trace of each turn,
and reports it as a run: the same budgets, waterfall, levers and comparisons. What a file is
shows in its content:

` + importFormats() + `
docs/import.md says for each which number becomes which span, and what it counts from and to.

These clocks stop where the first audio leaves the agent, not at the ear: a turn has the mark
reply_sent, and V2V is not known. --playout states the way from there to the ear, --uplink that
from the mouth to the agent; both are then in V2V, and marked simulated.

What a source did not log stays unknown, and is never 0. Turns without what is needed are kept
with their reason, and what is no turn is counted and named.

All files of an import are of one source. A file that ends in mid-air is read as far as it
goes, and the import ends with 3. Of a file that cannot be what it should, nothing is kept.

With --out the turns are kept as a run, which 'halfsecond report' and 'compare' read. Imports of
one source with the same --uplink and --playout are comparable.`,
		Example: `  halfsecond import traces.jsonl --out monday --budget 'p95(end_of_turn) < 600ms'
  halfsecond import monday.jsonl --playout 40ms --uplink 40ms --budget 'p95(reply) < 500ms'
  halfsecond import calls/*.json --out tuesday
  halfsecond compare monday tuesday`,
		Annotations: offers("table", "json", "markdown", "junit"),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("an argument is missing: want one or more files with timing that others logged")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.given = cmd.Flags().Changed
			return runImport(cmd.Context(), p, opts, args)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&opts.out, "out", "", "`folder` to keep the turns in, for halfsecond report and compare")
	f.StringArrayVar(&opts.budgets, "budget", nil, "`expression` to judge, such as 'p95(reply) < 500ms'; may be given again")
	f.DurationVar(&opts.uplink, "uplink", 0, "`time` from the mouth to the agent, which the log does not have")
	f.DurationVar(&opts.playout, "playout", 0, "`time` from the agent's first audio to the ear, which the log does not have")
	return cmd
}

// importFormats lists what can be read.
func importFormats() string {
	var b strings.Builder
	for _, s := range others.Sources() {
		fmt.Fprintf(&b, "  %-16s %s\n", s.Slug, s.Title)
	}
	return b.String()
}

func runImport(ctx context.Context, p *program, o *importOptions, files []string) error {
	set, err := o.settings()
	if err != nil {
		return usageError(err)
	}
	in, err := readImport(ctx, set, files)
	switch {
	case errors.Is(err, context.Canceled):
		return &exitError{exitUnmeasured, errors.New("interrupted while the files were read")}
	case err != nil:
		return usageError(err)
	}
	for _, w := range in.Warnings {
		fmt.Fprintf(p.err, "halfsecond: warning: %s\n", pipeline.Printable(w))
	}
	run := o.run(in)
	r, err := report.New(run)
	if err != nil {
		return usageError(fmt.Errorf("--budget: %w", err))
	}
	if o.out != "" {
		if err := keepImport(o.out, run); err != nil {
			return err
		}
	}
	if err := p.showImport(r, in); err != nil {
		return err
	}
	return verdictError(r)
}

func (o *importOptions) settings() (others.Settings, error) {
	var set others.Settings
	for _, f := range []struct {
		name string
		d    *time.Duration
		into **time.Duration
	}{{"uplink", &o.uplink, &set.Uplink}, {"playout", &o.playout, &set.Playout}} {
		if !o.given(f.name) {
			continue
		}
		if *f.d < 0 || *f.d > 10*time.Second {
			return set, fmt.Errorf("--%s %s: want 0 to 10s", f.name, *f.d)
		}
		*f.into = f.d
	}
	return set, nil
}

// readImport reads the files, one after the other.
func readImport(ctx context.Context, set others.Settings, files []string) (*others.Import, error) {
	im := others.New(set)
	var read []os.FileInfo
	for _, name := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		info, err := os.Stat(name)
		switch {
		case err != nil:
			return nil, err
		case info.IsDir():
			return nil, fmt.Errorf("%s is a folder: want files with timing that others logged", name)
		case slices.ContainsFunc(read, func(i os.FileInfo) bool { return os.SameFile(i, info) }):
			return nil, fmt.Errorf("%s is given twice: its turns would count twice", name)
		}
		read = append(read, info)
		if err := readOne(ctx, im, name); err != nil {
			return nil, err
		}
	}
	in, err := im.Finish()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(files[:min(len(files), 3)], ", "), err)
	}
	return in, nil
}

func readOne(ctx context.Context, im *others.Importer, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	return im.Read(name, interruptible{ctx, file})
}

// interruptible is a reader that an interrupt ends.
type interruptible struct {
	ctx  context.Context
	from io.Reader
}

func (r interruptible) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.from.Read(p)
}

// run makes a run of an import. Its scenario is what makes two imports one experiment: where
// the numbers come from, and what was stated beside them.
func (o *importOptions) run(in *others.Import) trace.Run {
	text := fmt.Sprintf("import:\n  source: %s\n  uplink: %s\n  playout: %s\n  from: %q\n  to: %q\n",
		in.Source.Slug, o.stated("uplink", o.uplink), o.stated("playout", o.playout), in.Source.From, in.Source.To)
	hash := sha256.Sum256([]byte(text))
	run := trace.Run{
		Header: trace.Header{
			Scenario: in.Source.Slug, Kind: pipeline.KindVoice, ScenarioHash: hex.EncodeToString(hash[:]), Target: importTarget, N: len(in.Traces),
			Version: buildVersion(), Budgets: o.budgets, Stages: in.Stages(), ScenarioText: text,
		},
		Traces: in.Traces,
		Footer: trace.Footer{N: len(in.Traces), Lateness: trace.LatenessOf(quantile.NewHistogram()), Finished: in.Cut == "", Reason: in.Cut},
	}
	return run
}

// stated returns a time that a flag stated, or null.
func (o *importOptions) stated(flag string, d time.Duration) string {
	if !o.given(flag) {
		return "null"
	}
	return d.String()
}

func keepImport(dir string, run trace.Run) error {
	k, err := newKeeper(dir, false)
	if err != nil {
		return usageError(err)
	}
	if err = k.begin(run.Header); err == nil {
		for i := range run.Traces {
			if err = k.keep(&run.Traces[i]); err != nil {
				break
			}
		}
	}
	if err == nil {
		err = k.close(run)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("--out: %w", err), k.remove())
	}
	return nil
}

// importDocument is a report of an import as one JSON document.
type importDocument struct {
	*report.Report
	Import importFacts `json:"import"`
}

// importFacts is what an import tells beside its turns.
type importFacts struct {
	Source  string   `json:"source"`
	Title   string   `json:"title"`
	From    string   `json:"from"` // the events between which the whole of a turn was logged
	To      string   `json:"to"`
	Parts   string   `json:"parts"`
	Read    string   `json:"read"` // where that was read
	Clocked bool     `json:"clocked"`
	Sent    int      `json:"sent"`  // turns with an instant at which the reply left the agent
	Heard   int      `json:"heard"` // and at which it was at the ear
	Notes   []string `json:"notes"`
}

// showImport prints the report of an import in the format that was asked for.
func (p *program) showImport(r *report.Report, in *others.Import) error {
	if p.Format == "json" {
		notes := in.Notes
		if notes == nil {
			notes = []string{}
		}
		s := in.Source
		return writeJSON(p.out, importDocument{r, importFacts{s.Slug, s.Title, s.From, s.To, s.Parts, s.Read, in.Clocked, in.Sent, in.Heard, notes}})
	}
	if err := p.show(r, nil); err != nil || p.Format != "table" {
		return err
	}
	return writeImport(p.out, in)
}

func writeImport(w io.Writer, in *others.Import) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\nImport: %s.\n  from %s\n  to %s\n", in.Source.Title, in.Source.From, in.Source.To)
	fmt.Fprintf(&b, "  %s, of which the reply of %d was sent and of %d heard at a known instant\n", counted(len(in.Traces), "turn"), in.Sent, in.Heard)
	for _, n := range in.Notes {
		fmt.Fprintf(&b, "  %s\n", pipeline.Printable(n))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
