package ide

import (
	"testing"
	"time"

	"halfsecond/budgets/ghost"
	"halfsecond/pipeline"
)

// addUp checks that the stages of every trace that landed are all told, none below zero, add up
// to its first character, and are as long as its own spans where it waited for its own request.
func addUp(t *testing.T, traces []*pipeline.Trace) (landed int) {
	t.Helper()
	run := ghost.Of(traces, ghost.Options{})
	for _, x := range traces {
		s, ok := run.Stages(x)
		if !ok {
			continue
		}
		landed++
		if s.Sum() != ghost.Landed(x) || s[ghost.Unsplit] != pipeline.Unknown {
			t.Errorf("%s %d (%s): stages %v add up to %s of %s", x.Kind, x.Index, x.Fact(pipeline.FactSource), s, s.Sum(), ghost.Landed(x))
		}
		for _, stage := range ghost.AllStages() {
			if d := s[stage]; d < 0 && d != pipeline.Unknown {
				t.Errorf("%s %d: %s took %s", x.Kind, x.Index, stage, d)
			}
		}
		if x.Fact(pipeline.FactSource) == pipeline.SourceNetwork {
			asSpans(t, x, &s)
		}
	}
	return landed
}

// asSpans compares stages with the spans of the same name.
func asSpans(t *testing.T, x *pipeline.Trace, s *ghost.Stages) {
	t.Helper()
	spans := map[string]time.Duration{}
	for _, p := range x.Spans {
		if p.End != pipeline.Unknown {
			spans[p.Name] += p.For()
		}
	}
	for _, stage := range []ghost.Stage{ghost.KeyWait, ghost.Prepare, ghost.Debounce, ghost.ClientQueue, ghost.LineBuffer, ghost.Hold, ghost.Render} {
		if got, want := s[stage], spans[stage.String()]; got != want {
			t.Errorf("%s %d: stage %s took %s, its span %s", x.Kind, x.Index, stage, got, want)
		}
	}
}
