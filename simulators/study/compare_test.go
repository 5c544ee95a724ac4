package study

import (
	"context"
	"errors"
	"net"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/server"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/runner"
)

// Every cell has its requests, alone and beside, each once and in order.
func TestCompareOnSim(t *testing.T) {
	s, set := parse(t, small), onSim(3)
	var kept []pipeline.Trace
	var header trace.Header
	progress := 0
	set.Begin = func(h trace.Header) error { header = h; return nil }
	set.Keep = func(tr *pipeline.Trace) error { kept = append(kept, *tr); return nil }
	set.Progress = func(n int) { progress = n }
	run := compare(t, s, set)
	// 7 lengths with 3 variants, 3 requests, twice; 3 lengths skipped.
	const want = 7*3*3*2 + 3*3
	if len(run.Traces) != want || run.Footer.N != want || run.Header.N != want || progress != want || !run.Footer.Finished || Traces(s, onSim(3)) != want {
		t.Fatalf("%d traces, footer %+v, asked %d, progress %d; want %d", len(run.Traces), run.Footer, run.Header.N, progress, want)
	}
	if !reflect.DeepEqual(kept, run.Traces) || !reflect.DeepEqual(header, run.Header) {
		t.Error("what was kept is not what was returned")
	}
	if h := run.Header; h.Kind != pipeline.KindGrid || h.ScenarioHash != s.Hash() || h.Target != "sim" || h.Seed != 1 || h.Version != "test" || len(h.Stages) != 2 || !h.Stages[0].Simulated {
		t.Errorf("header %+v", h)
	}
	checkOrder(t, run)
	for _, prompt := range []string{"128", "1024", "2048", "4064"} {
		for _, variant := range []string{"baseline", "small steps", "said before"} {
			for _, beside := range []string{"", pipeline.BesideStream} {
				if n := len(in(run, "Phi-3-mini-4k", variant, prompt, beside)); n != 3 {
					t.Errorf("%s at %s tokens %s: %d requests, want 3", variant, prompt, beside, n)
				}
			}
		}
	}
}

// checkOrder checks that cells follow each other in time, that no session and no
// request has the number of another, and that every instant is in its place.
func checkOrder(t *testing.T, run trace.Run) {
	t.Helper()
	ids, places, last := map[int64]bool{}, map[[2]int]bool{}, time.Duration(0)
	for _, tr := range run.Traces {
		if place := [2]int{tr.Session, tr.Index}; places[place] {
			t.Errorf("session %d has two of index %d", tr.Session, tr.Index)
		} else {
			places[place] = true
		}
		if tr.Due < last || tr.End < tr.Due {
			t.Errorf("session %d: due %s, end %s, after one that ended at %s", tr.Session, tr.Due, tr.End, last)
		}
		last = max(last, tr.End)
		for _, r := range tr.Requests {
			if ids[r.ID] {
				t.Errorf("two requests have the number %d", r.ID)
			}
			ids[r.ID] = true
		}
		if tr.Outcome != pipeline.OK {
			continue
		}
		r := &tr.Requests[0]
		if r.Due != tr.Due || r.Sent < r.Due || r.FirstOutput <= r.Sent || r.LastOutput <= r.FirstOutput || r.End < r.LastOutput || r.End > tr.End {
			t.Errorf("session %d: request %+v is out of order in a trace from %s to %s", tr.Session, r, tr.Due, tr.End)
		}
		if tr.Spans[0].Start != tr.Due || tr.Spans[0].End != r.FirstOutput || tr.Spans[1].End != r.LastOutput {
			t.Errorf("session %d: spans %+v do not follow its request", tr.Session, tr.Spans)
		}
	}
}

// Where every cell is skipped there is a trace of each, and no run was late.
func TestCompareNothing(t *testing.T) {
	run := compare(t, parse(t, strings.Replace(small, "output_tokens: 32", "output_tokens: 5000", 1)), onSim(2))
	if n := 2 * 4 * 3; len(run.Traces) != n || !run.Footer.Finished || run.Footer.Lateness.Max != pipeline.Unknown {
		t.Errorf("%d traces, footer %+v, want %d and no lateness", len(run.Traces), run.Footer, n)
	}
}

// What a cold prompt finds in the cache is nothing, and what one said before finds
// is all of its whole blocks but the last token's.
func TestColdAndWarm(t *testing.T) {
	run := compare(t, parse(t, small), onSim(2))
	for variant, want := range map[string]int{"baseline": 0, "said before": 1008} {
		for _, beside := range []string{"", pipeline.BesideStream} {
			for _, tr := range in(run, "Phi-3-mini-4k", variant, "1024", beside) {
				if got := tr.Requests[0].CachedTokens; got != want {
					t.Errorf("%s %s: %d tokens of 1,024 were cached, want %d", variant, beside, got, want)
				}
			}
		}
	}
}

// The stall of a stream is the step that has the prompt in it: all of it at once, or
// a budget's worth. What passes before the prompt is queued stalls nobody.
func TestStallOnSim(t *testing.T) {
	run := compare(t, parse(t, small), onSim(2))
	stall := func(variant string) time.Duration {
		tr := in(run, "Phi-3-mini-4k", variant, "1024", pipeline.BesideStream)[0]
		return tr.Spans[len(tr.Spans)-1].For()
	}
	first := func(prompt string) time.Duration {
		return in(run, "Phi-3-mini-4k", "baseline", prompt, "")[0].Spans[0].For()
	}
	whole, part := stall("baseline"), stall("small steps")
	if whole < first("1024")*8/10 || whole > first("1024")*11/10 {
		t.Errorf("the stall for a whole prompt is %s, want about its time to the first token, %s", whole, first("1024"))
	}
	if part > whole*2/3 {
		t.Errorf("the stall in small steps is %s, want far less than %s", part, whole)
	}
}

func TestDeterminism(t *testing.T) {
	a, b := compare(t, parse(t, small), onSim(2)), compare(t, parse(t, small), onSim(2))
	if !reflect.DeepEqual(a, b) {
		t.Error("the same seed gave other traces")
	}
	other := onSim(2)
	other.Seed = 2
	if reflect.DeepEqual(a.Traces, compare(t, parse(t, small), other).Traces) {
		t.Error("another seed gave the same instants for the prompts beside a stream")
	}
}

// Without a warm-up every request is in the traces, so that they can be counted.
func TestEstimate(t *testing.T) {
	for _, stream := range []string{"true", "false"} {
		text := strings.NewReplacer("warm_up: 1", "warm_up: 0", "same_prompt: true", "token_budget: 1024", "grid:", "grid:\n  stream_beside: "+stream).Replace(small)
		s := parse(t, text)
		var got runner.Estimate
		for _, tr := range compare(t, s, onSim(3)).Traces {
			for _, r := range tr.Requests {
				got.Requests++
				got.PromptTokens += r.PromptTokens
				got.OutputTokens += r.OutputTokens
			}
		}
		if want := Estimate(s, onSim(3)); !reflect.DeepEqual(got, want) {
			t.Errorf("beside %s: sent %+v, estimated %+v", stream, got, want)
		}
		s.WarmUp = 2
		if e := Estimate(s, onSim(3)); e.Requests != got.Requests/3*5 {
			t.Errorf("with a warm-up of 2 for 3: %d requests, want five thirds of %d", e.Requests, got.Requests)
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	set := onSim(3)
	set.Progress = func(n int) {
		if n == 20 {
			cancel()
		}
	}
	run, err := Compare(ctx, parse(t, small), set)
	if err != nil || run.Footer.Finished || run.Footer.Reason != "interrupted" || len(run.Traces) < 20 || len(run.Traces) > 40 {
		t.Errorf("%d traces, footer %+v, %v; want it interrupted soon after 20", len(run.Traces), run.Footer, err)
	}
}

func TestKeepFails(t *testing.T) {
	set := onSim(3)
	set.Keep = func(*pipeline.Trace) error { return errors.New("the disk is full") }
	run, err := Compare(t.Context(), parse(t, small), set)
	if err != nil || run.Footer.Finished || run.Footer.Reason != "the disk is full" {
		t.Errorf("footer %+v, %v; want the disk full", run.Footer, err)
	}
	set.Begin = func(trace.Header) error { return errors.New("no folder") }
	if _, err := Compare(t.Context(), parse(t, small), set); err == nil || err.Error() != "run small: no folder" {
		t.Errorf("Compare: %v, want no folder", err)
	}
}

// serve runs a server of quick models and returns its address.
func serve(t *testing.T, names ...string) string {
	t.Helper()
	var models []server.Model
	for _, name := range names {
		models = append(models, server.Model{Name: name, Context: 1 << 20, Build: func(loop pipeline.Scheduler) engine.Engine {
			return engine.NewHosted(loop, engine.HostedConfig{First: func(uint64) time.Duration { return 3 * ms }, Next: ms})
		}})
	}
	s, err := server.New(server.Config{Loop: pipeline.NewPreciseWall(), Seed: 1, Models: models})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, ln) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return "http://" + ln.Addr().String() + "/v1"
}

func atEndpoint(t *testing.T, url string) Settings {
	set := Settings{Settings: runner.Settings{Target: runner.Endpoint, Seed: 1, N: 2, Endpoint: endpoint.Config{URL: url, Protocol: dialect.OpenAIChat, IgnoreEOS: true}}}
	var err error
	if set.Models, err = Models(t.Context(), parse(t, small), set.Endpoint, nil); err != nil {
		t.Fatal(err)
	}
	return set
}

// At an endpoint a client can do all but switch the server's options.
func TestCompareAtAnEndpoint(t *testing.T) {
	s := parse(t, strings.Replace(small, "prompts: [128, 1024, 2048, 4096]", "prompts: [16, 4096]", 1))
	set := atEndpoint(t, serve(t, "only:1b"))
	run := compare(t, s, set)
	if !run.Footer.Finished || len(run.Header.Endpoints) != 1 || run.Header.Endpoints[0].Model != "only:1b" || run.Header.Endpoints[0].PerUser != 2 {
		t.Errorf("header %+v, footer %+v", run.Header, run.Footer)
	}
	checkOrder(t, run)
	for variant, want := range map[string]int{"baseline": 2, "said before": 2, "small steps": 1} {
		traces := in(run, "only:1b", variant, "4096", "")
		if len(traces) != want {
			t.Errorf("%s: %d traces, want %d", variant, len(traces), want)
			continue
		}
		if tr := traces[0]; variant == "small steps" != (tr.Outcome == pipeline.Dropped) || variant != "small steps" && (tr.Requests[0].PromptTokens != 4096 || tr.Requests[0].OutputTokens != 32) {
			t.Errorf("%s: %+v", variant, tr)
		}
	}
	for _, tr := range in(run, "only:1b", "baseline", "4096", pipeline.BesideStream) {
		if last := tr.Spans[len(tr.Spans)-1]; last.Name != pipeline.SpanStall || last.For() <= 0 || len(tr.Requests) != 2 {
			t.Errorf("beside: spans %+v, want the stall at the end", tr.Spans)
		}
	}
}

// The caps hold for the whole comparison.
func TestCaps(t *testing.T) {
	s := parse(t, strings.Replace(small, "prompts: [128, 1024, 2048, 4096]", "prompts: [16]", 1))
	set := atEndpoint(t, serve(t, "only:1b"))
	// A cell is 3 requests alone and 6 beside.
	set.Endpoint.MaxRequests = 9
	run := compare(t, s, set)
	if run.Footer.Finished || run.Footer.Reason != "the cap of 9 requests was reached" || len(run.Traces) != 2+2+1 {
		t.Errorf("%d traces, footer %+v; want one cell, the one that is skipped, and the caps reached", len(run.Traces), run.Footer)
	}
	for _, tr := range run.Traces[:4] {
		if tr.Outcome != pipeline.OK {
			t.Errorf("%+v was sent within the caps", tr)
		}
	}
}

func TestModelsThere(t *testing.T) {
	s := parse(t, small)
	_, err := Models(t.Context(), s, endpoint.Config{URL: serve(t, "a", "b"), Protocol: dialect.OpenAIChat}, nil)
	if err == nil || !strings.Contains(err.Error(), "several models; name those to compare with --endpoint-model: a, b") {
		t.Errorf("Models: %v, want both named", err)
	}
	all := endpoint.Config{URL: serve(t, "other", "TinyLlama-1.1B", "Phi-3-mini-4k"), Protocol: dialect.OpenAIChat}
	got, err := Models(t.Context(), s, all, nil)
	if want := []Model{{"Phi-3-mini-4k", "Phi-3-mini-4k"}, {"TinyLlama-1.1B", "TinyLlama-1.1B"}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("Models = %v, %v; want those of the scenario, which are there by their names", got, err)
	}
}

// On the mock every model has a server of its own.
func TestCompareOnTheMock(t *testing.T) {
	s := parse(t, strings.NewReplacer("prompts: [128, 1024, 2048, 4096]", "prompts: [128]", "Phi-3-mini-4k, ", "").Replace(small))
	set := onSim(2)
	set.Target = runner.Mock
	run := compare(t, s, set)
	if !run.Footer.Finished || len(run.Traces) != 3*2*2 || run.Footer.Lateness.N == 0 || run.Header.Stages[0].Simulated {
		t.Errorf("%d traces, footer %+v", len(run.Traces), run.Footer)
	}
	checkOrder(t, run)
	for _, tr := range run.Traces {
		if tr.Outcome != pipeline.OK {
			t.Errorf("%+v", tr)
		}
	}
}
