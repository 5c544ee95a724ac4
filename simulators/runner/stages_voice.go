package runner

import (
	"slices"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/scenario"
	"halfsecond/simulators/voice"
	"halfsecond/simulators/voice/transport"
)

// voiceStages returns the stages that a voice turn has. Those that may be left out are in
// only where the scenario has them.
func voiceStages(v *scenario.Voice, target string, model []trace.Stage) []trace.Stage {
	all := slices.Concat(
		some(pipeline.SpanCapture, v.Capture), one(pipeline.SpanUplink, v.Uplink), resent(v), some(pipeline.SpanJitterBuffer, v.JitterBuffer))
	if d := v.Direct; d != nil {
		all = slices.Concat(all, one(pipeline.SpanEndOfTurn, d.Silence), one(pipeline.SpanModelAudio, d.FirstAudio))
	} else {
		all = slices.Concat(all, earStages(v), mindStages(v, target, model), voicingStages(v, target))
	}
	leading := some(pipeline.SpanLeading, v.LeadingSilence)
	if v.Audio != nil { // what is made has a length
		leading = one(pipeline.SpanLeading, v.LeadingSilence)
	}
	all = slices.Concat(all, leading, some(pipeline.SpanPostWait, v.PostWait), some(pipeline.SpanPreBuffer, v.PreBuffer))
	if v.Filler != nil {
		all = append(all, plain(pipeline.SpanFiller), plain(pipeline.SpanFillerPlays), plain(pipeline.SpanFillerWait))
	}
	all = slices.Concat(all, some(pipeline.SpanEgress, v.Egress), one(pipeline.SpanPlayout, v.Playout))
	if v.Transport != nil && v.Transport.Loss.Share > 0 {
		all = append(all, plain(pipeline.SpanPlayoutLoss))
	}
	return carried(v, all)
}

// carried has the stages of the way between users and the agent say where their figures are
// from, where that is a transport.
func carried(v *scenario.Voice, all []trace.Stage) []trace.Stage {
	for i := range all {
		if t := v.FilledIn(all[i].Name); t != "" {
			all[i].Component = "transport " + t
		}
	}
	return all
}

// resent is the stage of frames that are sent again.
func resent(v *scenario.Voice) []trace.Stage {
	if t := v.Transport; t != nil && t.Loss.Share > 0 && t.Loss.Repair == transport.Resent {
		return []trace.Stage{plain(pipeline.SpanUplinkLoss)}
	}
	return nil
}

// earStages are those between the last sample at the agent and the committed turn.
func earStages(v *scenario.Voice) (all []trace.Stage) {
	if v.VADWorkers > 0 {
		all = append(all, plain(pipeline.SpanVADBacklog))
	}
	guess := v.Guess
	if stop := v.Ending == nil || v.Ending.WaitsForStop(); stop || v.STTFrom == voice.FromVADStop || v.STTTimer > 0 || guess != nil && guess.From == voice.OnStop {
		all = append(all, one(pipeline.SpanVADWait, v.VADSilence)...)
	}
	if guess != nil && guess.From == voice.OnEarly {
		all = append(all, plain(pipeline.SpanEarlyEnd))
	}
	if guess != nil && guess.From != voice.OnFinal {
		all = append(all, some(pipeline.SpanSTTInterim, v.STTInterim)...)
	}
	if v.Ending != nil {
		all = append(all, plain(pipeline.SpanEndOfTurn))
	} else {
		all = append(all, one(pipeline.SpanEndOfTurn, v.EndOfTurn)...)
	}
	if v.STTWorkers > 0 {
		all = append(all, plain(pipeline.SpanSTTQueue))
	}
	all = append(all, one(pipeline.SpanSTTTail, v.STTTail)...)
	if v.STTTimer > 0 {
		all = append(all, plain(pipeline.SpanSTTTimer))
	}
	policy := some(pipeline.SpanPolicyWait, v.PolicyWait)
	if policy == nil && v.Ending != nil && v.Ending.MayWait() {
		policy = []trace.Stage{plain(pipeline.SpanPolicyWait)}
	}
	return slices.Concat(all, policy, some(pipeline.SpanHook, v.Hook))
}

// mindStages are those of the language model. Its queue and its prefill are told apart
// where it is part of the simulation.
func mindStages(v *scenario.Voice, target string, model []trace.Stage) (all []trace.Stage) {
	if c := v.LLMConnect; c != nil {
		all = some(pipeline.SpanLLMConnect, c.Takes)
	}
	first := model[len(model)-1]
	all = append(all, model[:len(model)-1]...)
	if v.LLM.Engine != nil && target == Sim {
		all = append(all, modelStage(pipeline.SpanLLMQueue, target))
		first.Name = pipeline.SpanLLMPrefill
	}
	all = append(all, first)
	if v.ReasoningTokens > 0 {
		all = append(all, modelStage(pipeline.SpanLLMReasoning, target))
	}
	if v.Guess != nil && v.Guess.Right < 1 {
		all = append(all, modelStage(pipeline.SpanWrongGuess, target))
	}
	if t := v.Tool; t != nil {
		all = slices.Concat(all, []trace.Stage{modelStage(pipeline.SpanToolCall, target)}, some(pipeline.SpanTool, t.Takes))
	}
	return append(all, modelStage(pipeline.SpanGathering, target))
}

// voicingStages are those of the voice, from the first piece of text on.
func voicingStages(v *scenario.Voice, target string) (all []trace.Stage) {
	if v.Gather.LooksAhead() {
		all = append(all, modelStage(pipeline.SpanLookAhead, target))
	}
	if v.TTSHolds > 0 {
		all = append(all, plain(pipeline.SpanTTSHeld))
	}
	if c := v.TTSConnect; c != nil {
		all = append(all, some(pipeline.SpanTTSConnect, c.Takes)...)
	}
	if v.TTSWorkers > 0 {
		all = append(all, plain(pipeline.SpanTTSQueue))
	}
	return append(all, one(pipeline.SpanTTSFirstAudio, v.TTSFirstAudio)...)
}

// plain is a modelled stage that follows from others.
func plain(name string) trace.Stage { return trace.Stage{Name: name, Simulated: true} }

// one is a modelled stage with a length of its own.
func one(name string, d scenario.Delay) []trace.Stage {
	return []trace.Stage{{Name: name, Simulated: true, Component: d.Component, NoSpread: d.NoSpread}}
}

// some is one that leaves no span where it takes no time.
func some(name string, d scenario.Delay) []trace.Stage {
	if !d.Spread() && d.Mean() == 0 {
		return nil
	}
	return one(name, d)
}
