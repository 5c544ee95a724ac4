package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"text/tabwriter"
	"time"

	"github.com/spf13/pflag"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/fit"
	"halfsecond/pipeline"
)

// replayOptions say how a recorded run is replayed, as typed.
type replayOptions struct {
	served served
	skip   int
}

func (o *replayOptions) addFlags(f *pflag.FlagSet) {
	o.served.addFlags(f)
	o.served.addLimits(f)
	f.IntVar(&o.skip, "skip", 0, "`requests` from the first on that are replayed but not judged")
}

// runReplay replays the arrivals of a recorded run and sets the times that come out
// beside those that were measured.
func runReplay(ctx context.Context, p *program, file string, o *replayOptions) error {
	run, err := readTimed(file)
	if err != nil {
		return usageError(err)
	}
	if o.skip < 0 || o.skip >= len(run) {
		return usageError(fmt.Errorf("--skip %d: want 0 to %d, the run has %s", o.skip, len(run)-1, counted(len(run), "request")))
	}
	r, err := o.served.replica()
	if err != nil {
		return usageError(err)
	}
	got, err := fit.Replay(ctx, r, run)
	if err != nil {
		return unfinished(ctx, fmt.Errorf("%s: %w", file, err))
	}
	result := newReplayResult(file, r, o, run, got)
	if p.Format == "json" {
		return writeJSON(p.out, result)
	}
	return result.writeTable(p.out)
}

func readTimed(file string) ([]fit.Timed, error) {
	data, err := readFile(file, mostTextFile)
	if err != nil {
		return nil, err
	}
	return fit.ReadTimed(file, bytes.NewReader(data))
}

// replayResult is the outcome of a replay as a JSON document. Errors are simulated
// over measured, less one; what is unknown is null.
type replayResult struct {
	File          string          `json:"file"`
	Model         string          `json:"model"`
	Hardware      string          `json:"hardware"`
	Engine        string          `json:"engine"`
	GPUs          int             `json:"gpus"`
	Weights       string          `json:"weights"`
	KVTokens      int             `json:"kv_tokens"`
	MaxSequences  int             `json:"max_sequences"` // of an engine of slots, its slots
	TokenBudget   *int            `json:"token_budget"`  // null when there is none
	Profile       *string         `json:"profile"`
	Verdict       string          `json:"verdict"`
	Hints         []string        `json:"hints"` // what may explain it when the two are far apart
	MeasuredMost  int             `json:"measured_most_running"`
	SimulatedMost int             `json:"simulated_most_running"`
	N             int             `json:"n"` // requests judged
	Skipped       int             `json:"skipped"`
	Preemptions   int             `json:"preemptions"` // simulated
	CachedTokens  int             `json:"cached_tokens"`
	SimulatedEnds float64         `json:"simulated_end_s"`
	MeasuredEnds  float64         `json:"measured_end_s"`
	Metrics       []replayMetric  `json:"metrics"`
	Rows          []replayRequest `json:"rows"`
}

// replayMetric is one kind of time.
type replayMetric struct {
	Name      string     `json:"name"`
	N         int        `json:"n"`
	Measured  timesJSON  `json:"measured"`
	Simulated timesJSON  `json:"simulated"`
	Error     errorsJSON `json:"error"` // of the mean, the median and p90
	APE       errorsJSON `json:"ape"`   // absolute errors of single requests: their mean, median and p90
}

type timesJSON struct {
	MeanMS   *float64 `json:"mean_ms"`
	MedianMS *float64 `json:"median_ms"`
	P90MS    *float64 `json:"p90_ms"`
}

type errorsJSON struct {
	Mean   *float64 `json:"mean"`
	Median *float64 `json:"median"`
	P90    *float64 `json:"p90"`
}

// replayRequest is one request, with its times as measured and as simulated.
type replayRequest struct {
	Line         int      `json:"line"`
	InputTokens  int      `json:"input_tokens"`
	OutputTokens int      `json:"output_tokens"`
	TTFT         pairJSON `json:"ttft"`
	TPOT         pairJSON `json:"tpot"`
	Latency      pairJSON `json:"latency"`
}

type pairJSON struct {
	MeasuredMS  *float64 `json:"measured_ms"`
	SimulatedMS *float64 `json:"simulated_ms"`
}

func newReplayResult(file string, r engine.Replica, o *replayOptions, run []fit.Timed, got fit.Replayed) replayResult {
	d, c := r.Plan.Deployment(), r.Config()
	result := replayResult{
		File: file, Model: d.Model.Name, Hardware: d.Hardware.Name, Engine: d.Engine.Name, GPUs: d.GPUs, Weights: d.Weights.String(),
		KVTokens: c.KVBlocks * c.BlockTokens, MaxSequences: atOnce(c), TokenBudget: known(c.TokenBudget, math.MaxInt32), Profile: known(o.served.profile, ""),
		N: len(run) - o.skip, Skipped: o.skip, Preemptions: got.Stats.Preemptions, CachedTokens: got.Stats.PrefixHits,
		MeasuredEnds: lastOf(run).Seconds(), SimulatedEnds: lastOf(got.Run).Seconds(),
	}
	for _, c := range fit.Compare(run[o.skip:], got.Run[o.skip:]) {
		result.Metrics = append(result.Metrics, newReplayMetric(c))
	}
	result.judge(fit.CrowdOf(run), fit.CrowdOf(got.Run))
	for i := o.skip; i < len(run); i++ {
		m, s := run[i], got.Run[i]
		result.Rows = append(result.Rows, replayRequest{
			m.Line, m.Prompt, m.Output, pair(m.TTFT(), s.TTFT()), pair(m.TPOT(), s.TPOT()), pair(m.Latency(), s.Latency()),
		})
	}
	return result
}

// atOnce returns how many requests an engine runs at once.
func atOnce(c engine.BatchedConfig) int {
	if c.Slots > 0 {
		return c.Slots
	}
	return c.MaxSequences
}

func lastOf(run []fit.Timed) (last time.Duration) {
	for _, t := range run {
		last = max(last, t.Last)
	}
	return last
}

func newReplayMetric(c fit.Compared) replayMetric {
	m := replayMetric{Name: c.Name, N: c.Measured.N, Measured: newTimesJSON(c.Measured), Simulated: newTimesJSON(c.Simulated)}
	m.Error = errorsJSON{off(m.Measured.MeanMS, m.Simulated.MeanMS), off(m.Measured.MedianMS, m.Simulated.MedianMS), off(m.Measured.P90MS, m.Simulated.P90MS)}
	mean, median, worst := c.Errors()
	m.APE = errorsJSON{number(mean), number(median), number(worst)}
	return m
}

func newTimesJSON(t fit.Times) timesJSON { return timesJSON{ms(t.Mean), ms(t.Median), ms(t.P90)} }

func pair(measured, simulated time.Duration) pairJSON { return pairJSON{ms(measured), ms(simulated)} }

// ms returns a span in milliseconds, or nil when it is unknown.
func ms(d time.Duration) *float64 { return known(milliseconds(d), milliseconds(pipeline.Unknown)) }

// number returns nil for NaN.
func number(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

// off returns simulated over measured, less one.
func off(measured, simulated *float64) *float64 {
	if measured == nil || simulated == nil {
		return nil
	}
	return number(*simulated / *measured - 1)
}

func (r replayResult) writeTable(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "replayed\t%s: %s", r.File, counted(r.N+r.Skipped, "request"))
	if r.Skipped > 0 {
		fmt.Fprintf(w, ", judged by the last %d", r.N)
	}
	fmt.Fprintf(w, "\nthrough\t%s serving %s (%s) on %d x %s\n", r.Engine, r.Model, r.Weights, r.GPUs, r.Hardware)
	fmt.Fprintf(w, "limits\t%s, %s at once, %s a step\n", counted(r.KVTokens, "cached token"), counted(r.MaxSequences, "request"), r.budget())
	if r.Profile != nil {
		fmt.Fprintf(w, "constants\tof profile %s\n", *r.Profile)
	}
	fmt.Fprintf(w, "happened\t%s; the last token came at %.1f s, measured %.1f s\n\n", counted(r.Preemptions, "preemption"), r.SimulatedEnds, r.MeasuredEnds)
	err := w.Flush()
	w = tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "IN MS\tMEASURED\tSIMULATED\tERROR\tERRORS OF SINGLE REQUESTS")
	for _, m := range r.Metrics {
		m.writeTable(w)
	}
	err = errors.Join(err, w.Flush())
	fmt.Fprintf(out, "\n%s\n", r.Verdict)
	for _, h := range r.Hints {
		fmt.Fprintf(out, "- %s\n", h)
	}
	fmt.Fprintln(out, "\nttft counts from when the engine took note of a request, where the run says when that was, latency from its arrival.")
	return err
}

func (r replayResult) budget() string {
	if r.TokenBudget == nil {
		return "no limit of tokens"
	}
	return counted(*r.TokenBudget, "token")
}

func (m replayMetric) writeTable(w io.Writer) {
	line := func(statistic string, measured, simulated, err, single *float64) {
		fmt.Fprintf(w, "%s %s\t%s\t%s\t%s\t%s\n", m.Name, statistic, shownMS(measured), shownMS(simulated), shownError(err), shownShare(single))
	}
	line("mean", m.Measured.MeanMS, m.Simulated.MeanMS, m.Error.Mean, m.APE.Mean)
	line("median", m.Measured.MedianMS, m.Simulated.MedianMS, m.Error.Median, m.APE.Median)
	line("p90", m.Measured.P90MS, m.Simulated.P90MS, m.Error.P90, m.APE.P90)
}

// shownMS prints milliseconds as a number, for columns of one unit.
func shownMS(v *float64) string {
	if v == nil {
		return "-"
	}
	return significant(*v)
}

func shownError(v *float64) string {
	if v == nil {
		return "-"
	}
	return percent("%+.1f", *v)
}

func shownShare(v *float64) string {
	if v == nil {
		return "-"
	}
	return percent("%.1f", *v)
}
