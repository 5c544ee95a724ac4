package voice

import (
	"time"

	"halfsecond/pipeline/dist"
)

// drawn holds a turn's random numbers. Each part takes its numbers from the turn's own
// stream in a fixed order, and the optional parts from streams of theirs, so that a change
// in one part, or in what other users do, never shifts another.
type drawn struct {
	utterance, uplink, vad, endOfTurn, stt time.Duration
	prompt, reply, sentence                int
	tts, leading, playout                  time.Duration

	capture, jitter, grid, compute, interim, policy, hook time.Duration
	modelConnect, voiceConnect, post, buffer, egress      time.Duration
	clause                                                int
}

func (s *Simulator) draw(session, index int) drawn {
	k := &s.config.Stack
	r := dist.Stream(s.config.Seed, "voice/turn", session, index)
	return drawn{
		utterance: k.Utterance.Draw(&r), uplink: k.Uplink.Draw(&r),
		vad: k.VADSilence.Draw(&r), endOfTurn: k.EndOfTurn.Draw(&r), stt: k.STTTail.Draw(&r),
		prompt: k.PromptTokens.Draw(&r), reply: k.ReplyTokens.Draw(&r), sentence: k.FirstSentence.Draw(&r),
		tts: k.TTS.FirstAudio.Draw(&r), leading: k.LeadingSilence.Draw(&r), playout: k.Playout.Draw(&r),
		capture: k.Capture.Draw(&r), jitter: k.JitterBuffer.Draw(&r), grid: dist.Uniform(0, max(0, k.VADFrame-1)).Draw(&r),
		compute: k.VADCompute.Draw(&r), interim: k.STTInterim.Draw(&r), policy: k.PolicyWait.Draw(&r), hook: k.Hook.Draw(&r),
		modelConnect: k.Model.Connect.Draw(&r), voiceConnect: k.TTS.Connect.Draw(&r), post: k.PostWait.Draw(&r),
		buffer: k.PreBuffer.Draw(&r), egress: k.Egress.Draw(&r), clause: k.Clause.Draw(&r),
	}
}

// chance returns a stream for one optional part of a turn, so that it can be switched on
// without shifting the others.
func (t *turn) chance(part string) dist.Rand {
	return dist.Stream(t.simulator.config.Seed, "voice/"+part, t.trace.Session, t.trace.Index)
}
