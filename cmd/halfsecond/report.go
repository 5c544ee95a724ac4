package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"halfsecond/budgets/report"
	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

func newReportCmd(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "report DIR",
		Short: "Every number of a run again, from its traces and from the bytes that came",
		Long: `Report reads the traces that 'halfsecond run --out DIR' kept and judges them again:
the same report, from the file alone. A run that was cut short, even by a kill, is
reported as far as it came.

Where the folder has a raw log, exchanges.jsonl.gz, the numbers of every request, and of
every session with a speech service, are computed again from the bytes that came and their
instants, and compared with those in the traces; the spans and marks of a voice turn are
compared with them. It ends with 3 and names each number that differs. It also says what
cannot be computed again: what was never sent, is not in the log, or is in it without its
bytes, and what is modelled. In the document of --format json that is the member raw_log;
docs/raw.md describes the log.`,
		Example: `  halfsecond run voice --out results
  halfsecond report results
  halfsecond report results --format json
  halfsecond report results --format junit > budgets.xml`,
		Annotations: offers("table", "json", "csv", "markdown", "junit", "html"),
		Args:        oneArgument("a folder that --out made, or a trace file"),
		RunE:        func(cmd *cobra.Command, args []string) error { return runReport(cmd.Context(), p, args[0]) },
	}
}

func runReport(ctx context.Context, p *program, path string) error {
	run, err := readTraces(path)
	if err != nil {
		return usageError(err)
	}
	if run.Header.Kind == pipeline.KindGrid {
		return reportBench(p, run, path)
	}
	if p.Format == "csv" {
		return usageError(errCSV)
	}
	r, err := report.New(run)
	if err != nil {
		return usageError(err)
	}
	if err := voiceAgain(ctx, run, r); err != nil {
		return err
	}
	bytes, err := recountRun(path, run)
	if err != nil {
		return usageError(err)
	}
	if err := p.showAgain(r, bytes); err != nil {
		return err
	}
	return cmp.Or(bytes.err(), verdictError(r))
}

// traceFileOf returns the trace file in a folder, or the file itself.
func traceFileOf(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, traceFile)
	}
	return path
}

// readTraces reads the trace file in a folder, or that file.
func readTraces(path string) (trace.Run, error) {
	if _, err := os.Stat(path); err != nil {
		return trace.Run{}, err
	}
	path = traceFileOf(path)
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return trace.Run{}, fmt.Errorf("%s: no run in this folder; 'halfsecond run --out' makes one", path)
	}
	if err != nil {
		return trace.Run{}, err
	}
	defer file.Close()
	run, err := trace.Read(&inLines{from: file, most: mostTraceLine})
	if err != nil {
		return run, fmt.Errorf("%s: %w", path, err)
	}
	return run, nil
}
