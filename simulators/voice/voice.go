// Package voice simulates voice turns: from the last sample of the user's speech
// to the first audible sample of the reply at the user's ear.
//
// Read stack.go for the parts of a turn and turn.go for its course: ear.go from the mouth
// to the committed turn, mind.go for the language model, guess.go for asking it early, in_vain.go at the pauses inside a turn,
// line.go for what calls ask of workers that they share, backlog.go and desk.go for who
// waits for those, pieces.go for what of the answer goes to the voice, mouth.go for that,
// filler.go for what is said before it, floor.go for who speaks into whom, follow.go for the playback, heard_out.go for its end at the ear. call.go holds what one turn
// leaves to the next, draw.go the random numbers, said.go what is said, judge.go the
// end-of-turn policies, live.go the services that take the place of modelled stages,
// heard.go what they hear, ahead.go the connection that is opened early, and spoken.go the text
// that one of them is handed. A stage starts when the last of those it
// waits for has ended, so a turn is a max/plus graph, and its trace says what waited for what.
package voice

import (
	"time"

	"halfsecond/pipeline"
)

// Config sets up a Simulator.
type Config struct {
	Loop        pipeline.Scheduler
	LLM         pipeline.LLM
	Stack       Stack
	Services    Services
	Seed        uint64
	Salt        uint64               // tells the prompts from those of other runs with the same seed
	NextRequest func() int64         // numbers requests, unique within the run
	Late        func() time.Duration // how late the loop handles the work in hand; nil means never
}

// Simulator makes turns. Its methods run on the loop.
type Simulator struct {
	config Config
	idle   []*turn       // turns that are over, to serve again
	calls  map[int]*call // by session
	desk   desk          // of the voice
	// Of the detectors, and of recognizers that hear speech as it comes; and where utterances
	// wait for one that hears them when they are over.
	detectors, recognizers backlog
	hearing                desk
	dialled                map[int]bool          // sessions that are on the line
	users                  map[int]time.Duration // when each of a closed loop has heard the last reply out; Unknown for none
}

// New returns a Simulator.
func New(c Config) *Simulator {
	if c.Services.TTS != nil { // which has its own connections, places and habits
		c.Stack.TTS = TTS{Real: true, FirstAudio: c.Stack.TTS.FirstAudio, Factor: c.Stack.TTS.Factor}
	}
	s := &Simulator{config: c, calls: map[int]*call{}, dialled: map[int]bool{}, users: map[int]time.Duration{}, desk: desk{loop: c.Loop, places: c.Stack.TTS.Workers}}
	s.detectors = backlog{workers: c.Stack.VADWorkers, each: c.Stack.vadShare()}
	switch {
	case c.Services.STT != nil: // which has its own
	case c.Stack.STTFactor > 0:
		s.recognizers = backlog{workers: c.Stack.STTWorkers, each: c.Stack.STTFactor}
	default:
		s.hearing = desk{loop: c.Loop, places: c.Stack.STTWorkers}
	}
	return s
}

// Begin starts a turn whose last sample of speech leaves the mouth now; where the user
// speaks audio, it is the first one that does. done
// receives its trace once the reply is heard and the model has ended.
func (s *Simulator) Begin(session, index int, done func(*pipeline.Trace)) {
	t := s.turn(session, index)
	t.Interaction = pipeline.NewInteraction(s.config.Loop, &t.trace, done)
	if s.config.Late != nil {
		t.trace.Late = s.config.Late()
	}
	if s.config.Services.hears() {
		t.begin()
		return
	}
	t.openAhead()
	t.listen()
}

// Busy returns how long from now on a user of a closed loop is busy before turn index of a
// session falls due: hearing the reply of the turn before out, as far as it still plays, and
// speaking. It is asked before the first turn of a session, and when one is over.
func (s *Simulator) Busy(session, index int) time.Duration {
	s.dial(session)
	var busy time.Duration
	if !s.config.Services.hears() {
		busy = s.draw(session, index).utterance
	}
	if over, asked := s.users[session]; asked && over != pipeline.Unknown {
		busy += max(0, over-s.config.Loop.Now())
	}
	s.users[session] = pipeline.Unknown
	return busy
}
