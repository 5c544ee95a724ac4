package runner

import (
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/bench"
	"halfsecond/simulators/scenario"
	"halfsecond/simulators/voice"
)

// stages returns what is known of a scenario's stages on a target before it runs.
// Only the language model crosses a socket, and only off the simulator.
func stages(s *scenario.Scenario, target string) []trace.Stage {
	m, _ := llm(s)
	first := modelStage(voice.LLMFirstToken, target)
	if target != Endpoint && m.Engine == nil {
		first.Component, first.NoSpread = m.TTFT.Component, m.TTFT.NoSpread
	}
	switch {
	case s.Voice != nil:
		return voiceStages(s.Voice, target, first)
	case s.IDE != nil:
		return []trace.Stage{{Name: "debounce", Simulated: true}, first}
	default:
		return []trace.Stage{first, modelStage(bench.LLMDecode, target)}
	}
}

func modelStage(name, target string) trace.Stage {
	return trace.Stage{Name: name, Simulated: target == Sim}
}

func voiceStages(v *scenario.Voice, target string, first trace.Stage) []trace.Stage {
	delay := func(name string, d scenario.Delay) trace.Stage {
		return trace.Stage{Name: name, Simulated: true, Component: d.Component, NoSpread: d.NoSpread}
	}
	return []trace.Stage{
		delay(voice.Uplink, v.Uplink),
		delay(voice.VADSilence, v.VADSilence),
		delay(voice.EndOfTurn, v.EndOfTurn),
		delay(voice.STTTail, v.STTTail),
		first,
		modelStage(voice.FirstSentence, target),
		delay(voice.TTSFirstAudio, v.TTSFirstAudio),
		delay(voice.Leading, v.LeadingSilence),
		delay(voice.Playout, v.Playout),
	}
}
