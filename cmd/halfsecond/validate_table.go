package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"halfsecond/mockllm/fit"
)

// writeTable prints a validation for people: first what the figures are worth, then
// the figures, then where they are worst and what is missing.
func (v *validation) writeTable(p *program, worst int) error {
	var page bytes.Buffer
	t := tabwriter.NewWriter(&page, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s\n\n", v.headline())
	v.writeTotals(t)
	if len(v.result.Rows) > 0 {
		fmt.Fprintf(t, "\n%s\n", v.within())
		v.writeGroups(t, "engine", func(j fit.Judged) string { return j.Family })
		v.writeGroups(t, "metric", func(j fit.Judged) string { return string(j.Row.Metric) })
		v.writeGroups(t, "gpu", func(j fit.Judged) string { return j.Row.GPU })
		v.writeGroups(t, "model", func(j fit.Judged) string { return j.Row.Model })
		v.writeWorst(t, worst)
	}
	v.writeSkipped(t)
	fmt.Fprintf(t, "\n%s\n", v.legend())
	if err := t.Flush(); err != nil {
		return err
	}
	return writeCut(p.out, page.String(), p.width)
}

// headline says what was predicted by what, and what that is worth.
func (v *validation) headline() string {
	n, all := len(v.result.Rows), len(v.result.Rows)+len(v.result.Skipped)
	what := fmt.Sprintf("%d of the %s in %s, beside what is predicted", n, counted(all, "measurement"), v.file)
	if n == all {
		what = fmt.Sprintf("The %s in %s, beside what is predicted", counted(n, "measurement"), v.file)
	}
	switch {
	case v.cross != "":
		return fmt.Sprintf(`%s.
Every %s was left out once: %d numbers were fitted on the rows of the other %ss in this
file, and its own predicted by them. No number has seen what it is judged by. (Which
engines, weights and families of hardware share a number was decided with all of the
built-in rows in view.)%s`, what, noun(v.cross), v.result.Fitted, noun(v.cross), v.pooled())
	case v.builtIn:
		return fmt.Sprintf(`%s.
The %d built-in numbers were fitted on these very rows: this is how well the equation can
follow them. What to expect of hardware that nobody fitted is what --cross gpu tells.`, what, v.result.Fitted)
	default:
		return fmt.Sprintf(`%s.
The %d built-in numbers were fitted on %s. %s`, what, v.result.Fitted, fit.PublishedName, v.overlap())
	}
}

// pooled says how many rows lean on a number that could not be fitted.
func (v *validation) pooled() string {
	n := fit.Summarise(v.result.Rows).Pooled
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(`
Behind %s is a number that no row of another %s tells: in its place is the pooled
one of its kind, which was known from elsewhere before anything was fitted.`, counted(n, "row"), noun(v.cross))
}

// overlap says how many of the rows of another file the built-in numbers have seen.
func (v *validation) overlap() string {
	if n := v.seen(); n > 0 {
		return fmt.Sprintf("They have seen %d of the rows.", n)
	}
	return "They have seen none of the rows."
}

func noun(grouping string) string {
	if grouping == "gpu" {
		return "GPU"
	}
	return grouping
}

// writeTotals prints the summary of all rows and, when something was left out, of
// those behind which all constants are told by others and those behind which one is
// not.
func (v *validation) writeTotals(w io.Writer) {
	writeHeader(w, "")
	writeSummary(w, "all rows", fit.Summarise(v.result.Rows))
	if by := fit.By(v.result.Rows, constantsOf); by["pooled"].N > 0 {
		for _, name := range []string{"told", "pooled"} {
			if by[name].N > 0 {
				writeSummary(w, "  "+name, by[name])
			}
		}
	}
	if v.inSample != nil {
		writeSummary(w, "fitted on all", *v.inSample)
	}
}

// nameWidth is what most names fit in, so that the tables stand below each other.
const nameWidth = 22

func writeHeader(w io.Writer, name string) {
	fmt.Fprintf(w, "%-*s\tROWS\t   MEAN\t MEDIAN\t    P90\t   BIAS\n", nameWidth, strings.ToUpper(name))
}

func writeSummary(w io.Writer, name string, s fit.Summary) {
	fmt.Fprintf(w, "%s\t%4d\t%s\t%s\t%s\t%s\t%s\n", name, s.N, share("%.1f", s.MeanAPE), share("%.1f", s.MedianAPE), share("%.1f", s.P90APE), share("%+.1f", s.Bias), blocks(s.MeanAPE))
}

// share prints a share in per cent, aligned to the right, or a dash when it is unknown.
func share(format string, v float64) string {
	text := "-"
	if !math.IsNaN(v) {
		text = percent(format, v)
	}
	return fmt.Sprintf("%7s", text)
}

// blocks draws a share, a block for every 2 %.
func blocks(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strings.Repeat("▪", int(math.Round(min(v, .6)*50)))
}

// within says how many rows are how close.
func (v *validation) within() string {
	near := func(share float64) string { return percent("%.0f", fit.Within(v.result.Rows, share)) }
	return fmt.Sprintf("%s of the rows are within 5 %% of what was measured, %s within 10 %%, %s within 20 %%, %s within 50 %%.",
		near(.05), near(.1), near(.2), near(.5))
}

// groupsShown is how many groups have a line of their own in the table; the document
// has all of them.
const groupsShown = 14

// writeGroups prints the summaries of rows that share a key: the largest groups, and
// the others together.
func (v *validation) writeGroups(w io.Writer, name string, key func(fit.Judged) string) {
	by := fit.By(v.result.Rows, key)
	names := slices.SortedFunc(maps.Keys(by), func(a, b string) int {
		return cmp.Or(cmp.Compare(by[b].N, by[a].N), cmp.Compare(a, b))
	})
	shown := names
	if len(names) > groupsShown+1 {
		shown = names[:groupsShown]
	}
	fmt.Fprintln(w)
	writeHeader(w, name)
	for _, n := range shown {
		writeSummary(w, n, by[n])
	}
	if len(shown) < len(names) {
		others := slices.DeleteFunc(slices.Clone(v.result.Rows), func(j fit.Judged) bool { return slices.Contains(shown, key(j)) })
		writeSummary(w, counted(len(names)-len(shown), "other"), fit.Summarise(others))
	}
}

// writeWorst prints the rows that are furthest off.
func (v *validation) writeWorst(w io.Writer, n int) {
	if n == 0 {
		return
	}
	fmt.Fprint(w, "\n  WORST\tPREDICTED\t  MEASURED\tMETRIC\tOF WHAT\n")
	for _, j := range fit.Worst(v.result.Rows, n) {
		unit := j.Row.Metric.Unit()
		fmt.Fprintf(w, "%s\t%9s\t%10s\t%s\t%s\n", share("%+.0f", j.Error()), significant(j.Predicted), significant(j.Row.Value)+" "+unit, j.Row.Metric, describe(j))
	}
}

// describe says in one line what a row measured.
func describe(j fit.Judged) string {
	r := j.Row
	text := fmt.Sprintf("%s: %s %s on ", r.ID, r.Model, r.WeightFormat)
	if r.GPUs > 1 {
		text += fmt.Sprintf("%d x ", r.GPUs)
	}
	text += r.GPU + " by " + r.Engine
	for _, count := range []struct {
		name string
		n    int
	}{{"batch", r.Batch}, {"prompt", r.Prompt}, {"answer", r.Generated}} {
		if count.n != fit.Unstated {
			text += fmt.Sprintf(", %s %d", count.name, count.n)
		}
	}
	return text + either(j.Pooled, "; pooled", "")
}

// reasonsShown is how many reasons for skipping rows the table has.
const reasonsShown = 10

// writeSkipped prints why rows were skipped, most frequent reasons first.
func (v *validation) writeSkipped(w io.Writer) {
	if len(v.result.Skipped) == 0 {
		return
	}
	rows := map[string][]string{}
	for _, s := range v.result.Skipped {
		rows[reason(s)] = append(rows[reason(s)], s.Row.ID)
	}
	reasons := slices.SortedFunc(maps.Keys(rows), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(rows[b]), len(rows[a])), cmp.Compare(a, b))
	})
	fmt.Fprintf(w, "\nSKIPPED %s, IN NO FIGURE\n", strings.ToUpper(counted(len(v.result.Skipped), "row")))
	for _, r := range reasons[:min(reasonsShown, len(reasons))] {
		fmt.Fprintf(w, "- %s: %s\n", first(rows[r]), r)
	}
	if more := len(reasons) - reasonsShown; more > 0 {
		fmt.Fprintf(w, "- and for %s: --format json has all\n", counted(more, "other reason"))
	}
}

// first names the first of some rows, and says how many there are.
func first(ids []string) string {
	if len(ids) == 1 {
		return ids[0]
	}
	return fmt.Sprintf("%s and %d more", ids[0], len(ids)-1)
}

// legend says what the columns mean.
func (v *validation) legend() string {
	text := `Mean, median and p90 are of |predicted - measured| / measured, each row counting once; a
median needs 2 rows, a p90 10. Bias keeps the sign: above 0 when the predicted number is
the larger one. Every error of a row, and all groups, are in --format json and csv.`
	if v.cross == "" {
		return text
	}
	return text + fmt.Sprintf(`
Told: rows of another %s tell every number behind the prediction. Pooled: one of them
they do not. Fitted on all: the same rows by numbers that were fitted on all of them.`, noun(v.cross))
}
