package budgets

import (
	"slices"
	"testing"
	"time"

	"halfsecond/pipeline"
)

// typed returns a key that landed after a debounce, a queue and a prefill at a modelled server.
func typed(index int, debounce, queue, prefill time.Duration) pipeline.Trace {
	t := pipeline.Trace{Kind: "ide", Index: index, Due: time.Duration(index) * time.Second}
	t.Facts = []pipeline.Fact{{Name: "opportunity", Value: "yes"}, {Name: "source", Value: "network"}, {Name: "verdict", Value: "exact"}}
	wait := t.Append("debounce", debounce, true)
	r := pipeline.NewRequest(int64(index+1), t.Spans[wait].End)
	r.Sent, r.Scheduled, r.FirstOutput, r.Simulated = r.Due, r.Due+queue, r.Due+queue+prefill, true
	t.Append("llm_first_token", queue+prefill, true, wait)
	t.Requests, t.Marks = []pipeline.Request{r}, []pipeline.Mark{{Name: "first_character", At: r.FirstOutput}}
	t.End = r.FirstOutput
	return t
}

func TestReason(t *testing.T) {
	closed := typed(9, 75*ms, 0, 0)
	closed.Marks, closed.Spans[1].End = nil, pipeline.Unknown
	r := &closed.Requests[0]
	r.Scheduled, r.FirstOutput, r.Outcome, r.End = r.Sent+20*ms, pipeline.Unknown, pipeline.Cancelled, r.Sent+90*ms
	keys := func(debounce, queue, prefill time.Duration) (all []pipeline.Trace) {
		for i := range 9 {
			all = append(all, typed(i, debounce, queue, prefill))
		}
		return append(all, closed)
	}
	for _, c := range []struct {
		name    string
		traces  []pipeline.Trace
		stage   string
		takes   time.Duration
		alone   bool
		without float64
		lever   string
		limit   time.Duration
	}{
		{"a debounce alone", keys(350*ms, 10*ms, 30*ms), "debounce", 350 * ms, true, .1, "", 0},
		{"the queue", keys(75*ms, 100*ms, 30*ms), "server_queue", 100 * ms, false, 0, "server_queue", 45*ms - 1},
		{"inside", keys(50*ms, 10*ms, 30*ms), "debounce", 50 * ms, false, 0, "", 0},
	} {
		a, err := Analyse(ideRun(c.traces, "share(ttfc < 150ms) >= 90%"))
		if err != nil {
			t.Fatal(err)
		}
		got := a.Reason()
		if got == nil || got.Stage != c.stage || got.Takes != c.takes || got.Alone != c.alone || got.Without != c.without {
			t.Errorf("%s: %+v, want %s %s, alone %v with %v", c.name, got, c.stage, c.takes, c.alone, c.without)
			continue
		}
		if c.lever != "" && (len(got.Levers) == 0 || got.Levers[0].Stages[0] != c.lever || got.Levers[0].Cap != c.limit) {
			t.Errorf("%s: levers %+v, want %s up to %s first", c.name, got.Levers, c.lever, c.limit)
		}
	}
}

// Text that waits for the rest of its line is a stage of its own, also of keys
// whose request was given up meanwhile, and which would have had text without that wait.
func TestReasonOfTheLine(t *testing.T) {
	var traces []pipeline.Trace
	for i := range 10 {
		k := typed(i, 0, 10*ms, 30*ms)
		begun := k.Marks[0].At
		k.Add(pipeline.Span{Name: "line_buffer", Start: begun, End: begun + 200*ms, Simulated: true}, 1)
		k.Marks[0].At, k.End = begun+200*ms, begun+200*ms
		if i >= 6 {
			k.Marks, k.Spans[2].End = nil, pipeline.Unknown
			r := &k.Requests[0]
			r.Outcome, r.Closed, r.End = pipeline.Cancelled, begun+90*ms, begun+90*ms
		}
		traces = append(traces, k)
	}
	a, err := Analyse(ideRun(traces, "share(ttfc < 150ms) >= 90%"))
	if err != nil {
		t.Fatal(err)
	}
	r := a.Reason()
	if r == nil || r.Stage != "line_buffer" || r.Takes != 200*ms || !r.Fixed || r.Waited != 6 || r.Landed != 6 || !r.Alone || r.Without != 0 {
		t.Fatalf("%+v, want line_buffer, 200ms, alone with 0", r)
	}
	// Without it all ten land, 40 ms after their keys: none was given up before.
	if l := r.Levers[0]; len(l.Stages) != 1 || l.Stages[0] != "line_buffer" || !l.Enough || l.AtZero != 1 || l.Cap != 90*ms-1 {
		t.Errorf("first lever %+v, want line_buffer up to 90ms, after which some were given up, and 1 without it", l)
	}
}

// A request that was given up in the queue lands, once that is shorter, after the stages that
// still follow: of five keys that were sent at 20 ms and closed at 300 ms, with a prefill of
// 100 ms to come, the queue may last 30 ms.
func TestReasonOfTheQueue(t *testing.T) {
	var all []pipeline.Trace
	for i := range 15 {
		k := typed(i, 20*ms, 0, 100*ms)
		if i >= 10 {
			k.Marks, k.Spans[1].End = nil, pipeline.Unknown
			r := &k.Requests[0]
			r.Scheduled, r.FirstOutput, r.Outcome, r.End = pipeline.Unknown, pipeline.Unknown, pipeline.Cancelled, k.Due+300*ms
		}
		all = append(all, k)
	}
	a, err := Analyse(ideRun(all, "share(ttfc < 150ms) >= 90%"))
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Reason().Levers[0]; got.Stages[0] != "server_queue" || got.Cap != 30*ms-1 {
		t.Errorf("%+v, want the queue up to %s first", got, 30*ms-1)
	}
}

// What no stage and no two bring inside the server's stages may together, and those of keys
// that were given up count.
func TestReasonOfTheServer(t *testing.T) {
	var all []pipeline.Trace
	for i := range 10 {
		k := typed(i, 60*ms, 90*ms, 90*ms)
		k.Marks[0].At += 90 * ms // the first token is not enough to show
		if i == 9 {
			k.Marks, k.Spans[1].End = nil, pipeline.Unknown
			r := &k.Requests[0]
			r.Scheduled, r.FirstOutput, r.Outcome, r.End = pipeline.Unknown, pipeline.Unknown, pipeline.Cancelled, r.Sent+200*ms
		}
		all = append(all, k)
	}
	a, err := Analyse(ideRun(all, "share(ttfc < 150ms) >= 95%"))
	if err != nil {
		t.Fatal(err)
	}
	// of the 200 ms in the queue of the last, and 180 ms to come, less than 90 may be left
	if got := a.Reason().Levers[0]; !slices.Contains(got.Stages, "first_token") || len(got.Stages) != 3 || !got.Enough || got.Keep != 23 {
		t.Errorf("%+v, want all of the server's stages at 23 %% first", got)
	}
}

// heldKeys returns keys with a debounce of 50 ms and a prefill, whose text is held back until
// 200 ms after the key, and is then on its way to the screen for 5 ms.
func heldKeys(n int, prefill time.Duration) (all []pipeline.Trace) {
	for i := range n {
		t := typed(i, 50*ms, 0, prefill)
		text := t.End
		shown := max(text, t.Due+200*ms)
		if shown > text {
			t.Add(pipeline.Span{Name: "hold", Start: text, End: shown}, 1)
		}
		t.Add(pipeline.Span{Name: "render", Start: shown, End: shown + 5*ms}, pipeline.SpanID(len(t.Spans)-1))
		t.End = shown + 5*ms
		t.Marks[0].At = t.End
		all = append(all, t)
	}
	return all
}

// A hold runs from the key, beside everything else: nothing else brings text sooner, however
// short it is, and the hold may not last longer than the rest of the budget.
func TestReasonOfAHold(t *testing.T) {
	typedOn := typed(10, 50*ms, 0, 60*ms)
	typedOn.Marks, typedOn.Spans[1].End = nil, pipeline.Unknown
	typedOn.Requests[0].Outcome, typedOn.Requests[0].End = pipeline.Cancelled, typedOn.Due+80*ms
	all := slices.Concat(heldKeys(28, 60*ms), heldKeys(1, 240*ms), []pipeline.Trace{typedOn})
	a, err := Analyse(ideRun(all, "share(ttfc < 150ms) >= 90%"))
	if err != nil {
		t.Fatal(err)
	}
	r := a.Reason()
	if r == nil || r.Stage != "hold" || !r.Alone || r.Takes != 200*ms || r.Without != 0 {
		t.Fatalf("%+v, want the hold of 200 ms alone", r)
	}
	for _, l := range r.Levers {
		switch {
		case slices.Equal(l.Stages, []string{"hold"}):
			if !l.Enough || l.Cap != 145*ms-1 {
				t.Errorf("%+v, want a hold of less than 145 ms", l)
			}
		case l.AtZero != 0:
			t.Errorf("%+v, want 0 %% inside", l)
		}
	}
}

// What a slow stage keeps from coming counts as long as the stage takes: of ten keys whose prefill
// takes 900 ms, six of which were typed on after 100 ms, none is inside by the prefill alone.
func TestReasonOfWhatNeverCame(t *testing.T) {
	var all []pipeline.Trace
	for i := range 10 {
		k := typed(i, 50*ms, 0, 900*ms)
		if i >= 4 {
			k.Marks, k.Spans[1].End = nil, pipeline.Unknown
			r := &k.Requests[0]
			r.FirstOutput, r.Outcome, r.End = pipeline.Unknown, pipeline.Cancelled, r.Sent+50*ms
		}
		all = append(all, k)
	}
	a, err := Analyse(ideRun(all, "share(ttfc < 150ms) >= 90%"))
	if err != nil {
		t.Fatal(err)
	}
	if r := a.Reason(); r.Stage != "prefill" || !r.Alone || r.Without != 0 || r.Takes != 900*ms || r.Waited != 4 {
		t.Errorf("%+v, want the prefill of 900 ms alone, with 0 inside", r)
	}
}

// A hold that no key waited for, since all came later, is there all the same: with a prefill of
// any length nothing is inside.
func TestReasonOfAHoldNobodyMet(t *testing.T) {
	var all []pipeline.Trace
	for i := range 10 {
		all = append(all, typed(i, 50*ms, 0, 300*ms))
	}
	run := ideRun(all, "share(ttfc < 150ms) >= 90%")
	run.Header.Hold = 200 * ms
	a, err := Analyse(run)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range a.Reason().Levers {
		if slices.Equal(l.Stages, []string{"prefill"}) && (l.Enough || l.AtZero != 0) {
			t.Errorf("%+v, want nothing inside before the hold ends", l)
		}
	}
}
