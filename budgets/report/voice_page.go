package report

import (
	"fmt"
	"strings"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
)

// percentilesShown are the columns of the first table of a voice report.
var percentilesShown = []quantile.Q{quantile.P50, quantile.P95, quantile.P99}

// v2v is the first table of a voice report: how soon replies land, what is asked of them,
// and what that costs in cut-ins.
func (r *Report) v2v() section {
	if r.Voice == nil {
		return section{}
	}
	landing := r.analysis.Landing().Metric.Name
	s := section{title: "Voice to voice"}
	if landing == pipeline.MarkReplySent {
		s.title = "Until the reply leaves the agent, which is not voice to voice"
	}
	if len(r.Voice.V2V) > 0 {
		unit := tableUnit(r.longestV2V())
		s.title += ", " + unit.name
		s.rows = [][]cell{{left("").in(dim), right("n").in(dim), right("p50").in(dim), right("p95").in(dim), right("p99").in(dim)}}
		for i := range r.Voice.V2V {
			p := &r.Voice.V2V[i]
			s.rows = append(s.rows, []cell{left(p.Metric), right(count(p.N)), p.P50.cell(unit), p.P95.cell(unit), p.P99.cell(unit)})
		}
		if row := r.limits(unit); row != nil {
			s.rows = append(s.rows, row)
		}
	}
	s.notes = []string{r.Voice.CutIn.words()}
	return s
}

// cell shows a figure with its interval.
func (e *Estimate) cell(unit columnUnit) cell {
	if e == nil {
		return right("-")
	}
	text := unit.figure(&e.Value)
	if e.Low != nil {
		text += fmt.Sprintf(" (%s to %s)", unit.figure(e.Low), unit.figure(e.High))
	}
	return right(text)
}

// limits is the row of what budgets ask of the percentiles of the landing; nil for
// nothing.
func (r *Report) limits(unit columnUnit) []cell {
	row, any := []cell{left("budget").in(dim), right("")}, false
	for _, q := range percentilesShown {
		text := ""
		for i := range r.analysis.Judgements {
			if b := &r.analysis.Judgements[i].Budget; b.Function == budgets.Quantile && b.Q == q && b.Metric.Name == r.analysis.Landing().Metric.Name {
				limit := budgets.Duration.Reported(b.Limit.Value)
				text, any = b.Limit.Comparison.String()+" "+unit.figure(&limit), true
			}
		}
		row = append(row, right(text).in(dim))
	}
	if !any {
		return nil
	}
	return row
}

func (c *CutIn) words() string {
	if c == nil {
		return "cut-in rate: not known, no pauses"
	}
	words := fmt.Sprintf("cut-in rate: %s (95 %% interval %s to %s) of %s %s", percent(c.Value), percent(c.Low), percent(c.High), counted(c.Turns, "turn"), c.over())
	if c.Different < c.Turns {
		words += fmt.Sprintf(", %s of which %s", count(c.Different), differ(c.Different))
	}
	if r := c.Real; r != nil && r.Times > 0 {
		words += fmt.Sprintf(": %s, heard in %s, %s of sound played and %s dropped", timesOf(r.Times), counted(r.Heard, "turn"), knownMS(r.Played), knownMS(r.Dropped))
	}
	return words
}

// over says which turns the rate is of.
func (c *CutIn) over() string {
	switch r := c.Real; {
	case r == nil:
		return "whose pauses are known"
	case r.Turns == c.Turns:
		return "that the agent heard"
	}
	return "whose pauses are known, or that the agent heard"
}

func timesOf(n int) string {
	if n == 1 {
		return "once"
	}
	return count(n) + " times"
}

func knownMS(ms *float64) string { return length(time.Duration(*ms * float64(time.Millisecond))) }

// shownTurns is how many rows the page has for the turns of a call; the document has
// more.
const shownTurns = 10

// callSection shows V2V by the turn's number in its call.
func (r *Report) callSection() section {
	if r.Voice == nil || len(r.Voice.Turns) == 0 {
		return section{}
	}
	turns := r.analysis.CallTurns(shownTurns)
	unit := tableUnit(r.longestV2V())
	s := section{title: "By turn of the call, " + unit.name, rows: [][]cell{{
		right("turn").in(dim), right("n").in(dim), right("p50").in(dim), right("p95").in(dim), right("prompt tokens").in(dim), right("cached").in(dim),
	}}}
	for i := range turns {
		t, name, prompt := callTurn(&turns[i]), count(turns[i].First), "-"
		if turns[i].Last > turns[i].First {
			name += " to " + count(turns[i].Last)
		}
		if t.PromptTokens != nil {
			prompt = count(*t.PromptTokens)
		}
		s.rows = append(s.rows, []cell{right(name), right(count(t.N)), right(unit.figure(t.P50)), right(unit.figure(t.P95)), right(prompt), right(share(t.CachedShare))})
	}
	s.notes = []string{"Prompt tokens are the median of the answers' requests, cached is the share of them that the model had in its cache."}
	return s
}

// dashboardSection shows what other dashboards would say of the same turns.
func (r *Report) dashboardSection() section {
	if r.Voice == nil || len(r.Voice.Dashboards) == 0 {
		return section{}
	}
	unit := tableUnit(r.longestV2V())
	s := section{title: "The same turns as other dashboards number them, " + unit.name, rows: [][]cell{{
		left("").in(dim), left("").in(dim), right("p50").in(dim), right("p95").in(dim), right("mean short of V2V").in(dim),
	}}}
	if len(r.Voice.V2V) > 0 {
		own := &r.analysis.Pools[0]
		s.rows = append(s.rows, []cell{left("halfsecond"), left(own.Metric.Name), right(unit.figure(percentile(own, quantile.P50))), right(unit.figure(percentile(own, quantile.P95))), right("")})
	}
	for i := range r.Voice.Dashboards {
		d := &r.Voice.Dashboards[i]
		name, short := left("  "+d.Metric).in(dim), ""
		if d.Whole {
			name, short = left(d.Metric), unit.figure(d.Short)
		}
		s.rows = append(s.rows, []cell{left(d.Framework).in(dim), name, right(unit.figure(d.P50)), right(unit.figure(d.P95)), right(short)})
		if d.Whole {
			s.notes = append(s.notes, d.words(unit))
		}
	}
	return s
}

// words say what a number leaves out.
func (d *DashboardNumber) words(unit columnUnit) string {
	words := fmt.Sprintf("%s %s counts from %s to %s", d.Framework, d.Metric, d.From, d.To)
	if strings.HasPrefix(d.From, "sum of") {
		words = fmt.Sprintf("%s %s is the %s", d.Framework, d.Metric, d.From)
	}
	if len(d.Left) > 0 {
		parts := make([]string, len(d.Left))
		for i, l := range d.Left {
			parts[i] = fmt.Sprintf("%s %s", l.Stage, unit.figure(&l.Mean))
		}
		words += "; it leaves out " + strings.Join(parts, ", ")
	}
	if d.Twice != nil && *d.Twice > 0 {
		words += "; it counts twice " + unit.figure(d.Twice)
	}
	return words + "."
}

// asideSection says what only some turns have.
func (r *Report) asideSection() section {
	v := r.Voice
	if v == nil {
		return section{}
	}
	s := section{title: "In the turns"}
	for _, words := range []string{v.Transcript.words(), v.Playback.words(), v.BargeIn.words(), v.Guess.words(), v.Tool.words(), v.Filler.words(), v.faultWords()} {
		if words != "" {
			s.notes = append(s.notes, words)
		}
	}
	return s
}

func (x *Transcript) words() string {
	if x == nil || x.Unflagged == 0 {
		return ""
	}
	return fmt.Sprintf("Transcripts: in %s of %s no final text came after the end of speech, and the end of the session stood for it: that wait is in the reply, and in no figure of stt_tail.", count(x.Unflagged), counted(x.Turns, "turn"))
}

func (p *Playback) words() string {
	switch {
	case p == nil:
		return ""
	case p.Underruns == 0:
		return fmt.Sprintf("Playback: %s played to the end without a hole.", replies(p.Replies))
	}
	return fmt.Sprintf("Playback: %s of %s had holes after they began: %s, %s of silence in all.", count(p.WithHoles), replies(p.Replies), counted(p.Underruns, "underrun"), orDash(&p.Stalled))
}

func replies(n int) string {
	if n == 1 {
		return "1 reply"
	}
	return count(n) + " replies"
}

func (b *BargeIn) words() string {
	if b == nil {
		return ""
	}
	words := fmt.Sprintf("Barge-in: the user spoke into %s; %s stopped, %s stopped by what was no interruption, %s went on", replies(b.Replies), are(b.Stopped), are(b.FalseStops), count(b.Unnoticed))
	if b.StopP50 != nil {
		words += fmt.Sprintf("; silence at the ear after p50 %s, p95 %s", orDash(b.StopP50), orDash(b.StopP95))
	}
	if b.Made > 0 {
		words += fmt.Sprintf("; of stopped replies %s of %s tokens were heard (%s)", count(b.Heard), count(b.Made), percent(float64(b.Heard)/float64(b.Made)))
	}
	return words + "."
}

func (g *Guess) words() string {
	if g == nil {
		return ""
	}
	made := g.Right + g.Wrong
	words := fmt.Sprintf("Guess: the model was asked before the commit in %s of %s", count(made), counted(g.Turns, "turn"))
	if made > 0 {
		words += fmt.Sprintf(", and that was right in %s", percent(float64(g.Right)/float64(made)))
	}
	if g.InVain > 0 {
		words += fmt.Sprintf("; at pauses inside turns it was asked %s for nothing, so that %s of turns have such a request", counted(g.InVain, "time"), percent(*g.ForNothing))
	}
	if g.Gain != nil {
		words += fmt.Sprintf("; replies that it was right for landed %s sooner on average", orDash(g.Gain))
	}
	if g.WastedShare != nil && g.Wasted > 0 {
		words += fmt.Sprintf("; %s for nothing, %s of all", counted(g.Wasted, "token"), percent(*g.WastedShare))
	}
	if g.CostShare != nil && g.Wasted > 0 {
		words += fmt.Sprintf(" and %s of what the model costs", percent(*g.CostShare))
	}
	if g.Estimated > 0 {
		words += fmt.Sprintf("; %s of them by our own count, since no server counts a request that is given up", count(g.Estimated))
	}
	return words + "."
}

func (x *Aside) words() string {
	if x == nil {
		return ""
	}
	return fmt.Sprintf("Tools: %s waited for one, p50 %s, p95 %s; in %s of them it was critical.", counted(x.Turns, "turn"), orDash(x.P50), orDash(x.P95), count(x.Critical))
}

func (f *Filler) words() string {
	if f == nil {
		return ""
	}
	words := fmt.Sprintf("Filler: heard in %s, p50 %s, p95 %s; it is no answer, and the reply is timed apart", counted(f.Turns, "turn"), orDash(f.P50), orDash(f.P95))
	if f.Waited > 0 {
		words += fmt.Sprintf("; in %s of them the answer waited for its end, p50 %s", count(f.Waited), orDash(f.WaitP50))
	}
	return words + "."
}

// turnTables are the critical paths of the median and the p95 turn, as tables: for a page
// that draws none.
func (r *Report) turnTables() (all []section) {
	if r.Voice == nil {
		return nil
	}
	for i := range r.Voice.Waterfalls {
		all = append(all, r.Voice.Waterfalls[i].section())
	}
	return all
}

func (w *Waterfall) section() section {
	unit := unitOf(w.V2V)
	s := section{
		title: fmt.Sprintf("The %s turn lands at %s", w.Name, orDash(&w.V2V)),
		rows:  [][]cell{{left(""), right("from, " + unit.name), right("for"), right("slack")}},
	}
	for _, x := range w.Segments {
		s.rows = append(s.rows, []cell{left("● " + x.Name), right(unit.figure(&x.From)), right(unit.figure(&x.For)), right("")})
	}
	for _, x := range w.Beside {
		slack := "not waited for"
		if x.Slack != nil {
			slack = unit.figure(x.Slack)
		}
		s.rows = append(s.rows, []cell{left(x.Name), right(unit.figure(&x.From)), right(unit.figure(&x.For)), right(slack)})
	}
	s.notes = []string{"● critical: these follow each other without a gap and add up to the landing."}
	return s
}
