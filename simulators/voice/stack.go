package voice

import (
	"time"

	"halfsecond/pipeline/dist"
	"halfsecond/simulators/voice/ending"
	"halfsecond/simulators/voice/gather"
	"halfsecond/simulators/voice/transport"
)

// Stack describes the parts of a turn. Every duration and count is drawn anew
// for each turn. The zero value of a part takes no time, or is not there.
type Stack struct {
	Utterance dist.Dist // how long the user speaks; matters in a closed loop only

	// From the mouth to the agent.
	Capture      dist.Dist // microphone and encoder
	Uplink       dist.Dist // network; or capture, network and jitter buffer in one
	JitterBuffer dist.Dist

	// Whether the user still speaks, and what was said.
	VADSilence dist.Dist     // silence until the voice activity detector reports a stop
	VADFrame   time.Duration // the detector looks once in so long; the end of speech falls anywhere in it
	VADCompute dist.Dist     // from the last frame that it needs to its word
	VADWorkers int           // detectors for all calls together, who fall behind when their frames come faster; 0 is any number
	STTTail    dist.Dist     // last sample at the agent to the final transcript; overlaps the silence
	STTFrom    STTFrom
	STTWorkers int // recognizers for all calls; 0 is any number
	// STTFactor is how long one of them takes for a second of speech, which it hears as it
	// comes, in seconds. At 0 each of them hears one utterance at a time, once it is over, and
	// takes STTTail for it.
	STTFactor  float64
	STTInterim dist.Dist // last sample at the agent to an interim text that holds all that was said

	// When it is the agent's turn.
	EndOfTurn  dist.Dist     // from the detector's stop to the decision that the turn is over
	Ending     Ending        // decides instead; nil is EndOfTurn
	STTTimer   time.Duration // from the detector's stop: how long a final text is waited for that nobody marks as final; 0 knows it when it comes
	PolicyWait dist.Dist     // after the decision
	Hook       dist.Dist     // the user's own code, before the model is asked

	// What is said.
	PromptTokens    dist.Count // at least one of them is the user's
	SystemTokens    int        // tokens that begin every prompt, the same in every session
	ReasoningTokens int        // that come before the answer; modelled forms only
	ReplyTokens     dist.Count
	FirstSentence   dist.Count    // tokens of the first sentence; a shorter reply is handed over at its end
	SpeechPerToken  time.Duration // how long one token of speech takes, the reply's or the user's

	Model   Model
	Context Context
	Guess   *Guess // nil asks nothing before the turn is committed
	Tool    *Tool  // nil calls none
	Filler  *Filler

	// From text to the ear.
	Gather         gather.Rule
	Clause         dist.Count // tokens of the first clause, by Clause; modelled forms only
	TTS            TTS
	LeadingSilence dist.Dist // silence at the start of the audio
	PostWait       dist.Dist // wait of the agent once it has audio
	PreBuffer      dist.Dist // audio that is gathered before the first is sent or played
	Egress         dist.Dist // until the next frame leaves
	Playout        dist.Dist // network and player; or egress, network and player in one
	// Line loses frames on both ways; nil is one that does not. Of users whose audio a service
	// hears it loses none.
	Line *transport.Line

	BargeIn *BargeIn // nil: nobody speaks into a reply
	// Direct, when set, is a model that hears and speaks; there is then no transcript, no
	// language model and no voice apart from it.
	Direct *Direct
}

// vadShare returns how much of a detector one call takes: its frames come whether anybody
// speaks or not.
func (k *Stack) vadShare() float64 {
	if k.VADFrame == 0 {
		return 0
	}
	return k.VADCompute.Mean().Seconds() / k.VADFrame.Seconds()
}

// STTFrom says what the final transcript counts from.
type STTFrom uint8

const (
	FromSpeech  STTFrom = iota // the end of speech: it is made while the detector waits
	FromVADStop                // the detector's stop, at which it is asked for
)

// String returns the name, as scenario files have it.
func (f STTFrom) String() string { return [...]string{"speech", "vad_stop"}[f] }

// Ending decides when a turn is over.
type Ending interface {
	// Waits reports which of the two instants a decision depends on: the detector's stop and
	// the final transcript.
	Waits() (stop, final bool)
	// Decide returns when the turn is over. stop and final are when the detector's stop and
	// the final transcript are at the agent, counted from the end of speech there; one that
	// it does not wait for may be 0. The draws are those of one turn of a run's seed.
	Decide(seed uint64, session, index int, stop, final time.Duration) Decision
}

// Decision is what an Ending makes of one turn, counted from the end of speech at the
// agent.
type Decision struct {
	ending.Decision
	CutIn bool   // the agent would have spoken into a pause of this turn
	Words string // what the user said in it; "" where that is not known
	// FromSpeech says that the waits count from the end of speech: what they are long is what
	// is left of them after the detector's stop.
	FromSpeech bool
}

// Model is what stands between the agent and its language model.
type Model struct {
	Connect dist.Dist // to open a connection: name, TCP, TLS
	Socket  Socket    // when that is paid
	// Modelled is true for a model whose queue and prefill are known apart.
	Modelled bool
}

// Socket says when a connection has to be opened.
type Socket struct {
	Each bool          // for each use
	Idle time.Duration // after so long without use, since the other side closes it; 0 is never
}

// Context is how the prompt of a call grows and what the model's cache can keep of it.
type Context struct {
	Alone bool // a session has one turn, and nothing of it is kept
	Turns int  // of a call, after which the next call begins; 0 is one call for ever
	Grows bool // PromptTokens is the first turn's; each later one has what was said before
	// What breaks a cached prefix: the system prompt has the time in it; its tools change
	// their order; what was said is told in other words from then on.
	TimeStamp, ToolOrder, Rewrite float64 // share of turns
}

// breaks reports whether something may make a prompt begin otherwise than those before it.
func (c *Context) breaks() bool { return c.TimeStamp > 0 || c.ToolOrder > 0 || c.Rewrite > 0 }

// Guess is asking the model before the turn is committed.
type Guess struct {
	From  GuessFrom
	Right float64 // share of guesses whose words and whose end of turn hold
	TTS   bool    // a modelled voice begins as well, and is held back until the turn is committed
}

// GuessFrom says at what the model is asked early.
type GuessFrom uint8

const (
	OnStop  GuessFrom = iota // the detector's stop, with the interim text
	OnFinal                  // the final transcript
	OnEarly                  // an early end of turn, with the interim text
)

// String returns the name, as scenario files have it.
func (f GuessFrom) String() string { return [...]string{"vad_stop", "final", "early_end"}[f] }

// Tool is a call that the model makes before it answers. It works once the turn is
// committed, even where the model was asked before: what it does cannot be taken back.
type Tool struct {
	Share  float64    // of turns that need it
	Tokens dist.Count // of the model's answer that asks for it
	Takes  dist.Dist
	Result dist.Count // tokens that the prompt of the answer has more
}

// Filler is what is said while the answer is made. It is not, where text of the answer is
// handed to the voice first. It is a text to the voice as the answer is: it opens a connection
// where one is due, waits for a place, and is made at the voice's pace.
type Filler struct {
	Share float64   // of turns
	After dist.Dist // from the committed turn until it is handed to the voice
	For   dist.Dist // how long its audio is; the answer waits for its end
	Tools bool      // only before tools
}

// TTS is the voice.
type TTS struct {
	Connect dist.Dist
	Socket  Socket
	Workers int // texts at a time, for all calls; 0 is any number
	// Holds is how many characters of the pieces that were handed over the service waits for
	// before it begins to speak; the end of the reply is enough as well.
	Holds      int
	FirstAudio dist.Dist // text handed over to first audio
	// Factor is how long it takes to make a second of audio after the first, in seconds; 0
	// has it all at once, and follows no playback.
	Factor float64
	// Real says that a service takes its place, which has all else that is set here itself. It
	// is not asked for fillers: they take FirstAudio and Factor, as a service does that has both
	// from here.
	Real bool
}

// BargeIn is the user speaking into a reply.
type BargeIn struct {
	Share  float64   // of replies that are spoken into
	After  dist.Dist // from the reply heard to the first sound, where the reply lasts so long
	Start  dist.Dist // speech until the detector reports it
	Guard  dist.Dist // speech until the agent believes it: a length, or words
	For    dist.Dist // how long the user speaks; less than the guard is not noticed
	Clear  bool      // audio that was sent ahead is taken back
	Buffer dist.Dist // how much audio was sent ahead of its playing
	False  float64   // share of those that mean no interruption: "uh-huh", a cough
}

// Direct is a model that hears and speaks.
type Direct struct {
	Silence    dist.Dist // after which it ends the turn
	FirstAudio dist.Dist // from there to its first audio
}
