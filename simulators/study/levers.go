package study

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/runner"
	"halfsecond/simulators/scenario"
)

// LeverSettings say how to find out what other settings of a voice scenario would bring.
type LeverSettings struct {
	// Settings are those of the run that is to be improved. Every run is on the simulator,
	// with the same seed: its turns are the same, and what differs is the change.
	runner.Settings
	Aims    []budgets.Aim    // what is to get better, the first one first; at least one
	Budgets []budgets.Budget // what changes must not break
}

// mostLeverTurns is how many turns each run has at most: there are dozens of runs.
const mostLeverTurns = 2000

// leastGain is the least effect on a percentile for a change to be listed: less is nothing
// that anybody hears.
const leastGain = time.Millisecond

// Levers runs a voice scenario again with each change that its settings leave room for, and
// then with as many together as help, none of which has it cut in more often than now, or
// breaks a budget that it keeps. The runs are simulated: it fails for a scenario of another
// kind, and when ctx ends.
func Levers(ctx context.Context, s *scenario.Scenario, set LeverSettings) (budgets.Changes, error) {
	if s.Voice == nil {
		return budgets.Changes{}, fmt.Errorf("levers of %s: it has no voice turns", s.Name)
	}
	w := leverage{ctx: ctx, scenario: s, settings: set}
	w.settings.N = min(set.N, mostLeverTurns)
	w.Turns, w.Aims = w.settings.N, set.Aims
	var err error
	if w.now, w.Now, err = w.run(s.Voice); err != nil {
		return budgets.Changes{}, err
	}
	w.Metric = w.now.Landing().Metric.Name
	tried, err := w.try(leversOf(s))
	if err != nil {
		return w.Changes, err
	}
	w.Best, err = w.best(tried)
	return w.Changes, err
}

// try runs the scenario with each lever alone, and returns those that change something: of
// levers that are one setting's values the one to choose.
func (w *leverage) try(all []lever) (tried []lever, err error) {
	values := map[string][]lever{}
	var order []string
	for i, l := range all {
		if !slices.ContainsFunc(w.Aims, func(m budgets.Aim) bool { return w.reaches(&l, m) }) {
			continue
		}
		with := *w.scenario.Voice
		l.apply(&with)
		var a *budgets.Analysis
		if a, l.Would, err = w.run(&with); err != nil {
			return nil, err
		}
		if !w.differ(l.Would) {
			continue
		}
		l.Key, l.Gain = w.scenario.Voice.Changed(&with), w.gain(0, w.now, a)
		if !w.reaches(&l, w.Aims[0]) {
			l.Gain = budgets.Gain{Known: l.Gain.Known}
		}
		l.Cost += spentEarly(&l, a)
		name := cmp.Or(l.oneOf, fmt.Sprint(i))
		if values[name] == nil {
			order = append(order, name)
		}
		values[name] = append(values[name], l)
	}
	for _, name := range order {
		for _, l := range w.choose(values[name]) {
			w.All, tried = append(w.All, l.Change), append(tried, l)
		}
	}
	return tried, nil
}

// nearlyAll is how much of the best value's gain a more cautious one has to have to be
// chosen: assumed.
const nearlyAll = .9

// choose returns the values of a setting that are to be shown: of those that help without more
// cut-ins the most cautious with nearly all of what is to be gained, else the most cautious
// that keeps the limit, else what cut-ins buy the most of. Where the aim is no latency of the
// reply, the limit comes first, since more than enough costs latency, and the one that serves
// the aim best is last. Where none serves any aim by as much as matters, values that end turns
// sooner may still bring the slowest of them forward; without that none is returned.
func (w *leverage) choose(values []lever) []lever {
	if len(values) == 1 && values[0].oneOf == "" {
		return values
	}
	for aim, m := range w.Aims {
		gained := func(l *lever) float64 {
			x, y := w.Now.Figure(aim), l.Would.Figure(aim)
			if !w.reaches(l, m) || !m.Worth(x, y) {
				return 0
			}
			return m.Gained(x, y)
		}
		most, free := 0., 0.
		for i := range values {
			most = max(most, gained(&values[i]))
			if w.hopeful(&values[i], aim) {
				free = max(free, gained(&values[i]))
			}
		}
		enough := func(l *lever) bool {
			return gained(l) > 0 && m.Inside(l.Would.Figure(aim)) && w.Now.Breaks(l.Would) == nil
		}
		strong := func(l *lever) bool { return w.hopeful(l, aim) && gained(l) >= nearlyAll*free }
		ways := []func(l *lever) bool{enough, strong}
		if m.Lands(w.now) {
			ways = []func(l *lever) bool{strong, enough}
		}
		if !m.Lands(w.now) {
			ways = append(ways, func(l *lever) bool { return gained(l) == most })
		}
		for _, way := range ways {
			if i := slices.IndexFunc(values, func(l lever) bool { return most > 0 && way(&l) }); i >= 0 {
				return values[i : i+1]
			}
		}
		if most > 0 {
			return bought(values, w.Now, gained)
		}
	}
	return bought(values, w.Now, w.sooner)
}

// sooner returns by how much the slowest turns land sooner with a change that ends turns sooner,
// 0 for less than is worth it.
func (w *leverage) sooner(l *lever) float64 {
	if !l.Bolder || w.Now.P95 == pipeline.Unknown || l.Would.P95 == pipeline.Unknown || l.Would.P95 > w.Now.P95-leastSooner {
		return 0
	}
	return float64(w.Now.P95 - l.Would.P95)
}

// leastSooner is what the p95 has to come sooner by for a value of a setting to be shown for that
// alone: assumed.
const leastSooner = 10 * time.Millisecond

// bought returns what to choose of values that gain the more, the more often they cut in: where
// the last cut-ins have bought the most, which is the value that lies the furthest above the
// line from no gain at no more cut-ins to the most of both; and before it the most cautious
// value, if that has half of the gain already. Where none cuts in more often it is the one with
// the most to gain. There is none where nothing is gained.
func bought(values []lever, now budgets.State, gained func(*lever) float64) []lever {
	more := func(l *lever) float64 {
		if !now.CutsInMore(l.Would) {
			return 0
		}
		return l.Would.CutIn.Value - now.CutIn.Value
	}
	most, price := 0., 0.
	for i := range values {
		if gained(&values[i]) > 0 {
			most, price = max(most, gained(&values[i])), max(price, more(&values[i]))
		}
	}
	if most == 0 {
		return nil
	}
	best, half, above := -1, -1, 0.
	for i := range values {
		g := gained(&values[i])
		if g <= 0 {
			continue
		}
		y := g / most
		if price > 0 {
			y -= more(&values[i]) / price
		}
		if best < 0 || y > above {
			best, above = i, y
		}
		if half < 0 && g >= most/2 {
			half = i
		}
	}
	if price > 0 && half < best {
		return []lever{values[half], values[best]}
	}
	return values[best : best+1]
}

// leverage is the runs of one scenario.
type leverage struct {
	budgets.Changes
	ctx      context.Context
	scenario *scenario.Scenario
	settings LeverSettings
	now      *budgets.Analysis
}

// differ reports whether a change can be told: it moves a percentile, the cut-ins or an aim.
func (w *leverage) differ(would budgets.State) bool {
	moved := func(x, y time.Duration) bool {
		return x != pipeline.Unknown && y != pipeline.Unknown && max(x-y, y-x) >= leastGain
	}
	now := w.Now
	if moved(now.P50, would.P50) || moved(now.P95, would.P95) || now.CutInKnown && would.CutInKnown && now.CutIn.Value != would.CutIn.Value {
		return true
	}
	for i, m := range w.Aims {
		x, y := now.Figure(i), would.Figure(i)
		if x.Known != y.Known || max(x.Value-y.Value, y.Value-x.Value) >= least(m) && x.Known && x.Value != y.Value {
			return true
		}
	}
	return false
}

// least is the least effect on an aim that is worth a word: of anything but a duration any.
func least(m budgets.Aim) float64 {
	if m.Unit() == budgets.Duration {
		return float64(leastGain)
	}
	return 0
}

// reaches reports whether a change may serve an aim.
func (w *leverage) reaches(l *lever, m budgets.Aim) bool { return l.reaches(w.scenario.Voice, m) }

func (w *leverage) gain(aim int, before, after *budgets.Analysis) budgets.Gain {
	return budgets.GainOf(before, after, w.Aims[aim].Budget, w.settings.Seed)
}

// run carries the scenario out with other settings of its turns.
func (w *leverage) run(v *scenario.Voice) (*budgets.Analysis, budgets.State, error) {
	a, err := simulate(w.ctx, w.scenario, v, w.settings.Settings)
	if err != nil {
		return nil, budgets.State{}, err
	}
	return a, budgets.StateOf(a, w.settings.Aims, w.settings.Budgets), nil
}

// simulate runs a scenario with other settings of its turns on the simulator. Its budgets
// stay, for what they ask for is 0 where it did not happen.
func simulate(ctx context.Context, s *scenario.Scenario, v *scenario.Voice, set runner.Settings) (*budgets.Analysis, error) {
	one := *s
	one.Voice = v
	run, err := runner.Run(ctx, &one, runner.Settings{Target: runner.Sim, Seed: set.Seed, N: set.N, Version: set.Version, Salt: set.Salt})
	switch {
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case !run.Footer.Finished:
		return nil, fmt.Errorf("run %s again: %s", s.Name, run.Footer.Reason)
	}
	run.Header.Load = trace.Load{} // the same turns of each run are compared: none is cut
	return budgets.Analyse(run)
}

// combination is what several changes come to together.
type combination struct {
	budgets.Best
	voice scenario.Voice
	last  *budgets.Analysis
	made  []string // settings of which one value is among the parts
}

// best makes one change after the other, for each aim what serves it best alone first, and
// keeps each that helps beside those before it. nil is for none.
func (w *leverage) best(tried []lever) (*budgets.Best, error) {
	c := combination{Best: budgets.Best{Would: w.Now}, voice: *w.scenario.Voice, last: w.now}
	for aim := range w.Aims {
		slices.SortStableFunc(tried, func(a, b lever) int { return w.Compare(aim, a.Would, b.Would) })
		for _, l := range tried {
			if w.reached(aim, c.Would) {
				break
			}
			if err := w.add(&c, aim, l); err != nil {
				return nil, err
			}
		}
	}
	if len(c.Parts) == 0 {
		return nil, nil
	}
	c.Rest = restOf(c.last)
	return &c.Best, nil
}

// reached reports whether nothing more is to be had of an aim: its limit is kept. How soon
// replies land can always get better, and which part of it can is worth knowing.
func (w *leverage) reached(aim int, s budgets.State) bool {
	m := w.Aims[aim]
	return !m.Lands(w.now) && m.Inside(s.Figure(aim))
}

// add keeps a change beside those before it if it helps there.
func (w *leverage) add(c *combination, aim int, l lever) error {
	if !w.hopeful(&l, aim) || l.oneOf != "" && slices.Contains(c.made, l.oneOf) || slices.ContainsFunc(c.Parts, func(p budgets.Change) bool { return p.What == l.What }) {
		return nil
	}
	with := c.voice
	l.apply(&with)
	a, state, err := w.run(&with)
	if err != nil {
		return err
	}
	gain := w.gain(aim, c.last, a)
	if gain.Value <= 0 || !w.Aims[aim].Matters(c.Would.Figure(aim), state.Figure(aim), gain) || w.Now.CutsInMore(state) || c.Would.Breaks(state) != nil {
		return nil
	}
	if w.Aims[aim].Lands(w.now) && c.Would.Trades(state) {
		return nil
	}
	l.Key, l.Would, l.Gain = c.voice.Changed(&with), state, gain
	c.Parts, c.Would, c.voice, c.last, c.made = append(c.Parts, l.Change), state, with, a, append(c.made, l.oneOf)
	return nil
}

// hopeful reports whether a change alone serves an aim by as much as matters, the first one by
// more than chance, and cuts in no more often. One that ends turns sooner has to show that.
func (w *leverage) hopeful(l *lever, aim int) bool {
	m, now := w.Aims[aim], w.Now
	x, y := now.Figure(aim), l.Would.Figure(aim)
	if !w.reaches(l, m) || !m.Worth(x, y) || m.Gained(x, y) <= 0 || aim == 0 && !l.Gain.Matters() {
		return false
	}
	return !now.CutsInMore(l.Would) && (!l.Bolder || now.CutInKnown && l.Would.CutInKnown)
}

// restOf returns what the median turn waits for, the longest first.
func restOf(a *budgets.Analysis) (rest []budgets.Part) {
	for i := range a.Exemplars {
		if e := &a.Exemplars[i]; e.Name != "p95" {
			for _, s := range e.Path {
				k := slices.IndexFunc(rest, func(p budgets.Part) bool { return p.Stage == s.Name })
				if k < 0 {
					k, rest = len(rest), append(rest, budgets.Part{Stage: s.Name})
				}
				rest[k].Takes += s.For()
			}
			break
		}
	}
	slices.SortStableFunc(rest, func(x, y budgets.Part) int { return int(y.Takes - x.Takes) })
	return rest
}
