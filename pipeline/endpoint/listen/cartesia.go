package listen

import (
	"cmp"
	"strings"

	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/wire/cartesia"
)

// cartesiaMessage is any message of Cartesia's speech to text.
type cartesiaMessage struct {
	Type       string `json:"type"`
	Text       string `json:"text"`
	Transcript string `json:"transcript"`
	IsFinal    bool   `json:"is_final"`
	Title      string `json:"title"`
	Message    string `json:"message"`
	Code       string `json:"error_code"`
}

func (m *cartesiaMessage) fails(s *step) { s.fail(cmp.Or(m.Message, m.Title), m.Code) }

// inkDecoder reads /stt/websocket. A client that asks for final texts knows with flush_done
// that it has all; one that does not waits for the service to send some.
type inkDecoder struct{ forced bool }

func (d inkDecoder) read(m talk.Message, s *step) {
	var e cartesiaMessage
	if !object(m, &e, s) {
		return
	}
	switch e.Type {
	case cartesia.TypeTranscript:
		if !e.IsFinal {
			s.partial = e.Text
			return
		}
		s.final("", e.Text)
		s.settled = !d.forced && strings.TrimSpace(e.Text) != ""
	case cartesia.TypeFlushDone:
		s.event(e.Type)
		s.turnEnd, s.settled = true, true
	case cartesia.TypeSTTDone:
		s.last = true
	case cartesia.TypeSTTError:
		e.fails(s)
	default:
		s.complain(m)
	}
}

// inkTurns reads /stt/turns/websocket.
type inkTurns struct{}

func (inkTurns) read(m talk.Message, s *step) {
	var e cartesiaMessage
	if !object(m, &e, s) {
		return
	}
	switch e.Type {
	case cartesia.TypeConnected:
		s.ready = true
	case cartesia.TypeTurnStart, cartesia.TypeTurnResume:
		s.event(e.Type)
	case cartesia.TypeTurnUpdate:
		s.partial = e.Transcript
	case cartesia.TypeTurnEagerEnd:
		s.event(e.Type)
		s.partial = e.Transcript
	case cartesia.TypeTurnEnd:
		s.event(e.Type)
		s.final("", e.Transcript)
		s.turnEnd, s.settled = true, true
	case cartesia.TypeSTTError:
		e.fails(s)
	default:
		s.complain(m)
	}
}
