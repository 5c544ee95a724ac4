package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
)

// Settings are what other settings of the stack would bring, the best first.
type Settings struct {
	Metric   string    `json:"metric"`
	By       string    `json:"by"` // what they are ranked by: "p95(reply)"
	Sentence string    `json:"sentence"`
	Turns    int       `json:"turns"`
	Now      State     `json:"now"`
	Changes  []Setting `json:"changes"`
	Best     *Best     `json:"best"`
}

// State is how soon replies land, how often the agent cuts in, and what becomes of what the
// changes are ranked by.
type State struct {
	P50   *float64    `json:"p50"`
	P95   *float64    `json:"p95"`
	CutIn *Proportion `json:"cut_in"`
	Value *float64    `json:"value"`
}

// Setting is one change.
type Setting struct {
	What string `json:"what"`
	Key  string `json:"key"`
	Cost string `json:"cost"`
	Gain *Gain  `json:"gain"`
	State
}

// Gain is by how much the value gets better, in its unit, with its 95 % interval.
type Gain struct {
	Value   float64  `json:"value"`
	Low     *float64 `json:"low"`
	High    *float64 `json:"high"`
	Matters bool     `json:"matters"`
}

// Best is the best combination that is free of more cut-ins, and of budgets that are kept
// now and were not then.
type Best struct {
	State
	Changes []string     `json:"changes"`
	Rest    []StageShare `json:"rest"`
}

func (r *Report) settings() *Settings {
	c := r.changes
	s := &Settings{Metric: c.Metric, By: c.Aims[0].Budget.Name(), Turns: c.Turns, Now: stateOf(c, c.Now), Changes: []Setting{}, Sentence: r.reach()}
	for _, x := range c.Ranked() {
		s.Changes = append(s.Changes, Setting{x.What, x.Key, x.Cost, gainOf(c, &x), stateOf(c, x.Would)})
	}
	if b := c.Best; b != nil {
		s.Best = &Best{State: stateOf(c, b.Would), Changes: []string{}, Rest: []StageShare{}}
		for _, p := range b.Parts {
			s.Best.Changes = append(s.Best.Changes, p.What)
		}
		for _, p := range b.Rest {
			s.Best.Rest = append(s.Best.Rest, StageShare{p.Stage, millis(p.Takes)})
		}
	}
	return s
}

func stateOf(c *budgets.Changes, s budgets.State) State {
	f := s.Figure(0)
	out := State{P50: inMS(s.P50), P95: inMS(s.P95), Value: number(c.Aims[0].Unit(), f.Value, f.Known)}
	if s.CutInKnown {
		out.CutIn = &Proportion{s.CutIn.Value, s.CutIn.Low, s.CutIn.High}
	}
	return out
}

func gainOf(c *budgets.Changes, x *budgets.Change) *Gain {
	m, g := c.Aims[0], x.Gain
	if !g.Known {
		return nil
	}
	u := m.Unit()
	return &Gain{u.Reported(g.Value), number(u, g.Low, g.HasInterval), number(u, g.High, g.HasInterval), m.Matters(c.Now.Figure(0), x.Would.Figure(0), g)}
}

// figure is what changes serve, as a sentence has it.
func (r *Report) figure(m budgets.Aim) string {
	if m.Lands(r.analysis) {
		return fmt.Sprintf("the %v %s", m.Budget.Q, r.changes.Metric)
	}
	return m.Budget.Name()
}

// reach says in a sentence what the stack can reach, and what is in the way.
func (r *Report) reach() string {
	c := r.changes
	m, now := c.Aims[0], c.Now.Figure(0)
	noun := r.figure(m)
	if !now.Known {
		return fmt.Sprintf("Too few turns landed for %s, so nothing is said of what would help.", noun)
	}
	if c.Best == nil {
		which, aside := "None of these changes", r.aside(c.Now)
		switch {
		case !c.Now.CutInKnown:
			which += " that is sure not to cut in more often"
		case aside != "":
			which += " that cuts in no more often and breaks no budget that is kept"
		}
		return fmt.Sprintf("%s brings %s %s %s by as much as matters.", which, noun, better(m), m.Unit().Format(now.Value)) + aside
	}
	words := fmt.Sprintf("Changed in %s (%s), this stack ", counted(len(c.Best.Parts), "setting"), c.Best.Words())
	for i, m := range c.Aims {
		words += r.reached(i, m)
	}
	words += r.cutInWords() + "." + afterwards(c.Now, c.Best.Would) + r.aside(c.Best.Would)
	if would := c.Best.Would.Figure(0); m.Lands(r.analysis) && m.Limited && !m.Inside(would) {
		words += beyondReach(c.Best.Rest)
	}
	return words
}

// aside says why the change that alone brings more than the best together is not one of them;
// "" where there is none.
func (r *Report) aside(best budgets.State) string {
	c := r.changes
	m := c.Aims[0]
	x := c.Ranked()
	if len(x) == 0 || c.Compare(0, x[0].Would, best) >= 0 || !m.Matters(c.Now.Figure(0), x[0].Would.Figure(0), x[0].Gain) || !m.Worth(best.Figure(0), x[0].Would.Figure(0)) {
		return ""
	}
	why := ""
	switch would := x[0].Would; {
	case c.Now.Breaks(would) != nil:
		name := c.Now.Breaks(would).String()
		k := would.Budgets[slices.IndexFunc(would.Budgets, func(k budgets.Kept) bool { return k.Budget.String() == name })]
		why = fmt.Sprintf("it would break %v, which is kept now (%s then)", k.Budget, unitOfBudget(k).Format(k.Figure.Value))
	case c.Now.CutsInMore(would):
		why = fmt.Sprintf("it cuts in on %s of turns instead of %s", percent(would.CutIn.Value), percent(c.Now.CutIn.Value))
	case x[0].Bolder && !(c.Now.CutInKnown && would.CutInKnown):
		why = "it ends turns sooner, and how often that cuts in nobody knows here"
	default:
		return ""
	}
	f := x[0].Would.Figure(0)
	return fmt.Sprintf(" %q alone brings it to %s, and is left out: %s.", x[0].What, m.Unit().Format(f.Value), why)
}

// better is on which side of a figure a better one lies.
func better(m budgets.Aim) string {
	if m.Gained(budgets.Figure{Value: 0}, budgets.Figure{Value: 1}) > 0 {
		return "above"
	}
	return "below"
}

// reached says what becomes of an aim; of one after the first nothing where it is as it was.
func (r *Report) reached(aim int, m budgets.Aim) string {
	now, would := r.changes.Now.Figure(aim), r.changes.Best.Would.Figure(aim)
	if aim > 0 && now == would {
		return ""
	}
	u := m.Unit()
	value := func(f budgets.Figure) string {
		if !f.Known {
			return "no known value"
		}
		return u.Format(f.Value)
	}
	verb, noun := "has", r.figure(m)
	if m.Lands(r.analysis) {
		verb = "lands"
	}
	words := fmt.Sprintf("%s %s at %s instead of %s", verb, noun, value(would), value(now))
	if m.Limited && would.Known {
		words += ", " + against(m, would.Value)
	}
	if aim > 0 {
		return ", " + words
	}
	return words
}

func length(d time.Duration) string { return budgets.Duration.Format(float64(d)) }

// against says where a figure lies of its limit.
func against(m budgets.Aim, v float64) string {
	_, of, apart := m.Unit().FormatBeside(v, m.Budget.Limit.Value)
	switch {
	case m.Inside(budgets.Figure{Value: v, Known: true}):
		return fmt.Sprintf("%s inside %s", apart, of)
	case better(m) == "above":
		return fmt.Sprintf("still %s short of %s", apart, of)
	}
	return fmt.Sprintf("still %s over %s", apart, of)
}

// cutInWords say what the best changes do to cut-ins.
func (r *Report) cutInWords() string {
	now, would := r.changes.Now, r.changes.Best.Would
	switch {
	case !now.CutInKnown || !would.CutInKnown:
		return ""
	case now.CutIn.Value == would.CutIn.Value:
		return fmt.Sprintf(", and cuts in on %s of turns as now", percent(now.CutIn.Value))
	}
	return fmt.Sprintf(", and cuts in on %s of turns instead of %s", percent(would.CutIn.Value), percent(now.CutIn.Value))
}

// afterwards says which budgets are not kept after a change, where some are not now.
func afterwards(now, then budgets.State) string {
	broken, lost := false, []string(nil)
	var still []string
	for i, k := range then.Budgets {
		broken = broken || now.Budgets[i].Broken()
		switch {
		case k.Broken():
			still = append(still, fmt.Sprintf("%v (%s)", k.Budget, unitOfBudget(k).Format(k.Figure.Value)))
		case !k.Figure.Known && now.Budgets[i].Figure.Known:
			lost = append(lost, k.Budget.String())
		}
	}
	words := ""
	switch {
	case len(still) > 0:
		words = " Not kept then: " + strings.Join(still, "; ") + "."
	case broken && len(lost) == 0 && len(then.Budgets) > 1:
		words = " Every budget is kept then."
	}
	if len(lost) > 0 {
		words += " No longer to be told then: " + strings.Join(lost, "; ") + "."
	}
	return words
}

func unitOfBudget(k budgets.Kept) budgets.Unit { return budgets.Aim{Budget: k.Budget}.Unit() }

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
	m := c.Aims[0]
	s := section{title: "What settings would bring, by " + m.Budget.Name(), notes: []string{r.Settings.Sentence}}
	if len(c.All) == 0 {
		s.notes = append(s.notes, "No setting that is known to help is left to change.")
		return s
	}
	s.rows = [][]cell{{left("").in(dim), right("p50").in(dim), right("p95").in(dim)}}
	own := !m.Lands(r.analysis) || m.Budget.Q != quantile.P50 && m.Budget.Q != quantile.P95
	add := func(cells ...cell) { s.rows[len(s.rows)-1] = append(s.rows[len(s.rows)-1], cells...) }
	if own {
		add(right(m.Budget.Name()).in(dim))
	}
	add(left("gain (95 %)").in(dim), right("cut-in").in(dim), left("").in(dim))
	row := func(what string, x budgets.State, gain string) {
		s.rows = append(s.rows, []cell{left(what), right(knownLength(x.P50)), right(knownLength(x.P95))})
		if own {
			add(right(knownFigure(m, x.Figure(0))))
		}
		mark := ""
		if m.Inside(x.Figure(0)) {
			mark = "inside"
		}
		add(left(gain), right(cutInOf(x)), left(mark).in(dim))
	}
	row("as it is", c.Now, "")
	for _, x := range c.Ranked() {
		row(x.What, x.Would, gained(c, &x))
	}
	if b := c.Best; b != nil && len(b.Parts) > 1 {
		row(fmt.Sprintf("%d of them together", len(b.Parts)), b.Would, "")
	}
	for _, x := range c.Ranked() {
		s.notes = append(s.notes, fmt.Sprintf("%s: %s%s", x.What, x.Key, costs(x.Cost)))
	}
	s.notes = append(s.notes, fmt.Sprintf("The scenario is run again with each, of the same %s; a gain's interval is of turns paired. A gain matters that is more than chance and 10 ms or more, or a tenth of what takes less than 100 ms, or a hundredth of what is counted, or takes a budget inside. Those together bring as much each, do not cut in more often than now, and where that is not known end no turn sooner; they break no budget that is kept.", counted(c.Turns, "turn")))
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

func knownFigure(m budgets.Aim, f budgets.Figure) string {
	if !f.Known {
		return "-"
	}
	return m.Unit().Format(f.Value)
}

// noGain is said of a change whose gain cannot be told from none, or is not worth another setting.
const noGain = "none that matters"

// gained is what becomes of a figure, with its sign and the interval of that.
func gained(c *budgets.Changes, x *budgets.Change) string {
	m, g := c.Aims[0], x.Gain
	if !g.Known {
		return ""
	}
	if !m.Matters(c.Now.Figure(0), x.Would.Figure(0), g) {
		return noGain
	}
	u, sign := m.Unit(), -1.
	if better(m) == "above" {
		sign = 1
	}
	change := func(v float64) string { return signed(u.Format(max(v, -v)), sign*v) }
	low, high := g.Low, g.High
	if sign < 0 {
		low, high = high, low
	}
	if !g.HasInterval || low == high {
		return change(g.Value)
	}
	return fmt.Sprintf("%s (%s to %s)", change(g.Value), change(low), change(high))
}

func cutInOf(s budgets.State) string {
	if !s.CutInKnown {
		return "not known"
	}
	return percent(s.CutIn.Value)
}
