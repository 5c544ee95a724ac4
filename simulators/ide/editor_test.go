package ide

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/pipeline/link"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/typing"
)

// facts returns "opportunity verdict source class".
func facts(t *pipeline.Trace) string {
	return strings.Join([]string{t.Fact("opportunity"), t.Fact("verdict"), t.Fact("source"), t.Fact("class")}, " ")
}

// marks returns the marks as "name@instant".
func marks(t *pipeline.Trace) string {
	var all []string
	for _, m := range t.Marks {
		if m.Name != "first_character" && m.Name != "first_line" {
			continue
		}
		all = append(all, fmt.Sprint(m.Name, "@", m.At))
	}
	return strings.Join(all, " ")
}

// want compares facts, marks and uses of each key.
func want(t *testing.T, traces []*pipeline.Trace, wants ...string) {
	t.Helper()
	var got []string
	for _, trace := range traces {
		line := facts(trace)
		if len(trace.Marks) > 0 {
			line += " | " + marks(trace)
		}
		if len(trace.Uses) > 0 {
			line += fmt.Sprint(" | ", trace.Uses)
		}
		got = append(got, line)
	}
	if !slices.Equal(got, wants) {
		t.Errorf("keys are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(wants, "\n"))
	}
}

// The trace of a key that asks, in full.
func TestTraceOfAKey(t *testing.T) {
	r := newRig(t, 1, 100*ms, 10*ms)
	r.config.Plugin.Wait.For = 75 * ms
	r.config.Late = func() time.Duration { return 3 * time.Microsecond }
	traces := r.play(open("x := ", "\n}\n").will("x := y + 1").key(0, "y").move(500*ms, 0))
	record := pipeline.NewRequest(1, 75*ms)
	record.Sent, record.Scheduled, record.Simulated = 75*ms, 75*ms, true
	record.FirstOutput, record.FirstText, record.FirstSeen = 175*ms, 175*ms, 175*ms
	record.LastOutput, record.End = 185*ms, 185*ms
	record.PromptTokens, record.OutputTokens, record.TokenSource, record.Chunks = 4+3, 2, "engine", 2
	record.Finish = "stop"
	var spans pipeline.Trace
	wait := spans.Add(pipeline.Span{Name: "debounce", End: 75 * ms, Simulated: true})
	spans.Add(pipeline.Span{Name: "llm_first_token", Start: 75 * ms, End: 175 * ms, Simulated: true}, wait)
	got := traces[0]
	if !reflect.DeepEqual(got.Spans, spans.Spans) {
		t.Errorf("spans\n got %+v\nwant %+v", got.Spans, spans.Spans)
	}
	if !reflect.DeepEqual(got.Requests, []pipeline.Request{record}) {
		t.Errorf("requests\n got %+v\nwant %+v", got.Requests, record)
	}
	if got.Kind != "ide" || got.Index != 0 || got.Due != 0 || got.End != 185*ms || got.Late != 3*time.Microsecond || got.Outcome != pipeline.OK {
		t.Errorf("trace %+v", got)
	}
	want(t, traces, "yes exact network word | first_character@175ms first_line@185ms")
}

// A gap as long as the debounce is no opportunity: the key comes first.
func TestOpportunity(t *testing.T) {
	r := newRig(t, 1, 10*ms, 0)
	r.config.Plugin.Wait.For, r.config.Plugin.Cancel = 100*ms, plugin.CancelWire
	traces := r.play(open("", "").will("abcd = 1").key(0, "a").key(100*ms, "b").key(201*ms, "c").key(202*ms, "d").move(250*ms, 0).
		key(400*ms, "x").backspace(600 * ms))
	want(t, traces,
		"no none none word",
		"yes none none word", // closed at 201 ms
		"no none none word",
		"no none none word",
		"yes exact network word | first_character@510ms first_line@510ms",
		"yes exact network backspace | first_character@710ms first_line@710ms")
}

// When text arrives late it serves the key that asked and the key that is last.
func TestLaterKeyJoins(t *testing.T) {
	r := newRig(t, 4, 200*ms, 10*ms)
	r.config.Plugin.Wait.For = 20 * ms
	traces := r.play(open("", "").will("ab(c)").key(0, "a").key(100*ms, "b"))
	want(t, traces,
		"yes typed_through network word | first_character@230ms first_line@250ms", // b, which was typed, then (
		"yes exact joined word | first_character@230ms first_line@250ms | [{1 joined}]")
	if n := len(requests(traces)); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

// Text that is behind the typing catches up.
func TestTypedPastTheFirstTokens(t *testing.T) {
	r := newRig(t, 1, 100*ms, 50*ms)
	r.config.Plugin.Wait.For = 10 * ms
	a := open("", "").will("a = b + c").key(0, "a").key(50*ms, " ").key(55*ms, "=").key(59*ms, " ").key(65*ms, "b")
	traces := r.play(a)
	// Tokens of the first answer: " =" at 110, " b" at 160, " +" at 210, " c" at 260.
	want(t, traces[:1], "yes typed_through network word | first_character@210ms first_line@260ms")
}

func TestUsedUp(t *testing.T) {
	r := newRig(t, 1, 100*ms, 0)
	r.config.Plugin.Wait.For = 10 * ms
	traces := r.play(open("", "").will("ab").key(0, "a").key(50*ms, "b"))
	if got := facts(traces[0]); got != "yes used_up none word" {
		t.Errorf("first key: %s, want used_up", got)
	}
}

// A line end and an indentation are nothing to see.
func TestFirstCharacterIsVisible(t *testing.T) {
	r := newRig(t, 1, 100*ms, 10*ms)
	traces := r.play(open("", "").will("x\n\treturn y\n}").key(0, "x"))
	want(t, traces, "yes exact network word | first_character@110ms first_line@120ms")
}

func TestReuse(t *testing.T) {
	for _, c := range []struct {
		name   string
		cancel plugin.Cancel
		typing *at
		want   []string
	}{
		// Tokens: 1 "abcd", 2 " =", 3 " e" at 100, 200 and 300.
		{"used completely", plugin.CancelNone, open("", "").will("xabcd").key(0, "x").keys(400*ms, 100*ms, "abcd"), []string{
			"yes exact network word | first_character@100ms first_line@100ms",
			"no none typed_as_suggested word | first_character@400ms first_line@400ms | [{1 typed-as-suggested}]",
			"no none typed_as_suggested word | first_character@500ms first_line@500ms | [{1 typed-as-suggested}]",
			"no none typed_as_suggested word | first_character@600ms first_line@600ms | [{1 typed-as-suggested}]",
			// Nothing will follow, so the answer is a wrong one of 8 tokens.
			"yes exact network word | first_character@800ms first_line@1.5s",
		}},
		{"else", plugin.CancelNone, open("", "").will("xabcd").key(0, "x").key(400*ms, "z").key(600*ms, "a"), []string{
			"yes exact network word | first_character@100ms first_line@100ms",
			"yes exact network word | first_character@500ms first_line@500ms",
			"yes exact network word | first_character@700ms first_line@700ms",
		}},
		{"the rest comes", plugin.CancelNone, open("", "").will("xabcd = e").key(0, "x").key(150*ms, "a").key(250*ms, "b").backspace(450 * ms), []string{
			"yes typed_through network word | first_character@100ms first_line@300ms",
			"no none typed_as_suggested word | first_character@150ms | [{1 typed-as-suggested}]",
			"no none typed_as_suggested word | first_character@250ms | [{1 typed-as-suggested}]",
			"yes exact network backspace | first_character@550ms first_line@750ms",
		}},
		{"the rest is closed", plugin.CancelWire, open("", "").will("xabcd = e").key(0, "x").key(150*ms, "a").key(250*ms, "b"), []string{
			"yes exact network word | first_character@100ms",
			"no none typed_as_suggested word | first_character@150ms | [{1 typed-as-suggested}]",
			"no none typed_as_suggested word | first_character@250ms | [{1 typed-as-suggested}]",
		}},
		{"the rest is dropped", plugin.CancelDiscard, open("", "").will("xabcd = e").key(0, "x").key(150*ms, "a"), []string{
			"yes exact network word | first_character@100ms",
			"no none typed_as_suggested word | first_character@150ms | [{1 typed-as-suggested}]",
		}},
		{"moved", plugin.CancelNone, open("\n", "").will("\nxabcd").key(0, "x").move(400*ms, 0).move(410*ms, 2).key(420*ms, "a"), []string{
			"yes exact network word | first_character@100ms first_line@100ms",
			"yes exact network word | first_character@520ms first_line@520ms",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, 1, 100*ms, 100*ms)
			r.config.Plugin.Cancel, r.config.Plugin.Reuse = c.cancel, plugin.TypedAsSuggested
			want(t, r.play(c.typing), c.want...)
		})
	}
}

// What is sent has as many tokens as are counted.
func TestPrompt(t *testing.T) {
	before, after := "func sum(values []int) (total int) {\n\tfor ", "\n}\n\nvar done = true"
	heard := pipeline.Prompt{Text: " {\n\tfor i", Suffix: "\n}\n\n"}
	r := newRig(t, 1, 0, 0)
	model := &spoken{loop: r.loop, says: []string{"x"}}
	r.config.LLM = model
	r.config.Plugin.Prompt = shape(4, 3)
	r.play(open(before, after).key(0, "i"))
	if len(model.heard) != 1 || model.heard[0] != heard {
		t.Errorf("heard %+v, want %+v", model.heard, heard)
	}
	r = newRig(t, 1, 0, 0)
	r.config.Plugin.Prompt = shape(4, 3)
	all := requests(r.play(open(before, after).key(0, "i")))
	if got := all[0].PromptTokens; got != 4+3 || got != token.Count(heard.Text)+token.Count(heard.Suffix) {
		t.Errorf("%d prompt tokens counted, want 7", got)
	}
}

// A model behind a socket is judged by what it says.
func TestNetworkForm(t *testing.T) {
	for _, c := range []struct{ says, want string }{
		{"b(c)", "yes exact network word | first_character@100ms first_line@100ms"},
		{"b(c)\nd", "yes exact network word | first_character@100ms first_line@100ms"},
		{"", "yes empty none word"},
		{"\n\t", "yes empty none word"},
	} {
		r := newRig(t, 1, 0, 0)
		r.config.LLM = &spoken{loop: r.loop, after: 100 * ms, says: []string{c.says}}
		traces := r.play(open("", "").will("abc").key(0, "a"))
		want(t, traces, c.want)
		if traces[0].Spans[1].Simulated {
			t.Error("a span over a socket is labelled simulated")
		}
	}
}

// A modelled answer is read the same way at the end of a network path.
func TestOverAPath(t *testing.T) {
	r := newRig(t, 1, 100*ms, 10*ms)
	r.config.LLM = link.Between(r.loop, link.Path{RoundTrip: func(uint64) time.Duration { return 20 * ms }}, r.config.LLM)
	want(t, r.play(open("", "").will("ab = c").key(0, "a").key(150*ms, "b")),
		"yes exact network word | first_character@120ms first_line@140ms",
		"yes exact network word | first_character@270ms first_line@280ms")
}

// failing ends every call at once with an outcome.
type failing struct {
	loop    pipeline.Scheduler
	outcome pipeline.Outcome
}

func (f failing) Start(c *pipeline.Call) {
	f.loop.After(5*ms, pipeline.RankInput, func() {
		c.Record.Outcome, c.Record.Reason, c.Record.End = f.outcome, "busy", f.loop.Now()
		c.Done()
	})
}

func (f failing) Cancel(*pipeline.Call) {}

func TestOutcomeOfAKey(t *testing.T) {
	for outcome, want := range map[pipeline.Outcome]string{
		pipeline.OK: "ok ", pipeline.Cancelled: "ok ",
		pipeline.Error: "error busy", pipeline.Timeout: "timeout busy", pipeline.Refused: "refused busy",
		pipeline.Truncated: "truncated busy", pipeline.Dropped: "dropped busy",
	} {
		r := newRig(t, 1, 0, 0)
		r.config.LLM = failing{r.loop, outcome}
		trace := r.play(open("", "").key(0, "a"))[0]
		if got := trace.Outcome.String() + " " + trace.Reason; got != want {
			t.Errorf("a request that ended %s makes the key %q, want %q", outcome, got, want)
		}
		if len(trace.Requests) != 1 || len(trace.Marks) != 0 || trace.End != 5*ms {
			t.Errorf("%s: trace %+v", outcome, trace)
		}
	}
}

// Nothing is asked about an empty document.
func TestEmptyDocument(t *testing.T) {
	r := newRig(t, 1, 0, 0)
	want(t, r.play(open("", "").key(0, "a").backspace(100*ms)),
		"yes exact network word | first_character@0s first_line@0s", "no none none backspace")
	r = newRig(t, 1, 0, 0)
	r.config.Plugin.Prompt = shape(100, 0)
	want(t, r.play(open("a", "b").backspace(100*ms)), "no none none backspace")
}

func TestMaxPause(t *testing.T) {
	r := newRig(t, 1, 0, 0)
	r.config.MaxPause = 2 * time.Second
	traces := r.play(open("", "").key(time.Second, "a").key(time.Hour, "b").key(time.Hour+ms, "c"))
	var due []time.Duration
	for _, trace := range traces {
		due = append(due, trace.Due)
	}
	if !slices.Equal(due, []time.Duration{time.Second, 3 * time.Second, 3*time.Second + ms}) {
		t.Errorf("keys at %v, want 1s, 3s, 3.001s", due)
	}
}

func TestEndOfTyping(t *testing.T) {
	for _, c := range []struct{ keys, want int }{{0, 0}, {2, 2}, {9, 3}} {
		r := newRig(t, 1, 50*ms, 0)
		r.config.Plugin.Wait.For = 10 * ms
		steps := scripted(open("", "").will("abc d").keys(0, 20*ms, "abc").steps)
		ended := time.Duration(-1)
		r.start(1, c.keys, func(int) typing.Source { return &steps }, func() { ended = r.loop.Now() })
		if ended >= 0 {
			t.Error("finished was called from inside Start")
		}
		if err := r.virtual.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(r.traces) != c.want || ended < 0 {
			t.Errorf("%d keys asked for: %d traces, ended at %s; want %d", c.keys, len(r.traces), ended, c.want)
		}
		if n := len(r.traces); n > 0 && r.traces[n-1].Fact("opportunity") != "yes" {
			t.Error("the last key is an opportunity, want yes")
		}
	}
}

// On the clock the very same traces come out as on the virtual loop.
func TestWallEqualsVirtual(t *testing.T) {
	who := typist(t, "go-handler", "fast")
	set := func(r *rig) {
		r.config.Plugin.Wait.For, r.config.Plugin.Reuse, r.config.Right = 75*ms, plugin.TypedAsSuggested, .5
	}
	typing := func(user int) typing.Source { return who.Type(1, user) }
	virtual := newRig(t, 2, 120*ms, 15*ms)
	set(virtual)
	virtual.run(3, 200, typing)
	synctest.Test(t, func(t *testing.T) {
		wall := pipeline.NewWall()
		r := &rig{t: t}
		r.on(wall, 2, 120*ms, 15*ms)
		set(r)
		r.start(3, 200, typing, wall.Stop)
		if err := wall.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.sort()
		if len(r.traces) != 600 || !reflect.DeepEqual(r.traces, virtual.traces) {
			t.Errorf("%d traces on the wall clock differ from %d on the virtual one", len(r.traces), len(virtual.traces))
		}
	})
}
