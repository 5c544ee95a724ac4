package runner

import (
	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/scenario"
)

// stages returns what is known of a scenario's stages on a target before it runs.
// Off the simulator the language model crosses a socket; what speech services take is known
// to Speech.
func stages(s *scenario.Scenario, target string) []trace.Stage {
	m, _ := s.LLM()
	first := modelStage(pipeline.SpanLLMFirstToken, target)
	switch {
	case target == Endpoint:
	case m.Cassette != nil:
		first.Engine = m.Cassette.String()
	case m.Engine == nil:
		first.Component, first.NoSpread = m.TTFT.Component, m.TTFT.NoSpread
	default:
		first.Engine = m.Engine.String()
	}
	model := []trace.Stage{first}
	if target == Sim && m.Loads() { // over a socket nobody tells
		model = []trace.Stage{modelStage(pipeline.SpanLLMLoad, target), first}
	}
	switch {
	case s.Voice != nil:
		return voiceStages(s.Voice, target, model)
	case s.IDE != nil:
		return append([]trace.Stage{{Name: pipeline.SpanDebounce, Simulated: true}}, model...)
	default:
		return append(model, modelStage(pipeline.SpanLLMDecode, target))
	}
}

func modelStage(name, target string) trace.Stage {
	return trace.Stage{Name: name, Simulated: target == Sim}
}
