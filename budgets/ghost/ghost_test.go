package ghost

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
)

const ms = time.Millisecond

// traced begins a trace by hand: a key of a person at an instant, in ms, and its facts, such as
// "opportunity=yes".
func traced(kind string, session, due int, facts ...string) *pipeline.Trace {
	t := &pipeline.Trace{Kind: kind, Session: session, Due: time.Duration(due) * ms, End: time.Duration(due) * ms}
	for _, f := range facts {
		name, value, _ := strings.Cut(f, "=")
		t.Facts = append(t.Facts, pipeline.Fact{Name: name, Value: value})
	}
	return t
}

func key(due int, facts ...string) *pipeline.Trace { return traced(pipeline.KindIDE, 0, due, facts...) }

func mark(t *pipeline.Trace, name string, at int) *pipeline.Trace {
	t.Marks = append(t.Marks, pipeline.Mark{Name: name, At: time.Duration(at) * ms})
	t.End = max(t.End, time.Duration(at)*ms)
	return t
}

func span(t *pipeline.Trace, name string, from, to int) *pipeline.Trace {
	t.Add(pipeline.Span{Name: name, Start: time.Duration(from) * ms, End: time.Duration(to) * ms})
	return t
}

// asks gives a trace a request that is sent at an instant, in ms, and has the rest filled in.
func asks(t *pipeline.Trace, id int64, sent int, fill func(r *pipeline.Request)) *pipeline.Trace {
	r := pipeline.NewRequest(id, time.Duration(sent)*ms)
	r.Sent = r.Due
	if fill != nil {
		fill(&r)
	}
	t.Requests = append(t.Requests, r)
	return t
}

// modelled is a request to a modelled server: from scheduled to its first token, at its side.
func modelled(scheduled, first int) func(r *pipeline.Request) {
	return func(r *pipeline.Request) {
		r.Simulated = true
		r.Scheduled, r.FirstOutput = time.Duration(scheduled)*ms, time.Duration(first)*ms
	}
}

// told writes stages down, without those that took no time.
func toldOf(s Stages) string {
	var words []string
	for _, stage := range AllStages() {
		switch d := s[stage]; {
		case d == pipeline.Unknown:
			words = append(words, stage.String()+" ?")
		case d > 0:
			words = append(words, fmt.Sprint(stage, " ", int(d/ms)))
		}
	}
	return strings.Join(words, ", ")
}

func TestStages(t *testing.T) {
	far := asks(span(span(key(100, "source=network"), "debounce", 100, 175), "hold", 300, 320), 1, 180, func(r *pipeline.Request) {
		modelled(200, 280)(r)
		r.Sent, r.Transport.Connect, r.Way = 190*ms, 10*ms, pipeline.Way{Out: 5 * ms, Back: 5 * ms}
		r.Loading = 3 * ms
	})
	whole := []*pipeline.Trace{
		mark(span(far, "render", 320, 330), "first_character", 330),
		mark(span(span(asks(span(span(key(0, "source=network"), "key_wait", 0, 7), "prepare", 7, 10), 2, 25, modelled(30, 50)), "debounce", 10, 20), "client_queue", 20, 25), "first_character", 60),
		// what an endpoint keeps to itself is one stage
		mark(asks(span(key(0, "source=network"), "debounce", 0, 20), 3, 20, func(r *pipeline.Request) {
			r.Sent, r.Transport.DNS, r.Transport.TLS, r.FirstOutput = 50*ms, 10*ms, 15*ms, 90*ms
		}), "first_character", 100),
		// of an earlier step's request what is left is the key's
		mark(key(40, "source=joined"), "first_character", 60),
		mark(span(key(10, "source=cache"), "debounce", 10, 30), "first_character", 30),
		mark(key(10, "source=typed_as_suggested"), "first_character", 10),
		key(10),
	}
	whole[3].Uses = []pipeline.Use{{Request: 2, How: "joined"}}
	r := Of(whole, Options{})
	for i, want := range []string{
		"debounce 75, client_queue 5, dial 10, send 5, llm_load 3, server_queue 7, prefill 70, first_token 20, transfer 5, send_to_text ?, hold 20, render 10",
		"key_wait 7, prepare 3, debounce 10, client_queue 5, server_queue 5, prefill 20, first_token 10, send_to_text ?",
		"debounce 20, client_queue 5, dial 25, send ?, llm_load ?, server_queue ?, prefill ?, first_token ?, transfer ?, send_to_text 50",
		"prefill 10, first_token 10, send_to_text ?",
		"debounce 20, send_to_text ?",
		"send_to_text ?",
		"",
	} {
		s, ok := r.Stages(whole[i])
		if got := toldOf(s); got != want || ok != (i < 6) {
			t.Errorf("trace %d: %s\nwant %s", i, got, want)
		}
		if ok && s.Sum() != Landed(whole[i]) {
			t.Errorf("trace %d: stages add up to %s of %s", i, s.Sum(), Landed(whole[i]))
		}
	}
}

func TestSeen(t *testing.T) {
	first := mark(mark(key(0), pipeline.MarkShown, 100), pipeline.MarkHiddenByKey, 150) // a flash
	again := mark(mark(key(150), pipeline.MarkShownAgain, 230), pipeline.MarkReplaced, 600)
	taken := mark(mark(key(500), pipeline.MarkShown, 600), pipeline.MarkAccepted, 700)
	accepted := traced(pipeline.KindStep, 0, 700, "class=accept", "saved=30")
	popup := mark(mark(key(800), pipeline.MarkShown, 900), pipeline.MarkHiddenByPopup, 1200)
	still := mark(key(1300), pipeline.MarkShown, 1400)
	other := mark(mark(traced(pipeline.KindIDE, 1, 0), pipeline.MarkShown, 120), pipeline.MarkHiddenByKey, 520)
	last := traced(pipeline.KindIDE, 0, 1500)
	got := Of([]*pipeline.Trace{first, again, taken, accepted, popup, still, other, last}, Options{LeastVisible: 300 * ms}).Seen()
	want := Seen{
		Suggestions: 6, Shown: 3, Flashes: 1, Flickers: 1, Accepted: 1, Saved: 30,
		Visible: Times{50 * ms, 100 * ms, 100 * ms, 300 * ms, 370 * ms, 400 * ms},
		Blank:   Times{80 * ms}, Flickering: Times{80 * ms},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

// session is opportunities of every fate, and what led to their requests.
func session() []*pipeline.Trace {
	served := func(prompt, cached, output int) func(r *pipeline.Request) {
		return func(r *pipeline.Request) {
			modelled(int(r.Sent/ms), int(r.Sent/ms)+40)(r)
			r.PromptTokens, r.CachedTokens, r.OutputTokens, r.End = prompt, cached, output, r.Sent+100*ms
		}
	}
	exact := asks(span(key(0, "opportunity=yes", "verdict=exact", "source=network"), "debounce", 0, 75), 1, 75, served(100, 0, 10))
	mark(mark(mark(exact, "first_character", 115), "shown", 115), pipeline.MarkHiddenByKey, 1000)
	late := asks(key(1000, "opportunity=yes", "verdict=diverged", "differs_at=90", "differs_by=key_at_cursor"), 2, 1075, served(110, 90, 8))
	closed := asks(key(1100, "opportunity=yes", "verdict=none", "given_up=rule", "differs_at=0", "differs_by=window_moved"), 3, 1175, func(r *pipeline.Request) {
		modelled(1175, 1300)(r)
		r.Outcome, r.Closed, r.End, r.PromptTokens, r.CachedTokens, r.OutputTokens = pipeline.Cancelled, 1200*ms, 1210*ms, 120, 20, 0
		r.AtClose, r.AtEnd, r.FirstOutput = pipeline.Work{Prompt: 60}, pipeline.Work{Prompt: 100}, pipeline.Unknown
	})
	closed.Outcome = pipeline.OK
	token := asks(key(1200, "opportunity=yes", "verdict=none", "given_up=editor"), 4, 1275, func(r *pipeline.Request) {
		r.Outcome, r.Closed, r.End, r.PromptEstimate = pipeline.Cancelled, 1300*ms, 1300*ms, 50
	})
	refused := asks(key(1300, "opportunity=yes", "verdict=none"), 5, 1375, func(r *pipeline.Request) {
		r.Outcome, r.End, r.Transport.Status = pipeline.Refused, 1380*ms, 429
	})
	refused.Outcome = pipeline.Refused
	held := key(1400, "opportunity=yes", "verdict=none", "held=throttle")
	cold := asks(traced(pipeline.KindStep, 0, 4000, "class=move", "opportunity=yes", "verdict=typed_through", "source=network"), 6, 4000, func(r *pipeline.Request) {
		served(120, 100, 12)(r)
		r.Loading = 2 * time.Second
	})
	mark(cold, "first_character", 6100)
	warmUp := asks(traced(pipeline.KindStep, 0, 3900, "class=focus"), 7, 3900, served(10, 0, 1))
	return []*pipeline.Trace{exact, late, closed, token, refused, held, key(1500, "opportunity=no"), key(3000, "opportunity=no"), cold, warmUp}
}

func TestWorthOfAnswers(t *testing.T) {
	f := Of(session(), Options{}).Figures()
	if f.Keys != 8 || f.Opportunities != 6 || f.Requests != 6 || f.WarmUps != 1 {
		t.Errorf("%d keys, %d opportunities, %d requests, %d warm-ups; want 8, 6, 6, 1", f.Keys, f.Opportunities, f.Requests, f.WarmUps)
	}
	want := Worth{[]Count{{"diverged", 1}, {"exact", 1}, {"typed_through", 1}}, Share{1, 6}, Share{1, 6}, Share{1, 3}, Share{}}
	if !reflect.DeepEqual(f.Worth, want) {
		t.Errorf("worth %v, want %v", f.Worth, want)
	}
	censored := Censored{Share{5, 6}, []Count{{Cancelled, 2}, {NotAsked, 1}, {Refused, 1}, {TypedOn, 1}}}
	if !reflect.DeepEqual(f.Censored, censored) {
		t.Errorf("censored %v, want %v", f.Censored, censored)
	}
}

func TestLedgerAndWaste(t *testing.T) {
	r := Of(session(), Options{})
	ledger := []Entry{
		{Owner: ByPlugin, Requests: 1, OnWire: 1, Known: 1, Before: pipeline.Work{Prompt: 60}, After: pipeline.Work{Prompt: 40}},
		{Owner: ByEditorToken, Requests: 1, OnWire: 1},
		{Owner: ByServer, Requests: 1},
	}
	if got := r.Ledger(); !reflect.DeepEqual(got, ledger) {
		t.Errorf("ledger %+v\nwant %+v", got, ledger)
	}
	// 100 of the useful one; 20 of the late one, 100 of the closed one, 50 that nobody counted
	// of the next, 0 of the refused one, and 20 of the step whose text was not on the screen
	want := Waste{Useful: 1, Prompt: 290, Output: 30, WastedPrompt: 190, WastedOutput: 20, Estimated: 50, Known: 6}
	if got := r.Waste(); got != want {
		t.Errorf("waste %+v\nwant  %+v", got, want)
	}
}

func TestPrefixAndCold(t *testing.T) {
	r := Of(session(), Options{})
	prefix := Prefix{Share{190, 330}, Share{90, 230}, []Drift{
		{"key_at_cursor", 1, []int{90}, Share{90, 110}}, {"window_moved", 1, []int{0}, Share{0, 120}},
	}}
	if got := r.Prefix(); !reflect.DeepEqual(got, prefix) {
		t.Errorf("prefix %+v\nwant %+v", got, prefix)
	}
	cold := Cold{Share{1, 6}, Times{2100 * ms}, Times{115 * ms}, []int64{6}}
	if got := r.Cold(); !reflect.DeepEqual(got, cold) {
		t.Errorf("cold %+v\nwant %+v", got, cold)
	}
}

// The key at 1500 ends a burst with nothing asked and nothing shown; from that at 3000 to the
// move there is no pause.
func TestEdges(t *testing.T) {
	got := Of(session(), Options{}).Edges()
	if want := (Edges{Share{1, 1}, []Count{{"none", 1}}}); !reflect.DeepEqual(got, want) {
		t.Errorf("edges %+v, want %+v", got, want)
	}
	later := Options{End: 5000 * ms}
	throttled := key(900, "held=throttle")
	lost := Of([]*pipeline.Trace{asks(key(0), 1, 400, nil), throttled}, later)
	if got, want := lost.Edges(), (Edges{Share{1, 1}, []Count{{"throttle", 1}}}); !reflect.DeepEqual(got, want) {
		t.Errorf("throttled: edges %+v, want %+v", got, want)
	}
	if got := Of([]*pipeline.Trace{throttled}, Options{End: 1900 * ms}).Edges(); got.Of != 0 {
		t.Errorf("no pause before the run ends: edges %+v, want none", got)
	}
	asks(throttled, 2, 1400, nil)
	if got := Of([]*pipeline.Trace{asks(key(0), 1, 400, nil), throttled}, later).Edges(); got.N != 0 || got.Of != 1 {
		t.Errorf("deferred: edges %+v, want none of 1", got)
	}
	shown := mark(key(0), pipeline.MarkShown, 60)
	if got := Of([]*pipeline.Trace{shown, key(100)}, later).Edges(); got.N != 0 || got.Of != 1 {
		t.Errorf("shown from before: edges %+v, want none of 1", got)
	}
	hidden := mark(mark(key(0), pipeline.MarkShown, 60), pipeline.MarkHiddenByKey, 505)
	waited := span(key(500, "held=throttle"), pipeline.SpanKeyWait, 500, 505)
	if got := Of([]*pipeline.Trace{hidden, waited}, later).Edges(); got.N != 1 || got.Of != 1 {
		t.Errorf("hidden once the editor came to it: edges %+v, want 1 of 1", got)
	}
	move := traced(pipeline.KindStep, 0, 1000, "class=move")
	if got := Of([]*pipeline.Trace{key(1000, "held=in_word"), move, key(9000)}, Options{End: 20_000 * ms}).Edges(); got.N != 2 || got.Of != 2 {
		t.Errorf("a move at the instant of a key: edges %+v, want 2 of 2", got)
	}
}

// Of five keys two waited for their useful answer; the one at 500 would have been served before
// the next at 560, by a median of 40 ms from the debounce to the text, the one at 560 not.
func TestRegret(t *testing.T) {
	served := func(id int64, due, debounce, first int) *pipeline.Trace {
		k := asks(span(key(due, "opportunity=yes", "verdict=exact", "source=network"), "debounce", due, due+debounce), id, due+debounce, modelled(due+debounce, first))
		return mark(mark(k, "first_character", first), "shown", first)
	}
	r := Of([]*pipeline.Trace{served(1, 0, 75, 115), served(2, 200, 50, 290), key(500, "opportunity=no"), key(560, "opportunity=no"), key(590, "opportunity=no")}, Options{})
	want := Regret{Late: Share{2, 5}, Waited: Times{50 * ms, 75 * ms}, Missed: Share{1, 5}, Service: 40 * ms}
	if got := r.Regret(); !reflect.DeepEqual(got, want) {
		t.Errorf("regret %+v\nwant %+v", got, want)
	}
	useless := asks(span(key(0, "opportunity=yes", "verdict=exact", "source=network"), "debounce", 0, 50), 1, 50, modelled(50, 90))
	if got := Of([]*pipeline.Trace{mark(useless, "first_character", 90)}, Options{}).Regret(); got.Late != (Share{0, 1}) {
		t.Errorf("an answer that was not shown: regret %+v, want none", got)
	}
	throttled := asks(span(span(key(0, "opportunity=yes", "verdict=exact", "source=network", "held=throttle"), "debounce", 0, 125), "client_queue", 125, 400), 1, 400, modelled(400, 440))
	mark(mark(throttled, "first_character", 440), "shown", 440)
	if got := Of([]*pipeline.Trace{throttled}, Options{}).Regret(); got.Late.N != 0 {
		t.Errorf("held by a throttle for longer: regret %+v, want none", got)
	}
	prepared := func(id int64, due int) *pipeline.Trace {
		k := span(span(key(due, "opportunity=yes", "verdict=exact", "source=network"), "prepare", due, due+50), "debounce", due+50, due+80)
		return mark(mark(asks(k, id, due+80, modelled(due+80, due+110)), "first_character", due+110), "shown", due+110)
	}
	if got := Of([]*pipeline.Trace{prepared(1, 0), prepared(2, 1000), key(2000, "opportunity=no"), key(2040)}, Options{}).Regret(); got.Missed.N != 0 || got.Service != 80*ms {
		t.Errorf("overtaken while the plugin prepares: regret %+v, want none missed, by 80ms to the text", got)
	}
}

func TestBySource(t *testing.T) {
	var words []string
	for _, s := range Of(session(), Options{}).BySource() {
		words = append(words, fmt.Sprint(s.Source, s.Keys, s.First.Character))
	}
	if got, want := strings.Join(words, " "), "network1 [115ms]"; got != want {
		t.Errorf("by source: %s, want %s", got, want)
	}
}

// What a step says of an answer is of the last of its requests: one that was refused before had
// none, was given up by the server, and did not wait for what the step waited for.
func TestAskedAgain(t *testing.T) {
	refused := func(r *pipeline.Request) { r.Outcome, r.End, r.Transport.Status = pipeline.Refused, r.Sent+5*ms, 429 }
	served := asks(asks(key(0, "opportunity=yes", "verdict=exact", "source=network"), 1, 75, refused), 2, 1075, modelled(1075, 1100))
	mark(mark(served, "first_character", 1100), "shown", 1100)
	w := Of([]*pipeline.Trace{served}, Options{}).Figures()
	if want := (Worth{[]Count{{"exact", 1}}, Share{1, 1}, Share{1, 2}, Share{1, 1}, Share{}}); !reflect.DeepEqual(w.Worth, want) {
		t.Errorf("worth %v, want %v", w.Worth, want)
	}
	if want := (Times{1100 * ms}); !reflect.DeepEqual(w.Cold.Warm, want) {
		t.Errorf("warm %v, want %v", w.Cold.Warm, want)
	}
	closed := asks(asks(key(0, "opportunity=yes", "verdict=none", "given_up=rule"), 1, 75, refused), 2, 1075, func(r *pipeline.Request) {
		r.Outcome, r.Closed = pipeline.Cancelled, 1100*ms
	})
	ledger := []Entry{{Owner: ByPlugin, Requests: 1, OnWire: 1}, {Owner: ByServer, Requests: 1}}
	if got := Of([]*pipeline.Trace{closed}, Options{}).Ledger(); !reflect.DeepEqual(got, ledger) {
		t.Errorf("ledger %+v, want %+v", got, ledger)
	}
}

// A request that the tester never let go was given up, and is not among those that were sent.
func TestNeverSent(t *testing.T) {
	unsent := func(r *pipeline.Request) { r.Outcome, r.Sent = pipeline.Dropped, pipeline.Unknown }
	r := Of([]*pipeline.Trace{
		asks(key(0, "opportunity=yes", "verdict=none"), 1, 75, unsent), asks(key(200, "opportunity=yes", "verdict=none"), 2, 275, nil),
		asks(traced(pipeline.KindStep, 0, 300, "class=focus"), 3, 300, unsent),
	}, Options{})
	f := r.Figures()
	if f.Requests != 1 || f.WarmUps != 0 || f.Worth.OfRequests != (Share{0, 1}) || f.Cold.Of != 1 || r.MostInFlight() != 1 {
		t.Errorf("%d requests, %d warm-ups, worth of %v, cold of %v, %d in flight; want 1, 0, 0 of 1, 0 of 1, 1", f.Requests, f.WarmUps, f.Worth.OfRequests, f.Cold.Share, r.MostInFlight())
	}
	if want := []Entry{{Owner: ByTester, Requests: 1}}; !reflect.DeepEqual(f.Ledger, want) {
		t.Errorf("ledger %+v, want %+v", f.Ledger, want)
	}
}

// What a server did with a request is over where the answer left it, not where it was read; a
// request that was closed has no way back. So what is worked on for nobody is no longer than that.
func TestServed(t *testing.T) {
	far := func(outcome pipeline.Outcome) *Request {
		k := asks(key(0), 1, 10, func(r *pipeline.Request) {
			modelled(20, 90)(r)
			r.End, r.Outcome, r.Way = 200*ms, outcome, pipeline.Way{Out: 5 * ms, Back: 7 * ms}
		})
		return &Of([]*pipeline.Trace{k}, Options{}).Requests[0]
	}
	for outcome, want := range map[pipeline.Outcome]time.Duration{pipeline.OK: 193 * ms, pipeline.Cancelled: 200 * ms} {
		if from, to := far(outcome).Served(); from != 25*ms || to != want {
			t.Errorf("%s: served from %s to %s, want 25ms to %s", outcome, from, to, want)
		}
	}
}

// A server that states a second or more of loading loaded the model; one that states less did not.
func TestStatedLoad(t *testing.T) {
	for load, want := range map[time.Duration]int{999 * ms: 0, time.Second: 1} {
		k := asks(key(0), 1, 10, func(r *pipeline.Request) { r.Server.Load = load })
		if got := Of([]*pipeline.Trace{k}, Options{}).Cold(); got.Share != (Share{want, 1}) {
			t.Errorf("a load of %s is stated: cold %v, want %d of 1", load, got.Share, want)
		}
	}
}

// Of a step that asked more than once nobody knows which prompt differs from which.
func TestPrefixOfOneRequest(t *testing.T) {
	k := key(0, "differs_at=9", "differs_by=key_at_cursor")
	for id := range int64(2) {
		asks(k, id+1, 10, func(r *pipeline.Request) { r.PromptTokens = 10 })
	}
	if got := Of([]*pipeline.Trace{k}, Options{}).Prefix(); len(got.Causes) > 0 || got.Shared.Of != 0 {
		t.Errorf("prompts %+v, want nothing told", got)
	}
}

// A useful answer counts as one whether or not anybody told its tokens.
func TestUsefulWithoutCounts(t *testing.T) {
	shown := mark(asks(key(0, "opportunity=yes", "verdict=exact", "source=network"), 1, 75, nil), "shown", 200)
	r := Of([]*pipeline.Trace{shown}, Options{})
	w := r.Waste()
	if want := (Waste{Useful: 1, Unknown: 1}); w != want {
		t.Errorf("waste %+v, want %+v", w, want)
	}
	if each, ok := w.PerUseful(0); ok {
		t.Errorf("%v tokens for each useful answer where none are known", each)
	}
}

// Of a modelled server that does not say what it had computed by the close the work is unknown,
// and that all of the prompt was computed an estimate.
func TestWorkUnknown(t *testing.T) {
	closed := asks(key(0, "opportunity=yes", "verdict=none", "given_up=rule"), 1, 75, func(r *pipeline.Request) {
		modelled(75, 0)(r)
		r.FirstOutput, r.Closed, r.Outcome, r.PromptTokens, r.OutputTokens = pipeline.Unknown, 100*ms, pipeline.Cancelled, 80, 0
	})
	r := Of([]*pipeline.Trace{closed}, Options{})
	if got, want := r.Ledger(), []Entry{{Owner: ByPlugin, Requests: 1, OnWire: 1}}; !reflect.DeepEqual(got, want) {
		t.Errorf("ledger %+v, want %+v", got, want)
	}
	if got, want := r.Waste(), (Waste{Prompt: 80, WastedPrompt: 80, Estimated: 80, Known: 1}); got != want {
		t.Errorf("waste %+v, want %+v", got, want)
	}
}
