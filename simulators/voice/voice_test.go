package voice

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/simulators/voice/ending"
)

const ms = time.Millisecond

func constant(d time.Duration) dist.Dist { return dist.Constant(d) }

// tuned is a stack of constants: a tuned cloud cascade.
var tuned = Stack{
	Utterance: constant(2 * time.Second), Uplink: constant(40 * ms), VADSilence: constant(200 * ms),
	EndOfTurn: constant(12 * ms), STTTail: constant(247 * ms),
	PromptTokens: dist.ConstantCount(1000), ReplyTokens: dist.ConstantCount(40), FirstSentence: dist.ConstantCount(4),
	TTS: TTS{FirstAudio: constant(188 * ms)}, LeadingSilence: constant(150 * ms), Playout: constant(40 * ms),
	SpeechPerToken: 250 * ms,
}

// turnOf runs one turn on a hosted model.
func turnOf(t *testing.T, s Stack, ttft, tpot time.Duration) *pipeline.Trace {
	t.Helper()
	var loop pipeline.Virtual
	llm := engine.NewStage(&loop, engine.NewHosted(&loop, engine.HostedConfig{
		First: func(uint64) time.Duration { return ttft }, Next: tpot,
	}))
	sim := New(Config{Loop: &loop, LLM: llm, Stack: s, Seed: 1, NextRequest: func() int64 { return 1 }})
	var got *pipeline.Trace
	loop.At(time.Second, pipeline.RankInput, func() {
		sim.Begin(3, 4, func(tr *pipeline.Trace) { got = tr })
	})
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got == nil {
		t.Fatal("the turn left no trace")
	}
	return got
}

// TestReferenceStacks compares the wiring with stacks worked out by hand from
// published medians: 1 framework defaults, 2 tuned cloud, 4 local.
func TestReferenceStacks(t *testing.T) {
	defaults, local := tuned, tuned
	defaults.VADSilence, defaults.EndOfTurn, defaults.TTS.FirstAudio = constant(550*ms), constant(0), constant(288*ms)
	local.EndOfTurn, local.STTTail = constant(0), constant(221*ms)
	local.TTS.FirstAudio, local.LeadingSilence = constant(37*ms), constant(0)
	for _, c := range []struct {
		name             string
		stack            Stack
		ttft, tpot, want time.Duration
	}{
		{"framework defaults", defaults, 553 * ms, 20 * ms, 1681 * ms},
		{"tuned cloud", tuned, 98 * ms, 10 * ms, 793 * ms},
		{"local", local, 101 * ms, 10 * ms, 469 * ms},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := turnOf(t, c.stack, c.ttft, c.tpot)
			if got := tr.Mark(pipeline.MarkReplyHeard) - tr.Due; got != c.want {
				t.Errorf("voice-to-voice %s, want %s", got, c.want)
			}
		})
	}
}

// TestSpans checks who waits for whom, to the instant.
func TestSpans(t *testing.T) {
	tr := turnOf(t, tuned, 98*ms, 10*ms)
	want := []string{
		"uplink 0-40 []", "vad_wait 40-240 [0]", "end_of_turn 240-252 [1]", "stt_tail 40-287 [0]",
		"llm_first_token 287-385 [2 3]", "gathering 385-415 [4]",
		"tts_first_audio 415-603 [5]", "leading_silence 603-753 [6]", "playout 753-793 [7]",
	}
	for i, s := range tr.Spans {
		got := fmt.Sprintf("%s %d-%d %v", s.Name, (s.Start-tr.Due)/ms, (s.End-tr.Due)/ms, s.After)
		if got != want[i] {
			t.Errorf("span %d is %q, want %q", i, got, want[i])
		}
	}
	r := tr.Requests[0]
	if r.Due != tr.Due+287*ms || r.FirstOutput != tr.Due+385*ms || r.LastOutput != tr.Due+775*ms || r.OutputTokens != 40 {
		t.Errorf("request %+v", r)
	}
	if tr.Session != 3 || tr.Index != 4 || tr.Outcome != pipeline.OK || tr.End != tr.Due+793*ms {
		t.Errorf("trace %d/%d %s, ended %s", tr.Session, tr.Index, tr.Outcome, tr.End-tr.Due)
	}
}

// TestLongReply: the trace waits for the model's last token.
func TestLongReply(t *testing.T) {
	s := tuned
	s.ReplyTokens = dist.ConstantCount(200)
	tr := turnOf(t, s, 98*ms, 10*ms)
	if got := tr.Mark(pipeline.MarkReplyHeard) - tr.Due; got != 793*ms {
		t.Errorf("voice-to-voice %s, want 793ms", got)
	}
	if got := tr.End - tr.Due; got != 385*ms+1990*ms {
		t.Errorf("ended after %s, want 2.375s", got)
	}
}

// TestShortReply: a reply shorter than the sentence is spoken at its end.
func TestShortReply(t *testing.T) {
	for _, tokens := range []int{1, 2} {
		s := tuned
		s.ReplyTokens = dist.ConstantCount(tokens)
		tr := turnOf(t, s, 98*ms, 10*ms)
		want := 763*ms + time.Duration(tokens-1)*10*ms
		if got := tr.Mark(pipeline.MarkReplyHeard) - tr.Due; got != want {
			t.Errorf("%d tokens: voice-to-voice %s, want %s", tokens, got, want)
		}
	}
}

// spoken is a network model that says its pieces 10 ms apart, the first after
// 100 ms, and ends with an outcome.
type spoken struct {
	loop    pipeline.Scheduler
	pieces  []string
	outcome pipeline.Outcome
	reason  string
}

func (s *spoken) Start(c *pipeline.Call) {
	at := 100 * ms
	for i, text := range s.pieces {
		s.loop.After(at, pipeline.RankInput, func() { c.Notify(pipeline.Progress{Tokens: i + 1, Text: text}) })
		at += 10 * ms
	}
	s.loop.After(at, pipeline.RankInput, func() {
		c.Record.Outcome, c.Record.Reason = s.outcome, s.reason
		c.Done()
	})
}

func (s *spoken) Cancel(*pipeline.Call) {}

func TestRealText(t *testing.T) {
	for _, c := range []struct {
		name    string
		pieces  []string
		outcome pipeline.Outcome
		heard   time.Duration // after the model's start at 287 ms; 378 ms of speech follow
		reason  string
	}{
		{"first sentence", []string{"Sure", " thing", ".", " More"}, pipeline.OK, 120 * ms, ""},
		{"two sentences in a piece", []string{"Hi. I am"}, pipeline.OK, 100 * ms, ""},
		{"leading line breaks", []string{"\n\n", "Yes", "!"}, pipeline.OK, 120 * ms, ""},
		{"line breaks and a word in a piece", []string{"\n\nYes", " I", " am."}, pipeline.OK, 120 * ms, ""},
		{"no end of sentence", []string{"Good", " day"}, pipeline.OK, 120 * ms, ""},
		{"reasoning first", []string{"", "", "Yes."}, pipeline.OK, 120 * ms, ""},
		{"only reasoning", []string{"", ""}, pipeline.OK, pipeline.Unknown, "the model answered without text"},
		{"no text", nil, pipeline.OK, pipeline.Unknown, "the model answered without text"},
		{"breaks off early", []string{"Good"}, pipeline.Truncated, pipeline.Unknown, "cut"},
		{"breaks off later", []string{"Good.", " And"}, pipeline.Error, 100 * ms, "broken"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var loop pipeline.Virtual
			llm := &spoken{&loop, c.pieces, c.outcome, c.reason}
			sim := New(Config{Loop: &loop, LLM: llm, Stack: tuned, Seed: 1, NextRequest: func() int64 { return 1 }})
			var got *pipeline.Trace
			sim.Begin(0, 0, func(tr *pipeline.Trace) { got = tr })
			if err := loop.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			want := c.heard
			if want != pipeline.Unknown {
				want += 287*ms + 378*ms
			}
			if h := got.Mark(pipeline.MarkReplyHeard); h != want {
				t.Errorf("heard at %s, want %s", h, want)
			}
			if got.Reason != c.reason || (got.Outcome == pipeline.OK) != (c.reason == "") {
				t.Errorf("outcome %s %q, want reason %q", got.Outcome, got.Reason, c.reason)
			}
		})
	}
}

// BenchmarkTurns runs turns with whole traces and reports turns a CPU second: on a hosted
// model, and on an engine that all of them share, with a cache of prefixes. The engine
// keeps up with them: where it does not, some thousands are under way at a time, and the
// collector has all of them to look at.
func BenchmarkTurns(b *testing.B) {
	full := tuned
	full.Capture, full.JitterBuffer, full.VADFrame, full.PolicyWait, full.Hook = constant(5*ms), constant(20*ms), 32*ms, constant(10*ms), constant(5*ms)
	full.Guess, full.Filler = &Guess{From: OnStop, Right: .8}, &Filler{Share: .5, After: constant(300 * ms), For: constant(500 * ms)}
	full.BargeIn = &BargeIn{Share: .2, After: constant(time.Second), Start: constant(200 * ms), For: constant(time.Second), Clear: true}
	full.TTS.Workers, full.TTS.Factor = 100, .3
	full.Ending = &Judge{Setup: ending.Presets()[2].Setup(tuned.STTTail, dist.Dist{}), Turns: ending.Turns()}
	for _, c := range []struct {
		name  string
		stack Stack
		llm   func(loop *pipeline.Virtual) pipeline.LLM
		gap   time.Duration // from one turn to the next
	}{
		{"hosted", tuned, spreadHosted, 50 * ms},
		{"hosted, all parts", full, spreadHosted, 50 * ms},
		{"shared engine", tuned, sharedEngine, 100 * ms},
	} {
		b.Run(c.name, func(b *testing.B) { benchmarkTurns(b, c.stack, c.llm, c.gap) })
	}
}

func spreadHosted(loop *pipeline.Virtual) pipeline.LLM {
	ttft, _ := dist.FromQuantiles(98*ms, 217*ms)
	r := dist.Stream(1, "ttft")
	return engine.NewStage(loop, engine.NewHosted(loop, engine.HostedConfig{
		First: func(uint64) time.Duration { return ttft.Draw(&r) }, Next: 10 * ms,
	}))
}

func benchmarkTurns(b *testing.B, stack Stack, model func(loop *pipeline.Virtual) pipeline.LLM, gap time.Duration) {
	const n = 10_000
	stack.STTTail, _ = dist.FromQuantiles(247*ms, 298*ms)
	stack.ReplyTokens, _ = dist.CountFromQuantiles(60, 140)
	stack.Context.Alone = true
	used := cpuTime(b)
	b.ReportAllocs()
	for b.Loop() {
		var loop pipeline.Virtual
		sim := New(Config{Loop: &loop, LLM: model(&loop), Stack: stack, Seed: 1, NextRequest: counter()})
		traces := make([]*pipeline.Trace, 0, n)
		keep := func(t *pipeline.Trace) { traces = append(traces, t) }
		next := 0
		var arrive func()
		arrive = func() {
			sim.Begin(next, 0, keep)
			if next++; next < n {
				loop.After(gap, pipeline.RankInput, arrive)
			}
		}
		loop.At(0, pipeline.RankInput, arrive)
		if err := loop.Run(b.Context()); err != nil {
			b.Fatal(err)
		}
		if len(traces) != n {
			b.Fatalf("%d of %d turns left a trace", len(traces), n)
		}
	}
	b.ReportMetric(n*float64(b.N)/(cpuTime(b)-used).Seconds(), "turns/CPU-s")
}

// cpuTime returns the processor time of this process, all threads together.
func cpuTime(tb testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// sharedEngine is an 8B model on one L40S with a cache of prefixes.
func sharedEngine(loop *pipeline.Virtual) pipeline.LLM {
	m, err := catalog.FindModel("Llama-3.1-8B")
	if err != nil {
		panic(err)
	}
	h, err := catalog.FindHardware("L40S")
	if err != nil {
		panic(err)
	}
	plan, err := roofline.New(roofline.Deployment{Model: m, Hardware: h})
	if err != nil {
		panic(err)
	}
	stage := engine.NewStage(loop, engine.NewBatched(loop, engine.BatchedConfig{Steps: plan, MaxSequences: 256, TokenBudget: 2048, KVBlocks: 20_000, PrefixCache: true}))
	stage.Caches = true
	return stage
}
