package runner

import (
	"bytes"
	"context"
	"errors"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/scenario"
)

const classic = `
halfsecond: 1
kind: voice
name: classic
arrivals: {process: poisson, rate: 3/s}
warm_up: 5
voice:
  uplink: 40ms
  vad_silence: 200ms
  end_of_turn: 12ms
  stt_tail: {p50: 247ms, p95: 298ms}
  prompt_tokens: 800
  reply_tokens: {p50: 40, p95: 120}
  first_sentence_tokens: 9
  llm: {model: Mistral-NeMo-12B, hardware: L40S}
  tts_first_audio: {component: tts-cartesia-sonic-3}
  playout: 40ms
budgets: [p95(reply) < 900ms]
`

// bytesOf returns the trace file of a run on the simulator.
func bytesOf(t *testing.T, seed uint64) string {
	t.Helper()
	var file bytes.Buffer
	got, err := Run(t.Context(), parse(t, classic), Settings{Target: Sim, Seed: seed, N: 300, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	w, err := trace.NewWriter(&file, got.Header)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got.Traces {
		if err := w.Write(&got.Traces[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(got.Footer); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

// TestDeterminism: one seed gives the same bytes whatever GOMAXPROCS; another
// gives others.
func TestDeterminism(t *testing.T) {
	first := bytesOf(t, 1)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if bytesOf(t, 1) != first {
		t.Error("the same seed gave other bytes")
	}
	if bytesOf(t, 2) == first {
		t.Error("another seed gave the same bytes")
	}
}

// TestWarmUp: the first interactions stay out of the report and the others are
// those of the same run without a warm-up.
func TestWarmUp(t *testing.T) {
	s := parse(t, classic)
	got, err := Run(t.Context(), s, Settings{Target: Sim, Seed: 1, N: 20})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Traces) != 20 || got.Footer.N != 20 || !got.Footer.Finished {
		t.Fatalf("%d traces, footer %+v", len(got.Traces), got.Footer)
	}
	for _, tr := range got.Traces {
		if tr.Session < 5 || tr.Session >= 25 {
			t.Errorf("session %d is in the report, want 5 to 24", tr.Session)
		}
	}
}

// TestStages: components without a known spread are marked, and so is what is
// simulated on each target.
func TestStages(t *testing.T) {
	s := parse(t, classic)
	for target, simulated := range map[string]bool{Sim: true, Mock: false, Endpoint: false} {
		for _, st := range stages(s, target) {
			wantSim := simulated || !strings.HasPrefix(st.Name, "llm_") && st.Name != "gathering"
			if st.Simulated != wantSim {
				t.Errorf("%s on %s: simulated %v, want %v", st.Name, target, st.Simulated, wantSim)
			}
			if tts := st.Name == "tts_first_audio"; st.NoSpread != tts || tts && st.Component != "tts-cartesia-sonic-3" {
				t.Errorf("%s: no spread %v, component %q", st.Name, st.NoSpread, st.Component)
			}
		}
	}
}

// TestInterrupted: what was finished is kept, and the footer says why it ended.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	got, err := Run(ctx, parse(t, classic), Settings{
		Target: Sim, Seed: 1, N: 1_000_000,
		Progress: func(n int) {
			if n == 50 {
				cancel()
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(got.Traces); n < 50 || n > 400 || got.Footer.Finished || got.Footer.Reason != "interrupted" {
		t.Errorf("%d traces, footer %+v; want some 50 and interrupted", n, got.Footer)
	}
}

// TestKeepFails: a full disk ends the run and is told.
func TestKeepFails(t *testing.T) {
	full := errors.New("no space left on device")
	got, err := Run(t.Context(), parse(t, classic), Settings{
		Target: Sim, Seed: 1, N: 100_000,
		Keep: func(*pipeline.Trace) error { return full },
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.Footer.Finished || got.Footer.Reason != full.Error() || len(got.Traces) == 0 {
		t.Errorf("%d traces, footer %+v; want it ended by %q", len(got.Traces), got.Footer, full)
	}
}

func TestEstimate(t *testing.T) {
	e, err := EstimateRun(t.Context(), parse(t, classic), Settings{Seed: 1, N: 20})
	if err != nil {
		t.Fatal(err)
	}
	if e.Requests != 25 || e.PromptTokens != 25*800 || e.OutputTokens < 25*10 || e.OutputTokens > 25*200 {
		t.Errorf("estimate %+v; want 25 requests of 800 prompt tokens and some 40 to answer", e)
	}
}

// TestEstimateOfTyping: a plugin asks for answers of so many tokens, which is what each may
// take, be it given up or not.
func TestEstimateOfTyping(t *testing.T) {
	s, err := scenario.Load("ide")
	if err != nil {
		t.Fatal(err)
	}
	e, err := EstimateRun(t.Context(), s, Settings{Seed: 1, N: 300})
	if err != nil {
		t.Fatal(err)
	}
	if e.Requests < 20 || e.OutputTokens != e.Requests*s.IDE.Plugin.MaxTokens {
		t.Errorf("estimate %+v, want %d tokens of answer for each request", e, s.IDE.Plugin.MaxTokens)
	}
}

// TestEstimateOfTypingAtAnEndpoint: there nobody knows how many suggestions the user can
// use, so what a run would send is what one sends that has none to use. It is no more than
// a run of the same keys in which every answer is wrong.
func TestEstimateOfTypingAtAnEndpoint(t *testing.T) {
	s, err := scenario.Load("ide")
	if err != nil {
		t.Fatal(err)
	}
	estimate := func(target string, truth float64) Estimate {
		one, typed := *s, *s.IDE
		typed.Truth, one.IDE = truth, &typed
		e, err := EstimateRun(t.Context(), &one, Settings{Target: target, Seed: 1, N: 300})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	want := estimate(Sim, 0)
	want.AtMost = true
	for _, truth := range []float64{0, .6, 1} {
		if got := estimate(Endpoint, truth); !reflect.DeepEqual(got, want) {
			t.Errorf("with %.0f %% of answers right: %+v, want %+v", 100*truth, got, want)
		}
		if got := estimate(Sim, truth); got.AtMost || got.Requests > want.Requests || truth == 1 && got.Requests == want.Requests {
			t.Errorf("on the simulator with %.0f %% right: %+v, at an endpoint %+v", 100*truth, got, want)
		}
	}
	if s.IDE.Plugin.Reuse != plugin.TypedAsSuggested {
		t.Error("the estimate changed the scenario")
	}
}

// TestEndOfTime: a run beyond the last instant ends and says so.
func TestEndOfTime(t *testing.T) {
	got, err := Run(t.Context(), parse(t, `
halfsecond: 1
kind: bench
name: slow
arrivals: {process: closed, users: 1, think: 1h}
bench:
  prompt_tokens: 10
  output_tokens: 20000000
  llm: {ttft: 50ms, tokens_per_second: 0.1}
`), Settings{Target: Sim, N: 100})
	if err != nil || got.Footer.Finished || !strings.Contains(got.Footer.Reason, "292 years") {
		t.Errorf("error %v, footer %+v", err, got.Footer)
	}
}

func TestUnknownTarget(t *testing.T) {
	_, err := Run(t.Context(), parse(t, classic), Settings{Target: "moon", N: 1})
	if err == nil || !strings.Contains(err.Error(), `unknown target "moon": want sim, mock or endpoint`) {
		t.Errorf("error %v", err)
	}
}

// TestLoopback is a smoke test over real sockets: everything is answered, and the
// answers are those of the simulator within wide bounds.
func TestLoopback(t *testing.T) {
	s := parse(t, strings.Replace(classic, "rate: 3/s", "rate: 20/s", 1))
	got, err := Run(t.Context(), s, Settings{Target: Mock, Seed: 1, N: 10})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Traces) != 10 || !got.Footer.Finished {
		t.Fatalf("%d traces, footer %+v", len(got.Traces), got.Footer)
	}
	for _, tr := range got.Traces {
		r := tr.Requests[0]
		if tr.Outcome != pipeline.OK || r.PromptTokens != 800 || r.TokenSource != "usage" || !r.Transport.Reused && tr.Session == 5 {
			t.Errorf("turn %d: %s %s, request %+v", tr.Session, tr.Outcome, tr.Reason, r)
		}
		if want := (pipeline.Fact{Name: "X-Accel-Buffering", Value: "no"}); !slices.Contains(r.Transport.Headers, want) {
			t.Errorf("turn %d: headers %v, want %v among them", tr.Session, r.Transport.Headers, want)
		}
		if reply := tr.Mark("reply_heard") - tr.Due; reply < 500*ms || reply > 60*time.Second {
			t.Errorf("turn %d: reply after %s", tr.Session, reply)
		}
	}
	if got.Footer.Lateness.N == 0 {
		t.Error("the tester's lateness was not recorded")
	}
}

// BenchmarkVoice runs voice turns on a hosted model, whole traces encoded, and
// reports turns a second.
func BenchmarkVoice(b *testing.B) {
	const n = 20_000
	s := parse(b, strings.Replace(classic, "{model: Mistral-NeMo-12B, hardware: L40S}", "{component: llm-gpt-4o-mini-aiewf-eval, tokens_per_second: 90}", 1))
	b.ReportAllocs()
	used := cpuTime(b)
	for b.Loop() {
		w, err := trace.NewWriter(io.Discard, trace.Header{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Run(b.Context(), s, Settings{Target: Sim, Seed: 1, N: n, Keep: w.Write}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(n*float64(b.N)/(cpuTime(b)-used).Seconds(), "turns/CPU-s")
}

// BenchmarkLoad runs the built-in load of requests, traces kept, and reports requests a
// second.
func BenchmarkLoad(b *testing.B) {
	const n = 20_000
	s, err := scenario.Load("load")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	used := cpuTime(b)
	for b.Loop() {
		if _, err := Run(b.Context(), s, Settings{Target: Sim, Seed: 1, N: n}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(n*float64(b.N)/(cpuTime(b)-used).Seconds(), "requests/CPU-s")
}

// BenchmarkKeys has the four typists of the built-in scenario type 10,000 keys, whole traces
// encoded, and reports keys a CPU second: generator, plugin, network and an engine with a
// prefix cache in one.
func BenchmarkKeys(b *testing.B) {
	const n = 10_000
	s, err := scenario.Load("ide")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	used := cpuTime(b)
	for b.Loop() {
		w, err := trace.NewWriter(io.Discard, trace.Header{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Run(b.Context(), s, Settings{Target: Sim, Seed: 1, N: n, Keep: w.Write}); err != nil {
			b.Fatal(err)
		}
	}
	keys := n * float64(b.N)
	b.ReportMetric(keys/(cpuTime(b)-used).Seconds(), "keys/CPU-s")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/keys, "ns/key")
}

// cpuTime returns the processor time of this process, all threads together.
func cpuTime(tb testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
