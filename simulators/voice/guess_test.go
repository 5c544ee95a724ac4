package voice

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/simulators/voice/ending"
)

// The turn of these tests is committed at 640 ms: the stop is at 240, and a fixed end of
// turn takes 400 more; the transcript is final at 287.
func slow(g Guess) Stack {
	k := plain
	k.EndOfTurn, k.Guess = constant(400*ms), &g
	return k
}

const slowEar = "uplink 0-40 [], vad_wait 40-240 [0], end_of_turn 240-640 [1], stt_tail 40-287 [0], "

func TestGuess(t *testing.T) {
	const none = -1
	eager := judge(ending.TurnModel{Threshold: 0, Eager: 0, Compute: constant(12 * ms), Min: 600 * ms, Max: 2500 * ms})
	eagerPolicy := eager.Setup.Policy.(ending.TurnModel)
	eagerPolicy.Threshold, eagerPolicy.Eager = 1e-9, 1e-9
	eager.Setup.Policy = eagerPolicy
	eager.Turns = []ending.Turn{{ID: 1, Kind: ending.Plain, Text: "Yes."}} // of those with pauses see TestGuessInVain
	for _, c := range []struct {
		name   string
		k      Stack
		spans  string
		heard  time.Duration // ms
		guess  string
		wasted int // tokens; 0 for no request, none for one that cost nothing
	}{
		// The answer is asked at 240, its first token is there at 340 and the sentence at 370: it waits.
		{"at the stop, right", slow(Guess{From: OnStop, Right: 1}),
			slowEar + "queue 240-260 [1 0], prefill 260-340 [4], gathering 340-370 [5], tts_first_audio 640-828 [6 2 3], leading_silence 828-978 [7], playout 978-1018 [8]", 1018, "right", 0},
		{"with the voice", slow(Guess{From: OnStop, Right: 1, TTS: true}),
			slowEar + "queue 240-260 [1 0], prefill 260-340 [4], gathering 340-370 [5], tts_first_audio 370-558 [6], leading_silence 640-790 [7 2 3], playout 790-830 [8]", 830, "right", 0},
		{"the interim text is later", func() Stack {
			k := slow(Guess{From: OnStop, Right: 1})
			k.STTInterim = constant(300 * ms)
			return k
		}(), slowEar + "stt_interim 40-340 [0], queue 340-360 [1 4], prefill 360-440 [5], gathering 440-470 [6], tts_first_audio 640-828 [7 2 3], leading_silence 828-978 [8], playout 978-1018 [9]", 1018, "right", 0},
		{"at the final", slow(Guess{From: OnFinal, Right: 1}),
			slowEar + "queue 287-307 [3], prefill 307-387 [4], gathering 387-417 [5], tts_first_audio 640-828 [6 2 3], leading_silence 828-978 [7], playout 978-1018 [8]", 1018, "right", 0},
		// Decided 600 after the end of speech at the agent; likely over at the answer, 212.
		{"at an early end", func() Stack {
			k := slow(Guess{From: OnEarly, Right: 1})
			k.Ending = eager
			return k
		}(), "uplink 0-40 [], vad_wait 40-240 [0], end_of_turn 240-252 [1], policy_wait 252-640 [2], stt_tail 40-287 [0], early_end 40-252 [0], " +
			"queue 252-272 [5 0], prefill 272-352 [6], gathering 352-382 [7], tts_first_audio 640-828 [8 3 4], leading_silence 828-978 [9], playout 978-1018 [10]", 1018, "right", 0},
		{"no early end is told", func() Stack {
			k := slow(Guess{From: OnEarly, Right: 1})
			return k
		}(), slowEar + "queue 640-660 [2 3], prefill 660-740 [4], gathering 740-770 [5], tts_first_audio 770-958 [6], leading_silence 958-1108 [7], playout 1108-1148 [8]", 1148, "none", 0},
		// Committed at 287, no sooner than the final.
		{"at the final, which commits", func() Stack {
			k := plain
			k.Guess = &Guess{From: OnFinal, Right: 1}
			return k
		}(), ear + answer + "tts_first_audio 417-605 [6], leading_silence 605-755 [7], playout 755-795 [8]", 795, "none", 0},
		// The answer of 40 tokens was out at 730: 31 were made by 640.
		{"wrong pays in full from the commit", slow(Guess{From: OnStop}),
			slowEar + "wrong_guess 240-640 [1 0], queue 640-660 [2 3], prefill 660-740 [5], gathering 740-770 [6], tts_first_audio 770-958 [7], leading_silence 958-1108 [8], playout 1108-1148 [9]", 1148, "wrong", 1031},
		{"wrong, with the voice", slow(Guess{From: OnStop, TTS: true}),
			slowEar + "wrong_guess 240-640 [1 0], queue 640-660 [2 3], prefill 660-740 [5], gathering 740-770 [6], tts_first_audio 770-958 [7], leading_silence 958-1108 [8], playout 1108-1148 [9]", 1148, "wrong", 1031},
		{"wrong, and had ended", func() Stack {
			k := slow(Guess{From: OnStop})
			k.ReplyTokens = dist.ConstantCount(10)
			return k
		}(), slowEar + "wrong_guess 240-640 [1 0], queue 640-660 [2 3], prefill 660-740 [5], gathering 740-770 [6], tts_first_audio 770-958 [7], leading_silence 958-1108 [8], playout 1108-1148 [9]", 1148, "wrong", 1010},
		{"right, and had ended", func() Stack {
			k := slow(Guess{From: OnStop, Right: 1})
			k.ReplyTokens = dist.ConstantCount(2)
			return k
		}(), slowEar + "queue 240-260 [1 0], prefill 260-340 [4], gathering 340-350 [5], tts_first_audio 640-828 [6 2 3], leading_silence 828-978 [7], playout 978-1018 [8]", 1018, "right", 0},
		{"right, and not begun", func() Stack {
			k := slow(Guess{From: OnStop, Right: 1})
			k.EndOfTurn = constant(50 * ms)
			return k
		}(), "uplink 0-40 [], vad_wait 40-240 [0], end_of_turn 240-290 [1], stt_tail 40-287 [0], " +
			"queue 240-260 [1 0], prefill 260-340 [4], gathering 340-370 [5], tts_first_audio 370-558 [6], leading_silence 558-708 [7], playout 708-748 [8]", 748, "right", 0},
		// The text is there at the very instant of the commit.
		{"wrong, at the very instant", func() Stack {
			k := slow(Guess{From: OnStop, TTS: true})
			k.EndOfTurn = constant(130 * ms)
			return k
		}(), "uplink 0-40 [], vad_wait 40-240 [0], end_of_turn 240-370 [1], stt_tail 40-287 [0], " +
			"wrong_guess 240-370 [1 0], queue 370-390 [2 3], prefill 390-470 [5], gathering 470-500 [6], tts_first_audio 500-688 [7], leading_silence 688-838 [8], playout 838-878 [9]", 878, "wrong", 1004},
		// The connection opens from 240 to 940: the wrong request is never sent, the new one takes it.
		{"wrong, while a connection opens", func() Stack {
			k := slow(Guess{From: OnStop})
			k.Model.Connect, k.Model.Socket.Each = constant(700*ms), true
			return k
		}(), slowEar + "llm_connect 240-940 [1 0], queue 940-960 [2 3 4], prefill 960-1040 [5], gathering 1040-1070 [6], tts_first_audio 1070-1258 [7], leading_silence 1258-1408 [8], playout 1408-1448 [9]", 1448, "wrong", none},
		{"right, while a connection opens", func() Stack {
			k := slow(Guess{From: OnStop, Right: 1})
			k.Model.Connect, k.Model.Socket.Each = constant(700*ms), true
			return k
		}(), slowEar + "llm_connect 240-940 [1 0], queue 940-960 [4], prefill 960-1040 [5], gathering 1040-1070 [6], tts_first_audio 1070-1258 [7], leading_silence 1258-1408 [8], playout 1408-1448 [9]", 1448, "right", 0},
		// Opened from 240 to 330, asked until 640; the new request takes a new one.
		{"wrong, with a connection that was used", func() Stack {
			k := slow(Guess{From: OnStop})
			k.Model.Connect, k.Model.Socket.Each = constant(90*ms), true
			return k
		}(), slowEar + "llm_connect 240-330 [1 0], wrong_guess 330-640 [4], llm_connect 640-730 [2 3], queue 730-750 [6], prefill 750-830 [7], gathering 830-860 [8], tts_first_audio 860-1048 [9], leading_silence 1048-1198 [10], playout 1198-1238 [11]", 1238, "wrong", 1022},
		// The call of the tool is there at 340 and ends at 580; the tool works from the commit on.
		{"a tool waits for the commit", func() Stack {
			k := slow(Guess{From: OnStop, Right: 1})
			k.Tool = &Tool{Share: 1, Tokens: dist.ConstantCount(25), Takes: constant(100 * ms), Result: dist.ConstantCount(50)}
			return k
		}(), slowEar + "queue 240-260 [1 0], prefill 260-340 [4], tool_call 340-580 [5], tool 640-740 [2 3 6], " +
			"queue 740-760 [7], prefill 760-840 [8], gathering 840-870 [9], tts_first_audio 870-1058 [10], leading_silence 1058-1208 [11], playout 1208-1248 [12]", 1248, "right", 0},
		{"a tool that was called wrongly never works", func() Stack {
			k := slow(Guess{From: OnStop})
			k.Tool = &Tool{Share: 1, Tokens: dist.ConstantCount(25), Takes: constant(100 * ms), Result: dist.ConstantCount(50)}
			return k
		}(), slowEar + "wrong_guess 240-640 [1 0], queue 640-660 [2 3], prefill 660-740 [5], tool_call 740-980 [6], tool 980-1080 [7], " +
			"queue 1080-1100 [8], prefill 1100-1180 [9], gathering 1180-1210 [10], tts_first_audio 1210-1398 [11], leading_silence 1398-1548 [12], playout 1548-1588 [13]", 1588, "wrong", 1025},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(c.k)
			tr := b.turn(t, 10*time.Second, 3, 4)
			if got := spansOf(tr); got != c.spans {
				t.Errorf("spans\n%s\nwant\n%s", got, c.spans)
			}
			if got := heardAfter(tr); got != c.heard*ms || tr.Outcome != pipeline.OK {
				t.Errorf("%s, heard after %s, want %s", tr.Outcome, got, c.heard*ms)
			}
			wasted := ""
			if c.wasted > 0 {
				wasted = strconv.Itoa(c.wasted)
			} else if c.wasted == none {
				wasted = "0"
			}
			if g, w := tr.Fact(pipeline.FactGuess), tr.Fact(pipeline.FactWasted); g != c.guess || w != wasted {
				t.Errorf("guess %q, wasted %q, want %q and %q", g, w, c.guess, wasted)
			}
			if n := strings.Count(c.spans, "prefill") + strings.Count(c.spans, "wrong_guess"); len(tr.Requests) != n || len(b.model.calls) != n {
				t.Errorf("%d requests in the trace and %d at the model, want %d", len(tr.Requests), len(b.model.calls), n)
			}
		})
	}
}

// TestGuessFacts: as often right as stated, and a wrong guess gives the user other words.
func TestGuessFacts(t *testing.T) {
	k := slow(Guess{From: OnStop, Right: .7})
	k.Context.Alone = true
	b := newBench(k)
	right := 0
	for i := range 1000 {
		before := len(b.model.calls)
		tr := b.turn(t, time.Duration(i)*10*time.Second, i, 0)
		if tr.Fact(pipeline.FactGuess) == "right" {
			right++
			continue
		}
		calls := b.model.calls[before:]
		if got := common(calls[0].blocks, calls[1].blocks); len(calls) != 2 || got != 1000-8 {
			t.Fatalf("turn %d: %d calls share %d tokens, want all of 1000 but the user's 8", i, len(calls), got)
		}
	}
	if right < 660 || right > 740 {
		t.Errorf("%d of 1000 guesses were right, want 700", right)
	}
}

// TestGuessFails: an early request that fails ends the turn when it is committed, and a wrong
// one that fails costs nothing.
func TestGuessFails(t *testing.T) {
	for right, want := range map[float64]pipeline.Outcome{1: pipeline.Error, 0: pipeline.OK} {
		b := newBench(slow(Guess{From: OnStop, Right: right}))
		b.model.fails = 1
		tr := b.turn(t, 0, 0, 0)
		if tr.Outcome != want || want == pipeline.Error && (tr.End != 640*ms || tr.Reason != "broken") {
			t.Errorf("right %v: %s %q at %s, want %s, an error at 640ms", right, tr.Outcome, tr.Reason, tr.End, want)
		}
	}
}

// TestGuessWithoutText: an early answer that has no text ends the turn at its commit.
func TestGuessWithoutText(t *testing.T) {
	var loop pipeline.Virtual
	sim := New(Config{Loop: &loop, LLM: &spoken{&loop, []string{"", ""}, pipeline.OK, ""}, Stack: slow(Guess{From: OnStop, Right: 1}), Seed: 1, NextRequest: counter()})
	var got *pipeline.Trace
	sim.Begin(0, 0, func(tr *pipeline.Trace) { got = tr })
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got == nil || got.Outcome != pipeline.Error || got.Reason != "the model answered without text" || got.End != 640*ms {
		t.Errorf("%+v, want an error at 640ms", got)
	}
}

// TestGuessPlaces: a voice that began with a wrong answer is free again at the commit.
func TestGuessPlaces(t *testing.T) {
	k := slow(Guess{From: OnStop, TTS: true})
	k.TTS.Workers, k.TTS.Factor, k.LeadingSilence = 1, 1, constant(0)
	tr := newBench(k).turn(t, 0, 0, 0)
	// Taken from 370 on for 10 s; the right answer's text is there at 770.
	if got := heardAfter(tr); got != 998*ms {
		t.Errorf("heard after %s, want 998ms: %s", got, spansOf(tr))
	}
}
