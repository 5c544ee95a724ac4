package voice

import (
	"strconv"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/simulators/voice/ending"
)

// hesitant returns a stack that waits 700 ms from the end of speech and asks the model early,
// of a user who pauses for so long inside a turn.
func hesitant(from GuessFrom, pauses ...time.Duration) Stack {
	said := ending.Turn{ID: 1, Kind: ending.Plain, Text: "a b c d"}
	for i, d := range pauses {
		said.Pauses = append(said.Pauses, ending.Silence{Words: i + 1, Length: d, After: said.Text[:2*i+1]})
	}
	j := judge(ending.Fixed{Wait: 700 * ms, From: ending.FromSpeech})
	j.Turns = []ending.Turn{said}
	k := slow(Guess{From: from, Right: 1})
	k.Ending = j
	return k
}

// TestGuessInVain: an agent asks at each pause that its detector takes for an end, as well,
// and gives that up when the user goes on. The reply is as soon as without those.
//
// At 200 ms, the detector's stop: of the pause of 900 there are 700 ms left, in which all 40
// tokens of the answer come (at 100 + 39 * 10 ms), of that of 310 the 110 in which 2 come; one
// of 150 has no stop. At 247, the final: 653 ms, and 63, in which none comes. Each has the
// prompt of 1,000. Nothing is early that waits for an early end where none is told.
func TestGuessInVain(t *testing.T) {
	for _, c := range []struct {
		from   GuessFrom
		count  int
		output [2]int
	}{{OnStop, 2, [2]int{40, 2}}, {OnFinal, 2, [2]int{40, 0}}, {OnEarly, 0, [2]int{}}} {
		b := newBench(hesitant(c.from, 900*ms, 310*ms, 150*ms))
		tr := b.turn(t, 10*time.Second, 3, 4)
		alone := newBench(hesitant(c.from)).turn(t, 10*time.Second, 3, 4)
		if heardAfter(tr) != heardAfter(alone) || spansOf(tr) != spansOf(alone) {
			t.Errorf("%s: %s, want it as without pauses: %s", c.from, spansOf(tr), spansOf(alone))
		}
		if tr.Outcome != pipeline.OK || tr.Fact(pipeline.FactGuess) != alone.Fact(pipeline.FactGuess) || len(tr.Requests) != c.count+1 || len(b.model.calls) != c.count+1 {
			t.Fatalf("%s: %s, guess %q, %d requests, %d at the model, want %d", c.from, tr.Outcome, tr.Fact(pipeline.FactGuess), len(tr.Requests), len(b.model.calls), c.count+1)
		}
		count, wasted := "", ""
		if c.count > 0 {
			count, wasted = strconv.Itoa(c.count), strconv.Itoa(2000+c.output[0]+c.output[1])
		}
		if got := tr.Fact(pipeline.FactInVain); got != count {
			t.Errorf("%s: asked in vain %q, want %q", c.from, got, count)
		}
		if got := tr.Fact(pipeline.FactWasted); got != wasted {
			t.Errorf("%s: wasted %q, want %q", c.from, got, wasted)
		}
		for i := range c.count {
			if r := &tr.Requests[i]; r.PromptTokens != 1000 || r.OutputTokens != c.output[i] {
				t.Errorf("%s: request %d has %d and %d tokens, want 1000 and %d", c.from, i, r.PromptTokens, r.OutputTokens, c.output[i])
			}
		}
		if last := &tr.Requests[c.count]; last.Outcome != pipeline.OK || last.OutputTokens != 40 {
			t.Errorf("%s: the last request is %s with %d tokens, want the answer's", c.from, last.Outcome, last.OutputTokens)
		}
	}
}

// TestGuessInVainUncounted: a server does not count what is given up. The prompt was sent all
// the same: it is our own count of it that was for nothing, and the chunks that came.
func TestGuessInVainUncounted(t *testing.T) {
	b := newBench(hesitant(OnStop, 310*ms))
	b.model.silent = true
	tr := b.turn(t, 10*time.Second, 3, 4)
	if got := tr.Fact(pipeline.FactWasted); got != "1002" {
		t.Errorf("wasted %q, want 1000 of the prompt and the 2 tokens that came", got)
	}
	if r := tr.Requests[0]; r.PromptTokens != pipeline.UnknownCount || r.PromptEstimate != 1000 {
		t.Errorf("counted %d, our own count %d, want it unknown and 1000", r.PromptTokens, r.PromptEstimate)
	}
	if _, _, estimated, ok := tr.Requests[0].Tokens(); estimated != 1002 || !ok {
		t.Errorf("%d of our own count, known %t, want all 1002", estimated, ok)
	}
	if last := tr.Requests[1]; last.PromptTokens != 1000 || last.PromptEstimate != 0 {
		t.Errorf("the answer's request has %d and %d, want the server's count alone", last.PromptTokens, last.PromptEstimate)
	}
}

// Where the turn would be committed at the very instant there is nothing early: a wait of
// none, and the final at 247.
func TestGuessInVainAtTheCommit(t *testing.T) {
	k := hesitant(OnFinal, 900*ms)
	k.Ending.(*Judge).Setup.Policy = ending.Fixed{From: ending.FromSpeech}
	if tr := newBench(k).turn(t, 10*time.Second, 3, 4); tr.Fact(pipeline.FactInVain) != "" {
		t.Errorf("asked in vain %q", tr.Fact(pipeline.FactInVain))
	}
}

// The second is asked when the first is given up: one after the other from the end of speech
// on, so that they never are a burst.
func TestGuessInVainOneByOne(t *testing.T) {
	b := newBench(hesitant(OnStop, 310*ms, 310*ms, 310*ms))
	b.turn(t, 10*time.Second, 3, 4)
	for i, want := range []time.Duration{0, 110 * ms, 220 * ms} {
		if at := b.model.calls[i].at - 10*time.Second; at != want {
			t.Errorf("request %d is asked at %s, want %s", i, at, want)
		}
	}
}
