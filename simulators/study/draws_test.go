package study

import (
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/simulators/runner"
)

// TestSameTurns: two runs that differ in a setting have the same turns. What a stage takes
// that the setting has no part in is the same in each of them, whoever asked first.
func TestSameTurns(t *testing.T) {
	s := load(t, "preset-framework-defaults")
	s.Voice.LLMRoundTrip = s.Voice.STTTail // which varies
	taken := func(silence time.Duration) map[[2]int][2]time.Duration {
		v := *s.Voice
		v.VADSilence = constant(silence)
		a, err := simulate(t.Context(), s, &v, runner.Settings{Seed: 1, N: 300})
		if err != nil {
			t.Fatal(err)
		}
		all := map[[2]int][2]time.Duration{}
		for i := range a.Run.Traces {
			x := &a.Run.Traces[i]
			r := &x.Requests[len(x.Requests)-1]
			all[[2]int{x.Session, x.Index}] = [2]time.Duration{r.FirstOutput - r.Sent, r.Way.Out}
		}
		return all
	}
	long, short := taken(550*time.Millisecond), taken(200*time.Millisecond)
	for turn, was := range long {
		if is, ok := short[turn]; ok && is != was {
			t.Fatalf("turn %v: the model took %v with another silence of the detector, and its way, %v before", turn, is, was)
		}
	}
	if len(long) < 300 || long[[2]int{0, 0}][0] == pipeline.Unknown {
		t.Fatalf("%d turns, the first %v", len(long), long[[2]int{0, 0}])
	}
}
