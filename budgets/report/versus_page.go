package report

import (
	"fmt"
	"io"
	"strings"

	"halfsecond/budgets"
	"halfsecond/budgets/versus"
)

var wordStyles = map[versus.Word]style{versus.Better: green, versus.Worse: red, versus.CannotTell: yellow}

// wordMarks tell words apart without colour.
var wordMarks = map[versus.Word]string{versus.Better: "✓", versus.Worse: "✗", versus.NoDifference: "=", versus.CannotTell: "?"}

var versusStyles = map[versus.Verdict]style{
	versus.Improvement: green, versus.Unchanged: green, versus.NotWorse: plain, versus.Regression: red, versus.Undecided: yellow,
}

var versusSigns = map[versus.Verdict]string{
	versus.Improvement: "✅", versus.Unchanged: "✅", versus.NotWorse: "✅", versus.Regression: "❌", versus.Undecided: undecidedSign,
}

// roles are the families of rows, with their titles.
var roles = []struct {
	role  versus.Role
	title string
}{
	{versus.Judged, "What decides"}, {versus.OfRequest, "Requests, which explain"}, {versus.OfStage, "Stages, which explain"},
}

// Table writes the comparison as a terminal page.
func (v *Versus) Table(w io.Writer, o Options) error {
	p := newPage(o)
	p.paragraph(0, versusStyles[v.Verdict], v.Summary)
	for _, line := range v.runs() {
		p.paragraph(0, dim, line)
	}
	for _, warning := range v.Warnings {
		p.paragraph(0, yellow, "Warning: "+warning+".")
	}
	for _, r := range roles {
		p.section(v.family(r.role, r.title))
	}
	p.heading("Notes")
	for _, n := range v.notes() {
		p.paragraph(2, plain, n)
	}
	for _, name := range v.metrics() {
		p.definition(name, v.Formulas[name])
	}
	if _, err := io.WriteString(w, p.b.String()); err != nil {
		return fmt.Errorf("write comparison: %w", err)
	}
	return nil
}

// Markdown writes the comparison as a page for a pull request: what decides in sight,
// the rest folded away.
func (v *Versus) Markdown(w io.Writer) error {
	var m markdown
	m.heading(3, fmt.Sprintf("%s %s on %s: %v", versusSigns[v.Verdict], v.B.Scenario, v.B.Target, v.Verdict))
	m.paragraph(v.Summary)
	for _, line := range v.runs() {
		m.bullet(line)
	}
	for _, warning := range v.Warnings {
		m.bullet("Warning: " + warning + ".")
	}
	m.end()
	m.section(4, v.family(versus.Judged, roles[0].title))
	m.fold("Requests and stages", func() {
		for _, r := range roles[1:] {
			m.section(4, v.family(r.role, r.title))
		}
	})
	m.fold("How to read this", func() {
		for _, n := range v.notes() {
			m.bullet(n)
		}
		for _, name := range v.metrics() {
			m.bullet(name + ": " + v.Formulas[name])
		}
		m.end()
	})
	return m.writeTo(w)
}

// runs says what A and B are.
func (v *Versus) runs() (lines []string) {
	for _, s := range []struct {
		name string
		r    *VersusRun
	}{{"A", &v.A}, {"B", &v.B}} {
		facts := []string{fmt.Sprintf("%s: %s on %s", s.name, s.r.Scenario, s.r.Target), counted(s.r.N, "interaction"), fmt.Sprintf("seed %d", s.r.Seed)}
		if s.r.Model != nil {
			facts = append(facts, *s.r.Model)
		}
		if s.r.ScenarioHash != "" {
			facts = append(facts, "scenario hash "+s.r.ScenarioHash[:min(12, len(s.r.ScenarioHash))])
		}
		if s.r.Version != "" {
			facts = append(facts, "halfsecond "+s.r.Version)
		}
		lines = append(lines, strings.Join(append(facts, ended(s.r)), " · "))
	}
	return lines
}

// ended counts the outcomes of a run's requests.
func ended(r *VersusRun) string {
	var words []string
	for _, o := range sortedKeys(r.Requests) {
		words = append(words, count(r.Requests[o])+" "+o)
	}
	if len(words) == 0 {
		return "no requests"
	}
	return "requests " + strings.Join(words, ", ")
}

// family is the table of the rows of one role.
func (v *Versus) family(role versus.Role, title string) section {
	s := section{title: title, rows: [][]cell{{
		left("").in(dim), left("").in(dim), left("").in(dim), right("A").in(dim), right("B").in(dim), right("B - A").in(dim), left("interval").in(dim),
	}}}
	last := ""
	for i := range v.comparison.Rows {
		r := &v.comparison.Rows[i]
		if r.Role != role {
			continue
		}
		name := r.Metric
		if name == last {
			name = ""
		}
		last = r.Metric
		a, b := beside(r)
		s.rows = append(s.rows, []cell{
			left(wordMarks[r.Word] + " " + r.Word.String()).in(wordStyles[r.Word]), left(name), left(r.Figure), right(a), right(b), right(byHow(r)), left(orWhy(r)),
		})
	}
	return s
}

// beside returns both figures of a row.
func beside(r *versus.Row) (a, b string) {
	if r.Unit == budgets.Share || r.Unit == budgets.Count {
		a, b, _ = r.Unit.FormatBeside(r.A, r.B)
		return a, b
	}
	row := r.Unit.Row(r.A, r.B, max(r.A, r.B))
	return row[0], row[1]
}

// orWhy returns the interval of a row, or why it has none.
func orWhy(r *versus.Row) string {
	switch {
	case r.HasInterval:
		return reach(r)
	case r.Takes > 0:
		return fmt.Sprintf("none: takes %s values each", count(r.Takes))
	}
	return "none: median published only"
}

// metrics returns the metrics of the rows, in their order.
func (v *Versus) metrics() (names []string) {
	for _, r := range v.Rows {
		names = with(names, r.Metric)
	}
	return names
}

func (v *Versus) notes() []string {
	families := map[versus.Role]float64{}
	for i := range v.comparison.Rows {
		families[v.comparison.Rows[i].Role] = v.comparison.Rows[i].Confidence
	}
	var each []string
	for _, r := range roles {
		if c, ok := families[r.role]; ok {
			each = append(each, budgets.Number(100*c, 2)+" %")
		}
	}
	return []string{
		fmt.Sprintf("A word follows from the interval of B - A, never from the two figures: better or worse where it holds no zero and reaches beyond what matters; "+
			"no difference that matters where all of it is smaller; else it cannot be told. What matters: %s of A for a duration, a count or a speed, and %s at least of a duration that is no pace; %s of 100 for a share.",
			percent(v.Matters), budgets.Duration.Format(float64(versus.LeastMatters)), budgets.Number(100*versus.ShareMatters, 0)),
		fmt.Sprintf("The intervals of each table hold the truth together in 95 of 100 comparisons, so each has more confidence for itself (%s). Only the first table decides.",
			strings.Join(append(each, "Bonferroni"), ", ")),
		v.method(),
		"A percentile q is the sample of rank ceil(q n). Only what ended ok has a latency; in goodput everything counts.",
	}
}

// method says how the intervals were made.
func (v *Versus) method() string {
	drawn := fmt.Sprintf("Paired: of %s the same one of both runs is drawn again together, %s, so that what they have in common cancels out", counted(v.Pairs, "interaction"), v.DrawnA)
	if v.Unpaired != nil {
		drawn = fmt.Sprintf("Not paired, since %s. Drawn again of A: %s; of B: %s", *v.Unpaired, v.DrawnA, v.DrawnB)
	}
	return fmt.Sprintf("All but shares: percentile bootstrap, %s resamples, seed %d. %s. Of shares: Newcombe, for as many independent members as they are worth when drawn so.",
		count(v.Resamples), v.ResampleSeed, drawn)
}

// JUnit writes the comparison as JUnit XML: a test case for each figure that decides. One
// that is worse is a failure. One of which nothing can be told is skipped, since it is
// not worse as far as anybody knows; where nothing can be told of any, all are errors,
// for then the comparison has found out nothing.
func (v *Versus) JUnit(w io.Writer) error { return v.suite().writeTo(w) }

func (v *Versus) suite() suite {
	s := suite{Name: fmt.Sprintf("%s on %s compared", v.B.Scenario, v.B.Target), Out: v.Summary, Properties: []property{
		{"scenario_hash", v.B.ScenarioHash}, {"target", v.B.Target}, {"version", v.B.Version}, {"verdict", v.Verdict.String()},
	}}
	class := "halfsecond.compare." + v.B.Target + "." + v.B.Scenario
	for i := range v.comparison.Rows {
		r := &v.comparison.Rows[i]
		if r.Role != versus.Judged {
			continue
		}
		c := testCase{Class: class, Name: r.Metric}
		if r.Unit == budgets.Duration {
			c.Name, c.Time = r.Figure+"("+r.Metric+")", seconds(r.B)
		}
		why := &trouble{Message: went(r) + ": cannot tell: " + r.Reason}
		switch {
		case r.Word == versus.Worse:
			c.Failure = &trouble{Type: "worse", Message: went(r)}
		case r.Word == versus.CannotTell && v.Verdict == versus.Undecided:
			why.Type = "unmeasured"
			c.Error = why
		case r.Word == versus.CannotTell:
			c.Skipped = why
		}
		s.add(c)
	}
	if s.Tests == 0 {
		s.add(testCase{Class: class, Name: "there is something to compare", Error: &trouble{Type: "unmeasured", Message: v.Summary}})
	}
	return s
}
