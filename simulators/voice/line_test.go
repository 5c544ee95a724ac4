package voice

import (
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/simulators/voice/ending"
)

// TestBacklog: work that comes faster than it is done piles up, and is worked off when less
// comes, never below nothing.
func TestBacklog(t *testing.T) {
	b := backlog{workers: 2, each: .5}
	at := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	for _, step := range []struct {
		come    int
		at      float64
		streams int
		wait    time.Duration // from here on
	}{
		{6, 1, 6, 0},            // 3 s of work a second, of which 2 are done
		{0, 2, 6, 500 * ms},     // a second of work for two
		{0, 3.5, 6, 1250 * ms},  //
		{-3, 3.5, 3, 1250 * ms}, // 1.5 a second: half a second is worked off in one
		{0, 4.5, 3, 1000 * ms},  //
		{-3, 5.5, 0, 750 * ms},  //
		{0, 6, 0, 250 * ms},     // two of them do two seconds of work in one
		{0, 60, 0, 0},           //
		{5, 60, 5, 0}, {0, 62, 5, 500 * ms},
	} {
		if step.come != 0 {
			b.come(step.come, at(step.at))
		}
		if got := b.wait(at(step.at)); got != step.wait || b.streams != step.streams {
			t.Errorf("at %v s: %d streams wait %s, want %d and %s", step.at, b.streams, got, step.streams, step.wait)
		}
	}
	if none := (backlog{each: 9}); none.wait(time.Hour) != 0 {
		t.Error("any number of workers: somebody waits")
	}
}

// lagsOf runs turns of sessions of their own, due at these instants, and returns how long
// each spent in a stage.
func lagsOf(t *testing.T, k Stack, stage string, due ...time.Duration) []time.Duration {
	t.Helper()
	b := newBench(k)
	lags := make([]time.Duration, len(due))
	for i, at := range due {
		b.loop.At(at, pipeline.RankInput, func() {
			b.sim.Begin(i, 0, func(tr *pipeline.Trace) {
				for _, s := range tr.Spans {
					if s.Name == stage {
						lags[i] += s.For()
					}
				}
				if tr.Outcome != pipeline.OK {
					t.Errorf("turn %d: %s %s", i, tr.Outcome, tr.Reason)
				}
			})
		})
	}
	if err := b.loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return lags
}

func wantLags(t *testing.T, got []time.Duration, want ...time.Duration) {
	t.Helper()
	for i, w := range want {
		if got[i] != w {
			t.Errorf("turn %d waits %s, want %s", i, got[i], w)
		}
	}
}

// TestDetectorsOfOpenLoad: a call is on the line for its utterance of 2 s, and from the end
// of speech until the reply of 40 tokens has been heard, 795 ms and 10 s later: 12.795 s.
func TestDetectorsOfOpenLoad(t *testing.T) {
	k := plain
	k.Context.Alone = true
	k.VADFrame, k.VADCompute, k.VADWorkers = 2, constant(1), 1 // two calls are enough for one
	wantLags(t, lagsOf(t, k, pipeline.SpanVADBacklog, 0, 0, 0, 4*time.Second, 8*time.Second, 40*time.Second),
		0, 0, 0,
		2*time.Second, // three calls for 4 s
		6*time.Second, // and four for 4 s more; what each brings is .5 s a second
		0)
	// Three calls for 12.795 s are 6.3975 s of work too many, which then is worked off.
	wantLags(t, lagsOf(t, k, pipeline.SpanVADBacklog, 0, 0, 0, 13*time.Second), 0, 0, 0, 6192500*time.Microsecond)
}

// TestDetectorsOfUsers: of sessions that go on, every user is on the line from their coming
// on, which Busy tells of.
func TestDetectorsOfUsers(t *testing.T) {
	k := plain
	k.VADFrame, k.VADCompute, k.VADWorkers = 10, constant(11), 1
	b := newBench(k)
	if b.sim.Busy(0, 0); b.sim.detectors.streams != 1 {
		t.Fatalf("%d on the line, want 1", b.sim.detectors.streams)
	}
	tr := b.turn(t, 10*time.Second, 0, 0)
	if d := spanFor(tr, pipeline.SpanVADBacklog); d != time.Second { // a tenth of 10 s
		t.Errorf("behind by %s, want 1s", d)
	}
	b.sim.Busy(0, 1)
	if tr = b.turn(t, 20*time.Second, 0, 1); spanFor(tr, pipeline.SpanVADBacklog) != 2*time.Second {
		t.Errorf("behind by %s in the second turn, want 2s: %s", spanFor(tr, pipeline.SpanVADBacklog), spansOf(tr))
	}
	// The wait of a policy that counts from speech is shorter by it.
	k.Ending = judge(ending.Fixed{Wait: 1500 * ms})
	b = newBench(k)
	b.sim.Busy(0, 0)
	tr = b.turn(t, 10*time.Second, 0, 0)
	if got := spanFor(tr, pipeline.SpanVADWait) + spanFor(tr, pipeline.SpanEndOfTurn); got != 500*ms {
		t.Errorf("silence and decision take %s behind the backlog, want 500ms: %s", got, spansOf(tr))
	}
}

func spanFor(t *pipeline.Trace, name string) (sum time.Duration) {
	for _, s := range t.Spans {
		if s.Name == name {
			sum += s.For()
		}
	}
	return sum
}

// TestRecognizersHearAsItComes: utterances of 2 s at .75 s a second of speech.
func TestRecognizersHearAsItComes(t *testing.T) {
	k := plain
	k.Context.Alone = true
	k.STTWorkers, k.STTFactor = 1, .75
	wantLags(t, lagsOf(t, k, pipeline.SpanSTTQueue, 0, 0, time.Second, 2*time.Second, 3*time.Second, 9*time.Second),
		0, 0,
		500*ms,  // two speak for a second: 1.5 s of work for one
		1750*ms, // three for another: 2.25
		2250*ms, // the third and the fourth: 1.5
		0)
	// Two of them: a third stream is what they cannot do.
	k.STTWorkers = 2
	wantLags(t, lagsOf(t, k, pipeline.SpanSTTQueue, 0, 0, 0, 2*time.Second), 0, 0, 0, 250*ms)
	// One that is slower than speech is behind whoever else speaks, however many there are.
	k.STTWorkers, k.STTFactor = 8, 1.25
	wantLags(t, lagsOf(t, k, pipeline.SpanSTTQueue, 0, 30*time.Second), 500*ms, 500*ms)
}

// TestRecognizersHearWhatIsOver: an utterance waits for a recognizer, which takes 247 ms.
func TestRecognizersHearWhatIsOver(t *testing.T) {
	k := plain
	k.Context.Alone, k.STTWorkers = true, 1
	wantLags(t, lagsOf(t, k, pipeline.SpanSTTQueue, 0, 0, 100*ms, 10*time.Second), 0, 247*ms, 394*ms, 0)
	k.STTWorkers = 2
	wantLags(t, lagsOf(t, k, pipeline.SpanSTTQueue, 0, 0, 100*ms, 100*ms), 0, 0, 147*ms, 147*ms)
	// At the detector's stop it is the same, 200 ms later.
	k.STTWorkers, k.STTFrom = 1, FromVADStop
	wantLags(t, lagsOf(t, k, pipeline.SpanSTTQueue, 0, 0, 100*ms), 0, 247*ms, 394*ms)
}

// second runs two turns that are due at once, and returns the second.
func second(t *testing.T, k Stack) *pipeline.Trace {
	t.Helper()
	k.Context.Alone = true
	b := newBench(k)
	var got *pipeline.Trace
	b.loop.At(0, pipeline.RankInput, func() {
		b.sim.Begin(0, 0, func(*pipeline.Trace) {})
		b.sim.Begin(1, 0, func(tr *pipeline.Trace) { got = tr })
	})
	if err := b.loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return got
}

// TestTurnsBehindAnother: what a turn does that waits for a recognizer, by hand.
func TestTurnsBehindAnother(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(k *Stack)
		spans  string
		heard  time.Duration // ms
	}{
		{"words that are heard when all is said", func(k *Stack) {},
			"uplink 0-40 [], vad_wait 40-240 [0], end_of_turn 240-252 [1], stt_queue 40-287 [0], stt_tail 287-534 [3], " +
				"queue 534-554 [2 4], prefill 554-634 [5], gathering 634-664 [6], tts_first_audio 664-852 [7], leading_silence 852-1002 [8], playout 1002-1042 [9]", 1042},
		{"from the detector's stop, with a timer", func(k *Stack) { k.STTFrom, k.STTTimer = FromVADStop, 500*ms },
			"uplink 0-40 [], vad_wait 40-240 [0], end_of_turn 240-252 [1], stt_queue 240-487 [1], stt_tail 487-734 [1 3], stt_timer 240-740 [1], " +
				"queue 740-760 [2 4 5], prefill 760-840 [6], gathering 840-870 [7], tts_first_audio 870-1058 [8], leading_silence 1058-1208 [9], playout 1208-1248 [10]", 1248},
		{"a decision that reads them", func(k *Stack) { k.Ending = judge(ending.Fixed{Wait: 100 * ms, From: ending.FromFinal}) },
			"uplink 0-40 [], vad_wait 40-240 [0], stt_queue 40-287 [0], stt_tail 287-534 [2], end_of_turn 534-634 [1 3], " +
				"queue 634-654 [3 4], prefill 654-734 [5], gathering 734-764 [6], tts_first_audio 764-952 [7], leading_silence 952-1102 [8], playout 1102-1142 [9]", 1142},
		// The model is asked at 240 ms with the interim text, long before the final one is there.
		{"a guess at the stop", func(k *Stack) { k.Guess = &Guess{From: OnStop, Right: 1} },
			"uplink 0-40 [], vad_wait 40-240 [0], end_of_turn 240-252 [1], queue 240-260 [1 0], prefill 260-340 [3], stt_queue 40-287 [0], stt_tail 287-534 [5], gathering 340-370 [4], " +
				"tts_first_audio 534-722 [7 2 6], leading_silence 722-872 [8], playout 872-912 [9]", 912},
		{"a guess at the final", func(k *Stack) { k.Guess, k.EndOfTurn = &Guess{From: OnFinal, Right: 1}, constant(500*ms) },
			"uplink 0-40 [], vad_wait 40-240 [0], end_of_turn 240-740 [1], stt_queue 40-287 [0], stt_tail 287-534 [3], queue 534-554 [4], prefill 554-634 [5], gathering 634-664 [6], " +
				"tts_first_audio 740-928 [7 2 4], leading_silence 928-1078 [8], playout 1078-1118 [9]", 1118},
	} {
		k := plain
		k.STTWorkers = 1
		c.change(&k)
		tr := second(t, k)
		if got := spansOf(tr); got != c.spans {
			t.Errorf("%s: spans\n%s\nwant\n%s", c.name, got, c.spans)
		}
		if got := heardAfter(tr); got != c.heard*ms || tr.Outcome != pipeline.OK {
			t.Errorf("%s: %s, heard after %s, want %s", c.name, tr.Outcome, got, c.heard*ms)
		}
	}
}

// TestStreamsOfOneStop: recognizers that hear as it comes and are asked for the final at the
// detector's stop are behind with what was said before.
func TestStreamsOfOneStop(t *testing.T) {
	k := plain
	k.Context.Alone, k.STTFrom, k.STTTail = true, FromVADStop, constant(60*ms)
	k.STTWorkers, k.STTFactor = 1, 1.5
	b := newBench(k)
	tr := b.turn(t, 0, 0, 0) // half of 2 s behind, by itself
	want := "uplink 0-40 [], vad_wait 40-240 [0], end_of_turn 240-252 [1], stt_queue 40-1040 [0], stt_tail 1040-1100 [1 3], "
	if got := spansOf(tr); got[:len(want)] != want {
		t.Errorf("spans\n%s\nwant\n%s...", got, want)
	}
}
