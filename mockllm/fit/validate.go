package fit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/roofline"
)

// Result is measurements beside predictions.
type Result struct {
	Rows    []Judged  // in the order of the file
	Skipped []Skipped // those that nothing could be predicted for
	Fitted  int       // numbers that were fitted
	Groups  int       // of Cross: how many were left out, one at a time
}

// Skipped is a row without a prediction, and why.
type Skipped struct {
	Row    Row
	Reason error
}

// Validate sets what the built-in constants predict beside what was measured. Rows
// that are among Published are marked as seen.
func Validate(c *catalog.Catalog, rows []Row) Result {
	s, skipped := samples(c, rows)
	values, published := roofline.Fitted(), publishedRows()
	judged := judge(s, values)
	for i := range judged {
		judged[i].Seen = published[content(judged[i].Row)]
	}
	return Result{Rows: judged, Skipped: skipped, Fitted: len(values)}
}

// content returns a row without its place in a file and what is written beside it.
func content(r Row) Row {
	r.Line, r.ID, r.Source, r.Note = 0, "", "", ""
	return r
}

// Refit sets predictions by constants that were fitted on the rows themselves beside
// what was measured: how well the equation can follow them.
func Refit(c *catalog.Catalog, rows []Row) Result {
	s, skipped := samples(c, rows)
	values := fitted(s)
	judged := judge(s, values)
	for i := range judged {
		judged[i].Seen = true
	}
	return Result{Rows: judged, Skipped: skipped, Fitted: len(values)}
}

// Cross leaves one group of rows out at a time, such as all of one GPU, fits every
// constant on the others and predicts those left out. So no constant has seen what
// it is judged by: one whose only rows were left out keeps its prior. What stays as
// it is are the names: which engines, weights and families of hardware share a
// constant was decided with all of the built-in rows in view.
//
// progress, unless nil, hears how many of the fits are done, from the caller's
// goroutine. The error is the context's.
func Cross(ctx context.Context, c *catalog.Catalog, rows []Row, group func(Row) string, progress func(done, of int)) (Result, error) {
	all, skipped := samples(c, rows)
	var folds []fold
	for _, part := range parts(all) {
		for _, out := range groups(part, group) {
			folds = append(folds, leaveOut(part, out, group))
		}
	}
	judged, err := run(ctx, folds, progress)
	if err != nil {
		return Result{}, err
	}
	return Result{Rows: judged, Skipped: skipped, Fitted: len(newSearch(all).names), Groups: len(groups(all, group))}, nil
}

// groups returns the groups of some samples in the order in which they come.
func groups(samples []sample, group func(Row) string) []string {
	var out []string
	for _, s := range samples {
		if g := group(s.row); !slices.Contains(out, g) {
			out = append(out, g)
		}
	}
	return out
}

// fold is samples to fit and samples to predict.
type fold struct{ in, left []sample }

func leaveOut(samples []sample, out string, group func(Row) string) fold {
	var f fold
	for _, s := range samples {
		if group(s.row) == out {
			f.left = append(f.left, s)
		} else {
			f.in = append(f.in, s)
		}
	}
	return f
}

// run judges what every fold left out, as many folds at once as there are processors.
func run(ctx context.Context, folds []fold, progress func(done, of int)) ([]Judged, error) {
	judged := make([][]Judged, len(folds))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	finished := make(chan struct{}, len(folds))
	var wait sync.WaitGroup
	for i, f := range folds {
		wait.Go(func() {
			slots <- struct{}{}
			if ctx.Err() == nil {
				judged[i] = judge(f.left, fitted(f.in))
			}
			<-slots
			finished <- struct{}{}
		})
	}
	for i := range folds {
		<-finished
		if progress != nil {
			progress(i+1, len(folds))
		}
	}
	wait.Wait()
	all := slices.Concat(judged...)
	slices.SortStableFunc(all, func(a, b Judged) int { return cmp.Compare(a.Row.Line, b.Row.Line) })
	return all, ctx.Err()
}

// judge sets the samples beside their predictions by some constants. Those that have
// no value keep their priors.
func judge(samples []sample, values roofline.Values) []Judged {
	var out []Judged
	for _, s := range samples {
		pooled := slices.ContainsFunc(s.uses, func(name string) bool { _, ok := values[name]; return !ok })
		out = append(out, Judged{Row: s.row, Family: s.family, Predicted: s.predicted(values), Pooled: pooled})
	}
	return out
}

// samples prepares rows. One that names what the catalogue does not have, that leaves
// open what its metric depends on, or that needs a figure which nobody published, is
// skipped.
func samples(c *catalog.Catalog, rows []Row) ([]sample, []Skipped) {
	var out []sample
	var skipped []Skipped
	for _, r := range rows {
		s, err := newSample(c, r)
		if err != nil {
			skipped = append(skipped, Skipped{r, err})
			continue
		}
		out = append(out, s)
	}
	return out, skipped
}

func newSample(c *catalog.Catalog, r Row) (sample, error) {
	d, err := r.Deployment(c)
	if err != nil {
		return sample{}, err
	}
	t, err := roofline.Tune(d)
	if err != nil {
		return sample{}, err
	}
	r.Model, r.GPU = d.Model.Name, d.Hardware.Name // however they were spelled, so that they make one group
	s := sample{row: r, family: d.Engine.Name, tunable: t, uses: t.Uses()}
	if err := s.unknown(); err != nil {
		return sample{}, err
	}
	if v := s.predicted(nil); !(v > 0) || math.IsInf(v, 0) {
		return sample{}, errors.New("the equation gives no number for it")
	}
	return s, nil
}

// unknown says which figures the prediction of a sample lacks, or nil.
func (s *sample) unknown() error {
	p := s.tunable.Plan(nil)
	missing := p.Missing()
	if tokens, err := p.KVTokens(); s.row.Batch == Unstated && err == nil && tokens < 0 {
		missing = append(slices.Clone(missing), "the memory, which bounds the batch")
	}
	if h := p.Deployment().Hardware; h.Family == "cpu" && h.Cores == 0 {
		missing = append(slices.Clone(missing), "cores") // a layer costs time for each
	}
	// A decode step of one sequence is bound by memory whatever the compute rate.
	if s.row.Metric.computes() || s.row.Batch > 1 {
		return lacking(missing)
	}
	return lacking(slices.DeleteFunc(slices.Clone(missing), func(m string) bool { return m == "compute rate" }))
}

func lacking(figures []string) error {
	if len(figures) == 0 {
		return nil
	}
	return fmt.Errorf("not published: %s", strings.Join(figures, ", "))
}
