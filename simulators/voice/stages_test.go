package voice

import (
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/simulators/voice/ending"
	"halfsecond/simulators/voice/gather"
)

// TestStagesByHand: each part of a turn, with the instants worked out by hand.
func TestStagesByHand(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(k *Stack)
		spans  string
		heard  time.Duration // ms
	}{
		{"plain", func(*Stack) {}, ear + answer + "tts_first_audio 417-605 [6], leading_silence 605-755 [7], playout 755-795 [8]", 795},
		{"way to the agent", func(k *Stack) { k.Capture, k.JitterBuffer = constant(20*ms), constant(60*ms) },
			"capture 0-20 [], uplink 20-60 [0], jitter_buffer 60-120 [1], vad_wait 120-320 [2], end_of_turn 320-332 [3], stt_tail 120-367 [2], " +
				"queue 367-387 [4 5], prefill 387-467 [6], gathering 467-497 [7], tts_first_audio 497-685 [8], leading_silence 685-835 [9], playout 835-875 [10]", 875},
		{"detector's compute", func(k *Stack) { k.VADCompute = constant(5 * ms) },
			"uplink 0-40 [], vad_wait 40-245 [0], end_of_turn 245-257 [1], stt_tail 40-287 [0], " + answer + "tts_first_audio 417-605 [6], leading_silence 605-755 [7], playout 755-795 [8]", 795},
		{"finalised at the stop", func(k *Stack) { k.STTFrom, k.STTTail = FromVADStop, constant(60*ms) },
			"uplink 0-40 [], vad_wait 40-240 [0], end_of_turn 240-252 [1], stt_tail 240-300 [1], " +
				"queue 300-320 [2 3], prefill 320-400 [4], gathering 400-430 [5], tts_first_audio 430-618 [6], leading_silence 618-768 [7], playout 768-808 [8]", 808},
		{"timer in place of a final", func(k *Stack) { k.STTTimer = 500 * ms },
			ear + "stt_timer 240-740 [1], queue 740-760 [2 3 4], prefill 760-840 [5], gathering 840-870 [6], tts_first_audio 870-1058 [7], leading_silence 1058-1208 [8], playout 1208-1248 [9]", 1248},
		{"policy wait and hook", func(k *Stack) { k.PolicyWait, k.Hook = constant(100*ms), constant(30*ms) },
			"uplink 0-40 [], vad_wait 40-240 [0], end_of_turn 240-252 [1], policy_wait 252-352 [2], stt_tail 40-287 [0], hook 352-382 [3 4], " +
				"queue 382-402 [5], prefill 402-482 [6], gathering 482-512 [7], tts_first_audio 512-700 [8], leading_silence 700-850 [9], playout 850-890 [10]", 890},
		{"hosted: parts that nobody tells", func(k *Stack) { k.Model.Modelled = false },
			ear + "llm_first_token 287-387 [2 3], gathering 387-417 [4], tts_first_audio 417-605 [5], leading_silence 605-755 [6], playout 755-795 [7]", 795},
		// 5 tokens of reasoning: first output at 387, first of the answer at 437.
		{"reasoning", func(k *Stack) { k.ReasoningTokens = 5 },
			ear + "queue 287-307 [2 3], prefill 307-387 [4], reasoning 387-437 [5], gathering 437-467 [6], tts_first_audio 467-655 [7], leading_silence 655-805 [8], playout 805-845 [9]", 845},
		{"hosted reasoning", func(k *Stack) { k.ReasoningTokens, k.Model.Modelled = 5, false },
			ear + "llm_first_token 287-387 [2 3], reasoning 387-437 [4], gathering 437-467 [5], tts_first_audio 467-655 [6], leading_silence 655-805 [7], playout 805-845 [8]", 845},
		{"look-ahead", func(k *Stack) { k.Gather.LookAhead = true },
			ear + answer + "look_ahead 417-427 [6], tts_first_audio 427-615 [7], leading_silence 615-765 [8], playout 765-805 [9]", 805},
		{"look-ahead at the end", func(k *Stack) { k.Gather.LookAhead, k.ReplyTokens = true, dist.ConstantCount(4) },
			ear + answer + "tts_first_audio 417-605 [6], leading_silence 605-755 [7], playout 755-795 [8]", 795},
		{"clause of two tokens", func(k *Stack) { k.Gather.By, k.Clause = gather.Clause, dist.ConstantCount(2) },
			ear + "queue 287-307 [2 3], prefill 307-387 [4], gathering 387-397 [5], tts_first_audio 397-585 [6], leading_silence 585-735 [7], playout 735-775 [8]", 775},
		{"clause as long as the sentence", func(k *Stack) { k.Gather.By, k.Clause = gather.Clause, dist.ConstantCount(9) },
			ear + answer + "tts_first_audio 417-605 [6], leading_silence 605-755 [7], playout 755-795 [8]", 795},
		{"token by token", func(k *Stack) { k.Gather.By = gather.Token },
			ear + "queue 287-307 [2 3], prefill 307-387 [4], gathering 387-387 [5], tts_first_audio 387-575 [6], leading_silence 575-725 [7], playout 725-765 [8]", 765},
		// The stream's name has 6 letters: the space behind it comes with the second token.
		{"six characters", func(k *Stack) { k.Gather = gather.Rule{By: gather.Characters, Characters: 6} },
			ear + "queue 287-307 [2 3], prefill 307-387 [4], gathering 387-397 [5], tts_first_audio 397-585 [6], leading_silence 585-735 [7], playout 735-775 [8]", 775},
		// A service that begins with the second sentence, which is whole at token 8.
		{"held until the second sentence", func(k *Stack) { k.TTS.Holds = 26 },
			ear + answer + "tts_held 417-457 [6], tts_first_audio 457-645 [7], leading_silence 645-795 [8], playout 795-835 [9]", 835},
		{"held until the end", func(k *Stack) { k.TTS.Holds, k.ReplyTokens = 1000, dist.ConstantCount(10) },
			ear + answer + "tts_held 417-477 [6], tts_first_audio 477-665 [7], leading_silence 665-815 [8], playout 815-855 [9]", 855},
		{"held, and the sentence is all", func(k *Stack) { k.TTS.Holds, k.ReplyTokens = 1000, dist.ConstantCount(4) },
			ear + answer + "tts_first_audio 417-605 [6], leading_silence 605-755 [7], playout 755-795 [8]", 795},
		{"one is enough", func(k *Stack) { k.TTS.Holds = 1 }, ear + answer + "tts_first_audio 417-605 [6], leading_silence 605-755 [7], playout 755-795 [8]", 795},
		{"connections for each use", func(k *Stack) {
			k.Model.Connect, k.Model.Socket.Each, k.TTS.Connect, k.TTS.Socket.Each = constant(90*ms), true, constant(110*ms), true
		}, ear + "llm_connect 287-377 [2 3], queue 377-397 [4], prefill 397-477 [5], gathering 477-507 [6], tts_connect 507-617 [7], tts_first_audio 617-805 [8], leading_silence 805-955 [9], playout 955-995 [10]", 995},
		{"connections that are open", func(k *Stack) { k.Model.Connect, k.TTS.Connect = constant(90*ms), constant(110*ms) },
			ear + answer + "tts_first_audio 417-605 [6], leading_silence 605-755 [7], playout 755-795 [8]", 795},
		{"after the voice", func(k *Stack) { k.PostWait, k.PreBuffer, k.Egress = constant(10*ms), constant(30*ms), constant(15*ms) },
			ear + answer + "tts_first_audio 417-605 [6], leading_silence 605-755 [7], post_wait 755-765 [8], pre_buffer 765-795 [9], egress 795-810 [10], playout 810-850 [11]", 850},
		{"no silence at the start", func(k *Stack) { k.LeadingSilence = constant(0) }, ear + answer + "tts_first_audio 417-605 [6], playout 605-645 [7]", 645},
		{"hears and speaks", func(k *Stack) { k.Direct = &Direct{Silence: constant(500 * ms), FirstAudio: constant(700 * ms)} },
			"uplink 0-40 [], end_of_turn 40-540 [0], model_first_audio 540-1240 [1], leading_silence 1240-1390 [2], playout 1390-1430 [3]", 1430},

		// Policies: the stop is at 200, the transcript final at 247 after the end of speech.
		{"wait beside the silence", func(k *Stack) { k.Ending = judge(ending.Fixed{Wait: 500 * ms}) },
			"uplink 0-40 [], vad_wait 40-240 [0], end_of_turn 240-540 [1], stt_tail 40-287 [0], queue 540-560 [2 3], prefill 560-640 [4], gathering 640-670 [5], tts_first_audio 670-858 [6], leading_silence 858-1008 [7], playout 1008-1048 [8]", 1048},
		{"wait after the transcript", func(k *Stack) { k.Ending = judge(ending.Fixed{Wait: 300 * ms, From: ending.FromFinal}) },
			"uplink 0-40 [], vad_wait 40-240 [0], stt_tail 40-287 [0], end_of_turn 287-587 [1 2], queue 587-607 [2 3], prefill 607-687 [4], gathering 687-717 [5], tts_first_audio 717-905 [6], leading_silence 905-1055 [7], playout 1055-1095 [8]", 1095},
		{"wait after the timer", func(k *Stack) {
			k.STTTimer, k.Ending = 500*ms, judge(ending.Fixed{Wait: 300 * ms, From: ending.FromFinal})
		}, "uplink 0-40 [], vad_wait 40-240 [0], stt_tail 40-287 [0], stt_timer 240-740 [1], end_of_turn 740-1040 [1 2 3], queue 1040-1060 [2 3 4], prefill 1060-1140 [5], gathering 1140-1170 [6], tts_first_audio 1170-1358 [7], leading_silence 1358-1508 [8], playout 1508-1548 [9]", 1548},
		{"turn model that is sure", func(k *Stack) {
			k.Ending = judge(ending.TurnModel{Threshold: 0, Compute: constant(12 * ms), Min: 300 * ms, Max: 2500 * ms})
		}, "uplink 0-40 [], vad_wait 40-240 [0], end_of_turn 240-252 [1], policy_wait 252-340 [2], stt_tail 40-287 [0], queue 340-360 [3 4], prefill 360-440 [5], gathering 440-470 [6], tts_first_audio 470-658 [7], leading_silence 658-808 [8], playout 808-848 [9]", 848},
		{"turn model that is not", func(k *Stack) {
			k.Ending = judge(ending.TurnModel{Threshold: 1, Compute: constant(12 * ms), Min: 300 * ms, Max: 2500 * ms})
		}, "uplink 0-40 [], vad_wait 40-240 [0], end_of_turn 240-2540 [1], stt_tail 40-287 [0], queue 2540-2560 [2 3], prefill 2560-2640 [4], gathering 2640-2670 [5], tts_first_audio 2670-2858 [6], leading_silence 2858-3008 [7], playout 3008-3048 [8]", 3048},
		{"provider's endpoint needs no detector", func(k *Stack) {
			k.Ending = judge(ending.Endpointing{Silence: 300 * ms, Report: constant(20 * ms), Wait: 50 * ms})
		}, "uplink 0-40 [], end_of_turn 40-360 [0], policy_wait 360-410 [1], stt_tail 40-287 [0], queue 410-430 [2 3], prefill 430-510 [4], gathering 510-540 [5], tts_first_audio 540-728 [6], leading_silence 728-878 [7], playout 878-918 [8]", 918},
		{"unless the transcript does", func(k *Stack) {
			k.STTFrom, k.STTTail, k.Ending = FromVADStop, constant(60*ms), judge(ending.Endpointing{Silence: 300 * ms})
		}, "uplink 0-40 [], vad_wait 40-240 [0], end_of_turn 40-340 [0], stt_tail 240-300 [1], queue 340-360 [2 3], prefill 360-440 [4], gathering 440-470 [5], tts_first_audio 470-658 [6], leading_silence 658-808 [7], playout 808-848 [8]", 848},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := plain
			c.change(&k)
			tr := newBench(k).turn(t, 10*time.Second, 3, 4)
			if got := spansOf(tr); got != c.spans {
				t.Errorf("spans\n%s\nwant\n%s", got, c.spans)
			}
			if got := heardAfter(tr); got != c.heard*ms || tr.Outcome != pipeline.OK {
				t.Errorf("%s, heard after %s, want %s", tr.Outcome, got, c.heard*ms)
			}
			if fact := tr.Fact(pipeline.FactCutIn); (fact == "") != (k.Ending == nil) {
				t.Errorf("cut_in is %q", fact)
			}
		})
	}
}

// judge tries a policy on plain turns.
func judge(p ending.Policy) *Judge {
	return &Judge{Setup: ending.Setup{Policy: p, Scores: ending.Models()[0], Stop: constant(200 * ms), Final: constant(247 * ms)}, Turns: ending.Of(ending.Turns(), ending.Plain)}
}

// TestCutIn: the share of turns that are cut in on, and the delay, are those that package
// ending gives for the same policy on the same turns.
func TestCutIn(t *testing.T) {
	j := judge(ending.Fixed{Wait: 300 * ms, From: ending.FromVADStop})
	j.Turns = ending.Turns()
	k := plain
	k.Ending, k.Context.Alone = j, true
	b := newBench(k)
	cut := 0
	for i := range 300 {
		at := time.Duration(i) * 10 * time.Second
		tr := b.turn(t, at, i, 0)
		said := ending.Pick(j.Turns, 1, i, 0)
		want := j.Setup.Try(&said, 1, i, 0)
		if got := tr.Fact(pipeline.FactCutIn); got != yesNo(want.CutIn) {
			t.Fatalf("turn %d: cut_in %s, want %v", i, got, want.CutIn)
		}
		if got := tr.Spans[2].End - tr.Spans[0].End; got != want.End.At() {
			t.Fatalf("turn %d: decided after %s, want %s", i, got, want.End.At())
		}
		if want.CutIn {
			cut++
		}
	}
	// 44 % of the turns at a wait of 300 ms, by package ending's own example.
	if cut < 105 || cut > 160 {
		t.Errorf("%d of 300 turns are cut in on, want about 132", cut)
	}
}

// TestFrameGrid: the end of speech falls anywhere in a frame, each nanosecond of it as
// likely as the others, and nothing else moves.
func TestFrameGrid(t *testing.T) {
	k := plain
	k.VADFrame = 32 * ms
	b := newBench(k)
	var sum, least, most time.Duration = 0, time.Hour, 0
	const n = 2000
	for i := range n {
		tr := b.turn(t, time.Duration(i)*10*time.Second, i, 0)
		grid := tr.Spans[1].For() - 200*ms
		sum, least, most = sum+grid, min(least, grid), max(most, grid)
		if got, want := tr.Spans[2].End, tr.Due+252*ms+grid; got != want {
			t.Fatalf("decided at %s, want %s", got, want)
		}
	}
	if mean := sum / n; least < 0 || least > ms || most < 31*ms || most >= 32*ms || mean < 15*ms || mean > 17*ms {
		t.Errorf("from %s to %s, on average %s; want 0 to 32 ms, 16 on average", least, most, mean)
	}
}

// TestIdleSockets: a connection is open as long as it is not idle too long, which counts
// from the end of its last use.
func TestIdleSockets(t *testing.T) {
	k := plain
	k.Model.Connect, k.Model.Socket.Idle = constant(90*ms), 10*time.Second
	k.TTS.Connect, k.TTS.Socket.Idle, k.TTS.Factor = constant(110*ms), 10*time.Second, .5
	b := newBench(k)
	// The model is asked at 377 and ends at 867; the voice begins at 617 and is busy for
	// 188 ms and half of the reply's 10 s, until 5805.
	if got := heardAfter(b.turn(t, 0, 0, 0)); got != 995*ms {
		t.Errorf("the first turn is heard after %s, want 995ms: both are opened", got)
	}
	// Asked again at 10.866 s, the model's has been idle for 9.999 s.
	if got := heardAfter(b.turn(t, 10_579*ms, 0, 1)); got != 795*ms {
		t.Errorf("after 9.999 s the reply is heard after %s, want 795ms", got)
	}
	// The model ended at 11.356 s (10.579 + 387 + 390 ms): idle for 10 s at 21.356 s.
	if got := heardAfter(b.turn(t, 21_069*ms, 0, 2)); got != 885*ms {
		t.Errorf("after 10 s the reply is heard after %s, want 885ms: the model's connection is closed, not the voice's", got)
	}
}

// TestPlaces: texts wait for a voice in the order of their coming.
func TestPlaces(t *testing.T) {
	k := plain
	k.TTS.Workers, k.TTS.Factor, k.ReplyTokens = 1, .1, dist.ConstantCount(8) // 188 ms and a tenth of 2 s
	b := newBench(k)
	var got []time.Duration
	queued := ""
	for i, at := range []time.Duration{1000, 1100, 1150} {
		b.loop.At(at*ms, pipeline.RankInput, func() {
			b.sim.Begin(i, 0, func(tr *pipeline.Trace) {
				got = append(got, heardAfter(tr)/ms)
				for _, s := range tr.Spans {
					if s.Name == pipeline.SpanTTSQueue {
						queued += waits(s.For()) + " "
					}
				}
			})
		})
	}
	if err := b.loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The texts are there at 417 after each, and a place is taken for 388 ms.
	if len(got) != 3 || got[0] != 795 || got[1] != 795+288 || got[2] != 795+626 || queued != "288 626 " {
		t.Errorf("heard after %d, queued for %s, want 795, 1083 and 1421 with 288 and 626", got, queued)
	}
}

// TestDesk: a place that is left is taken by the first who waits, and who gives up waiting
// takes none.
func TestDesk(t *testing.T) {
	var loop pipeline.Virtual
	d := desk{loop: &loop, places: 1}
	var served []int
	come := func(n int) *seat { return d.come(100*ms, func() { served = append(served, n) }) }
	var first, second, third *seat
	loop.At(0, pipeline.RankInput, func() { first, second, third = come(1), come(2), come(3) })
	loop.At(50*ms, pipeline.RankInput, func() {
		second.leave()
		second.leave()
		first.leave()
		if len(served) != 2 || served[1] != 3 {
			t.Errorf("served %v, want 1 and 3", served)
		}
	})
	loop.At(200*ms, pipeline.RankInput, func() {
		first.leave()
		third.leave()
		if d.taken != 0 || len(d.waiting) != 0 {
			t.Errorf("%d places taken, %d waiting", d.taken, len(d.waiting))
		}
		come(4)
	})
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(served) != 3 || d.taken != 0 {
		t.Errorf("served %v, %d places taken at the end", served, d.taken)
	}
}
