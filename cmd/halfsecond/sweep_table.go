package main

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"halfsecond/budgets"
	"halfsecond/simulators/study"
)

// showSweep prints a sweep in the format that was asked for.
func (p *program) showSweep(d *sweepDocument) error {
	switch p.Format {
	case "json":
		return writeJSON(p.out, d)
	case "csv":
		return d.csv(p.out)
	}
	return d.writeTable(p)
}

// sentence says where the knee is, what kept it from being found, and why interactions
// failed.
func (d *sweepDocument) sentence(w *study.Swept) string {
	return d.edges(w) + rule(w) + d.failed(w) + d.early()
}

// early says that the sweep did not finish, and why; empty when it did.
func (d *sweepDocument) early() string {
	if d.Unfinished == nil {
		return ""
	}
	return fmt.Sprintf(" The sweep did not finish: %s.", strings.TrimRight(*d.Unfinished, "."))
}

// edges says where the knee is, and at which loads the tester was unfit.
func (d *sweepDocument) edges(w *study.Swept) string {
	unfit, why := unfitLoads(w)
	const remedy = "Free the tester's machine of other work, or give it one of its own, and sweep again."
	switch {
	case unfit == 0:
		return d.knee(w)
	case unfit == len(w.Levels):
		return fmt.Sprintf("No load could be judged: at %s the tester itself was unfit: %s. %s", either(unfit == 1, "the one that was tried", "each of "+counted(unfit, "load")), why, remedy)
	}
	return fmt.Sprintf("%s %s of %s could not be judged, since the tester itself was unfit: %s. %s", d.knee(w), strconv.Itoa(unfit), counted(len(w.Levels), "load"), why, remedy)
}

// unfitLoads counts the loads at which a run could not be judged since the tester was
// unfit, and says why at the first of them.
func unfitLoads(w *study.Swept) (n int, why string) {
	for i := range w.Levels {
		for j := range w.Levels[i].Points {
			if unfit := w.Levels[i].Points[j].Unfit; unfit != "" {
				n, why = n+1, cmp.Or(why, unfit)
				break
			}
		}
	}
	return n, why
}

// knee says where the knee is.
func (d *sweepDocument) knee(w *study.Swept) string {
	low, high := d.edge.Low, d.edge.High
	runs := "in every run"
	switch {
	case d.Repeats == 1:
		runs = "in one run each, so that nobody knows how much chance is in it"
	case low == 0 && high == 0:
		return "No load is inside the budgets in every run, and none outside."
	}
	switch {
	case low == 0 && high == 0:
		return "No load is inside the budgets, and none outside."
	case low == 0:
		return fmt.Sprintf("No load that was tried is inside the budgets; %s and all above are outside, %s.", w.Named(high), runs)
	case high == 0:
		return fmt.Sprintf("Every load up to %s is inside the budgets, %s; none that was tried is outside.", w.Named(low), runs)
	}
	return fmt.Sprintf("The highest load inside the budgets is between %s and %s: up to the first all are inside, from the second on all outside, %s.",
		w.Named(low), w.Named(high), runs)
}

// sweepWidth is where lines of text are broken.
const sweepWidth = 100

var standingMarks = map[string]string{"inside": "✓", "outside": "✗", "unsure": "?"}

func (d *sweepDocument) writeTable(p *program) error {
	var b strings.Builder
	writeWrapped(&b, "", d.Summary, sweepWidth)
	writeWrapped(&b, "", fmt.Sprintf("%s on %s · %s · %s of each load · seed %d · scenario hash %.12s", d.Scenario, d.Target, strings.Join(d.Budgets, ", "),
		counted(d.Repeats, "run"), d.Seed, d.ScenarioHash), sweepWidth)
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	others := strings.Join(append(d.otherNames(), ""), "\t")
	fmt.Fprintf(t, "\noffered\tachieved\t%s p50\tp95\tof runs\t%sgood\tok\t\n", d.Metric, others)
	for _, l := range d.Levels {
		others := strings.Join(append(l.otherTexts(), ""), "\t")
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s%s\t%s\t  %s %s\n", d.offered(l), rateOf(l.Achieved), d.figure(l.P50), d.figure(l.P95), d.spread(l),
			others, shareOf(l.Good), shareOf(l.OK), standingMarks[l.Standing], l.Standing)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	b.WriteByte('\n')
	for _, n := range d.notes() {
		writeWrapped(&b, "  ", n, sweepWidth)
	}
	_, err := fmt.Fprint(p.out, b.String())
	return err
}

// offered returns the load of a row.
func (d *sweepDocument) offered(l sweepLevel) string {
	if d.LoadUnit == "users" {
		return counted(int(l.Load), "user")
	}
	return fmt.Sprintf("%g/s", l.Load)
}

func rateOf(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.4g/s", *v)
}

// figure returns a value of the metric, which the document has as reports give it.
func (d *sweepDocument) figure(v *float64) string {
	if v == nil {
		return "-"
	}
	base := *v
	if d.unit == budgets.Duration {
		base *= 1e6
	}
	return d.unit.Format(base)
}

// spread returns from where to where the p95 of the runs goes.
func (d *sweepDocument) spread(l sweepLevel) string {
	if len(l.Runs) < 2 || l.P95Low == nil {
		return ""
	}
	return d.figure(l.P95Low) + " to " + d.figure(l.P95High)
}

func shareOf(v *float64) string {
	if v == nil {
		return "-"
	}
	return budgets.Share.Format(*v)
}

// notes say what has to be known to read the table.
func (d *sweepDocument) notes() (notes []string) {
	for _, l := range d.Levels {
		if l.Reason != nil {
			notes = append(notes, fmt.Sprintf("%s is unsure: %s.", d.offered(l), *l.Reason))
		}
	}
	notes = append(notes, d.failureNotes()...)
	if d.Collapsed != nil {
		notes = append(notes, "No higher load was tried: "+*d.Collapsed+".")
	}
	if d.Knee != nil {
		notes = append(notes, d.stopped()...)
	}
	notes = append(notes, d.startUps()...)
	if d.Limit != nil {
		notes = append(notes, fmt.Sprintf("good: the share that keeps %s, of all that had to; what failed does not. p50 and p95 are over the runs together, those of runs beside them.", *d.Limit))
	}
	if len(d.otherNames()) > 0 {
		notes = append(notes, strings.Join(d.otherNames(), ", ")+": the median of the runs.")
	}
	return append(notes, "achieved: interactions a second that ended ok, in the second half of the time in which any were due.")
}

// stopped says why no more loads were tried in search of the knee.
func (d *sweepDocument) stopped() (notes []string) {
	low, high := d.edge.Low, d.edge.High
	apart := fmt.Sprintf("%g %% apart", 100*d.Knee.Resolution)
	if d.LoadUnit == "users" {
		apart += ", or one user"
	}
	if d.bounded && low == 0 && len(d.Levels) > 0 {
		notes = append(notes, fmt.Sprintf("No load below %s was tried, since --from or --rates states it as the lowest: state a lower one to find what is inside.", d.offered(d.Levels[0])))
	}
	between := 0
	for _, l := range d.Levels {
		if l.Standing == "unsure" && (low == 0 || l.Load > low) && (high == 0 || l.Load < high) {
			between++
		}
	}
	switch {
	case low == 0 && high == 0, d.Unfinished != nil:
	case !d.near:
		notes = append(notes, fmt.Sprintf("The search ended before the loads at the edges were %s.", apart))
	case between > 0:
		notes = append(notes, fmt.Sprintf("Loads were tried until the highest inside and the next one are %s, and the lowest outside and the one below. %s between them %s unsure, so that more loads would not bring the two closer: longer runs (--n), or more of each (--repeats), may.",
			apart, counted(between, "load"), either(between == 1, "is", "are")))
	case low > 0 && high > 0:
		notes = append(notes, fmt.Sprintf("Loads were tried until the highest inside and the lowest outside are %s.", apart))
	}
	return notes
}

// startUps says how much was cut off the runs.
func (d *sweepDocument) startUps() []string {
	least, most, n := 0, 0, 0
	for _, l := range d.Levels {
		for _, r := range l.Runs {
			if r.Start == nil {
				return []string{"Start-up: as the scenario states it; none was looked for."}
			}
			if n == 0 {
				least = *r.Start
			}
			least, most, n = min(least, *r.Start), max(most, *r.Start), max(n, r.Kept+*r.Start+*r.Tail)
		}
	}
	if n == 0 {
		return nil
	}
	if most == 0 {
		return []string{"Start-up: looked for in each run by a test; there was nothing to cut."}
	}
	return []string{fmt.Sprintf("Start-up: found in each run by a test and cut, %d to %d interactions; of a run that never is steady nothing is.", least, most)}
}
