package speak

import (
	"bytes"
	"cmp"
	"encoding/json"

	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/cartesia"
	"halfsecond/pipeline/wire/deepgram"
)

// step is what one message says, or what one read of a post brought.
type step struct {
	audio   [][]byte // a stretch each
	flushed int      // requests to speak what there is that are done
	last    bool     // nothing follows
	failure *reply.Failure
}

// fail notes what the service says is wrong; code is "" or 0 for none.
func (s *step) fail(message string, code any) {
	if code == "" || code == 0 {
		code = nil
	}
	s.failure = &reply.Failure{Kind: reply.InBand, Message: message, Code: code}
}

// complain notes what a message complains of that is none of the protocol's own.
func (s *step) complain(data []byte) { s.failure = talk.Complaint(data) }

// unreadable notes that what came is none of the protocol's messages.
func (s *step) unreadable(cause error) {
	s.failure = &reply.Failure{Kind: reply.BadLink, Cause: cause}
}

// decoder reads what a service says. One is made for each text.
type decoder interface {
	read(m talk.Message, s *step)
}

// object reads a message that must be an object of JSON.
func object(data []byte, into any, s *step) bool {
	s.failure = talk.Object(data, into)
	return s.failure == nil
}

// events reads the events of a post.
func events(d *wire.EventDecoder, m talk.Message, s *step, each func(data []byte)) {
	err := d.Feed(m.Data, m.At, func(e wire.Event) bool {
		if data := bytes.TrimSpace(e.Data); string(data) != wire.Done {
			each(data)
		}
		return !s.last && s.failure == nil
	})
	if err != nil {
		s.unreadable(err)
	}
}

// openAIEvents reads OpenAI's speech in events.
type openAIEvents struct{ events wire.EventDecoder }

func (d *openAIEvents) read(m talk.Message, s *step) {
	events(&d.events, m, s, func(data []byte) {
		var e struct {
			Type  string          `json:"type"`
			Audio []byte          `json:"audio"`
			Error json.RawMessage `json:"error"`
		}
		if !object(data, &e, s) {
			return
		}
		switch {
		case reply.MemberFailure(e.Error) != nil:
			s.failure = reply.MemberFailure(e.Error)
		case e.Type == wire.SpeechDeltaType:
			s.audio = append(s.audio, e.Audio)
		case e.Type == wire.SpeechDoneType:
			s.last = true
		default:
			s.complain(data)
		}
	})
}

// elevenDecoder reads ElevenLabs' stream-input. Older messages have is_final.
type elevenDecoder struct{}

func (elevenDecoder) read(m talk.Message, s *step) {
	var e struct {
		Audio   []byte `json:"audio"`
		IsFinal bool   `json:"isFinal"`
		Older   bool   `json:"is_final"`
		Message string `json:"message"`
		Error   string `json:"error"`
	}
	switch {
	case !object(m.Data, &e, s):
	case e.Error != "":
		s.fail(e.Message, e.Error)
	default:
		if len(e.Audio) > 0 {
			s.audio = append(s.audio, e.Audio)
		}
		if s.last = e.IsFinal || e.Older; !s.last && len(e.Audio) == 0 {
			s.complain(m.Data)
		}
	}
}

// cartesiaDecoder reads Cartesia's messages.
type cartesiaDecoder struct{}

func (*cartesiaDecoder) read(m talk.Message, s *step) { cartesiaMessage(m.Data, s) }

// cartesiaEvents reads the same ones as events.
type cartesiaEvents struct{ events wire.EventDecoder }

func (d *cartesiaEvents) read(m talk.Message, s *step) {
	events(&d.events, m, s, func(data []byte) { cartesiaMessage(data, s) })
}

func cartesiaMessage(data []byte, s *step) {
	var e struct {
		Type    string `json:"type"`
		Data    []byte `json:"data"`
		Title   string `json:"title"`
		Message string `json:"message"`
		Error   string `json:"error"`
		Code    string `json:"error_code"`
	}
	if !object(data, &e, s) {
		return
	}
	switch e.Type {
	case cartesia.TypeChunk:
		s.audio = append(s.audio, e.Data)
	case cartesia.TypeDone:
		s.last = true
	case cartesia.TypeError:
		s.fail(cmp.Or(e.Message, e.Title, e.Error), e.Code)
	default:
		s.complain(data)
	}
}

// deepgramDecoder reads Deepgram's /v1/speak. Which Flushed is the last is known to who
// asked for them.
type deepgramDecoder struct{}

func (*deepgramDecoder) read(m talk.Message, s *step) {
	if m.Binary {
		s.audio = append(s.audio, m.Data)
		return
	}
	var e struct {
		Type        string `json:"type"`
		Code        string `json:"code"`
		Description string `json:"description"`
		WarnCode    string `json:"warn_code"`
		WarnMessage string `json:"warn_msg"`
		ErrCode     string `json:"err_code"`
		Message     string `json:"err_msg"`
	}
	if !object(m.Data, &e, s) {
		return
	}
	switch e.Type {
	case deepgram.TypeFlushed:
		s.flushed = 1
	case deepgram.TypeWarning:
		if cmp.Or(e.Code, e.WarnCode) == deepgram.CodeExcessiveFlush { // its Flushed never comes
			s.fail(cmp.Or(e.Description, e.WarnMessage), deepgram.CodeExcessiveFlush)
		}
	case deepgram.TypeError:
		s.fail(cmp.Or(e.Description, e.Message), cmp.Or(e.Code, e.ErrCode))
	default:
		s.complain(m.Data)
	}
}
