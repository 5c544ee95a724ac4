package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
)

// More is what a report shows that the run's own traces do not tell, or that others find
// in them. Each part may be left out.
type More struct {
	Diagnoses []Diagnosis
	Changes   *budgets.Changes
	Curve     *budgets.Curve
}

// Diagnosis is a known failure that somebody found in the run.
type Diagnosis struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Evidence []string `json:"evidence"`
	Fix      string   `json:"fix"`
	Cost     *float64 `json:"cost_ms"` // how much sooner replies would land without it, on average; nil for unknown
}

// Settings are what other settings of the stack would bring, the best first.
type Settings struct {
	Metric   string    `json:"metric"`
	By       string    `json:"by"` // the percentile that they are ranked by
	Sentence string    `json:"sentence"`
	Turns    int       `json:"turns"`
	Now      State     `json:"now"`
	Changes  []Setting `json:"changes"`
	Best     *Best     `json:"best"`
}

// State is how soon replies land and how often the agent cuts in.
type State struct {
	P50   *float64 `json:"p50"`
	P95   *float64 `json:"p95"`
	CutIn *float64 `json:"cut_in"`
}

// Setting is one change.
type Setting struct {
	What string  `json:"what"`
	Key  string  `json:"key"`
	Cost string  `json:"cost"`
	Gain float64 `json:"gain_ms"`
	State
}

// Best is the best combination that is free of more cut-ins.
type Best struct {
	State
	Changes []string     `json:"changes"`
	Rest    []StageShare `json:"rest"`
}

// Curve is V2V against cut-ins over one setting.
type Curve struct {
	Policy  string       `json:"policy"`
	Setting string       `json:"setting"`
	Unit    string       `json:"unit"`
	Metric  string       `json:"metric"`
	Turns   int          `json:"turns"`
	Pauses  int          `json:"pauses"`
	Repeats int          `json:"repeats"`
	Points  []CurvePoint `json:"points"`
}

// CurvePoint is one value of it.
type CurvePoint struct {
	Setting   float64    `json:"setting"`
	P50       *float64   `json:"p50"`
	P95       *float64   `json:"p95"`
	CutIn     Proportion `json:"cut_in"`
	Audible   Proportion `json:"audible"`
	Now       bool       `json:"now"`
	Efficient bool       `json:"efficient"`
}

// Proportion is a share with its 95 % interval.
type Proportion struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Judged returns the percentile of the landing that a budget limits, p95 before p50; p50
// where none does.
func (r *Report) Judged() quantile.Q {
	q, _, _ := r.judged()
	return q
}

// Analysis returns what the report is made of, which must not be changed.
func (r *Report) Analysis() *budgets.Analysis { return r.analysis }

// With adds what is handed in, in place of what was before. Diagnoses take the place of
// those that New finds, unless there are none.
func (r *Report) With(m More) {
	r.changes, r.curve = m.Changes, m.Curve
	if m.Diagnoses != nil {
		r.Diagnoses = m.Diagnoses
	}
	r.Settings, r.Curve = nil, nil
	if r.changes != nil {
		r.Settings = r.settings()
	}
	if r.curve != nil {
		r.curve.Mark()
		r.Curve = curveOf(r.curve)
	}
}

func curveOf(c *budgets.Curve) *Curve {
	out := &Curve{c.Policy, c.Setting, c.Unit, c.Metric, c.Turns, c.Pauses, c.Repeats, []CurvePoint{}}
	for _, p := range c.Points {
		out.Points = append(out.Points, CurvePoint{p.Setting, inMS(p.P50), inMS(p.P95), Proportion(p.CutIn), Proportion(p.Audible), p.Now, p.Efficient})
	}
	return out
}

// judged returns the percentile of the landing that a budget limits, and the tightest
// limit; the p50 and no limit where none does.
func (r *Report) judged() (q quantile.Q, limit budgets.Limit, ok bool) {
	q = quantile.P50
	for i := range r.analysis.Judgements {
		b := &r.analysis.Judgements[i].Budget
		if b.Function != budgets.Quantile || b.Metric.Name != r.analysis.Landing().Metric.Name || b.Q != quantile.P50 && b.Q != quantile.P95 {
			continue
		}
		if !ok || b.Q == quantile.P95 && q != b.Q {
			q, limit, ok = b.Q, b.Limit, true
		}
	}
	return q, limit, ok
}

func stateOf(s budgets.State) State {
	return State{inMS(s.P50), inMS(s.P95), number(budgets.Share, s.CutIn, s.CutInKnown)}
}

func (r *Report) settings() *Settings {
	c := r.changes
	q, _, _ := r.judged()
	s := &Settings{Metric: c.Metric, By: q.String(), Turns: c.Turns, Now: stateOf(c.Now), Changes: []Setting{}, Sentence: r.reach()}
	for _, x := range c.Ranked(q) {
		s.Changes = append(s.Changes, Setting{x.What, x.Key, x.Cost, millis(gain(c.Now.At(q), x.Would.At(q))), stateOf(x.Would)})
	}
	if b := c.Best; b != nil {
		s.Best = &Best{State: stateOf(b.Would), Changes: []string{}, Rest: []StageShare{}}
		for _, p := range b.Parts {
			s.Best.Changes = append(s.Best.Changes, p.What)
		}
		for _, p := range b.Rest {
			s.Best.Rest = append(s.Best.Rest, StageShare{p.Stage, millis(p.Takes)})
		}
	}
	return s
}

// gain is how much sooner replies land; 0 where either is not known.
func gain(now, would time.Duration) time.Duration {
	if now == pipeline.Unknown || would == pipeline.Unknown {
		return 0
	}
	return now - would
}

// reach says in a sentence what the stack can reach, and what is in the way.
func (r *Report) reach() string {
	c := r.changes
	q, limit, limited := r.judged()
	noun, now := fmt.Sprintf("the %v reply", q), c.Now.At(q)
	if now == pipeline.Unknown {
		return fmt.Sprintf("Too few turns landed for %s, so nothing is said of what would help.", noun)
	}
	if c.Best == nil {
		words := fmt.Sprintf("None of these changes brings %s below %s", noun, length(now))
		if !c.Now.CutInKnown {
			words += " that is sure not to cut in more often"
		}
		return words + "."
	}
	would := c.Best.Would.At(q)
	words := fmt.Sprintf("Changed in %s (%s), this stack lands %s at %s instead of %s", counted(len(c.Best.Parts), "setting"), c.Best.Words(), noun, length(would), length(now))
	if limited {
		words += ", " + against(would, limit)
	}
	words += r.cutInWords() + "."
	if limited && !limit.Holds(float64(would)) {
		words += beyondReach(c.Best.Rest)
	}
	return words
}

func length(d time.Duration) string { return budgets.Duration.Format(float64(d)) }

// against says where a latency lies of a limit.
func against(d time.Duration, limit budgets.Limit) string {
	_, of, apart := budgets.Duration.FormatBeside(float64(d), limit.Value)
	if limit.Holds(float64(d)) {
		return fmt.Sprintf("%s inside %s", apart, of)
	}
	return fmt.Sprintf("still %s over %s", apart, of)
}

// cutInWords say what the best changes do to cut-ins.
func (r *Report) cutInWords() string {
	now, would := r.changes.Now, r.changes.Best.Would
	switch {
	case !now.CutInKnown || !would.CutInKnown:
		return ""
	case now.CutIn == would.CutIn:
		return fmt.Sprintf(", and cuts in on %s of turns as now", percent(now.CutIn))
	}
	return fmt.Sprintf(", and cuts in on %s of turns instead of %s", percent(would.CutIn), percent(now.CutIn))
}

// beyondReach says what is left where the best is not enough.
func beyondReach(rest []budgets.Part) string {
	if len(rest) == 0 {
		return " More takes other parts."
	}
	parts := make([]string, 0, 3)
	for _, p := range rest[:min(3, len(rest))] {
		parts = append(parts, fmt.Sprintf("%s (%s)", p.Stage, length(p.Takes)))
	}
	return " More takes other parts: what remains is mostly " + strings.Join(parts, ", ") + "."
}

// settingsSection ranks what settings would bring.
func (r *Report) settingsSection() section {
	if r.changes == nil {
		return section{}
	}
	c := r.changes
	q, limit, limited := r.judged()
	s := section{title: fmt.Sprintf("What settings would bring, by %v", q), notes: []string{r.Settings.Sentence}}
	if len(c.All) == 0 {
		s.notes = append(s.notes, "No setting that is known to help is left to change.")
		return s
	}
	s.rows = [][]cell{{left("").in(dim), right("p50").in(dim), right("p95").in(dim), right("gain").in(dim), right("cut-in").in(dim), left("").in(dim)}}
	row := func(what string, x budgets.State, mark string) {
		s.rows = append(s.rows, []cell{left(what), right(knownLength(x.P50)), right(knownLength(x.P95)), right(gained(c.Now.At(q), x.At(q))), right(cutInOf(x)), left(mark).in(dim)})
	}
	inside := func(x budgets.State) string {
		if limited && x.At(q) != pipeline.Unknown && limit.Holds(float64(x.At(q))) {
			return "inside"
		}
		return ""
	}
	row("as it is", c.Now, inside(c.Now))
	for _, x := range c.Ranked(q) {
		row(x.What, x.Would, inside(x.Would))
	}
	if b := c.Best; b != nil && len(b.Parts) > 1 {
		row(fmt.Sprintf("%d of them together", len(b.Parts)), b.Would, inside(b.Would))
	}
	for _, x := range c.Ranked(q) {
		s.notes = append(s.notes, fmt.Sprintf("%s: %s%s", x.What, x.Key, costs(x.Cost)))
	}
	s.notes = append(s.notes, fmt.Sprintf("The scenario is run again with each, of %s; those together do not cut in more often than now, and where that is not known end no turn sooner.", counted(c.Turns, "turn")))
	return s
}

func costs(cost string) string {
	if cost == "" {
		return "."
	}
	return "; " + cost + "."
}

func knownLength(d time.Duration) string {
	if d == pipeline.Unknown {
		return "-"
	}
	return length(d)
}

// gained is a gain in ms, with its sign.
func gained(now, would time.Duration) string {
	if now == pipeline.Unknown || would == pipeline.Unknown || now == would {
		return ""
	}
	d := would - now
	return signed(length(max(d, -d)), float64(d))
}

func cutInOf(s budgets.State) string {
	if !s.CutInKnown {
		return "not known"
	}
	return percent(s.CutIn)
}

// diagnoses prints what somebody found in the run.
func (r *Report) diagnoses(p *page) {
	if len(r.Diagnoses) == 0 {
		return
	}
	p.heading("Diagnosis")
	for _, d := range r.Diagnoses {
		p.paragraph(2, yellow, d.head())
		for _, e := range d.Evidence {
			p.paragraph(4, plain, "- "+e)
		}
		p.paragraph(4, plain, "Fix: "+d.Fix)
	}
}

func (d *Diagnosis) head() string {
	words := d.ID + ": " + d.Title
	if d.Cost != nil {
		words += fmt.Sprintf(" (costs %s a turn)", orDash(d.Cost))
	}
	return words
}

func (r *Report) markDiagnoses(m *markdown) {
	if len(r.Diagnoses) == 0 {
		return
	}
	m.heading(4, "Diagnosis")
	for _, d := range r.Diagnoses {
		m.paragraph(d.head())
		for _, e := range d.Evidence {
			m.bullet(e)
		}
		m.bullet("Fix: " + d.Fix)
		m.end()
	}
}

// markTurns folds away what a page of voice turns has beside its first tables.
func (r *Report) markTurns(m *markdown) {
	if r.Voice == nil {
		return
	}
	m.fold("Where the time goes", func() {
		for _, s := range append(r.turnTables(), r.callSection(), r.asideSection(), r.curveSection()) {
			m.section(4, s)
		}
	})
	if s := r.dashboardSection(); !s.empty() {
		m.fold("As other dashboards number it", func() { m.section(4, s) })
	}
}

// curveTable prints the curve: its points, and a plot of them.
func (r *Report) curveTable(p *page) {
	s := r.curveSection()
	if s.empty() {
		return
	}
	p.section(s)
	for _, l := range plot(r.curve, r.Judged(), min(60, p.width-30)) {
		p.line(l)
	}
}

// curveSection shows V2V against cut-ins.
func (r *Report) curveSection() section {
	c := r.curve
	if c == nil || len(c.Points) == 0 {
		return section{}
	}
	s := section{title: fmt.Sprintf("Voice to voice against cut-ins, over %s of: %s", c.Setting, c.Policy)}
	s.rows = [][]cell{{right(c.Setting).in(dim), right("p50").in(dim), right("p95").in(dim), right("cut-in").in(dim), left("95 % interval").in(dim), right("heard").in(dim), left("")}}
	for i := range c.Points {
		p := &c.Points[i]
		s.rows = append(s.rows, []cell{
			right(valueOf(c, p.Setting)), right(knownLength(p.P50)), right(knownLength(p.P95)), right(percent(p.CutIn.Value)),
			left(percent(p.CutIn.Low) + " to " + percent(p.CutIn.High)), right(percent(p.Audible.Value)), left(pointWords(p)).in(dim),
		})
	}
	s.notes = []string{
		fmt.Sprintf("Of %s with %s inside, each tried %s: a cut-in takes a pause for the end; heard are those in which the reply begins before the user goes on. Efficient: no other value is as quick and cuts in as seldom.",
			counted(c.Turns, "turn"), counted(c.Pauses, "pause"), counted(max(1, c.Repeats), "time")),
	}
	if words := advised(c, r.Judged()); words != "" {
		s.notes = append(s.notes, words)
	}
	return s
}

func pointWords(p *budgets.CurvePoint) string {
	words := make([]string, 0, 2)
	if p.Efficient {
		words = append(words, "efficient")
	}
	if p.Now {
		words = append(words, "now")
	}
	return strings.Join(words, ", ")
}

// fewCutIns is the share of cut-ins up to which advice looks for the quickest value where
// the present one is not on the curve: assumed.
const fewCutIns = .05

// advised names the quickest value that cuts in no more often than now.
func advised(c *budgets.Curve, q quantile.Q) string {
	most, as := fewCutIns, percent(fewCutIns)+" of turns at most"
	now := c.Now()
	if now != nil {
		most, as = now.CutIn.Value, "no more turns than now"
	}
	best := c.Quickest(q, most)
	switch {
	case best == nil:
		return fmt.Sprintf("None of the values cuts in on %s.", as)
	case now != nil && best.At(q) == now.At(q):
		return fmt.Sprintf("The present value is the quickest that cuts in on %s: being quicker costs cut-ins.", as)
	}
	return fmt.Sprintf("Quickest that cuts in on %s: %s %s, p50 %s, p95 %s, %s of turns.", as, c.Setting, valueOf(c, best.Setting), knownLength(best.P50), knownLength(best.P95), percent(best.CutIn.Value))
}

// valueOf is a value of the setting with its unit.
func valueOf(c *budgets.Curve, v float64) string {
	if c.Unit == "" {
		return budgets.Number(v, 2)
	}
	return budgets.Number(v, 0) + " " + c.Unit
}

// plotHeight is how many lines the points of a curve are spread over.
const plotHeight = 10

// plot draws cut-ins (across) against a percentile of latency (up): ● efficient points, ○
// others, ◆ the present one.
func plot(c *budgets.Curve, q quantile.Q, width int) []string {
	latency := func(p *budgets.CurvePoint) time.Duration { return p.At(q) }
	points := slices.DeleteFunc(slices.Clone(c.Points), func(p budgets.CurvePoint) bool { return latency(&p) == pipeline.Unknown })
	if len(points) < 2 {
		return nil
	}
	least, most, widest := latency(&points[0]), latency(&points[0]), 0.0
	for i := range points {
		least, most, widest = min(least, latency(&points[i])), max(most, latency(&points[i])), max(widest, points[i].CutIn.Value)
	}
	cells := make([][]rune, plotHeight)
	for i := range cells {
		cells[i] = slices.Repeat([]rune{' '}, width)
	}
	slices.SortStableFunc(points, func(a, b budgets.CurvePoint) int { return cmp.Compare(rank(&a), rank(&b)) })
	for i := range points {
		p := &points[i]
		x := int(p.CutIn.Value / max(widest, 1e-9) * float64(width-1))
		y := int(float64(most-latency(p)) / float64(max(most-least, 1)) * (plotHeight - 1))
		cells[y][x] = [3]rune{'○', '●', '◆'}[rank(p)]
	}
	labels := make([]string, plotHeight)
	labels[0], labels[plotHeight-1] = length(most), length(least)
	pad := max(len(labels[0]), len(labels[plotHeight-1]))
	lines := []string{"", fmt.Sprintf("  %v of %s", q, c.Metric)}
	for i := range cells {
		lines = append(lines, fmt.Sprintf("  %*s │%s", pad, labels[i], strings.TrimRight(string(cells[i]), " ")))
	}
	right := percent(widest)
	return append(lines,
		fmt.Sprintf("  %*s └%s", pad, "", strings.Repeat("─", width)),
		fmt.Sprintf("  %*s  0 %%%*s", pad, "", width-3, right+" cut in on"),
		fmt.Sprintf("  %*s  ● efficient  ◆ now  ○ others", pad, ""))
}

// rank is which of several points in a cell is drawn: the present one before efficient
// ones before others.
func rank(p *budgets.CurvePoint) int {
	switch {
	case p.Now:
		return 2
	case p.Efficient:
		return 1
	}
	return 0
}
