package budgets

import (
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/price"
	"halfsecond/pipeline/quantile"
	"halfsecond/pipeline/trace"
)

// talk returns a turn of a call that lands at 40 + 200 + model + 100 ms, its commit at 300.
func talk(session, index int, model time.Duration, facts ...pipeline.Fact) pipeline.Trace {
	t := pipeline.Trace{Kind: pipeline.KindVoice, Session: session, Index: index, Facts: facts}
	uplink := t.Append(pipeline.SpanUplink, 40*ms, true)
	stop := t.Append(pipeline.SpanVADWait, 200*ms, true, uplink)
	final := t.Append(pipeline.SpanSTTTail, 260*ms, true, uplink)
	first := t.Append(pipeline.SpanLLMFirstToken, model, true, stop)
	audio := t.Append(pipeline.SpanTTSFirstAudio, 100*ms, true, first, final)
	t.End = t.Spans[audio].End
	t.Marks = []pipeline.Mark{{Name: pipeline.MarkReplyHeard, At: t.End}}
	r := pipeline.NewRequest(1, t.Spans[first].Start)
	r.PromptTokens, r.CachedTokens, r.OutputTokens = 100*(index+1), 50*index, 20
	t.Requests = []pipeline.Request{r}
	return t
}

func analysed(t *testing.T, traces ...pipeline.Trace) *Analysis {
	t.Helper()
	a, err := Analyse(trace.Run{Header: trace.Header{Kind: pipeline.KindVoice}, Traces: traces})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Turns are told apart by their fact, or by their place in the session, and stand together
// where there are too many.
func TestCallTurns(t *testing.T) {
	if c := analysed(t, talk(0, 0, 90*ms), talk(1, 0, 90*ms)).CallTurns(0); c != nil {
		t.Errorf("%d turns of calls of one", len(c))
	}
	second := pipeline.Fact{Name: "turn", Value: "2"}
	a := analysed(t, talk(0, 0, 90*ms), talk(0, 1, 120*ms), talk(1, 4, 100*ms, second), talk(0, 2, 90*ms))
	c := a.CallTurns(0)
	if len(c) != 3 || c[1].First != 2 || len(c[1].Pool.Values) != 2 || c[1].PromptTokens != 200 || !c[1].CachedKnown {
		t.Fatalf("%+v", c)
	}
	if got, want := c[1].CachedShare, 250./700; got != want {
		t.Errorf("cached %v, want %v of 200 and 500 tokens", got, want)
	}
	if c = a.CallTurns(2); len(c) != 2 || c[0].First != 1 || c[0].Last != 2 || len(c[0].Pool.Values) != 3 || c[1].First != 3 {
		t.Errorf("%+v, want 1 to 2 and 3", c)
	}
}

// A guess gains what the model was ahead of the commit, as far as the reply waited for it:
// the commit is at 300 ms, the model was asked at 240 and took 90 or 20.
func TestGuesses(t *testing.T) {
	right, wrong := pipeline.Fact{Name: pipeline.FactGuess, Value: "right"}, pipeline.Fact{Name: pipeline.FactGuess, Value: "wrong"}
	lost := talk(0, 2, 90*ms, wrong, pipeline.Fact{Name: pipeline.FactWasted, Value: "320"})
	lost.Requests = append(lost.Requests, lost.Requests[0])
	a := analysed(t, talk(0, 0, 90*ms, right), talk(0, 1, 20*ms, right), lost, talk(0, 3, 90*ms, pipeline.Fact{Name: pipeline.FactGuess, Value: "none"}))
	g, ok := a.Guesses()
	// 90 ms end at 330 and would at 390: 60 ms. 20 ms end at 260, wait until 300, and would end at 320.
	if !ok || g.Of != 4 || g.Right != 2 || g.Wrong != 1 || g.Gain != 40*ms || g.Wasted != 320 || g.All != 120+220+320+320+420 || g.CostKnown {
		t.Errorf("%+v", g)
	}
	own := talk(0, 2, 90*ms, wrong, pipeline.Fact{Name: pipeline.FactWasted, Value: "302"})
	given := pipeline.NewRequest(2, 0)
	given.Sent, given.PromptEstimate, given.Chunks = 0, 300, 2
	own.Requests = append([]pipeline.Request{given}, own.Requests...)
	if g, _ := analysed(t, own).Guesses(); g.Estimated != 302 || g.All != 302+320 || g.Wasted != 302 {
		t.Errorf("%+v, want 302 of our own count, of 622", g)
	}
	a.Run.Header.Endpoints = []trace.Endpoint{{Price: price.Price{Input: price.Dollar, Output: price.Dollar, Source: "a list"}}}
	if g, _ = a.Guesses(); !g.CostKnown || g.CostShare < .22 || g.CostShare > .24 { // 320 of 1,400 tokens
		t.Errorf("cost %v, known: %t", g.CostShare, g.CostKnown)
	}
}

func TestBargeInsAndPlaying(t *testing.T) {
	said := func(v string) pipeline.Fact { return pipeline.Fact{Name: pipeline.FactBargeIn, Value: v} }
	stopped := talk(0, 0, 90*ms, said("stopped"), pipeline.Fact{Name: pipeline.FactHeardTokens, Value: "5"})
	last := &stopped.Requests[len(stopped.Requests)-1]
	last.Outcome, last.OutputTokens, last.Chunks = pipeline.Cancelled, 1, 20 // counted as it began
	played := talk(0, 3, 90*ms)
	played.Add(pipeline.Span{Name: pipeline.SpanUnderrun, Start: 500 * ms, End: 530 * ms})
	played.Add(pipeline.Span{Name: pipeline.SpanUnderrun, Start: 600 * ms, End: 610 * ms})
	played.Marks = append(played.Marks, pipeline.Mark{Name: pipeline.MarkReplyOver, At: time.Second})
	a := analysed(t, stopped, talk(0, 1, 90*ms, said("false stop")), talk(0, 2, 90*ms, said("unnoticed")), played)
	if b, ok := a.BargeIns(); !ok || b != (BargeIns{N: 3, Stopped: 1, False: 1, Unnoticed: 1, Heard: 5, Made: 20}) {
		t.Errorf("%+v", b)
	}
	if p, ok := a.Playing(); !ok || p != (Playing{N: 1, Held: 1, Holes: 2, Stalled: 40 * ms}) {
		t.Errorf("%+v", p)
	}
	none := analysed(t, talk(0, 0, 90*ms))
	if _, ok := none.BargeIns(); ok {
		t.Error("a barge-in that was none")
	}
	if _, ok := none.Playing(); ok {
		t.Error("playback that was not followed")
	}
}

// A point is efficient unless another is nowhere worse and somewhere better; what is
// unknown decides nothing.
func TestCurve(t *testing.T) {
	at := func(setting float64, p50, p95 time.Duration, cutIn float64, now bool) CurvePoint {
		return CurvePoint{Setting: setting, P50: p50, P95: p95, CutIn: Proportion{Value: cutIn}, Now: now}
	}
	c := Curve{Points: []CurvePoint{
		at(100, 400*ms, 600*ms, .3, false), at(200, 500*ms, 700*ms, .1, false), at(300, 600*ms, 800*ms, .1, true),
		at(400, 700*ms, pipeline.Unknown, 0, false), at(500, 700*ms, 900*ms, 0, false),
	}}
	c.Mark()
	for i, want := range []bool{true, true, false, true, true} {
		if c.Points[i].Efficient != want {
			t.Errorf("%v is efficient: %t, want %t", c.Points[i].Setting, !want, want)
		}
	}
	if now := c.Now(); now == nil || now.Setting != 300 {
		t.Errorf("now %+v", now)
	}
	if q := c.Quickest(quantile.P95, .1); q == nil || q.Setting != 200 {
		t.Errorf("quickest %+v, want 200", q)
	}
	if q := c.Quickest(quantile.P95, -1); q != nil {
		t.Errorf("quickest %+v, want none", q)
	}
}

// TestCalmest: what lands no later than now and cuts in less often is a free gain; one that is
// later in either percentile is not, nor one whose percentile is not known.
func TestCalmest(t *testing.T) {
	at := func(setting float64, p50, p95 time.Duration, cutIn float64) CurvePoint {
		return CurvePoint{Setting: setting, P50: p50, P95: p95, CutIn: Proportion{Value: cutIn}}
	}
	for name, tt := range map[string]struct {
		points []CurvePoint // the first one is the present
		want   float64      // 0 for none
	}{
		"as quick":           {[]CurvePoint{at(.6, 837*ms, 2317*ms, .115), at(.9, 837*ms, 2317*ms, .06), at(.95, 837*ms, 2317*ms, .055)}, .95},
		"nearest of equals":  {[]CurvePoint{at(.6, 837*ms, 2317*ms, .1), at(.9, 837*ms, 2317*ms, .05), at(.8, 837*ms, 2317*ms, .05)}, .8},
		"quickest of equals": {[]CurvePoint{at(.6, 837*ms, 2317*ms, .1), at(.9, 830*ms, 2317*ms, .05), at(.8, 837*ms, 2317*ms, .05)}, .9},
		"later p95":          {[]CurvePoint{at(.3, 837*ms, 837*ms, .15), at(.95, 837*ms, 2317*ms, .05)}, 0},
		"later p50":          {[]CurvePoint{at(.3, 837*ms, 837*ms, .15), at(.95, 838*ms, 837*ms, .05)}, 0},
		"no fewer cut-ins":   {[]CurvePoint{at(.3, 837*ms, 837*ms, .15), at(.2, 800*ms, 800*ms, .15)}, 0},
		"unknown":            {[]CurvePoint{at(.3, 837*ms, 837*ms, .15), at(.2, 800*ms, pipeline.Unknown, .1)}, 0},
		"both unknown":       {[]CurvePoint{at(.3, 837*ms, pipeline.Unknown, .15), at(.2, 800*ms, pipeline.Unknown, .1)}, .2},
	} {
		tt.points[0].Now = true
		c, got := Curve{Points: tt.points}, 0.
		if p := c.Calmest(quantile.P50); p != nil {
			got = p.Setting
		}
		if got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
	if p := (&Curve{Points: []CurvePoint{at(1, ms, ms, .1), at(2, ms, ms, 0)}}).Calmest(quantile.P50); p != nil {
		t.Errorf("%+v of a curve without the present value", p)
	}
}
