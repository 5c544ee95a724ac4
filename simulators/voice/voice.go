// Package voice simulates voice turns: from the last sample of the user's speech
// to the first audible sample of the reply at the user's ear.
//
// Read voice.go for the parts of a turn, turn.go for their order, and said.go for what
// is said. A stage
// starts when the last of those it waits for has ended, so a turn is a max/plus
// graph, and its trace says what waited for what.
package voice

import (
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// Stack describes the parts of a turn. Every duration and count is drawn anew
// for each turn.
type Stack struct {
	Utterance  dist.Dist // how long the user speaks; matters in a closed loop only
	Uplink     dist.Dist // last sample from the mouth to the agent: capture, network, jitter buffer
	VADSilence dist.Dist // silence until the voice activity detector reports a stop
	EndOfTurn  dist.Dist // from that stop to the decision that the turn is over
	STTTail    dist.Dist // last sample at the agent to the final transcript; overlaps the silence

	PromptTokens  dist.Count // at least one of them is the user's
	SystemTokens  int        // tokens that begin every prompt, the same in every session
	ReplyTokens   dist.Count
	FirstSentence dist.Count // tokens until the text is handed to TTS; a shorter reply is handed over at its end

	TTSFirstAudio  dist.Dist // text handed over to first audio
	LeadingSilence dist.Dist // silence at the start of that audio
	Playout        dist.Dist // egress, network and player

	SpeechPerToken time.Duration // how long one token of speech takes, the reply's or the user's
}

// Config sets up a Simulator.
type Config struct {
	Loop        pipeline.Scheduler
	LLM         pipeline.LLM
	Stack       Stack
	Seed        uint64
	Salt        uint64               // tells the prompts from those of other runs with the same seed
	NextRequest func() int64         // numbers requests, unique within the run
	Late        func() time.Duration // how late the loop handles the work in hand; nil means never
}

// Simulator makes turns. Its methods run on the loop.
type Simulator struct {
	config Config
	idle   []*turn // turns that are over, to serve again
}

// New returns a Simulator.
func New(c Config) *Simulator { return &Simulator{config: c} }

// Begin starts a turn whose last sample of speech leaves the mouth now. done
// receives its trace once the reply is heard and the model has ended.
func (s *Simulator) Begin(session, index int, done func(*pipeline.Trace)) {
	t := s.turn(session, index)
	t.Interaction = pipeline.NewInteraction(s.config.Loop, &t.trace, done)
	if s.config.Late != nil {
		t.trace.Late = s.config.Late()
	}
	t.listen()
}

// Busy returns how long a user of a closed loop is busy before turn index of a
// session falls due: hearing the reply of the turn before out and speaking.
func (s *Simulator) Busy(session, index int) time.Duration {
	busy := s.draw(session, index).utterance
	if index > 0 {
		busy += time.Duration(s.draw(session, index-1).reply) * s.config.Stack.SpeechPerToken
	}
	return busy
}

// drawn holds a turn's random numbers. Each part takes one number from the turn's
// own stream in a fixed order, so that a change in one part, or in what other
// users do, never shifts another.
type drawn struct {
	utterance, uplink, vad, endOfTurn, stt time.Duration
	prompt, reply, sentence                int
	tts, leading, playout                  time.Duration
}

func (s *Simulator) draw(session, index int) drawn {
	k := &s.config.Stack
	r := dist.Stream(s.config.Seed, "voice/turn", session, index)
	return drawn{
		utterance: k.Utterance.Draw(&r), uplink: k.Uplink.Draw(&r),
		vad: k.VADSilence.Draw(&r), endOfTurn: k.EndOfTurn.Draw(&r), stt: k.STTTail.Draw(&r),
		prompt: k.PromptTokens.Draw(&r), reply: k.ReplyTokens.Draw(&r), sentence: k.FirstSentence.Draw(&r),
		tts: k.TTSFirstAudio.Draw(&r), leading: k.LeadingSilence.Draw(&r), playout: k.Playout.Draw(&r),
	}
}
