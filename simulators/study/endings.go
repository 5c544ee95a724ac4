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

// endingRepeats is how often each annotated turn is tried with a policy: its scores, and
// the instants of the detector, are drawn anew.
const endingRepeats = 20

// EndingCurve runs a voice scenario at each value of the main setting of its end-of-turn
// policy that is worth a look, and tries the policy on all the turns that its users may
// say. The latencies are of the runs, on the simulator, the cut-ins of the trials; both
// take the policy from the same place. The error is ErrNoPauses where there is no policy.
func EndingCurve(ctx context.Context, s *scenario.Scenario, set runner.Settings) (budgets.Curve, error) {
	if s.Voice == nil || s.Voice.Ending == nil || s.Voice.Direct != nil {
		return budgets.Curve{}, ErrNoPauses
	}
	set.N = min(set.N, mostLeverTurns)
	judge := s.Voice.Stack(true, s.Arrivals.Users).Ending.(*voice.Judge)
	setup, setting := judge.Setup, judge.Setup.Policy.Settings()[0]
	c := budgets.Curve{Policy: fmt.Sprint(setup.Policy), Setting: setting.Name, Unit: setting.Unit, Metric: "reply", Repeats: endingRepeats}
	now, err := simulate(ctx, s, s.Voice, set)
	if err != nil {
		return c, err
	}
	setup.Reply = dist.Constant(replyAfter(now))
	for _, value := range ending.Grid(setting) {
		policy, err := setup.Policy.With(setting.Name, value)
		if err != nil {
			continue // out of range beside the other settings
		}
		p, rate, err := pointAt(ctx, s, set, setup, judge.Turns, policy)
		if err != nil {
			return c, err
		}
		c.Turns, c.Pauses = rate.Turns, rate.Pauses
		p.Setting, p.Now = value, value == setting.Value
		c.Points = append(c.Points, p)
	}
	c.Mark()
	return c, nil
}

// pointAt runs and tries one policy.
func pointAt(ctx context.Context, s *scenario.Scenario, set runner.Settings, setup ending.Setup, turns []ending.Turn, policy ending.Policy) (p budgets.CurvePoint, rate ending.Rate, err error) {
	v := *s.Voice
	v.Ending = &scenario.Ending{Policy: policy, Scores: s.Voice.Ending.Scores, Kinds: s.Voice.Ending.Kinds}
	a, err := simulate(ctx, s, &v, set)
	if err != nil {
		return p, rate, err
	}
	setup.Policy = policy
	if rate, _, err = setup.Measure(turns, ending.Run{Seed: set.Seed, Repeats: endingRepeats}); err != nil {
		return p, rate, err
	}
	return budgets.CurvePoint{
		P50: landing(a, quantile.P50), P95: landing(a, quantile.P95),
		CutIn: budgets.Proportion(rate.CutIn), Audible: budgets.Proportion(rate.Audible),
	}, rate, nil
}

// replyAfter returns the median time from the decision that a turn is over until the reply
// is heard, with the way of the speech to the agent.
func replyAfter(a *budgets.Analysis) time.Duration {
	var all []time.Duration
	for _, r := range a.Replays() {
		decided, way := pipeline.Unknown, time.Duration(0)
		for _, s := range r.Trace.Spans {
			switch s.Name {
			case pipeline.SpanEndOfTurn, pipeline.SpanPolicyWait:
				decided = max(decided, s.End)
			case pipeline.SpanCapture, pipeline.SpanUplink, pipeline.SpanJitterBuffer:
				way += s.For()
			}
		}
		if decided != pipeline.Unknown {
			all = append(all, max(0, r.Trace.Due+r.Value-decided)+way)
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[quantile.P50.Rank(len(all))-1]
}
