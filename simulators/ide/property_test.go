package ide

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/typing"
)

// counting checks that every call that starts ends once, and that what it shares stays
// true until then, whatever is typed meanwhile.
type counting struct {
	pipeline.LLM
	t              testing.TB
	started, ended int
}

func (c *counting) Start(call *pipeline.Call) {
	c.started++
	done, over, shares := call.Done, false, call.Blocks(nil, 1)
	call.Done = func() {
		if over {
			c.t.Error("a call ended twice")
		}
		if again := call.Blocks(nil, 1); len(shares) == 0 || !slices.Equal(again, shares) {
			c.t.Errorf("%d blocks at the start of a call and %d others at its end", len(shares), len(again))
		}
		over = true
		c.ended++
		done()
	}
	c.LLM.Start(call)
}

// randomRig draws the plugin's and the model's settings.
func randomRig(t testing.TB, seed uint64) (*rig, *counting) {
	d := dist.Stream(seed, "settings")
	r := newRig(t, 1+d.IntN(3), time.Duration(d.IntN(300))*ms, time.Duration(d.IntN(30))*ms)
	r.config.Plugin = plugin.Rules{
		Wait: plugin.Wait{For: time.Duration(d.IntN(4)*50) * ms}, Cancel: plugin.Cancel(d.IntN(3)), Reuse: plugin.Reuse(d.IntN(3)),
		Prompt: shape(1+d.IntN(200), d.IntN(50)), MaxTokens: 1 + d.IntN(30),
	}
	r.config.Right = d.Float64()
	model := &counting{LLM: r.config.LLM, t: t}
	r.config.LLM = model
	return r, model
}

// Typing is the same whatever plugin and model do, every request ends, and every
// trace is whole.
func TestAnyPluginAndModel(t *testing.T) {
	who := typist(t, "python-report", "average")
	types := func(user int) typing.Source {
		if user == 0 {
			return recorded(t, 19)
		}
		return who.Type(5, user)
	}
	const users, keys = 3, 400
	var due []time.Duration
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r, model := randomRig(t, seed)
			editors := r.start(users, keys, types, func() {})
			watch(t, r, editors)
			if err := r.virtual.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			r.sort()
			traces := r.traces
			if len(traces) != users*keys {
				t.Fatalf("%d traces, want %d", len(traces), users*keys)
			}
			var at []time.Duration
			for i, trace := range traces {
				if trace.Session != i/keys || trace.Index != i%keys {
					t.Fatalf("trace %d is of user %d, key %d", i, trace.Session, trace.Index)
				}
				checkTrace(t, trace, &r.config.Plugin)
				at = append(at, trace.Due)
			}
			if due == nil {
				due = at
			}
			if !slices.Equal(at, due) {
				t.Error("the keys came at other instants than with other settings")
			}
			checkRequests(t, traces, model)
		})
	}
}

// watch checks, every now and then, that no trace is kept for longer than its
// request, or being the last, needs.
func watch(t *testing.T, r *rig, editors []*Editor) {
	kept, live := -len(r.traces), 0
	for _, e := range editors {
		kept += e.typed
		live += len(e.live)
	}
	if kept > live+2*len(editors) { // of each, the last key and the one whose answer is shown
		t.Errorf("at %s %d traces are kept for %d requests of %d people", r.loop.Now(), kept, live, len(editors))
	}
	if r.left > 0 {
		r.loop.After(70*ms, pipeline.RankStart, func() { watch(t, r, editors) })
	}
}

func checkTrace(t *testing.T, trace *pipeline.Trace, p *plugin.Rules) {
	t.Helper()
	first, line := trace.Mark("first_character"), trace.Mark("first_line")
	source := trace.Fact("source")
	switch {
	case trace.Kind != "ide" || trace.Outcome != pipeline.OK || trace.End < trace.Due:
		t.Errorf("trace %+v", trace)
	case (first == pipeline.Unknown) != (source == "none"):
		t.Errorf("first character at %s from %s", first, source)
	case first != pipeline.Unknown && first < trace.Due, line != pipeline.Unknown && (first == pipeline.Unknown || line < first), trace.End < line:
		t.Errorf("due %s, first character %s, first line %s, end %s", trace.Due, first, line, trace.End)
	case source == "typed_as_suggested" && (first != trace.Due || len(trace.Requests) > 0 && p.Reuse != plugin.ShrinkAndAsk || len(trace.Uses) != 1 || trace.Fact("opportunity") == "yes"):
		t.Errorf("reused at %s, due %s: %+v", first, trace.Due, trace)
	case len(trace.Requests) > 1 || len(trace.Requests) == 0 && trace.Fact("verdict") != "none":
		t.Errorf("%d requests, verdict %s", len(trace.Requests), trace.Fact("verdict"))
	}
	asked := len(trace.Requests) == 1
	if should := trace.Fact("opportunity") == "yes"; asked != should && source != "typed_as_suggested" {
		t.Errorf("opportunity %s, source %s, %d requests", trace.Fact("opportunity"), source, len(trace.Requests))
	}
	if !asked {
		if len(trace.Spans) != 0 {
			t.Errorf("spans %+v without a request", trace.Spans)
		}
		return
	}
	request, wait, answer := trace.Requests[0], trace.Spans[0], trace.Spans[1]
	if wait.Start != trace.Due || wait.For() != p.Wait.For || answer.Start != wait.End || request.Due != answer.Start ||
		answer.End != request.FirstText && request.Outcome != pipeline.Cancelled || !answer.Simulated {
		t.Errorf("spans %+v, request %+v", trace.Spans, request)
	}
}

func checkRequests(t *testing.T, traces []*pipeline.Trace, model *counting) {
	t.Helper()
	var ids []int64
	for _, r := range requests(traces) {
		ids = append(ids, r.ID)
	}
	slices.Sort(ids)
	for i, id := range ids {
		if id != int64(i+1) {
			t.Fatalf("request %d has ID %d", i+1, id)
		}
	}
	if n := len(ids); n != model.started || n != model.ended {
		t.Errorf("%d requests in traces, %d started, %d ended", n, model.started, model.ended)
	}
}
