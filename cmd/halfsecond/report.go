package main

import (
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
		Short: "Every number of a run again, from its traces",
		Long: `Report reads the traces that 'halfsecond run --out DIR' kept and judges them again:
the same report, from the file alone. A run that was cut short, even by a kill, is
reported as far as it came.`,
		Example: `  halfsecond run voice --out results
  halfsecond report results
  halfsecond report results --format json`,
		Annotations: offers("table", "json", "csv"),
		Args:        oneArgument("a folder that --out made, or a trace file"),
		RunE:        func(cmd *cobra.Command, args []string) error { return runReport(cmd.Context(), p, args[0]) },
	}
}

func runReport(_ context.Context, p *program, path string) error {
	run, err := readTraces(path)
	if err != nil {
		return usageError(err)
	}
	if run.Header.Kind == pipeline.KindGrid {
		return reportBench(p, run)
	}
	if p.Format == "csv" {
		return usageError(errCSV)
	}
	r, err := report.New(run)
	if err != nil {
		return usageError(err)
	}
	if err := p.show(r, nil); err != nil {
		return err
	}
	return verdictError(r)
}

// readTraces reads the trace file in a folder, or that file.
func readTraces(path string) (trace.Run, error) {
	info, err := os.Stat(path)
	if err != nil {
		return trace.Run{}, err
	}
	if info.IsDir() {
		path = filepath.Join(path, traceFile)
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return trace.Run{}, fmt.Errorf("%s: no run in this folder; 'halfsecond run --out' makes one", path)
	}
	if err != nil {
		return trace.Run{}, err
	}
	defer file.Close()
	run, err := trace.Read(file)
	if err != nil {
		return run, fmt.Errorf("%s: %w", path, err)
	}
	return run, nil
}
