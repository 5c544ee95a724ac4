package scenario

import (
	"fmt"
	"slices"
	"time"

	"halfsecond/pipeline/dist"
	"halfsecond/simulators/voice"
	"halfsecond/simulators/voice/ending"
	"halfsecond/simulators/voice/gather"
)

// Voice describes a voice turn; package voice says how its parts follow on each other.
type Voice struct {
	Utterance                     Delay      // how long the user speaks; matters in a closed loop
	Audio                         *Audio     // nil: what users say is a length
	Transport                     *Transport // nil loses nothing
	Capture, Uplink, JitterBuffer Delay
	VADSilence                    Delay
	VADFrame                      time.Duration
	VADCompute                    Delay
	VADWorkers                    int // 0 is enough of them
	EndOfTurn                     Delay
	Ending                        *Ending // decides in its place; nil for none
	STTTail                       Delay
	STTFrom                       voice.STTFrom
	STTWorkers                    int     // 0 is any number
	STTFactor                     float64 // 0 hears an utterance when it is over
	STTInterim                    Delay
	STTTimer                      time.Duration
	PolicyWait, Hook              Delay

	PromptTokens        dist.Count
	SystemTokens        int // of the prompt, the same in every session
	ReasoningTokens     int
	ReplyTokens         dist.Count
	FirstSentenceTokens dist.Count // a reply that is shorter is spoken at its end
	FirstClauseTokens   dist.Count
	SpeechPerToken      time.Duration // how long a token of speech takes, the reply's or the user's
	Context             *Context      // nil: every prompt is as long as it is
	LLM                 LLM
	LLMRoundTrip        Delay
	LLMConnect          *Connect // nil: connections are open
	Guess               *voice.Guess
	Tool                *Tool
	Filler              *Filler

	Gather                               gather.Rule
	TTSFirstAudio                        Delay
	TTSConnect                           *Connect
	TTSWorkers                           int
	TTSHolds                             int
	TTSFactor                            float64
	LeadingSilence                       Delay
	PostWait, PreBuffer, Egress, Playout Delay
	BargeIn                              *BargeIn
	Direct                               *Direct
}

// Ending is the policy that decides when a turn is over, and the turns it is tried on.
type Ending struct {
	Preset string // its name; "" where the file has the policy itself
	Policy ending.Policy
	Scores string        // of a turn model, by their slug
	Kinds  []ending.Kind // of turns; none stands for all
}

// turns returns the turns that users say.
func (e *Ending) turns() []ending.Turn {
	if len(e.Kinds) == 0 {
		return ending.Turns()
	}
	return ending.Of(ending.Turns(), e.Kinds...)
}

// WaitsForStop reports whether the policy waits for the detector's stop.
func (e *Ending) WaitsForStop() bool {
	stop, _ := e.Policy.Waits()
	return stop
}

// MayWait reports whether the policy may decide before the turn is committed: it has a
// least wait after a model's answer, or one that is added to a provider's word.
func (e *Ending) MayWait() bool {
	return slices.ContainsFunc(e.Policy.Settings(), func(s ending.Setting) bool {
		_, fixed := e.Policy.(ending.Fixed)
		return !fixed && (s.Name == "min" || s.Name == "wait") && s.Value > 0
	})
}

// eager reports whether the policy may take an end of turn for likely before it is
// decided.
func (e *Ending) eager() bool {
	return e != nil && slices.ContainsFunc(e.Policy.Settings(), func(s ending.Setting) bool { return s.Name == "eager" && s.Value > 0 })
}

// Connect is a connection that has to be opened, and when.
type Connect struct {
	Takes Delay
	Each  bool
	Idle  time.Duration
}

// Context is how the prompt of a call grows.
type Context struct {
	Turns                         int
	Grows                         bool
	TimeStamp, ToolOrder, Rewrite float64
}

// Tool is a call of a tool before the answer.
type Tool struct {
	Share          float64
	Tokens, Result dist.Count
	Takes          Delay
}

// Filler is what is said while the answer is made.
type Filler struct {
	Share      float64
	After, For Delay
	Tools      bool
}

// BargeIn is the user speaking into a reply.
type BargeIn struct {
	Share, False                     float64
	After, Start, Guard, For, Buffer Delay
	Clear                            bool
}

// Direct is a model that hears and speaks.
type Direct struct{ Silence, FirstAudio Delay }

// Stack returns the parts of a turn as they are simulated. Modelled says that the language
// model is part of the simulation, so that its queue and its prefill are known apart; users
// is how many users there are in a closed loop; 0 in an open one, where every turn is a
// session of its own.
func (v *Voice) Stack(modelled bool, users int) voice.Stack {
	k := voice.Stack{
		Utterance: v.Utterance.Dist, Capture: v.Capture.Dist, Uplink: v.Uplink.Dist, JitterBuffer: v.JitterBuffer.Dist,
		VADSilence: v.VADSilence.Dist, VADFrame: v.VADFrame, VADCompute: v.VADCompute.Dist, VADWorkers: v.VADWorkers,
		EndOfTurn: v.EndOfTurn.Dist, STTTail: v.STTTail.Dist, STTFrom: v.STTFrom, STTWorkers: v.STTWorkers, STTFactor: v.STTFactor, STTInterim: v.STTInterim.Dist, STTTimer: v.STTTimer,
		PolicyWait: v.PolicyWait.Dist, Hook: v.Hook.Dist,
		PromptTokens: v.PromptTokens, SystemTokens: v.SystemTokens, ReasoningTokens: v.ReasoningTokens, ReplyTokens: v.ReplyTokens,
		FirstSentence: v.FirstSentenceTokens, Clause: v.FirstClauseTokens, SpeechPerToken: v.SpeechPerToken,
		Model:  voice.Model{Connect: v.LLMConnect.takes(), Socket: v.LLMConnect.socket(), Modelled: modelled && v.LLM.Engine != nil},
		Guess:  v.Guess,
		Gather: v.Gather,
		TTS: voice.TTS{
			Connect: v.TTSConnect.takes(), Socket: v.TTSConnect.socket(), Workers: v.TTSWorkers, Holds: v.TTSHolds,
			FirstAudio: v.TTSFirstAudio.Dist, Factor: v.TTSFactor,
		},
		LeadingSilence: v.LeadingSilence.Dist, PostWait: v.PostWait.Dist, PreBuffer: v.PreBuffer.Dist, Egress: v.Egress.Dist, Playout: v.Playout.Dist,
	}
	v.options(&k)
	k.Context.Alone = users == 0
	return k
}

// options adds the parts that may not be there.
func (v *Voice) options(k *voice.Stack) {
	if t := v.Transport; t != nil && t.Loss.Share > 0 {
		k.Line = &t.Line
	}
	if v.Ending != nil {
		k.Ending = v.judge()
	}
	if c := v.Context; c != nil {
		k.Context = voice.Context{Turns: c.Turns, Grows: c.Grows, TimeStamp: c.TimeStamp, ToolOrder: c.ToolOrder, Rewrite: c.Rewrite}
	}
	if t := v.Tool; t != nil {
		k.Tool = &voice.Tool{Share: t.Share, Tokens: t.Tokens, Takes: t.Takes.Dist, Result: t.Result}
	}
	if f := v.Filler; f != nil {
		k.Filler = &voice.Filler{Share: f.Share, After: f.After.Dist, For: f.For.Dist, Tools: f.Tools}
	}
	if b := v.BargeIn; b != nil {
		k.BargeIn = &voice.BargeIn{
			Share: b.Share, After: b.After.Dist, Start: b.Start.Dist, Guard: b.Guard.Dist, For: b.For.Dist, Clear: b.Clear, Buffer: b.Buffer.Dist, False: b.False,
		}
	}
	if d := v.Direct; d != nil {
		k.Direct = &voice.Direct{Silence: d.Silence.Dist, FirstAudio: d.FirstAudio.Dist}
	}
}

// judge returns the policy with what it depends on.
func (v *Voice) judge() *voice.Judge {
	scores, err := ending.FindScores(v.Ending.Scores)
	if err != nil {
		panic(fmt.Sprintf("scenario: %s", err))
	}
	return &voice.Judge{
		Setup: ending.Setup{
			Policy: v.Ending.Policy, Scores: scores, Stop: v.VADSilence.Dist, Final: v.STTTail.Dist,
			Frame: v.VADFrame, Compute: v.VADCompute.Dist, FromStop: v.STTFrom == voice.FromVADStop, Timer: v.STTTimer, Wait: v.PolicyWait.Dist,
		},
		Turns: v.Ending.turns(),
	}
}

func (c *Connect) takes() dist.Dist {
	if c == nil {
		return dist.Dist{}
	}
	return c.Takes.Dist
}

func (c *Connect) socket() voice.Socket {
	if c == nil {
		return voice.Socket{}
	}
	return voice.Socket{Each: c.Each, Idle: c.Idle}
}
