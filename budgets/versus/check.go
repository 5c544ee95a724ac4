package versus

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
)

// ErrDiffer is what keeps runs from being compared unless that is asked for, see
// Settings.Anyway: they are of two experiments, or one run twice.
var ErrDiffer = errors.New("the runs are not of one experiment")

// differences are the reasons for ErrDiffer.
type differences struct{ error }

// Is says that these are an ErrDiffer.
func (differences) Is(target error) bool { return target == ErrDiffer }

// check finds out whether the two runs are of one experiment, and what else a reader
// has to know. Another seed is another sample of the same experiment, and is fine where there
// are enough people in it.
func (c *Comparison) check(a, b *Run, anyway bool) error {
	if err := c.never(); err != nil {
		return err
	}
	differ := c.different()
	if c.A.Target != "sim" && a.equals(b) {
		differ = append(differ, fmt.Errorf("runs A and B are the same one: all values of its %d interactions are equal to the nanosecond", c.A.N))
	}
	if len(differ) > 0 && !anyway {
		return differences{errors.Join(differ...)}
	}
	for _, err := range differ {
		c.warn("%v", err)
	}
	for _, s := range []struct {
		name string
		f    *Facts
	}{{"A", &c.A}, {"B", &c.B}} {
		if s.f.Unfinished != "" {
			c.Unjudged = append(c.Unjudged, fmt.Sprintf("run %s did not finish (%s): it has %d of %d interactions", s.name, s.f.Unfinished, s.f.N, s.f.NAsked))
		}
		if s.f.Unfit != "" {
			c.Unjudged = append(c.Unjudged, fmt.Sprintf("run %s is unfit: %s", s.name, s.f.Unfit))
		}
	}
	if words := otherTyping(a, b); words != "" {
		c.Unjudged = append(c.Unjudged, words)
	}
	c.caution()
	return nil
}

// otherTyping says why runs of editors under two seeds cannot be judged: what few people type, and
// how, differs by more than the intervals of one run of them know. Of six pairs of equal runs of
// one person four were called better or worse, of six pairs of eight people two.
func otherTyping(a, b *Run) string {
	if a.Kind != pipeline.KindIDE || a.Seed == b.Seed {
		return ""
	}
	people := min(distinct(a.Sessions), distinct(b.Sessions))
	if people >= quantile.ManySessions {
		return ""
	}
	who := "one person does"
	if people > 1 {
		who = fmt.Sprintf("%d people do", people)
	}
	return fmt.Sprintf("runs of seeds %d and %d are of other typing, and %s not tell how far that differs by chance: give both the same seed, whose keys are paired, or %d users",
		a.Seed, b.Seed, who, quantile.ManySessions)
}

func distinct(sessions []int) int {
	return len(slices.Compact(slices.Sorted(slices.Values(sessions))))
}

// never says what keeps runs from being compared at all.
func (c *Comparison) never() error {
	switch {
	case c.A.Kind != c.B.Kind:
		return fmt.Errorf("run A is of kind %s and run B of kind %s: they have no metrics in common that mean the same", c.A.Kind, c.B.Kind)
	case c.A.Kind == pipeline.KindGrid:
		return errors.New("these are comparisons of models (kind grid), whose cells hold too few requests each to be compared across runs: compare the models in one run")
	}
	return nil
}

// different says what makes two runs two experiments.
func (c *Comparison) different() (errs []error) {
	if c.A.ScenarioHash != c.B.ScenarioHash {
		errs = append(errs, fmt.Errorf("run A is of scenario %q with hash %.12s, run B of %q with hash %.12s: a difference may come from the scenario", c.A.Scenario, c.A.ScenarioHash, c.B.Scenario, c.B.ScenarioHash))
	}
	if c.A.Target != c.B.Target {
		errs = append(errs, fmt.Errorf("run A was on %s, run B on %s: a difference may come from the target", c.A.Target, c.B.Target))
	}
	return errs
}

// caution adds what does not forbid a comparison.
func (c *Comparison) caution() {
	a, b := &c.A, &c.B
	for _, s := range []struct{ name, why string }{{"A", a.Unsteady}, {"B", b.Unsteady}} {
		if s.why != "" {
			c.warn("run %s may not be steady. %s", s.name, strings.TrimSuffix(s.why, "."))
		}
	}
	if a.N != b.N && len(c.Unjudged) == 0 {
		c.warn("A has %d interactions, B %d: the intervals allow for it, but the longer run has seen more of the server's day", a.N, b.N)
	}
	if a.Target == b.Target && (a.Model != b.Model || a.Protocol != b.Protocol) {
		c.warn("A asked %s over %s, B %s over %s", a.Model, a.Protocol, b.Model, b.Protocol)
	}
	if a.Version != b.Version {
		c.warn("A was measured by halfsecond %s, B by %s; a difference may come from there", a.Version, b.Version)
	}
	c.conditions()
	if a.Limit != b.Limit {
		c.warn("goodput is not compared: A counts %s, B %s", orNothing(a.Limit), orNothing(b.Limit))
	}
	if a.Target == "sim" && b.Target == "sim" && a.Seed == b.Seed && a.ScenarioHash == b.ScenarioHash {
		c.warn("both are simulations of one scenario with one seed, so they made the same draws: whatever differs comes from the program or its catalogue, not from chance")
	}
}

func (c *Comparison) warn(format string, args ...any) {
	c.Warnings = append(c.Warnings, fmt.Sprintf(format, args...))
}

func orNothing(limit string) string {
	if limit == "" {
		return "nothing"
	}
	return limit
}

// equals reports whether two runs have the same interactions and the same values, durations
// among them: shares alone may well be equal.
func (r *Run) equals(other *Run) bool {
	return slices.ContainsFunc(r.Series, Series.timed) && slices.Equal(r.Sessions, other.Sessions) && slices.EqualFunc(r.Series, other.Series, func(s, t Series) bool {
		return s.Name == t.Name && s.equals(&t)
	})
}

// timed reports whether a series has any duration.
func (s Series) timed() bool {
	return s.Unit == budgets.Duration && slices.ContainsFunc(s.Values, func(of []float64) bool { return len(of) > 0 })
}

// missing returns the metrics that only one of the runs has.
func missing(a, b *Run) (names []string) {
	for _, s := range a.Series {
		switch other := b.series(s.Name); {
		case other == nil:
			names = append(names, s.Name+" (only in A)")
		case other.Formula != s.Formula && s.Name != Goodput: // of that caution says it
			names = append(names, s.Name+" (made otherwise in A and in B)")
		}
	}
	for _, s := range b.Series {
		if a.series(s.Name) == nil {
			names = append(names, s.Name+" (only in B)")
		}
	}
	slices.Sort(names)
	return names
}
