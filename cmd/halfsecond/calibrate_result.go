package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/fit"
	"halfsecond/mockllm/roofline"
)

// calibrateResult is a calibration as a JSON document. Errors are predicted over
// measured, less one; what is unknown is null.
type calibrateResult struct {
	Profile      string         `json:"profile"`
	Written      *string        `json:"written"` // the file
	Engine       string         `json:"engine"`
	Hardware     string         `json:"hardware"`
	Models       []string       `json:"models"`
	Weights      []string       `json:"weights"`
	Constants    []estimateJSON `json:"constants"`
	Doubts       []string       `json:"doubts"`       // why the measurements may not be of this engine on this machine
	Measurements int            `json:"measurements"` // times and rates that were fitted
	Before       errorsJSON     `json:"before"`       // absolute errors with the built-in constants
	After        errorsJSON     `json:"after"`        // with the fitted ones
	Improves     improvement    `json:"improves"`     // whether they predict these measurements better
	Data         string         `json:"data"`
	DataHash     string         `json:"data_sha256"`
	Measured     *string        `json:"measured"`            // the day
	Residuals    []residualJSON `json:"residuals,omitempty"` // of rows, in their order
	LeftOut      []string       `json:"left_out,omitempty"`
	Fitted       *replayJudged  `json:"fitted,omitempty"` // the requests of a run that were fitted
	Others       *replayJudged  `json:"others,omitempty"` // and those that were not

	profile fit.Profile
}

// estimateJSON is one constant.
type estimateJSON struct {
	Name    string   `json:"name"`
	About   string   `json:"about"`
	BuiltIn float64  `json:"built_in"`
	Fitted  *float64 `json:"fitted"` // null when the measurements do not tell
	Low     *float64 `json:"low"`    // how far off it could be before predictions err clearly more; null when nothing bounds it
	High    *float64 `json:"high"`
	Would   string   `json:"would_tell,omitempty"`
}

// improvement says whether the absolute errors are smaller with the fitted constants.
type improvement struct {
	Mean   bool `json:"mean"`
	Median bool `json:"median"`
}

// any reports whether the fitted constants are of use.
func (i improvement) any() bool { return i.Mean || i.Median }

// residualJSON is a row with the errors of its prediction.
type residualJSON struct {
	Line   int      `json:"line"`
	ID     string   `json:"id"`
	Metric string   `json:"metric"`
	Value  float64  `json:"value"`
	Before *float64 `json:"before"`
	After  *float64 `json:"after"`
}

// replayJudged is the errors of some requests of a run.
type replayJudged struct {
	Requests int            `json:"requests"`
	Before   []replayMetric `json:"before"`
	After    []replayMetric `json:"after"`
}

func newCalibrateResult(p fit.Profile, c fit.Calibration) *calibrateResult {
	r := &calibrateResult{
		Profile: p.Name, Engine: p.Engine, Hardware: p.Hardware, Models: p.Models, Weights: p.Weights,
		Measurements: len(c.After), Before: absolute(c.Before), After: absolute(c.After),
		Data: p.Data, DataHash: p.Hash, Measured: known(p.Measured, ""), Doubts: append([]string{}, c.Doubts()...), profile: p,
	}
	r.Improves.Mean, r.Improves.Median = c.Improves()
	for _, e := range c.Estimates {
		j := estimateJSON{Name: e.Name, About: e.About, BuiltIn: e.Before, Low: bound(e.Low), High: bound(e.High), Would: e.Would}
		if e.Told {
			j.Fitted = &e.Value
		}
		r.Constants = append(r.Constants, j)
	}
	return r
}

// bound returns an end of a range, or nil where nothing bounds it.
func bound(v float64) *float64 {
	if v == 0 || math.IsInf(v, 1) {
		return nil
	}
	return number(v)
}

// absolute returns the mean, the median and the 90th percentile of absolute errors.
func absolute(errs []float64) errorsJSON {
	mean, median, worst := fit.Compared{PerRequest: errs}.Errors()
	return errorsJSON{number(mean), number(median), number(worst)}
}

// addRows adds the errors of single rows, and the rows that were left out.
func (r *calibrateResult) addRows(c fit.Calibration, skipped []fit.Skipped) {
	for i, row := range c.Rows {
		r.Residuals = append(r.Residuals, residualJSON{row.Line, row.ID, string(row.Metric), row.Value, number(c.Before[i]), number(c.After[i])})
	}
	for _, s := range skipped {
		r.LeftOut = append(r.LeftOut, fmt.Sprintf("line %d: %v", s.Row.Line, s.Reason))
	}
}

// addRun adds how well a run is replayed with the built-in constants and with those
// of the profile.
func (r *calibrateResult) addRun(ctx context.Context, e engine.Replica, run []fit.Timed, first int, left fit.LeftOut) error {
	for _, l := range []struct {
		n   int
		why string
	}{
		{left.Others, "of other models or variants"}, {left.NotOK, "with an end that was not as it should be"},
		{left.Cached, "with some of the prompt in the cache"}, {left.Unknown, "without an instant or a token count"},
	} {
		if l.n > 0 {
			r.LeftOut = append(r.LeftOut, counted(l.n, "request")+" "+l.why)
		}
	}
	if first == 0 {
		first = len(run)
	}
	d := e.Plan.Deployment()
	before, err1 := fit.ReplayWith(ctx, e, roofline.Defaults(d), run)
	after, err2 := fit.ReplayWith(ctx, e, r.profile.Constants(d), run)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	judge := func(from, to int) *replayJudged {
		if from == to {
			return nil
		}
		return &replayJudged{to - from, metricsOf(run[from:to], before.Run[from:to]), metricsOf(run[from:to], after.Run[from:to])}
	}
	r.Fitted, r.Others = judge(0, first), judge(first, len(run))
	return nil
}

func metricsOf(measured, simulated []fit.Timed) (out []replayMetric) {
	for _, c := range fit.Compare(measured, simulated) {
		out = append(out, newReplayMetric(c))
	}
	return out
}

func (r *calibrateResult) writeTable(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "calibrated\t%s on %s, from %s of %s (%s)\n", r.Engine, r.Hardware, counted(r.Measurements, "measurement"), strings.Join(r.Models, ", "), strings.Join(r.Weights, ", "))
	for _, l := range r.LeftOut {
		fmt.Fprintf(w, "left out\t%s\n", l)
	}
	fmt.Fprintf(w, "errors\tbuilt in: mean %s, median %s, p90 %s\n", shownShare(r.Before.Mean), shownShare(r.Before.Median), shownShare(r.Before.P90))
	fmt.Fprintf(w, "\tfitted: mean %s, median %s, p90 %s\n", shownShare(r.After.Mean), shownShare(r.After.Median), shownShare(r.After.P90))
	errs := []error{w.Flush(), r.writeDoubts(out), r.writeConstants(out), r.writeResiduals(out), r.Fitted.writeTable(out, "fitted"), r.Others.writeTable(out, "not fitted")}
	fmt.Fprintf(out, "\n%s\n", r.kept())
	return errors.Join(errs...)
}

// kept says what became of the profile.
func (r *calibrateResult) kept() string {
	switch {
	case !r.Improves.any():
		return "No profile is written: the fitted constants do not predict these measurements better,\nneither on average nor at the median. Keep the built-in ones."
	case r.Written == nil:
		return "The profile is not kept: --out names a file for it." + r.worse() + r.unjudged()
	}
	return fmt.Sprintf("The profile %s is in %s.%s%s", r.Profile, *r.Written, r.worse(), r.unjudged())
}

// unjudged says that nothing is left to judge the fit by, where there are no more
// measurements than constants that were fitted to them.
func (r *calibrateResult) unjudged() string {
	fitted := 0
	for _, c := range r.Constants {
		if c.Fitted != nil {
			fitted++
		}
	}
	if r.Measurements > fitted {
		return ""
	}
	return fmt.Sprintf("\nIt has %s, fitted to %s: the errors that are left say nothing of\nhow well it predicts others.", counted(fitted, "constant"), counted(r.Measurements, "measurement"))
}

// worse says by which of two measures the fitted constants are no better.
func (r *calibrateResult) worse() string {
	switch {
	case !r.Improves.Mean:
		return " Its constants err less at the median, but not on average."
	case !r.Improves.Median && r.Measurements > 1:
		return " Its constants err less on average, but not at the median."
	}
	return ""
}

// writeDoubts asks whether the measurements are of what they are said to be, when a
// constant speaks against it.
func (r *calibrateResult) writeDoubts(out io.Writer) error {
	if len(r.Doubts) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(out, "\nDO THESE MEASUREMENTS COME FROM %s ON %s?\n- %s\n", r.Engine, r.Hardware, strings.Join(r.Doubts, "\n- "))
	return err
}

// writeConstants writes what is known of each constant.
func (r *calibrateResult) writeConstants(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nCONSTANT\tBUILT IN\tFITTED\tPLAUSIBLE RANGE")
	for _, c := range r.Constants {
		switch {
		case c.Fitted != nil:
			fmt.Fprintf(w, "%s\t%.4g\t%.4g\t%s\n", c.Name, c.BuiltIn, *c.Fitted, c.plausible())
		case c.Would != "":
			fmt.Fprintf(w, "%s\t%.4g\t-\tcannot tell: it takes %s\n", c.Name, c.BuiltIn, c.Would)
		}
	}
	err := w.Flush()
	fmt.Fprintln(out, `
In the plausible range, whatever the other constants are, predictions err no more than
chance explains (95 %, as if measurements were independent of each other), or by less than
half a percentage point more on average. An end that is not there is one that the
measurements do not tell.`)
	return err
}

// plausible writes the range, of which an end may be open.
func (c estimateJSON) plausible() string {
	switch {
	case c.Low == nil && c.High == nil:
		return "not bounded while the others may differ too"
	case c.Low == nil:
		return fmt.Sprintf("up to %.3g", *c.High)
	case c.High == nil:
		return fmt.Sprintf("%.3g or more", *c.Low)
	}
	return fmt.Sprintf("%.3g to %.3g", *c.Low, *c.High)
}

// worstShown is how many residuals the table has.
const worstShown = 10

// writeResiduals writes the rows whose predictions err most.
func (r *calibrateResult) writeResiduals(out io.Writer) error {
	if len(r.Residuals) == 0 {
		return nil
	}
	size := func(e residualJSON) float64 {
		if e.After == nil {
			return math.Inf(1)
		}
		return math.Abs(*e.After)
	}
	worst := slices.SortedStableFunc(slices.Values(r.Residuals), func(a, b residualJSON) int { return cmp.Compare(size(b), size(a)) })
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nLARGEST RESIDUALS\tLINE\tMETRIC\tMEASURED\tBUILT IN\tFITTED")
	for _, e := range worst[:min(worstShown, len(worst))] {
		fmt.Fprintf(w, "%s\t%d\t%s\t%.4g\t%s\t%s\n", e.ID, e.Line, e.Metric, e.Value, shownError(e.Before), shownError(e.After))
	}
	return w.Flush()
}

// writeTable writes the errors of the means.
func (j *replayJudged) writeTable(out io.Writer, which string) error {
	if j == nil {
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\n%s %s, IN MS\tMEASURED\tBUILT IN\tERROR\tFITTED\tERROR\n", strings.ToUpper(counted(j.Requests, "request")), strings.ToUpper(which))
	for i, b := range j.Before {
		a := j.After[i]
		fmt.Fprintf(w, "mean %s\t%s\t%s\t%s\t%s\t%s\n", b.Name, shownMS(b.Measured.MeanMS),
			shownMS(b.Simulated.MeanMS), shownError(b.Error.Mean), shownMS(a.Simulated.MeanMS), shownError(a.Error.Mean))
	}
	if err := w.Flush(); err != nil || !j.further() {
		return err
	}
	_, err := fmt.Fprintln(out, "the built-in constants are nearer to these requests than the fitted ones: the fit does not hold beyond what it saw, and the machine or the model may be another")
	return err
}

// further reports whether the fitted constants are further off than the built-in ones, by
// the errors of the means.
func (j *replayJudged) further() bool {
	before, after := 0., 0.
	for i, b := range j.Before {
		if b.Error.Mean != nil && j.After[i].Error.Mean != nil {
			before += math.Abs(*b.Error.Mean)
			after += math.Abs(*j.After[i].Error.Mean)
		}
	}
	return after > before
}
