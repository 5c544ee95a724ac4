package voice

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/voice/ending"
	"halfsecond/simulators/voice/gather"
	"halfsecond/simulators/voice/transport"
)

// randomStack returns a stack with parts taken at random. The distributions are spread, and
// of whole ms, so that many instants are equal.
func randomStack(r *dist.Rand) Stack {
	maybe := func(share float64) bool { return luck(r, share) }
	length := func(most int) dist.Dist {
		switch r.IntN(4) {
		case 0:
			return dist.Dist{}
		case 1:
			return constant(time.Duration(r.IntN(most)) * ms)
		}
		return dist.Uniform(0, time.Duration(1+r.IntN(most))*ms)
	}
	share := func() float64 { return []float64{0, .5, 1}[r.IntN(3)] }
	socket := func() Socket {
		return Socket{Each: maybe(.3), Idle: []time.Duration{0, 5 * time.Second}[r.IntN(2)]}
	}
	k := Stack{
		Utterance: length(3000), Capture: length(30), Uplink: length(60), JitterBuffer: length(60),
		VADSilence: length(600), VADFrame: []time.Duration{0, 32 * ms}[r.IntN(2)], VADCompute: length(40), VADWorkers: []int{0, 0, 1}[r.IntN(3)],
		STTWorkers: []int{0, 0, 1, 2}[r.IntN(4)], STTFactor: []float64{0, .4, 1.2}[r.IntN(3)],
		STTTail: length(500), STTFrom: STTFrom(r.IntN(2)), STTInterim: length(300), EndOfTurn: length(600),
		STTTimer: []time.Duration{0, 0, 400 * ms}[r.IntN(3)], PolicyWait: length(200), Hook: length(50),
		PromptTokens: dist.UniformCount(1, 600), SystemTokens: r.IntN(300), ReasoningTokens: []int{0, 0, 30}[r.IntN(3)],
		ReplyTokens: dist.UniformCount(1, 60), FirstSentence: dist.UniformCount(1, 15), SpeechPerToken: time.Duration(r.IntN(2)) * 250 * ms,
		Model:          Model{Connect: length(200), Socket: socket(), Modelled: maybe(.5)},
		Context:        Context{Turns: r.IntN(3), Grows: maybe(.5), TimeStamp: share(), ToolOrder: 0, Rewrite: share()},
		Gather:         gather.Rule{By: gather.By(r.IntN(4)), Characters: 1 + r.IntN(80), LookAhead: maybe(.5)},
		Clause:         dist.UniformCount(1, 10),
		TTS:            TTS{Connect: length(200), Socket: socket(), Workers: []int{0, 0, 1}[r.IntN(3)], Holds: []int{0, 0, 100}[r.IntN(3)], FirstAudio: length(400), Factor: []float64{0, .3, 1.4}[r.IntN(3)]},
		LeadingSilence: length(150), PostWait: length(40), PreBuffer: length(60), Egress: length(20), Playout: length(80),
	}
	if maybe(.4) {
		policies := ending.Presets()
		k.Ending = &Judge{Setup: policies[r.IntN(len(policies))].Setup(k.STTTail, dist.Dist{}), Turns: ending.Turns()}
	}
	if maybe(.5) {
		k.Guess = &Guess{From: GuessFrom(r.IntN(3)), Right: share(), TTS: maybe(.5)}
	}
	if maybe(.3) {
		k.Tool = &Tool{Share: share(), Tokens: dist.UniformCount(1, 20), Takes: length(500), Result: dist.UniformCount(1, 50)}
	}
	if maybe(.3) {
		k.Filler = &Filler{Share: share(), After: length(600), For: length(900), Tools: maybe(.5)}
	}
	if maybe(.3) {
		k.BargeIn = &BargeIn{Share: share(), After: length(3000), Start: length(300), Guard: length(300), For: length(1000), Clear: maybe(.5), Buffer: length(500), False: share()}
	}
	if maybe(.2) {
		k.Line = &transport.Line{Frame: 20 * ms, Loss: transport.Loss{Share: .3, Burst: 2, Repair: transport.Repair(r.IntN(3)), RoundTrip: length(80)}}
	}
	if maybe(.05) {
		k.Direct = &Direct{Silence: length(500), FirstAudio: length(600)}
	}
	return k
}

// runTurns runs three users' turns on a stack, which overlap, and returns their traces in
// the order of their end.
func runTurns(t *testing.T, k Stack, llm func(loop *pipeline.Virtual) pipeline.LLM, turns int) []*pipeline.Trace {
	t.Helper()
	var loop pipeline.Virtual
	var all []*pipeline.Trace
	sim := New(Config{Loop: &loop, LLM: llm(&loop), Stack: k, Seed: 3, NextRequest: func() int64 { return 1 }})
	for user := range 3 {
		index := 0
		var next func()
		next = func() {
			if index == turns {
				return
			}
			this := index
			index++
			loop.After(sim.Busy(user, this)+time.Duration(user)*100*ms, pipeline.RankInput, func() {
				sim.Begin(user, this, func(tr *pipeline.Trace) {
					all = append(all, tr)
					next()
				})
			})
		}
		loop.At(0, pipeline.RankInput, next)
	}
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(all) != 3*turns {
		t.Fatalf("%d turns ended, want %d", len(all), 3*turns)
	}
	return all
}

func onStaged(loop *pipeline.Virtual) pipeline.LLM {
	return &staged{loop: loop, queue: 20 * ms, prefill: 80 * ms, next: 10 * ms}
}

// TestMaxPlus: over random stacks, each span starts at the latest end of those it waited
// for, all spans of a turn have ended, the reply is heard at the end of its playout, and the
// critical path adds up to voice-to-voice without a wait that no span explains.
func TestMaxPlus(t *testing.T) {
	seen := map[string]int{}
	for i := range 600 {
		r := dist.Stream(9, "voice/random", i)
		k := randomStack(&r)
		traces := runTurns(t, k, onStaged, 4)
		for _, tr := range traces {
			if tr.Outcome != pipeline.OK || tr.Mark(pipeline.MarkReplyHeard) == pipeline.Unknown {
				t.Fatalf("stack %d: turn %d/%d is %s: %s", i, tr.Session, tr.Index, tr.Outcome, tr.Reason)
			}
			checkSpans(t, i, tr, seen)
		}
		checkPaths(t, i, traces)
	}
	for _, name := range []string{
		"capture", "uplink", "uplink_loss", "jitter_buffer", "vad_backlog", "vad_wait", "stt_queue", "stt_tail", "stt_timer", "stt_interim", "early_end", "end_of_turn", "policy_wait", "hook",
		"llm_connect", "queue", "prefill", "llm_first_token", "reasoning", "wrong_guess", "tool_call", "tool", "gathering", "look_ahead",
		"tts_connect", "tts_queue", "tts_held", "tts_first_audio", "leading_silence", "model_first_audio", "post_wait", "pre_buffer",
		"filler", "filler_plays", "filler_wait", "egress", "playout", "playout_loss", "underrun",
	} {
		if seen[name] < 10 {
			t.Errorf("%d spans %s: the test sees too few", seen[name], name)
		}
	}
}

func checkSpans(t *testing.T, stack int, tr *pipeline.Trace, seen map[string]int) {
	t.Helper()
	playout := time.Duration(0)
	for id, s := range tr.Spans {
		seen[s.Name]++
		if s.End == pipeline.Unknown || s.End < s.Start {
			t.Fatalf("stack %d: span %d, %s, lasts from %s to %s", stack, id, s.Name, s.Start, s.End)
		}
		if s.Name == pipeline.SpanUnderrun {
			continue
		}
		start := tr.Due
		for _, a := range s.After {
			if int(a) >= id || a < 0 {
				t.Fatalf("stack %d: span %d waited for %d", stack, id, a)
			}
			start = max(start, tr.Spans[a].End)
		}
		if s.Start != start {
			t.Fatalf("stack %d: span %d, %s, starts at %s, and what it waited for ends at %s: %s", stack, id, s.Name, s.Start-tr.Due, start-tr.Due, spansOf(tr))
		}
		if s.Name == pipeline.SpanPlayout || s.Name == pipeline.SpanPlayoutLoss {
			playout = s.End
		}
	}
	if at := tr.Mark(pipeline.MarkReplyHeard); at != playout {
		t.Fatalf("stack %d: heard at %s, played out at %s", stack, at, playout)
	}
}

func checkPaths(t *testing.T, stack int, traces []*pipeline.Trace) {
	t.Helper()
	x := trace.Run{Header: trace.Header{Kind: pipeline.KindVoice}}
	for _, tr := range traces {
		x.Traces = append(x.Traces, *tr)
	}
	a, err := budgets.Analyse(x)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range a.Exemplars {
		sum := time.Duration(0)
		for _, s := range e.Path {
			sum += s.For()
			if s.Span == pipeline.NoSpan {
				t.Fatalf("stack %d: %s on the path of %s", stack, s.Name, spansOf(e.Trace))
			}
		}
		if want := e.Trace.Mark(pipeline.MarkReplyHeard) - e.Trace.Due; sum != want {
			t.Fatalf("stack %d: the path adds up to %s, voice-to-voice is %s", stack, sum, want)
		}
	}
}

// TestTextAndCounts: a model that says the mock's words gives the same turns as one whose
// answer is only counted, for any rule of gathering.
func TestTextAndCounts(t *testing.T) {
	for i := range 400 {
		r := dist.Stream(10, "voice/random", i)
		k := randomStack(&r)
		k.Model.Modelled, k.ReasoningTokens = false, 0
		counted := runTurns(t, k, onStaged, 3)
		said := runTurns(t, k, func(loop *pipeline.Virtual) pipeline.LLM {
			return &teller{staged{loop: loop, queue: 20 * ms, prefill: 80 * ms, next: 10 * ms}}
		}, 3)
		for n := range counted {
			a, b := counted[n], said[n]
			if spansOf(a) != spansOf(b) || marksOf(a) != marksOf(b) || factsOf(a) != factsOf(b) && !strings.Contains(factsOf(a), "wasted") {
				t.Fatalf("stack %d (%+v), turn %d/%d:\ncounted %s; %s; %s\nsaid    %s; %s; %s", i, k.Gather, a.Session, a.Index,
					spansOf(a), marksOf(a), factsOf(a), spansOf(b), marksOf(b), factsOf(b))
			}
		}
	}
}

// TestMemoryServesAgain: turns that overlap and use each other's memory leave the traces
// that each leaves alone.
func TestMemoryServesAgain(t *testing.T) {
	for i := range 150 {
		r := dist.Stream(11, "voice/random", i)
		k := randomStack(&r)
		k.TTS.Workers, k.VADWorkers, k.STTWorkers, k.Context.Alone = 0, 0, 0, true
		together := map[int]*pipeline.Trace{}
		var loop pipeline.Virtual
		sim := New(Config{Loop: &loop, LLM: onStaged(&loop), Stack: k, Seed: 3, NextRequest: func() int64 { return 1 }})
		const n = 12
		at := func(i int) time.Duration { return time.Duration(i) * 700 * ms }
		for s := range n {
			loop.At(at(s), pipeline.RankInput, func() { sim.Begin(s, 0, func(tr *pipeline.Trace) { together[s] = tr }) })
		}
		if err := loop.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		for s := range n {
			b := newBench(k)
			b.sim.config.Seed, b.sim.config.NextRequest = 3, func() int64 { return 1 }
			alone := b.turn(t, at(s), s, 0)
			got := together[s]
			if spansOf(got) != spansOf(alone) || marksOf(got) != marksOf(alone) || factsOf(got) != factsOf(alone) || !reflect.DeepEqual(got.Requests, alone.Requests) {
				t.Fatalf("stack %d, turn %d:\ntogether %s; %s\nalone    %s; %s", i, s, spansOf(got), marksOf(got), spansOf(alone), marksOf(alone))
			}
		}
	}
}
