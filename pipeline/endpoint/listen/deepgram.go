package listen

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"

	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/wire/deepgram"
)

// deepgramDecoder reads /v1/listen. A turn has ended on speech_final, on an UtteranceEnd,
// which noise does not keep from coming, and with what a Finalize brought.
type deepgramDecoder struct{}

func (deepgramDecoder) read(m talk.Message, s *step) {
	var e struct {
		Type         string          `json:"type"`
		IsFinal      bool            `json:"is_final"`
		SpeechFinal  bool            `json:"speech_final"`
		FromFinalize bool            `json:"from_finalize"`
		Channel      deepgramChannel `json:"channel"`
		Start        float64         `json:"start"`
		Duration     float64         `json:"duration"`
		Timestamp    float64         `json:"timestamp"`
		LastWordEnd  float64         `json:"last_word_end"`
		Description  string          `json:"description"`
		Message      string          `json:"message"`
		Variant      string          `json:"variant"`
		ErrCode      string          `json:"err_code"`
		ErrMsg       string          `json:"err_msg"`
	}
	if !object(m, &e, s) {
		return
	}
	switch e.Type {
	case deepgram.TypeResults:
		s.place(cmp.Or(e.Channel.end, e.Start+e.Duration))
		switch {
		case !e.IsFinal:
			s.partial = e.Channel.text()
			return
		case e.SpeechFinal:
			s.event("speech_final")
			s.turnEnd, s.settled = true, true
		case e.FromFinalize:
			s.event("from_finalize")
			s.turnEnd, s.settled = true, true
		}
		s.finals = append(s.finals, final{text: e.Channel.text(), span: stretch(e.Start, e.Duration)})
	case deepgram.TypeSpeechStarted:
		s.event(e.Type)
		s.place(e.Timestamp)
	case deepgram.TypeUtteranceEnd:
		s.event(e.Type)
		s.place(e.LastWordEnd)
		s.turnEnd, s.settled = true, true
	case deepgram.TypeMetadata:
		s.last = true
	case deepgram.TypeError:
		s.fail(cmp.Or(e.Description, e.Message, e.ErrMsg), cmp.Or(e.Variant, e.ErrCode))
	default:
		s.complain(m)
	}
}

// stretch names a stretch of the audio, in seconds; "" is none.
func stretch(start, duration float64) string {
	if duration <= 0 {
		return ""
	}
	return fmt.Sprintf("%g+%g", start, duration)
}

// deepgramChannel is the channel of Results, or, in other messages, a list of numbers.
type deepgramChannel struct {
	alternatives []string
	end          float64 // of the last word, in seconds; 0 where it is not told
}

func (c *deepgramChannel) text() string {
	if len(c.alternatives) == 0 {
		return ""
	}
	return c.alternatives[0]
}

// fluxDecoder reads Flux.
type fluxDecoder struct{}

func (fluxDecoder) read(m talk.Message, s *step) {
	var e struct {
		Type        string `json:"type"`
		Event       string `json:"event"`
		Turn        int    `json:"turn_index"`
		Transcript  string `json:"transcript"`
		Code        string `json:"code"`
		Description string `json:"description"`

		WindowEnd float64 `json:"audio_window_end"`
		Words     []struct {
			End float64 `json:"end"`
		} `json:"words"`
	}
	if !object(m, &e, s) {
		return
	}
	switch e.Type {
	case deepgram.TypeConnected:
		s.ready = true
	case deepgram.TypeTurnInfo:
		s.place(e.WindowEnd)
		if n := len(e.Words); n > 0 && e.Words[n-1].End > 0 {
			s.place(e.Words[n-1].End)
		}
		if e.Event != deepgram.EventUpdate {
			s.event(e.Event)
		}
		if e.Event != deepgram.EventEndOfTurn {
			s.partial = e.Transcript
			return
		}
		s.final(strconv.Itoa(e.Turn), e.Transcript)
		s.turnEnd, s.settled = true, true
	case deepgram.TypeError:
		s.fail(e.Description, e.Code)
	default:
		s.complain(m)
	}
}

// UnmarshalJSON takes both.
func (c *deepgramChannel) UnmarshalJSON(b []byte) error {
	*c = deepgramChannel{}
	var o struct {
		Alternatives []struct {
			Transcript string `json:"transcript"`
			Words      []struct {
				End float64 `json:"end"`
			} `json:"words"`
		} `json:"alternatives"`
	}
	if len(b) > 0 && b[0] != '{' {
		return nil
	}
	if err := json.Unmarshal(b, &o); err != nil {
		return err
	}
	for _, a := range o.Alternatives {
		c.alternatives = append(c.alternatives, a.Transcript)
		if n := len(a.Words); n > 0 && c.end == 0 {
			c.end = a.Words[n-1].End
		}
	}
	return nil
}
