package study

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"halfsecond/budgets"
	"halfsecond/budgets/frontier"
	"halfsecond/pipeline"
	"halfsecond/pipeline/strict"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/runner"
	"halfsecond/simulators/scenario"
)

// FrontierPlan is what a frontier would run: its combinations, of which some may be impossible.
type FrontierPlan struct {
	frontier.Frontier
	settings  FrontierSettings
	scenarios []*scenario.Scenario // of the cells; nil of one that is impossible
}

// Runs returns how many runs there are.
func (p *FrontierPlan) Runs() int {
	n := 0
	for i := range p.Cells {
		if p.Cells[i].Impossible == "" {
			n += p.settings.Repeats
		}
	}
	return n
}

// OnRun has a function told how many runs are done, one call at a time.
func (p *FrontierPlan) OnRun(ran func(runs int)) { p.settings.Ran = ran }

// PlanFrontier finds the combinations of a scenario's settings, and reports all that is wrong
// with them at once. A combination that cannot be is one of the plan's, with the reason; a
// value that no combination can have is an error.
func PlanFrontier(set FrontierSettings) (*FrontierPlan, error) {
	base, err := set.Load(nil)
	if err != nil {
		return nil, err
	}
	if err := set.check(base); err != nil {
		return nil, err
	}
	p := &FrontierPlan{settings: set}
	p.share(base)
	if err := p.aim(base); err != nil {
		return nil, err
	}
	errs := make([]error, 0, set.cells())
	for place := range set.places() {
		errs = append(errs, p.add(place, base))
	}
	if err := p.refused(errs); err != nil {
		return nil, err
	}
	p.addNow(base)
	return p, p.priced()
}

// share takes from the scenario as it is what all cells share.
func (p *FrontierPlan) share(s *scenario.Scenario) {
	set := &p.settings
	p.Frontier = frontier.Frontier{Scenario: s.Name, Hash: s.Hash(), Seed: set.Seed, N: set.N, Repeats: set.Repeats}
	for _, b := range s.Budgets {
		p.Budgets = append(p.Budgets, b.Expression)
	}
	p.Saves = s.IDE.Typist.Accepts != nil || s.IDE.Typist.Session.Name != ""
	for _, v := range set.Varied {
		p.Names, p.Keys = append(p.Names, v.Name), append(p.Keys, v.Key)
		p.Ordered = append(p.Ordered, ordered(v.Values))
	}
}

// ordered reports whether values are quantities.
func ordered(values []Value) bool {
	return !slices.ContainsFunc(values, func(v Value) bool { return v.Text == "" || v.Text[0] < '0' || v.Text[0] > '9' })
}

// check reports all that makes a frontier impossible.
func (set *FrontierSettings) check(s *scenario.Scenario) error {
	var errs []error
	if s.IDE == nil {
		return fmt.Errorf("%s is of kind %s: a frontier is of a ghost-text scenario, of kind ide", s.Name, s.Kind)
	}
	if len(s.Budgets) == 0 {
		errs = append(errs, errors.New("the scenario has no budgets, so no settings hold them: want one such as share(ttfc < 150ms) >= 90%"))
	}
	if len(set.Varied) == 0 {
		errs = append(errs, errors.New("nothing is varied"))
	}
	seen := map[string]string{}
	for _, v := range set.Varied {
		if len(v.Values) == 0 {
			errs = append(errs, fmt.Errorf("%s has no values", v.Name))
		}
		if other, twice := seen[v.Key]; twice && v.Key != "" {
			errs = append(errs, fmt.Errorf("%s is varied twice, as %s and as %s", v.Key, other, v.Name))
		}
		seen[v.Key] = v.Name
	}
	if n := set.cells(); n > MostCells {
		errs = append(errs, fmt.Errorf("%s combinations (%s): want at most %d; leave values out, or vary fewer settings at a time", budgets.Number(float64(n), 0), set.product(), MostCells))
	}
	return errors.Join(append(errs, runner.Enough(s, set.N), runner.EndsBefore(s, set.N))...)
}

// cells returns how many combinations there are, and no more than some more than the most.
func (set *FrontierSettings) cells() int {
	n := 1
	for _, v := range set.Varied {
		n = min(n*max(1, len(v.Values)), 1_000_000)
	}
	return n
}

// product writes the numbers of values down.
func (set *FrontierSettings) product() string {
	var parts []string
	for _, v := range set.Varied {
		parts = append(parts, fmt.Sprintf("%d of %s", len(v.Values), v.Name))
	}
	return strings.Join(parts, " x ")
}

// places yields the combinations, the last setting changing the fastest.
func (set *FrontierSettings) places() func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		for i := range set.cells() {
			place := make([]int, len(set.Varied))
			for k := len(place) - 1; k >= 0; k-- {
				n := len(set.Varied[k].Values)
				place[k], i = i%n, i/n
			}
			if !yield(place) {
				return
			}
		}
	}
}

// add adds a combination. The error is why it is impossible.
func (p *FrontierPlan) add(place []int, base *scenario.Scenario) error {
	c := frontier.Cell{Place: place}
	var changes []scenario.Change
	for k, v := range p.settings.Varied {
		value := v.Values[place[k]]
		c.Values, changes = append(c.Values, value.Text), append(changes, value.Changes...)
	}
	s, err := p.settings.Load(changes)
	if err != nil {
		c.Impossible = impossible(err)
	} else {
		c.Now = s.Hash() == base.Hash()
	}
	p.Cells, p.scenarios = append(p.Cells, c), append(p.scenarios, s)
	return err
}

// impossible says why a combination cannot be, without places of a file that is not there.
func impossible(err error) string {
	problems := problemsOf(err)
	if len(problems) == 0 {
		return oneLine(err)
	}
	words := make([]string, len(problems))
	for i, p := range problems {
		words[i] = p.Words()
		if p.Unfit {
			words[i] = p.Message
		}
	}
	return strings.Join(words, "; ")
}

// problemsOf returns what is wrong with a scenario.
func problemsOf(err error) (all []strict.Problem) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			all = append(all, problemsOf(e)...)
		}
		return all
	}
	var p strict.Problem
	if errors.As(err, &p) {
		all = append(all, p)
	}
	return all
}

// refused reports values that are wrong wherever they are, but for what each is right by
// itself, and combinations of which none is possible.
func (p *FrontierPlan) refused(errs []error) error {
	var refused []error
	for k, v := range p.settings.Varied {
		for i, value := range v.Values {
			if err := p.refuses(errs, k, i); err != nil {
				refused = append(refused, fmt.Errorf("%s %s: %s", v.Name, value.Text, impossible(err)))
			}
		}
	}
	if len(refused) == 0 && !slices.Contains(errs, nil) {
		refused = []error{fmt.Errorf("no combination is possible: %s", p.Cells[0].Impossible)}
	}
	if len(refused) > 3 { // one wrong value makes all others of the same setting wrong too
		refused = refused[:3]
	}
	return errors.Join(refused...)
}

// refuses returns the error of a value that no combination can have, and that is none of a
// combination.
func (p *FrontierPlan) refuses(errs []error, k, value int) (first error) {
	for i := range p.Cells {
		err := errs[i]
		if p.Cells[i].Place[k] != value {
			continue
		}
		if err == nil || slices.ContainsFunc(problemsOf(err), func(q strict.Problem) bool { return q.Unfit }) {
			return nil
		}
		for _, c := range p.settings.Varied[k].Values[value].Changes {
			if concerns(err, c.Key) && first == nil {
				first = err
			}
		}
	}
	return first
}

// concerns reports whether an error is of a key or what is below it. One without a place may
// be of any.
func concerns(err error, key string) bool {
	problems := problemsOf(err)
	return len(problems) == 0 || slices.ContainsFunc(problems, func(p strict.Problem) bool {
		return p.Path == key || strings.HasPrefix(p.Path, key+".") || strings.HasPrefix(p.Path, key+"[")
	})
}

// addNow adds the scenario as it is, unless a combination is that.
func (p *FrontierPlan) addNow(base *scenario.Scenario) {
	if slices.ContainsFunc(p.Cells, func(c frontier.Cell) bool { return c.Now }) {
		return
	}
	c := frontier.Cell{Now: true, Beside: true}
	for _, v := range p.settings.Varied {
		text, place := p.present(v, base)
		c.Values, c.Place = append(c.Values, text), append(c.Place, place)
	}
	p.Cells, p.scenarios = append(p.Cells, c), append(p.scenarios, base)
}

// present returns which of a setting's values the scenario has; where it has another, what its
// file would have.
func (p *FrontierPlan) present(v Varied, base *scenario.Scenario) (text string, place int) {
	for i, value := range v.Values {
		if s, err := p.settings.Load(value.Changes); err == nil && s.Hash() == base.Hash() {
			return value.Text, i
		}
	}
	var has []string
	for _, c := range v.Values[0].Changes {
		if text := base.At(c.Key); text != "left out" && (c.Key == v.Key || v.Key == "") {
			has = append(has, text)
		}
	}
	return cmp.Or(strings.Join(has, ", "), "left out"), -1
}

// priced finds what costs are counted in.
func (p *FrontierPlan) priced() error {
	var missing []string
	for i := range p.Cells {
		c := &p.Cells[i]
		if p.scenarios[i] == nil {
			continue
		}
		c.Rate = p.settings.rate(p.scenarios[i])
		if c.Rate.Unit != frontier.Dollars && len(p.settings.Hours) > 0 && !slices.Contains(missing, c.Rate.Unit) {
			missing = append(missing, c.Rate.Unit)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("with a price of one accelerator every model has to have one, or costs cannot be compared: there is none of %s", strings.Join(missing, ", "))
	}
	return nil
}

// rate returns what the costs of a scenario's model are counted in.
func (set *FrontierSettings) rate(s *scenario.Scenario) frontier.Rate {
	m, _ := s.LLM()
	switch e := m.Engine; {
	case e != nil:
		r := frontier.Rate{Unit: e.Hardware, Accelerators: e.GPUs * max(1, e.Stages) * max(1, e.Replicas)}
		if hour, known := set.Hours[e.Hardware]; known {
			r.Unit, r.Hour = frontier.Dollars, hour
		}
		return r
	case set.PriceOf != nil:
		if price := set.PriceOf(m.TTFT.Component); price.Known() {
			return frontier.Rate{Unit: frontier.Dollars, Hosted: price}
		}
	}
	return frontier.Rate{}
}

// aim finds the limit of the first character that a scenario's budgets set, else takes ours, and
// how many have to keep it.
func (p *FrontierPlan) aim(s *scenario.Scenario) error {
	a, err := budgets.Analyse(trace.Run{Header: trace.Header{Scenario: s.Name, Kind: pipeline.KindIDE, Budgets: p.Budgets}})
	if err != nil {
		return err
	}
	l, ok := a.LandingLimit()
	if p.Limit, p.Assumed = l, !ok; !ok {
		p.Limit = UsualLimit
	}
	for i := range a.Judgements {
		b := &a.Judgements[i].Budget
		if b.Metric.Name == a.Landing().Metric.Name && b.Function == budgets.ShareWhere && b.Inner == l {
			p.Goal = max(p.Goal, b.Limit.Value)
		}
	}
	return nil
}

// oneLine writes an error in one line.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
