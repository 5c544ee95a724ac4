package diagnosis

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// cases are agents with one thing wrong, and agents that come close to it and are well.
var cases = []struct {
	name    string
	change  func(i int, a *agent)
	budgets []string
	want    []string // IDs
	says    []string // parts of the evidence
}{
	{name: "healthy"},
	{name: "healthy, with a budget it keeps", budgets: []string{"p50(reply) < 800ms"}},
	{name: "healthy, with a budget that any clock finds broken", budgets: []string{"p50(reply) < 300ms"}},

	{name: "a timer in place of a final", change: func(_ int, a *agent) { a.timer = 600 * msec }, want: []string{FinalNeverFlagged},
		says: []string{"critical in 100 % of turns (p50 600 ms, p95 600 ms)", "in 40 of 40 turns, by p50 553 ms", "at p50 1,236 ms, p95 1,236 ms; without it they would at p50 683 ms"}},
	{name: "a timer that is seldom waited out", change: func(i int, a *agent) { a.timer = 10 * msec; a.stt += time.Duration(i) * msec }},
	{name: "a timer in a few turns", change: func(i int, a *agent) {
		if i%3 == 0 {
			a.timer = 600 * msec
		}
	}},

	{name: "a wait after the detector's", change: func(_ int, a *agent) { a.endOfTurn = 500 * msec }, want: []string{EndpointingAddsUp},
		says: []string{"(end_of_turn) begins only then in 40 of 40 turns: p50 500 ms", "at p50 1,136 ms, p95 1,136 ms; if the waits counted from the end of speech they would at p50 936 ms"}},
	{name: "what is left of a wait that counts from speech", change: func(_ int, a *agent) {
		a.endOfTurn = 500 * msec
		a.facts = []pipeline.Fact{{Name: pipeline.FactCountsFrom, Value: pipeline.CountsFromSpeech}}
	}},
	{name: "a wait in somebody's log", change: func(_ int, a *agent) {
		a.endOfTurn = 500 * msec
		a.facts = []pipeline.Fact{{Name: pipeline.FactLog, Value: "theirs"}}
	}},
	{name: "the agent's own wait", change: func(_ int, a *agent) { a.policy = 400 * msec }, want: []string{EndpointingAddsUp}, says: []string{"(policy_wait) begins only then"}},
	{name: "a transcript that begins at the detector's stop", change: func(_ int, a *agent) { a.sttAfterVAD, a.stt = true, 400*msec }, want: []string{EndpointingAddsUp}, says: []string{"(stt_tail) begins only then"}},
	{name: "a transcript that is finalised there", change: func(_ int, a *agent) { a.sttAfterVAD, a.stt = true, 60*msec }},
	{name: "a slow turn model", change: func(_ int, a *agent) { a.endOfTurn = 97 * msec }},

	{name: "two waits", change: func(i int, a *agent) {
		a.facts = []pipeline.Fact{{Name: pipeline.FactWords, Value: "yeah"}}
		if i%4 == 0 {
			a.endOfTurn = 2300 * msec
		}
	}, want: []string{ScoreThreshold}, says: []string{
		"75 % of turns take p50 212 ms, p95 212 ms, the others p50 2,500 ms; none takes between 212 ms and 2,500 ms", `"yeah" (30 and 10 turns)`,
		"if all were decided as the quick ones they would at p50 683 ms, p95 683 ms",
	}},
	{name: "waits of any length", change: func(i int, a *agent) { a.endOfTurn = time.Duration(i*i/10) * msec }},
	{name: "one straggler", change: func(i int, a *agent) {
		if i == 7 {
			a.endOfTurn = 2300 * msec
		}
	}},

	{name: "a backlog that grows", change: func(i int, a *agent) { a.backlog = time.Duration(i*25) * msec }, want: []string{VADBehind},
		says: []string{"150 ms in the first third of turns and 825 ms in the last, 135 s later (medians): 5 ms more for each second"}},
	{name: "a backlog that stays", change: func(_ int, a *agent) { a.backlog = 40 * msec }},

	{name: "recognizers that are behind", change: func(i int, a *agent) { a.sttQueue = time.Duration(i*50) * msec }, want: []string{STTBehind},
		says: []string{"stt_queue was 300 ms in the first third of turns and 1,650 ms in the last, 135 s later (medians): 10 ms more for each second", "critical in 97.5 % of turns"}},
	{name: "recognizers that are behind, and nobody waits for them", change: func(i int, a *agent) { a.sttQueue, a.endOfTurn = time.Duration(i)*msec, 90*msec }},
	{name: "a model that is behind", change: func(i int, a *agent) { a.queue = time.Duration(i*50) * msec }, want: []string{LLMBehind}, says: []string{"queue was 300 ms"}},
	{name: "a voice that is behind", change: func(i int, a *agent) { a.ttsQueue = time.Duration(i*50) * msec }, want: []string{TTSBehind}, says: []string{"tts_queue was 300 ms"}},
	{name: "a voice that is always busy", change: func(i int, a *agent) { a.ttsQueue = time.Duration(300+i%4*50) * msec }, want: []string{TTSBehind},
		says: []string{"tts_queue takes p50 350 ms, p95 450 ms, over all turns", "critical in 100 % of turns; replies land at p50 1,033 ms"}},
	{name: "a voice that is busy now and then", change: func(i int, a *agent) { a.ttsQueue = time.Duration(i%2*500) * msec }},
	{name: "a queue that comes and goes", change: func(i int, a *agent) { a.queue = time.Duration(i%4*50) * msec }},

	{name: "a sentence held for a token", change: func(_ int, a *agent) { a.lookAhead = 30 * msec }, want: []string{LookAhead}, says: []string{"look_ahead is critical in 100 % of turns (p50 30 ms"}},
	{name: "a token that takes nothing", change: func(_ int, a *agent) { a.lookAhead = 2 * msec }},

	{name: "text that is held", change: func(_ int, a *agent) { a.held = 250 * msec }, want: []string{TTSHeld}, says: []string{"tts_held is critical in 100 % of turns (p50 250 ms"}},
	{name: "text that is held now and then", change: func(i int, a *agent) {
		if i%4 == 0 {
			a.held = 250 * msec
		}
	}},

	{name: "requests at pauses", change: atPauses, want: []string{DoubleRequests}, says: []string{"40 of them were right, a hit share of 100 %", "40 requests were made at pauses inside turns, where the user went on: 1 for each turn"}},
	{name: "guesses that are wrong", change: guesses(2), want: []string{DoubleRequests}, says: []string{"20 of them were right, a hit share of 50 %", "24000 tokens of prompts and answers were for nothing, 48 % of all: 600 for each turn"}},
	{name: "guesses that are right", change: guesses(10)},

	{name: "prompts that grow", change: grows(1), want: []string{ContextGrowth}, says: []string{"from 1800 tokens to 4500", "95 ms and 230 ms: 50 ms for each 1000 tokens", "0 % were in the model's cache", "the call had last asked p50 5,000 ms", "a longer time to live"}},
	{name: "prompts that grow, nobody counts the cache", change: func(i int, a *agent) { grows(1)(i, a); a.cached = pipeline.UnknownCount }, want: []string{ContextGrowth}, says: []string{"nobody said"}},
	{name: "prompts that grow, with the time in them", change: func(i int, a *agent) {
		grows(1)(i, a)
		a.cached = 0
		if a.facts = nil; i%2 == 0 {
			a.facts = []pipeline.Fact{{Name: pipeline.FactCache, Value: "time_stamp,rewrite"}}
		}
	}, want: []string{ContextGrowth}, says: []string{"knowing a prompt: the time in the system prompt in 20 of 40 turns; history told in other words in 20 of 40 turns", "no time stamp, tools in one order"}},
	{name: "prompts that grow, in a cache", change: func(i int, a *agent) { grows(1)(i, a); a.cached = a.prompt - 100 }},
	{name: "prompts that grow, quickly read", change: grows(0)},
	{name: "prompts of any length", change: func(i int, a *agent) { grows(1)((i*17)%40/2, a); a.index = i }},

	{name: "a connection each turn", change: func(_ int, a *agent) { a.ttsConnect = 200 * msec }, want: []string{NewConnection},
		says: []string{"the voice opened one in 39 of 39 turns (tts_connect, p50 200 ms", "last used p50 4,612 ms, p95 4,612 ms before"}},
	{name: "a connection to the model each turn", change: func(_ int, a *agent) { a.llmConnect = 100 * msec }, want: []string{NewConnection}, says: []string{"the language model opened one in 39 of 39 turns"}},
	{name: "a connection for the call", change: func(i int, a *agent) {
		if i == 0 {
			a.ttsConnect, a.llmConnect = 200*msec, 200*msec
		}
	}},
	{name: "connections that are opened at random", change: func(i int, a *agent) {
		if i%3 == 0 {
			a.ttsConnect = 200 * msec
		}
	}},
	{name: "an idle limit", change: func(i int, a *agent) {
		if i%5 == 4 {
			a.every = 30 * time.Second
		}
		if i%5 == 0 {
			a.ttsConnect = 200 * msec
		}
	}, want: []string{IdleSocket}, says: []string{"in 7 of 39 turns (tts_connect, p50 200 ms): those that came 29.81 s or more after the last use, while up to 4,812 ms it was still open"}},

	{name: "playback that goes on", change: func(_ int, a *agent) {
		a.bargeIn, a.noticed, a.silence = 1000*msec, 1300*msec, 4300*msec
	}, want: []string{PlaybackGoesOn}, says: []string{"to silence at the ear: p50 3,300 ms", "for p50 3,000 ms, p95 3,000 ms more; the way there takes p50 50 ms", "cancelled in 40 of them"}},
	{name: "playback that stops", change: func(_ int, a *agent) {
		a.bargeIn, a.noticed, a.silence = 1000*msec, 2300*msec, 2400*msec
	}},
	{name: "playback of which nobody knows when it was noticed", change: func(_ int, a *agent) { a.bargeIn, a.silence = 1000*msec, 4300*msec }},

	{name: "a long way to the agent", change: func(_ int, a *agent) { a.uplink = 230 * msec }, want: []string{FarAway}, says: []string{"from the mouth to the agent it takes p50 230 ms", "in one region, with 40 ms to the agent, 40 ms back and a round trip of 20 ms to the model, they would at p50 683 ms"}},
	{name: "a long way to the model", change: func(_ int, a *agent) { a.trip, a.queue, a.prefill = 240*msec, 130*msec, 208*msec }, want: []string{FarAway}, says: []string{"a round trip to the language model takes p50 240 ms", "they would at p50 703 ms"}},
	{name: "a long way to the ear", change: func(_ int, a *agent) { a.egress, a.playout = 20*msec, 200*msec }, want: []string{FarAway}, says: []string{"from the agent to the ear it takes p50 220 ms"}},
	{name: "as long as most accept", change: func(_ int, a *agent) { a.uplink, a.egress, a.playout = 150*msec, 0, 150*msec }},

	{name: "silence before the first word", change: func(_ int, a *agent) { a.leading = 180 * msec }, want: []string{LeadingSilence}, says: []string{"leading_silence is critical in 100 % of turns (p50 180 ms"}},
	{name: "a breath before the first word", change: func(_ int, a *agent) { a.leading = 30 * msec }},

	{name: "fillers", change: func(_ int, a *agent) { a.filler, a.fillerPlays = 400*msec, 646*msec }, want: []string{FillerFlatters},
		says: []string{"heard in 40 of 40 turns", "first sound: p50 400 ms, p95 400 ms; the answer: p50 983 ms", "to wait for the filler's end in 40 of 40 turns, for p50 300 ms"}},
	{name: "fillers now and then", change: func(i int, a *agent) {
		if i%5 == 0 {
			a.filler = 400 * msec
		}
	}},

	{name: "a clock that starts late and stops early", change: func(_ int, a *agent) { a.vad = 550 * msec }, budgets: []string{"p50(reply) < 500ms", "p95(reply) < 300ms", "p95(gathering) < 1ms"}, want: []string{MetricAnchor},
		says: []string{"p50(reply) < 500ms: 358 ms by such a clock, 998 ms at the ear", "before its start (p50 590 ms, p95 590 ms) and behind its end (p50 50 ms, p95 50 ms)"}},

	{name: "two things", change: func(_ int, a *agent) { a.leading, a.held = 180*msec, 250*msec }, want: []string{TTSHeld, LeadingSilence}},
}

func guesses(oneIn int) func(i int, a *agent) {
	return func(i int, a *agent) {
		a.facts = []pipeline.Fact{{Name: pipeline.FactGuess, Value: "right"}}
		if i%oneIn == 0 {
			a.facts = []pipeline.Fact{{Name: pipeline.FactGuess, Value: "wrong"}, {Name: pipeline.FactWasted, Value: "1200"}}
		}
	}
}

// atPauses has the model asked early in vain in each turn, and rightly at its end.
func atPauses(_ int, a *agent) {
	a.facts = []pipeline.Fact{{Name: pipeline.FactGuess, Value: "right"}, {Name: pipeline.FactInVain, Value: "1"}, {Name: pipeline.FactWasted, Value: "1200"}}
}

// grows has prompts that are 100 tokens longer each turn, and as much slower as one says.
func grows(slower time.Duration) func(i int, a *agent) {
	return func(i int, a *agent) {
		a.prompt, a.cached = 1200+100*i, 0
		a.prefill = 65*msec + slower*5*msec*time.Duration(i)
	}
}

func TestDiagnose(t *testing.T) {
	named := map[string]bool{}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			found := Diagnose(analysis(t, call(40, c.change), c.budgets...))
			if got := ids(found); !slices.Equal(got, append([]string{}, c.want...)) {
				t.Fatalf("found %v, want %v: %v", got, c.want, found)
			}
			text := ""
			for _, d := range found {
				named[d.ID] = true
				text += strings.Join(d.Evidence, "\n") + "\n" + d.Fix + "\n"
				if d.Title == "" || d.Fix == "" || len(d.Evidence) == 0 {
					t.Errorf("%s says too little: %+v", d.ID, d)
				}
			}
			for _, s := range c.says {
				if !strings.Contains(text, s) {
					t.Errorf("the evidence does not say %q:\n%s", s, text)
				}
			}
		})
	}
	if len(named) != 18 {
		t.Errorf("%d failures are met here, want all 18: %v", len(named), named)
	}
}

// TestHeard: of real recognizers, what was heard stands for what was said.
func TestHeard(t *testing.T) {
	traces := call(40, func(i int, a *agent) {
		a.timer = 600 * msec
		if i%4 == 0 {
			a.endOfTurn = 2300 * msec
		}
	})
	for i := range traces {
		h := pipeline.NewTranscription(int64(i), 0)
		h.Text = []string{"Yes.", "yes", "No."}[i%3]
		if i < 30 {
			h.Flags = []string{pipeline.FlagNoFinal}
		}
		traces[i].Hearings = []pipeline.Transcription{h}
	}
	text := fmt.Sprint(Diagnose(analysis(t, traces)))
	for _, s := range []string{"no final text after the end of speech in 30 of 40 turns", `"yes" (20 and 7 turns), "no" (10 and 3 turns)`} {
		if !strings.Contains(text, s) {
			t.Errorf("no %q in %s", s, text)
		}
	}
}

// TestNoCacheIsKnown: a simulated engine without a cache has nothing in one, and that is
// known, although no count says so.
func TestNoCacheIsKnown(t *testing.T) {
	a := analysis(t, call(40, func(i int, a *agent) { grows(1)(i, a); a.cached = pipeline.UnknownCount }))
	a.Run.Header.Stages = []trace.Stage{{Name: pipeline.SpanLLMPrefill, Simulated: true}}
	found := Diagnose(a)
	if len(found) != 1 || !slices.Contains(found[0].Evidence, "the model that is simulated keeps no prompts, so none of them was in a cache") {
		t.Errorf("found %+v", found)
	}
}

// TestFewTurns: nothing is said of two turns, or of other interactions.
func TestFewTurns(t *testing.T) {
	held := func(_ int, a *agent) { a.held = 250 * msec }
	if found := Diagnose(analysis(t, call(2, held))); len(found) > 0 {
		t.Errorf("two turns: %v", found)
	}
	if found := Diagnose(analysis(t, call(3, held))); len(found) != 1 {
		t.Errorf("three turns: %v, want one diagnosis", found)
	}
	a := analysis(t, call(10, held))
	a.Run.Header.Kind = pipeline.KindBench
	if found := Diagnose(a); found != nil {
		t.Errorf("a bench: %v", found)
	}
	if found := Diagnose(analysis(t, nil)); found != nil {
		t.Errorf("no turns: %v", found)
	}
}

// TestOrderOfTurns: the file's order does not matter.
func TestOrderOfTurns(t *testing.T) {
	for _, c := range cases {
		traces := call(40, c.change)
		want := fmt.Sprint(Diagnose(analysis(t, traces, c.budgets...)))
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(traces), func(i, j int) { traces[i], traces[j] = traces[j], traces[i] })
		if got := fmt.Sprint(Diagnose(analysis(t, traces, c.budgets...))); got != want {
			t.Errorf("%s: in another order\n%s\nwant\n%s", c.name, got, want)
		}
	}
}

// TestAnyTraces: whatever traces there are, a diagnosis is whole and costs no less than
// nothing.
func TestAnyTraces(t *testing.T) {
	names := []string{
		pipeline.SpanUplink, pipeline.SpanVADBacklog, pipeline.SpanVADWait, pipeline.SpanEndOfTurn, pipeline.SpanPolicyWait, pipeline.SpanSTTTail, pipeline.SpanSTTTimer,
		pipeline.SpanLLMConnect, pipeline.SpanLLMPrefill, pipeline.SpanLLMFirstToken, pipeline.SpanGathering, pipeline.SpanLookAhead, pipeline.SpanTTSConnect,
		pipeline.SpanTTSHeld, pipeline.SpanTTSFirstAudio, pipeline.SpanModelAudio, pipeline.SpanLeading, pipeline.SpanFillerPlays, pipeline.SpanPlayout,
	}
	facts := []pipeline.Fact{{Name: pipeline.FactGuess, Value: "right"}, {Name: pipeline.FactGuess, Value: "wrong"}, {Name: pipeline.FactWasted, Value: "900"}, {Name: pipeline.FactWasted, Value: "many"}, {Name: pipeline.FactWords, Value: "yes"}}
	marks := []string{pipeline.MarkFillerHeard, pipeline.MarkBargeIn, pipeline.MarkSilence, pipeline.MarkNoticed}
	rng := rand.New(rand.NewPCG(3, 4))
	met := map[string]bool{}
	for range 3000 {
		var traces []pipeline.Trace
		for range rng.IntN(30) {
			traces = append(traces, anyTurn(rng, names, facts, marks))
		}
		for _, d := range Diagnose(analysis(t, traces, "p50(reply) < 300ms", "share(reply < 200ms) >= 30%")) {
			met[d.ID] = true
			if d.Title == "" || d.Fix == "" || len(d.Evidence) == 0 || d.Cost < 0 && d.Cost != pipeline.Unknown {
				t.Fatalf("%+v", d)
			}
		}
	}
	if len(met) < 8 {
		t.Errorf("only %v are met by chance", met)
	}
}

func anyTurn(rng *rand.Rand, names []string, facts []pipeline.Fact, marks []string) pipeline.Trace {
	t := pipeline.Trace{Kind: pipeline.KindVoice, Session: rng.IntN(3), Index: rng.IntN(20), Due: time.Duration(rng.IntN(100_000)) * msec}
	for i := range 1 + rng.IntN(15) {
		var after []pipeline.SpanID
		for id := range i {
			if rng.IntN(3) == 0 {
				after = append(after, pipeline.SpanID(id))
			}
		}
		t.Append(names[rng.IntN(len(names))], time.Duration(rng.IntN(400))*msec, true, after...)
	}
	t.End = t.Spans[rng.IntN(len(t.Spans))].End
	if rng.IntN(10) > 0 {
		t.Marks = append(t.Marks, pipeline.Mark{Name: pipeline.MarkReplyHeard, At: t.End})
	}
	for _, m := range marks {
		if rng.IntN(2) == 0 {
			t.Marks = append(t.Marks, pipeline.Mark{Name: m, At: t.Due + time.Duration(rng.IntN(9000))*msec})
		}
	}
	t.Facts = append(t.Facts, facts[rng.IntN(len(facts))])
	for range rng.IntN(3) {
		q := pipeline.NewRequest(1, t.Due)
		if rng.IntN(2) == 0 {
			q.PromptTokens, q.CachedTokens = 1+rng.IntN(4000), rng.IntN(1000)
		}
		q.Way = pipeline.Way{Out: time.Duration(rng.IntN(100)) * msec}
		t.Requests = append(t.Requests, q)
	}
	if rng.IntN(20) == 0 {
		t.Spans[0].End = pipeline.Unknown
	}
	return t
}

// TestFarByItsKind: a way whose figures are a transport's is in one region already, and costs
// nothing that another one would bring back.
func TestFarByItsKind(t *testing.T) {
	a := analysis(t, call(40, func(_ int, a *agent) { a.uplink, a.playout = 230*msec, 240*msec }))
	found := Diagnose(a)
	if len(found) != 1 || found[0].ID != FarAway || found[0].Cost != 390*msec {
		t.Fatalf("found %+v, want a way that costs 390ms", found)
	}
	a.Run.Header.Stages = []trace.Stage{{Name: pipeline.SpanUplink, Component: "transport telephony"}}
	if found = Diagnose(a); len(found) != 1 || found[0].Cost != 200*msec {
		t.Errorf("found %+v, want the way back alone", found)
	}
	a.Run.Header.Stages = append(a.Run.Header.Stages, trace.Stage{Name: pipeline.SpanPlayout, Component: "transport telephony"})
	found = Diagnose(a)
	if len(found) != 1 || found[0].Cost != pipeline.Unknown || !strings.Contains(strings.Join(found[0].Evidence, "\n"), "figures of the transport telephony within one region") || strings.Contains(fmt.Sprint(found), "they would at") {
		t.Errorf("found %+v, want no cost", found)
	}
}
