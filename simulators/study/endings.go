package study

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/quantile"
	"halfsecond/simulators/runner"
	"halfsecond/simulators/scenario"
	"halfsecond/simulators/voice"
	"halfsecond/simulators/voice/ending"
)

// ErrNoPauses is the error of a scenario whose users' pauses are not known: it has no
// policy under ending.
var ErrNoPauses = errors.New("no turn's pauses are known: the scenario has no ending")

// EndingCurve runs a voice scenario at each value of the main setting of its end-of-turn
// policy that is worth a look; of the detector's silence where that decides, and the setting
// does not. Latencies and cut-ins are of the same turns: those of the run at its present
// value. The error is ErrNoPauses where there is no policy.
func EndingCurve(ctx context.Context, s *scenario.Scenario, set runner.Settings) (budgets.Curve, error) {
	if s.Voice == nil || s.Voice.Ending == nil || s.Voice.Direct != nil {
		return budgets.Curve{}, ErrNoPauses
	}
	set.N = min(set.N, mostLeverTurns)
	policy := s.Voice.Ending.Policy
	setting := policy.Settings()[0]
	w := sweptEnding{ctx: ctx, scenario: s, settings: set, with: func(v *scenario.Voice, value float64) error {
		p, err := policy.With(setting.Name, value)
		v.Ending = &scenario.Ending{Policy: p, Scores: s.Voice.Ending.Scores, Kinds: s.Voice.Ending.Kinds}
		return err
	}}
	w.Policy, w.Metric = fmt.Sprint(policy), "reply"
	now, err := w.present()
	if err != nil {
		return w.Curve, err
	}
	if idle, err := w.idle(setting, &now); err != nil {
		return w.Curve, err
	} else if idle {
		setting = ending.Setting{Name: "vad_silence", Unit: "ms", Value: float64(s.Voice.VADSilence.Mean()) / float64(time.Millisecond)}
		w.with = func(v *scenario.Voice, value float64) error {
			v.VADSilence = constant(time.Duration(value * float64(time.Millisecond)))
			return nil
		}
	}
	w.Setting, w.Unit = setting.Name, setting.Unit
	for _, value := range ending.Grid(setting) {
		p, ok := now, true
		if value != setting.Value {
			if p, ok, err = w.at(value); err != nil {
				return w.Curve, err
			}
		}
		if ok {
			p.Setting, p.Now = value, value == setting.Value
			w.Points = append(w.Points, p)
		}
	}
	w.Mark()
	return w.Curve, nil
}

// sweptEnding is the runs of a curve.
type sweptEnding struct {
	budgets.Curve
	ctx      context.Context
	scenario *scenario.Scenario
	settings runner.Settings
	with     func(v *scenario.Voice, value float64) error // sets a value; the error says that it is out of range
	reply    time.Duration                                // from a commit until the reply is heard, with the way of the speech to the agent
}

// present runs the scenario as it is.
func (w *sweptEnding) present() (budgets.CurvePoint, error) {
	a, err := simulate(w.ctx, w.scenario, w.scenario.Voice, w.settings)
	if err != nil {
		return budgets.CurvePoint{}, err
	}
	w.reply = replyAfter(a)
	c, _ := a.CutIns()
	w.Turns, w.Different = c.N, c.Different
	return w.point(w.scenario.Voice, a), nil
}

// at runs the scenario at a value; ok is false for one out of range beside the other
// settings.
func (w *sweptEnding) at(value float64) (p budgets.CurvePoint, ok bool, err error) {
	v := *w.scenario.Voice
	if w.with(&v, value) != nil {
		return p, false, nil
	}
	a, err := simulate(w.ctx, w.scenario, &v, w.settings)
	if err != nil {
		return p, false, err
	}
	return w.point(&v, a), true, nil
}

// idle reports whether a wait changes nothing by being shorter, since the detector's silence
// is longer.
func (w *sweptEnding) idle(setting ending.Setting, now *budgets.CurvePoint) (bool, error) {
	if setting.Unit != "ms" || setting.Value == 0 || !w.scenario.Voice.Ending.WaitsForStop() {
		return false, nil
	}
	least, ok, err := w.at(0)
	return ok && least == *now, err
}

// point tells of a run. A cut-in is heard where the reply to it would be before the user goes
// on: its turns are tried again with the time that replies take.
func (w *sweptEnding) point(v *scenario.Voice, a *budgets.Analysis) budgets.CurvePoint {
	p := budgets.CurvePoint{P50: landing(a, quantile.P50), P95: landing(a, quantile.P95)}
	c, ok := a.CutIns()
	if !ok {
		return p
	}
	p.CutIn = c.Rate
	judge := v.Stack(true, w.scenario.Arrivals.Users).Ending.(*voice.Judge)
	judge.Setup.Reply = dist.Constant(w.reply)
	heard, pauses := 0, map[int]int{}
	for i := range a.Run.Traces {
		t := &a.Run.Traces[i]
		said := ending.Pick(judge.Turns, w.settings.Seed, t.Session, t.Index)
		pauses[said.ID] = len(said.Pauses)
		if judge.Setup.TryAt(&said, w.settings.Seed, t.Session, t.Index, 0, 0).Audible {
			heard++
		}
	}
	w.Pauses = 0
	for _, n := range pauses {
		w.Pauses += n
	}
	p.Audible = c.Of(heard)
	return p
}

// landing returns a percentile of how soon replies land; Unknown for too few.
func landing(a *budgets.Analysis, q quantile.Q) time.Duration {
	if v, ok := a.Landing().Quantile(q); ok {
		return time.Duration(v)
	}
	return pipeline.Unknown
}

// untilCommit are the spans that a commit waits for.
var untilCommit = []string{pipeline.SpanEndOfTurn, pipeline.SpanPolicyWait, pipeline.SpanSTTTail, pipeline.SpanSTTTimer}

// replyAfter returns the median time from the commit of a turn until the reply is heard, with
// the way of the speech to the agent.
func replyAfter(a *budgets.Analysis) time.Duration {
	var all []time.Duration
	toAgent := pipeline.ToAgent()
	for _, r := range a.Replays() {
		committed, way := pipeline.Unknown, time.Duration(0)
		for _, s := range r.Trace.Spans {
			switch {
			case slices.Contains(untilCommit, s.Name):
				committed = max(committed, s.End)
			case slices.Contains(toAgent, s.Name):
				way += s.For()
			}
		}
		if committed != pipeline.Unknown {
			all = append(all, max(0, r.Trace.Due+r.Value-committed)+way)
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[quantile.P50.Rank(len(all))-1]
}
