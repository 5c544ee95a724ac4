package report

import (
	"fmt"
	"slices"
	"strings"

	"halfsecond/budgets"
	"halfsecond/pipeline"
)

// From which shares on a cause is named. They only choose words: what makes a run unfit is
// its lateness alone.
const (
	muchOwn    = .7 // of the cores that the process may use, by itself
	muchOthers = .3 // of the machine, by others
	muchStolen = .05
)

// said is the summary of a run, and what there is to know of its tester.
func (r *Report) said() string {
	if r.Tester == nil || r.Tester.Advice == nil {
		return r.Summary
	}
	return r.Summary + "\n" + *r.Tester.Advice
}

// advice says what to do about a tester that was late; "" when it was not, or nothing
// bounds that.
func (t *Tester) advice(a *budgets.Analysis) string {
	switch {
	case !slices.ContainsFunc(a.Run.Traces, func(t pipeline.Trace) bool { return t.Outcome == pipeline.OK }):
		return "" // whatever failed has to be seen to first
	case a.Unfit != "":
		return "What to do: " + strings.Join(append(t.before(), t.causes(a.Run.Header.Target)...), " ")
	case t.SelfTest != nil && t.SelfTest.Failed != nil:
		return t.SelfTest.words()
	case t.lateBefore():
		most, _ := a.Allowed()
		read, allowed, _ := budgets.Duration.FormatBeside(float64(a.Run.Header.SelfTest.Read.P99), float64(most))
		return fmt.Sprintf("The self test before the run read %s late at p99, where the budgets allow %s: the machine was disturbed then. Over the run the tester was in time, so they are judged.", read, allowed)
	}
	return ""
}

// lateBefore reports whether the self test's p99 is over what the budgets allow.
func (t *Tester) lateBefore() bool {
	return t.tested() && t.Allowed != nil && t.SelfTest.Read.P99 != nil && *t.SelfTest.Read.P99 > *t.Allowed
}

// tested reports whether there is a self test that has a result.
func (t *Tester) tested() bool { return t.SelfTest != nil && t.SelfTest.Read != nil }

// before says whether the tester was late before the run too.
func (t *Tester) before() []string {
	switch {
	case !t.tested():
		return nil
	case t.lateBefore():
		return []string{"Before the run, in its self test, the tester was late too: the machine is not fit as it is."}
	}
	return []string{"Before the run, in its self test, the tester was in time."}
}

// causes name what kept the tester from running, each with what helps.
func (t *Tester) causes(target string) (found []string) {
	e := t.Effort
	if e == nil {
		return []string{"Run it again on a machine that has nothing else to do."}
	}
	add := func(v *float64, from float64, words func(v float64) string) {
		if v != nil && *v >= from {
			found = append(found, words(*v))
		}
	}
	if e.Held != nil && *e.Held > 0 {
		found = append(found, "Raise the processor limit of its container, which kept it from running for "+orDash(e.Held)+".")
	}
	add(e.Stolen, muchStolen, func(v float64) string {
		return fmt.Sprintf("Use a machine whose host leaves it alone: it took %s of the cores.", budgets.Share.Format(v))
	})
	add(e.CoresUsed, muchOwn*float64(e.Cores), func(v float64) string {
		return fmt.Sprintf("%s: it used %s of %s.", lighten(target), budgets.Number(v, 2), counted(e.Cores, "core"))
	})
	add(e.others, muchOthers, func(v float64) string {
		return fmt.Sprintf("Stop what else runs here: others used %s of the machine.", budgets.Share.Format(v))
	})
	if len(found) == 0 {
		found = append(found, "Neither its load nor the machine's explains it, so a short disturbance does: run it again, with more interactions.")
	}
	return found
}

// lighten says how a tester that uses all its cores gets more room.
func lighten(target string) string {
	if target == "mock" {
		return "Ask less at once, or run the mock on another machine ('halfsecond mock')"
	}
	return "Ask less at once, or give the tester more cores"
}
