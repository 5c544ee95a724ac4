package voice

import (
	"slices"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/simulators/voice/ending"
)

// factsNamed returns one fact of each trace.
func factsNamed(name string, of []*pipeline.Trace) (values []string) {
	for _, t := range of {
		values = append(values, t.Fact(name))
	}
	return values
}

// TestTurnOfCall: turns are counted from 1 in each call, and not told where a session is one
// call.
func TestTurnOfCall(t *testing.T) {
	for turns, want := range map[int][]string{0: {"", "", "", ""}, 3: {"1", "2", "3", "1"}, 1: {"1", "1", "1", "1"}} {
		b := newBench(calling(Context{Grows: true, Turns: turns}))
		if got := factsNamed(pipeline.FactTurn, turnsOf(t, b, 0, 4)); !slices.Equal(got, want) {
			t.Errorf("calls of %d turns: turns %q, want %q", turns, got, want)
		}
	}
}

// TestWhatBreaksACache: what the trace says is what the prompts show.
func TestWhatBreaksACache(t *testing.T) {
	for _, c := range []struct {
		name string
		c    Context
		want []string
	}{
		{"nothing", Context{Grows: true}, []string{"", "", ""}},
		{"the time", Context{Grows: true, TimeStamp: 1}, []string{"time_stamp", "time_stamp", "time_stamp"}},
		{"all", Context{Grows: true, TimeStamp: 1, ToolOrder: 1, Rewrite: 1}, []string{"time_stamp,tool_order", "time_stamp,tool_order,rewrite", "time_stamp,tool_order,rewrite"}},
		{"history that is told anew in each call", Context{Rewrite: 1, Turns: 2}, []string{"", "rewrite", ""}},
	} {
		if got := factsNamed(pipeline.FactCache, turnsOf(t, newBench(calling(c.c)), 0, 3)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	b := newBench(calling(Context{Grows: true, TimeStamp: .5}))
	all := turnsOf(t, b, 0, 40)
	broken := 0
	for i := 1; i < len(all); i++ {
		told := all[i].Fact(pipeline.FactCache) != "" || all[i-1].Fact(pipeline.FactCache) != ""
		shown := common(b.model.calls[i-1].blocks, b.model.calls[i].blocks) == 0
		if told != shown {
			t.Errorf("turn %d: told %v, shown %v", i, told, shown)
		}
		if shown {
			broken++
		}
	}
	if broken < 20 || broken > 38 {
		t.Errorf("%d of 39 turns share nothing with the one before, want some 29", broken)
	}
}

// TestWordsAndTheirWait: the words are those that the policy was tried on, and a wait that
// counts from the end of speech says so.
func TestWordsAndTheirWait(t *testing.T) {
	for _, c := range []struct {
		policy ending.Policy
		from   string
	}{
		{ending.Fixed{Wait: 500 * ms, From: ending.FromSpeech}, pipeline.CountsFromSpeech},
		{ending.Fixed{Wait: 500 * ms, From: ending.FromVADStop}, ""},
		{ending.TurnModel{Max: time.Second, From: ending.FromSpeech}, pipeline.CountsFromSpeech},
		{ending.TurnModel{Max: time.Second, From: ending.FromFinal}, ""},
		{ending.Rules{Neither: time.Second, From: ending.FromSpeech}, pipeline.CountsFromSpeech},
		{ending.Endpointing{Silence: 300 * ms, Wait: 500 * ms}, ""},
	} {
		k := plain
		k.Ending = judge(c.policy)
		tr := newBench(k).turn(t, 0, 3, 0)
		said := ending.Pick(k.Ending.(*Judge).Turns, 1, 3, 0).Text
		if words, from := tr.Fact(pipeline.FactWords), tr.Fact(pipeline.FactCountsFrom); words != said || from != c.from {
			t.Errorf("%s: words %q that count from %q, want %q and %q", c.policy, words, from, said, c.from)
		}
	}
	if tr := newBench(plain).turn(t, 0, 3, 0); tr.Fact(pipeline.FactWords) != "" || tr.Fact(pipeline.FactCountsFrom) != "" {
		t.Errorf("without a policy: %q", factsOf(tr))
	}
}

// TestSilenceThatIsSet: where the detector's frames and its computing are in vad_wait, the
// trace says what silence it is set to; the rest is less than a frame and what it computes.
func TestSilenceThatIsSet(t *testing.T) {
	for _, c := range []struct {
		frame, compute time.Duration
		told           string
	}{{0, 0, ""}, {32 * ms, 0, "200ms"}, {0, 3 * ms, "200ms"}, {32 * ms, 3 * ms, "200ms"}} {
		k := plain
		k.VADFrame, k.VADCompute = c.frame, constant(c.compute)
		tr := newBench(k).turn(t, 0, 3, 0)
		wait := spanFor(tr, pipeline.SpanVADWait)
		if got := tr.Fact(pipeline.FactVADSilence); got != c.told {
			t.Errorf("frames of %s, %s each: set to %q, want %q; vad_wait is %s", c.frame, c.compute, got, c.told, wait)
		}
		if more := wait - 200*ms; more < c.compute || more > max(c.frame, 1)+c.compute {
			t.Errorf("frames of %s, %s each: vad_wait is %s", c.frame, c.compute, wait)
		}
	}
}
