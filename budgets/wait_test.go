package budgets

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// waiting returns a turn with each wait as long as it is given; one of no time leaves no
// span.
func waiting(index int, waits map[string]time.Duration) pipeline.Trace {
	t := pipeline.Trace{Kind: pipeline.KindVoice, Index: index, Due: time.Duration(index) * 10 * time.Second}
	at := t.Append(pipeline.SpanUplink, 20*ms, true)
	stage := func(name string, took time.Duration) {
		if took > 0 {
			at = t.Append(name, took, true, at)
		}
	}
	for _, s := range []struct{ wait, stage string }{
		{pipeline.SpanCapture, ""}, {pipeline.SpanUplinkLoss, ""}, {pipeline.SpanJitterBuffer, ""}, {pipeline.SpanVADBacklog, pipeline.SpanVADWait}, {"", pipeline.SpanEndOfTurn}, {pipeline.SpanPolicyWait, ""}, {pipeline.SpanSTTQueue, pipeline.SpanSTTTail}, {pipeline.SpanHook, ""},
		{pipeline.SpanLLMQueue, pipeline.SpanLLMPrefill}, {"", pipeline.SpanGathering}, {pipeline.SpanLookAhead, ""}, {pipeline.SpanTTSHeld, ""},
		{pipeline.SpanTTSQueue, pipeline.SpanTTSFirstAudio}, {pipeline.SpanLeading, ""}, {pipeline.SpanPostWait, ""}, {pipeline.SpanPreBuffer, ""}, {"", pipeline.SpanFillerPlays}, {pipeline.SpanFillerWait, ""},
		{pipeline.SpanEgress, pipeline.SpanPlayout}, {pipeline.SpanPlayoutLoss, ""},
	} {
		stage(s.wait, waits[s.wait])
		if s.stage != "" {
			stage(s.stage, 50*ms)
		}
	}
	t.End = t.Spans[at].End
	t.Marks = []pipeline.Mark{{Name: pipeline.MarkReplyHeard, At: t.End}}
	return t
}

// TestNoWaitIsNone: of a wait that the run models, a turn that did not wait waited 0 ms, and
// a budget on it can be kept. Of one that nobody models nothing is known.
func TestNoWaitIsNone(t *testing.T) {
	for wait := range behindWait {
		header := trace.Header{Kind: pipeline.KindVoice, Target: "sim", Stages: []trace.Stage{{Name: wait, Simulated: true}}, Budgets: []string{"p95(" + wait + ") < 100ms", "share(" + wait + " < 100ms) >= 90%"}}
		lost := waiting(0, map[string]time.Duration{})
		lost.Outcome = pipeline.Timeout
		for _, c := range []struct {
			name   string
			waits  []time.Duration
			lost   bool
			value  float64
			n, of  int
			passes Verdict
		}{
			{"nobody waits", make([]time.Duration, 20), false, 0, 20, 20, Pass},
			{"one in ten waits", append(make([]time.Duration, 18), 300*ms, 300*ms), false, 300e6, 20, 20, Fail},
			{"one is lost", make([]time.Duration, 20), true, 0, 20, 21, Pass},
		} {
			run := trace.Run{Header: header}
			for i, w := range c.waits {
				run.Traces = append(run.Traces, waiting(i, map[string]time.Duration{wait: w}))
			}
			if c.lost {
				run.Traces = append(run.Traces, lost)
			}
			a, err := Analyse(run)
			if err != nil {
				t.Fatal(err)
			}
			p := a.Pool(wait)
			if j := a.Judgements[0]; !j.HasValue || j.Value != c.value || j.Verdict != c.passes {
				t.Errorf("%s, %s: %+v, want %v, which is %s", wait, c.name, j, c.value, c.passes)
			}
			if len(p.Values) != c.n || p.Population != c.of || a.Judgements[1].N != c.of {
				t.Errorf("%s, %s: %d values of %d, want %d of %d", wait, c.name, len(p.Values), p.Population, c.n, c.of)
			}
		}
		header.Target = "endpoint"
		for name, stages := range map[string][]trace.Stage{"nobody says": nil, "a real service": {{Name: wait}}} {
			if header.Stages = stages; stages == nil && wait == pipeline.SpanLeading { // it is heard
				continue
			}
			a, err := Analyse(trace.Run{Header: header, Traces: []pipeline.Trace{waiting(0, nil)}})
			if err != nil {
				t.Fatal(err)
			}
			if p := a.Pool(wait); p.Population != 0 || a.Judgements[0].Verdict != Unmeasured {
				t.Errorf("%s, %s: %v of %d, want none", wait, name, p.Values, p.Population)
			}
		}
	}
}

// TestWaitThatIsNotSet: a wait that a simulated scenario leaves out is none, where a budget is
// on it; that of a model of others is not known, nor one of turns that others timed.
func TestWaitThatIsNotSet(t *testing.T) {
	for _, c := range []struct {
		target, wait string
		budgeted     bool
		want         int
	}{
		{"sim", pipeline.SpanLeading, true, 1}, {"sim", pipeline.SpanTTSHeld, true, 1}, {"sim", pipeline.SpanLLMQueue, true, 0}, {"sim", pipeline.SpanLeading, false, 0},
		{"endpoint", pipeline.SpanLeading, true, 1}, {"endpoint", pipeline.SpanTTSQueue, true, 0}, {"import", pipeline.SpanLeading, true, 0},
	} {
		h := trace.Header{Kind: pipeline.KindVoice, Target: c.target}
		if c.budgeted {
			h.Budgets = []string{"mean(" + c.wait + ") < 50ms"}
		}
		a, err := Analyse(trace.Run{Header: h, Traces: []pipeline.Trace{waiting(0, nil)}})
		if err != nil {
			t.Fatal(err)
		}
		if p := a.Pool(c.wait); len(p.Values) != c.want {
			t.Errorf("%s of %s: %v, want %d of 0 ms", c.wait, c.target, p.Values, c.want)
		}
		shown := slices.ContainsFunc(a.Stages, func(s Stage) bool { return s.Name() == c.wait })
		if shown != (c.want == 1) {
			t.Errorf("%s of %s is a stage: %t", c.wait, c.target, shown)
		}
	}
}

// TestWastedTokens: an early request that was right, or was not made, wasted nothing; where
// nobody counted those of a wrong one, nothing is known of any.
func TestWastedTokens(t *testing.T) {
	asked := func(guess, tokens string) pipeline.Trace {
		x := turn(0, ms, ms)
		x.Requests = []pipeline.Request{pipeline.NewRequest(1, 0)}
		if guess != "" {
			x.Facts = append(x.Facts, pipeline.Fact{Name: pipeline.FactGuess, Value: guess})
		}
		if tokens != "" {
			x.Facts = append(x.Facts, pipeline.Fact{Name: pipeline.FactWasted, Value: tokens})
		}
		return x
	}
	imported := asked("", "")
	imported.Facts = []pipeline.Fact{{Name: pipeline.FactLog, Value: "vapi"}}
	some := []pipeline.Trace{asked("right", ""), asked("wrong", "120"), asked("none", ""), asked("", ""), turn(1, ms, ms), imported}
	check(t, pool(t, "voice", "wasted_tokens", some), 3, 0, 0, 120)
	a, err := Analyse(trace.Run{Header: trace.Header{Kind: "voice", Budgets: []string{"mean(wasted_tokens) < 40"}}, Traces: some})
	if err != nil {
		t.Fatal(err)
	}
	check(t, *a.Pool("wasted_tokens"), 4, 0, 0, 0, 120) // with the one that could not ask early, since a budget is on it
	if j := a.Judgements[0]; j.Verdict != Pass || j.Value != 30 {
		t.Errorf("%+v, want 30 tokens of 40", j)
	}
	// A file that says 0 of a prompt that was sent and nobody counted was written before the two
	// were told apart; one of a request at a pause is as good as one of a wrong guess.
	sent := asked("wrong", "0")
	sent.Requests[0].Sent = 0
	vain := asked("right", "0")
	vain.Facts = append(vain.Facts, pipeline.Fact{Name: pipeline.FactInVain, Value: "1"})
	vain.Requests[0].Sent = 0
	for _, x := range []pipeline.Trace{sent, vain} {
		if p := pool(t, "voice", "wasted_tokens", []pipeline.Trace{asked("right", ""), x}); len(p.Values) != 0 || p.Unseen != 2 {
			t.Errorf("%d values and %d that nobody counted, want 2 of those", len(p.Values), p.Unseen)
		}
		x.Requests[0].Estimate(120)
		if p := pool(t, "voice", "wasted_tokens", []pipeline.Trace{x}); len(p.Values) != 1 {
			t.Errorf("with a count of our own: %d values, want 1", len(p.Values))
		}
	}
	p := pool(t, "voice", "wasted_tokens", []pipeline.Trace{asked("right", ""), asked("wrong", ""), asked("wrong", strconv.Itoa(120))})
	if check(t, p, 0); p.Unseen != 3 {
		t.Errorf("%d that nobody counted, want 3", p.Unseen)
	}
}
