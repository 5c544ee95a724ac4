package cartesia

import (
	"encoding/json"
	"fmt"
	"iter"

	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/talk"
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

func newInkTurns(v talk.Visit, ears *ear.Models, o inkOptions) *inkTurns {
	s := &inkTurns{}
	s.inkTalk = newInkTalk(v, ears, o, o.turn(), 0, func(e speech.Event) { s.tell(e) })
	s.notice(cartesia.TypeConnected)
	return s
}

// Text implements talk.Session.
func (s *inkTurns) Text(b []byte) iter.Seq[func()] {
	var command cartesia.TurnsCommand
	err := json.Unmarshal(b, &command)
	return talk.Once(func() { s.take(command, err) })
}

// take takes a command of the client, or what was none.
func (s *inkTurns) take(command cartesia.TurnsCommand, err error) {
	if s.closing {
		return
	}
	s.idle.Heard()
	if err != nil {
		s.complain(fmt.Sprintf("the message is not a command in JSON: %v", err))
		return
	}
	switch command.Type {
	case cartesia.TypeTurnsClose:
		s.flush()
	case cartesia.TypeTurnsConfig:
		s.configure(command)
	default:
		s.complain(fmt.Sprintf("unknown command %q: want the type config or close", talk.Quoted(command.Type)))
	}
}

func (s *inkTurns) configure(c cartesia.TurnsCommand) {
	t, err := s.with(c)
	if err != nil {
		s.complain(err.Error())
		return
	}
	s.inkThresholds = t
	s.ear.Recognizer().SetTurn(t.turn())
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
	s.Answered()
	s.Say(cartesia.TurnText{Type: kind, RequestID: s.Entry.ID, Transcript: s.joinable(e.Words)})
}
