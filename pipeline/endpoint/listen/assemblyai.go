package listen

import (
	"strconv"
	"strings"

	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/wire/assemblyai"
)

// assemblyDecoder reads AssemblyAI's streaming. Where it was asked for texts as they are
// written, a turn is told twice, and settled with the second; models that write so in any case
// tell it once.
type assemblyDecoder struct {
	formats bool
	ended   string // the last turn of which the end was told
	// Turn is the last one of which words were told, and upTo where in the audio those end, in ms.
	turn, upTo int64
}

func (d *assemblyDecoder) read(m talk.Message, s *step) {
	var e struct {
		Type       string            `json:"type"`
		Turn       int64             `json:"turn_order"`
		Timestamp  float64           `json:"timestamp"`
		Formatted  bool              `json:"turn_is_formatted"`
		EndOfTurn  bool              `json:"end_of_turn"`
		Transcript string            `json:"transcript"`
		Utterance  string            `json:"utterance"`
		Words      []assemblyai.Word `json:"words"`
		Code       int               `json:"error_code"`
		Error      string            `json:"error"`
	}
	if !object(m, &e, s) {
		return
	}
	switch e.Type {
	case assemblyai.TypeBegin:
		s.ready = true
	case assemblyai.TypeSpeechStarted:
		s.event(e.Type)
		s.place(e.Timestamp / 1000)
	case assemblyai.TypeTurn:
		if n := len(e.Words); n > 0 {
			d.turn, d.upTo = e.Turn, e.Words[n-1].End
		}
		if d.turn == e.Turn {
			s.place(float64(d.upTo) / 1000)
		}
		if !e.EndOfTurn {
			s.partial = soFar(e.Transcript, e.Words)
			if e.Utterance != "" {
				s.event("utterance")
			}
			return
		}
		turn := strconv.FormatInt(e.Turn, 10)
		s.final(turn, e.Transcript)
		s.settled = e.Formatted || !d.formats
		name := "end_of_turn"
		if e.Formatted && d.formats && d.ended == turn {
			name = "formatted"
		} else {
			s.turnEnd = true
		}
		d.ended = turn
		s.event(name)
	case assemblyai.TypeTermination:
		s.last = true
	case assemblyai.TypeError:
		s.fail(e.Error, e.Code)
	default:
		s.complain(m)
	}
}

// soFar returns the text of a turn that goes on: of all its words, the last of which may
// still change, and else of those that will not.
func soFar(final string, words []assemblyai.Word) string {
	if len(words) == 0 {
		return final
	}
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	return strings.Join(texts, " ")
}
