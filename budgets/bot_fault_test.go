package budgets

import (
	"slices"
	"testing"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// TestBotFaults: a fault counts once a turn, however many answers have it.
func TestBotFaults(t *testing.T) {
	answers := func(flags ...[]string) (all []pipeline.Answered) {
		for i, f := range flags {
			r := pipeline.NewAnswered(int64(i+1), 0)
			r.Flags = f
			all = append(all, r)
		}
		return all
	}
	a := &Analysis{Run: trace.Run{Traces: []pipeline.Trace{
		{Answers: answers([]string{"not_json", "audio_file"}, []string{"audio_file"})}, {Answers: answers([]string{"audio_file"})}, {Answers: answers(nil)}, {},
	}}}
	if got, want := a.BotFaults(), []BotFault{{"audio_file", 2}, {"not_json", 1}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
