package voice

import (
	"encoding/json"
	"fmt"

	"halfsecond/mockllm/speech"
	"halfsecond/pipeline/wire/cartesia"
)

// inkTurns is a conversation of /stt/turns/websocket.
type inkTurns struct {
	*inkTalk
	open  bool // a turn has been told to have started
	eager bool // and to have probably ended
	next  bool // the one after it has started too
}

func newInkTurns(v visit, o inkOptions) *inkTurns {
	s := &inkTurns{}
	s.inkTalk = newInkTalk(v, o, o.turn(), 0, func(e speech.Event) { s.tell(e) })
	s.notice(cartesia.TypeConnected)
	return s
}

func (s *inkTurns) text(b []byte) {
	if s.closing {
		return
	}
	s.wait()
	var command cartesia.TurnsCommand
	if err := json.Unmarshal(b, &command); err != nil {
		s.complain(fmt.Sprintf("the message is not a command in JSON: %v", err))
		return
	}
	switch command.Type {
	case cartesia.TypeTurnsClose:
		s.flush()
	case cartesia.TypeTurnsConfig:
		s.configure(command)
	default:
		s.complain(fmt.Sprintf("unknown command %q: want the type config or close", command.Type))
	}
}

func (s *inkTurns) configure(c cartesia.TurnsCommand) {
	t, err := s.with(c)
	if err != nil {
		s.complain(err.Error())
		return
	}
	s.inkThresholds = t
	s.ear.recognizer().SetTurn(t.turn())
}

// tell passes on what the recognizer says.
func (s *inkTurns) tell(e speech.Event) {
	switch e.Kind {
	case speech.SpeechStarted:
		s.start()
	case speech.Interim:
		if s.open && !s.eager && len(e.Words) > 0 {
			s.turn(cartesia.TypeTurnUpdate, e)
		}
	case speech.EagerEnd:
		if len(e.Words) > 0 {
			s.eager = true
			s.turn(cartesia.TypeTurnEagerEnd, e)
		}
	case speech.Resumed:
		if s.eager {
			s.eager = false
			s.notice(cartesia.TypeTurnResume)
		}
	case speech.Final:
		s.end(e)
	case speech.Closed:
		s.over()
	}
}

// start tells that a turn has started, after the end of the one before.
func (s *inkTurns) start() {
	if s.open {
		s.next = true
		return
	}
	s.open, s.eager, s.next = true, false, false
	s.notice(cartesia.TypeTurnStart)
}

func (s *inkTurns) end(e speech.Event) {
	if !s.open {
		return
	}
	s.turn(cartesia.TypeTurnEnd, e)
	if s.open = false; len(e.Words) > 0 {
		s.told++
	}
	if s.next {
		s.start()
	}
}

// turn sends the whole text of the turn so far.
func (s *inkTurns) turn(kind string, e speech.Event) {
	s.answered()
	s.say(cartesia.TurnText{Type: kind, RequestID: s.entry.ID, Transcript: s.joinable(e.Words)})
}
