package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
)

// Options say how to set a terminal page.
type Options struct {
	Width int  // columns; 0 means 100, less than 80 means 80. Tables take what they need
	Color bool // whether escape sequences for colour may be used
}

func newPage(o Options) *page {
	return &page{width: max(cmp.Or(o.Width, 100), 80), color: o.Color}
}

// Table writes the report as a terminal page.
func (r *Report) Table(w io.Writer, o Options) error {
	p := newPage(o)
	r.head(p)
	p.section(r.v2v())
	if why := r.why(); why != "" {
		p.paragraph(0, plain, why)
	}
	r.budgetTable(p)
	r.waterfalls(p)
	r.diagnoses(p)
	for _, s := range r.leverSections() {
		p.section(s)
	}
	p.section(r.settingsSection())
	r.curveTable(p)
	p.section(r.callSection())
	p.section(r.asideSection())
	p.section(r.dashboardSection())
	for _, s := range r.ghostSections() {
		p.section(s)
	}
	if lines := r.timelines(); len(lines) > 0 {
		for _, t := range lines {
			p.timeline(t)
		}
		p.line("")
		p.paragraph(2, dim, timelineLegend)
		if words := verdictLegend(lines); words != "" {
			p.paragraph(2, dim, words)
		}
	}
	p.section(r.stageSection())
	p.section(r.metricSection())
	for _, s := range r.networkSections() {
		p.section(s)
	}
	r.notes(p)
	if _, err := io.WriteString(w, p.b.String()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

var verdictStyles = map[budgets.Verdict]style{budgets.Pass: green, budgets.Fail: red, budgets.Unmeasured: yellow}

func (r *Report) head(p *page) {
	p.paragraph(0, verdictStyles[r.Verdict], r.Summary)
	if t := r.Tester; t != nil && t.Advice != nil {
		p.paragraph(0, yellow, *t.Advice)
	}
	for _, line := range r.ran() {
		p.paragraph(0, dim, line)
	}
}

// ran says what was run, and which model and services answered.
func (r *Report) ran() []string {
	lines := []string{strings.Join(r.facts(), " · ")}
	if r.Engine != nil {
		lines = append(lines, "language model: "+*r.Engine)
	}
	if s := services(r.analysis.Run.Header.Endpoints); s != "" {
		lines = append(lines, s)
	}
	return lines
}

// facts say in a few words what was run.
func (r *Report) facts() []string {
	facts := []string{fmt.Sprintf("%s on %s", r.Scenario, r.Target), count(r.N) + " " + r.noun(r.N), fmt.Sprintf("seed %d", r.Seed)}
	if r.WarmUp > 0 {
		facts[1] += " after " + count(r.WarmUp) + " of warm-up"
	}
	if s := r.StartUp; s != nil && s.Cut > 0 {
		facts[1] += " after " + count(s.Cut) + " of start-up"
	}
	if r.ScenarioHash != "" {
		facts = append(facts, "scenario hash "+r.ScenarioHash[:min(12, len(r.ScenarioHash))])
	}
	if r.Version != "" {
		facts = append(facts, "halfsecond "+r.Version)
	}
	if r.TextsHashed {
		facts = append(facts, "texts kept as hashes")
	}
	return facts
}

// verdictMarks tell verdicts apart without colour.
var verdictMarks = map[budgets.Verdict]string{budgets.Pass: "✓", budgets.Fail: "✗", budgets.Unmeasured: "?"}

func (r *Report) budgetTable(p *page) {
	if len(r.Budgets) == 0 {
		return
	}
	p.heading("Budgets")
	p.rows(r.budgetRows())
	for _, text := range r.reasons(func(*budgets.Judgement) bool { return true }) {
		p.paragraph(4, plain, text)
	}
}

// reasons say why budgets have their verdicts, those of which it is asked. Budgets with the same
// reason are named together, and none whose reason the summary gives in full for all.
func (r *Report) reasons(of func(j *budgets.Judgement) bool) (all []string) {
	names, order := map[string][]string{}, []string{}
	for i := range r.analysis.Judgements {
		j := &r.analysis.Judgements[i]
		if j.Reason == "" || !of(j) || j.Reason == r.analysis.Unfit && strings.Contains(r.Summary, j.Reason) {
			continue
		}
		if names[j.Reason] == nil {
			order = append(order, j.Reason)
		}
		names[j.Reason] = append(names[j.Reason], j.Budget.Name())
	}
	for _, reason := range order {
		all = append(all, listed(names[reason])+": "+reason)
	}
	return all
}

func (r *Report) budgetRows() [][]cell {
	rows := [][]cell{{left(""), left("").in(dim), right("n").in(dim), right("value").in(dim), right("margin").in(dim), left("95 % interval").in(dim)}}
	for i := range r.analysis.Judgements {
		j := &r.analysis.Judgements[i]
		mark := left(verdictMarks[j.Verdict] + " " + j.Verdict.String()).in(verdictStyles[j.Verdict])
		rows = append(rows, []cell{mark, left(j.Budget.String()), right(count(j.N)), right(value(j)), right(margin(j)), left(interval(j))})
	}
	return rows
}

func value(j *budgets.Judgement) string {
	if !j.HasValue {
		return "-"
	}
	v, _, _ := j.Beside()
	return v
}

func margin(j *budgets.Judgement) string {
	if j.Verdict == budgets.Unmeasured {
		return "-"
	}
	_, _, gap := j.Beside()
	return signed(gap, j.Margin)
}

func interval(j *budgets.Judgement) string {
	switch b, u := j.Budget, j.Unit(); {
	case j.HasInterval:
		return u.Format(j.Low) + " to " + u.Format(j.High) + worth(j)
	case b.Function == budgets.Quantile:
		return fmt.Sprintf("none: n < %s", count(quantile.IntervalNeeds(b.Q, 0.95)))
	case b.Metric.Whole() && j.N < 2:
		return "none: one value for the run"
	case u == budgets.Share || b.Metric.Whole():
		return "none: too few, or nothing varies"
	}
	return "none: of percentiles and shares"
}

// worth says how many independent members those of a share are worth, where that is fewer.
func worth(j *budgets.Judgement) string {
	n := math.Round(j.Independent)
	if n == 0 || n >= float64(j.N) {
		return ""
	}
	return fmt.Sprintf(" (n worth %s)", count(int(n)))
}

// worthNote says what that means; "" where no budget says it.
func (r *Report) worthNote() string {
	if !slices.ContainsFunc(r.analysis.Judgements, func(j budgets.Judgement) bool { return worth(&j) != "" }) {
		return ""
	}
	return "n worth fewer: members of a share that resemble each other, in one session or as neighbours in time, tell as much as so many independent ones, and its interval is theirs."
}

func (r *Report) waterfalls(p *page) {
	tightest, _ := r.analysis.LandingLimit()
	limit := time.Duration(tightest.Value)
	for i := range r.analysis.Exemplars {
		e := &r.analysis.Exemplars[i]
		p.waterfall(r.exemplarTitle(e), e, limit)
	}
	if words := r.noTail(); words != "" {
		p.line("")
		p.paragraph(0, dim, words)
	}
	if len(r.analysis.Exemplars) > 0 {
		p.line("")
		p.paragraph(2, dim, "● critical: these follow each other without a gap and add up to the landing. "+slackWords)
	}
}

// slackWords says what slack is.
const slackWords = "Slack: how much longer a stage could have been without moving it."

// exemplarTitle names an interaction that stands for others.
func (r *Report) exemplarTitle(e *budgets.Exemplar) string {
	return fmt.Sprintf("The %s %s lands at %s (session %d, %s %d)",
		e.Name, r.noun(1), budgets.Duration.Format(float64(e.Value)), e.Trace.Session, r.noun(1), e.Trace.Index)
}

// noTail says that too few landed for one to stand for the slow ones; "" where enough did.
func (r *Report) noTail() string {
	n := len(r.analysis.Landing().Values)
	if n >= quantile.P95.Needs() {
		return ""
	}
	return fmt.Sprintf("There is no p95 %s: %s landed, and it takes %d.", r.noun(1), count(n), quantile.P95.Needs())
}

// leversShown is how many levers of a budget the page lists; the document has
// all of them.
const leversShown = 5

// leverSections show for each budget what would bring it inside.
func (r *Report) leverSections() (all []section) {
	for i := range r.analysis.Judgements {
		j := &r.analysis.Judgements[i]
		if len(j.Levers) == 0 {
			continue
		}
		rows := [][]cell{{left("").in(dim), left("").in(dim), right("cut").in(dim), right("without it").in(dim)}}
		for _, l := range j.Levers[:min(leversShown, len(j.Levers))] {
			rows = append(rows, []cell{left(strings.Join(l.Stages, " + ")), advice(l), right(cut(l)), right(j.Unit().Format(l.AtZero))})
		}
		all = append(all, section{title: "What would bring " + j.Budget.String() + " inside", rows: rows})
	}
	if n := len(all); n > 0 {
		all[n-1].notes = []string{"Every recorded " + r.noun(1) + " is replayed with only that stage shortened: the same requests, the same waits between stages. One that was given up at a stage lands when the shorter stage would have ended before."}
		if run := r.analysis.Ghost(); run != nil && untold(run.Censored().Why) > 0 {
			all[n-1].notes[0] += " One whose answer was discarded in the editor, or held back, stays without text."
		}
	}
	return all
}

// advice is what a row of levers says to do.
func advice(l budgets.Lever) cell {
	switch to := target(l); {
	case !l.Enough:
		return left("not enough alone").in(dim)
	case to == "":
		return left("do without")
	default:
		return left("shorten to " + to)
	}
}

func cut(l budgets.Lever) string {
	if !l.Enough {
		return ""
	}
	return budgets.Number(-100*l.Cut, 0) + " %"
}

func (r *Report) stageSection() section {
	unit := tableUnit(r.longestStage())
	rows := [][]cell{{
		left("").in(dim), right("n").in(dim), right("p50").in(dim), right("p95").in(dim), right("p99").in(dim), right("critical").in(dim), left(""),
	}}
	for _, s := range r.Stages {
		rows = append(rows, []cell{
			left(s.Name), right(count(s.N)), right(unit.figure(s.P50)), right(unit.figure(s.P95)), right(unit.figure(s.P99)),
			right(share(s.ShareCritical)), left(s.label()).in(dim),
		})
	}
	return section{title: "Stages, " + unit.name, rows: rows}
}

// label says what is not real about a stage.
func (s Stage) label() string {
	var words []string
	if s.Simulated {
		words = append(words, "simulated")
	}
	if s.Component != nil {
		words = append(words, *s.Component)
	}
	if s.NoSpread {
		words = append(words, "median only")
	}
	return strings.Join(words, ", ")
}

// longestStage returns the largest percentile of a stage.
func (r *Report) longestStage() time.Duration {
	longest := 0.0
	for _, s := range r.Stages {
		for _, v := range []*float64{s.P50, s.P95, s.P99} {
			if v != nil {
				longest = max(longest, *v)
			}
		}
	}
	return time.Duration(longest * float64(time.Millisecond))
}

// columnUnit is what all durations of a column are in, so that they line up.
type columnUnit struct {
	name   string
	length time.Duration
	places int
}

// tableUnit returns the unit for durations of up to a longest one.
func tableUnit(longest time.Duration) columnUnit {
	if longest >= 10*time.Second {
		return columnUnit{"s", time.Second, 2}
	}
	return columnUnit{"ms", time.Millisecond, 1}
}

// of returns a duration in the unit, without its name.
func (u columnUnit) of(d time.Duration) string {
	return budgets.Number(float64(d)/float64(u.length), u.places)
}

// figure returns a figure of a report, in ms there; "-" when it is unknown.
func (u columnUnit) figure(ms *float64) string {
	if ms == nil {
		return "-"
	}
	return budgets.Number(*ms*(float64(time.Millisecond)/float64(u.length)), u.places)
}

func share(v *float64) string {
	if v == nil {
		return "-"
	}
	return budgets.Number(100**v, 0) + " %"
}

func (r *Report) metricSection() section {
	rows := [][]cell{{
		left("").in(dim), right("n").in(dim), right("p50").in(dim), right("p95").in(dim), right("p99").in(dim), right("mean").in(dim),
	}}
	for _, pool := range r.shownPools() {
		if r.Network == nil || !slices.Contains(elsewhere, pool.Metric.Name) {
			rows = append(rows, metricRow(pool))
		}
	}
	return section{title: "Metrics", rows: rows}
}

// elsewhere are the metrics that the sections of a run over sockets show.
var elsewhere = []string{
	"service_ttft", "service_e2e", "ttfb", "ttfo", "ttfv", "icl", "longest_gap", "dns", "connect", "tls", "reused_share",
	"server_queue", "server_load", "server_prefill", "server_decode", "server_total",
}

// metricRow shows a percentile as "-" when it is refused, as nothing when the
// metric has none.
func metricRow(pool *budgets.Pool) []cell {
	mean, _ := pool.Mean()
	row := []cell{left(pool.Metric.Name), right(count(len(pool.Values)))}
	for _, q := range []quantile.Q{quantile.P50, quantile.P95, quantile.P99} {
		v, ok := pool.Quantile(q)
		switch {
		case ok:
			row = append(row, right(pool.Metric.Unit.Row(v, mean)[0]))
		case pool.Percentiles():
			row = append(row, right("-"))
		default:
			row = append(row, right(""))
		}
	}
	return append(row, right(pool.Metric.Unit.Row(mean)[0]))
}

// sameAs lists the metrics that are shown only where they differ from another.
var sameAs = map[string]string{"ttfo": "ttft", "ttfv": "ttft", "service_e2e": "e2e", "icl": "tpot"}

// shownPools returns the metrics that have a value, without the stages, which
// have a table of their own, and without what only says another once more.
func (r *Report) shownPools() []*budgets.Pool {
	var pools []*budgets.Pool
	for i := range r.analysis.Pools {
		p := &r.analysis.Pools[i]
		name := p.Metric.Name
		stage := slices.ContainsFunc(r.Stages, func(s Stage) bool { return s.Name == name })
		other, listed := sameAs[name]
		again := listed && slices.Equal(p.Values, r.analysis.Pool(other).Values)
		if len(p.Values) > 0 && !stage && !again {
			pools = append(pools, p)
		}
	}
	return pools
}

func (r *Report) notes(p *page) {
	p.heading("Notes")
	for _, line := range r.noteLines() {
		p.paragraph(2, plain, line)
	}
	r.definitions(p)
}

// noteLines say what a reader has to know of the figures.
func (r *Report) noteLines() (lines []string) {
	if r.refusals() {
		lines = append(lines, fmt.Sprintf("-: too few samples; a p50 takes %d, a p95 %d, a p99 %d.",
			quantile.P50.Needs(), quantile.P95.Needs(), quantile.P99.Needs()))
	}
	lines = append(lines, r.outcomeNote(r.noun(2)+" ended", r.analysis.Run.Traces, func(t *pipeline.Trace, note func(pipeline.Outcome, string)) { note(t.Outcome, t.Reason) }))
	if r.Network == nil {
		lines = append(lines, r.outcomeNote("requests ended", r.askers(), func(t *pipeline.Trace, note func(pipeline.Outcome, string)) {
			for i := range t.Requests {
				note(t.Requests[i].Outcome, t.Requests[i].Reason)
			}
		}))
	}
	if b := r.Background; b != nil {
		lines = append(lines, fmt.Sprintf("Beside them others made %s of the same model, which are not judged; %s of them ended ok.", counted(b.Requests, "request"), count(b.OK)))
	}
	if c := r.KVCache; c != nil {
		lines = append(lines, c.words())
	}
	lines = append(lines, r.loadNotes()...)
	if l := r.Lateness; l != nil {
		lines = append(lines, "Lateness: "+l.words())
	}
	lines = append(lines, r.Tester.notes(r.Target)...)
	lines = append(lines, r.worthNote(), "A percentile q is the sample of rank ceil(q n). Only what ended ok has a latency; in a share everything counts, "+
		"and what failed or never came is not inside.")
	return slices.DeleteFunc(lines, empty)
}

// refusals reports whether any percentile on the page is refused.
func (r *Report) refusals() bool {
	for _, s := range r.Stages {
		if s.P99 == nil {
			return true
		}
	}
	return slices.ContainsFunc(r.shownPools(), func(p *budgets.Pool) bool {
		_, ok := p.Quantile(quantile.P99)
		return !ok && p.Percentiles()
	})
}

// outcomeNote lists how things ended, each with its most frequent reason; "" where all ended
// ok.
func (r *Report) outcomeNote(what string, traces []pipeline.Trace, each func(t *pipeline.Trace, note func(pipeline.Outcome, string))) string {
	counts, reasons := map[pipeline.Outcome]int{}, map[pipeline.Outcome]map[string]int{}
	for i := range traces {
		each(&traces[i], func(o pipeline.Outcome, reason string) {
			if counts[o]++; reasons[o] == nil {
				reasons[o] = map[string]int{}
			}
			reasons[o][reason]++
		})
	}
	var words []string
	for o := pipeline.OK; o <= pipeline.Cancelled; o++ {
		if counts[o] > 0 {
			words = append(words, fmt.Sprintf("%s %v%s", count(counts[o]), o, mostly(reasons[o])))
		}
	}
	if len(counts) == 0 || len(counts) == 1 && counts[pipeline.OK] > 0 {
		return ""
	}
	return what + ": " + strings.Join(words, ", ") + "."
}

// mostly names the most frequent reason, the first by name of several.
func mostly(reasons map[string]int) string {
	best := ""
	for reason, n := range reasons {
		if reason != "" && (best == "" || n > reasons[best] || n == reasons[best] && reason < best) {
			best = reason
		}
	}
	if best == "" {
		return ""
	}
	return " (" + best + ")"
}

func orDash(v *float64) string {
	if v == nil {
		return "-"
	}
	return budgets.Duration.Format(*v * float64(time.Millisecond))
}
