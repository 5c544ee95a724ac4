package listen

import (
	"encoding/json"
	"errors"
	"net/http"

	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/wire/realtime"
)

func realtimeHeader(c *Config, h http.Header) {
	bearer(c, h)
	if c.Beta {
		h.Set("OpenAI-Beta", "realtime=v1")
	}
}

// realtimeBegin returns the update that makes the session transcribe, with the server's
// turn detection or, when the client asks for final texts itself, without.
func realtimeBegin(c *Config) [][]byte {
	transcriber := map[string]any{"model": c.Model}
	if c.Language != "" {
		transcriber["language"] = c.Language
	}
	var detection map[string]any // null
	if !c.Force {
		detection = map[string]any{"type": realtime.ServerVAD}
		if c.EndSilence > 0 {
			detection["silence_duration_ms"] = c.EndSilence.Milliseconds()
		}
	}
	update := map[string]any{"type": realtime.SessionUpdate, "session": map[string]any{
		"type": realtime.Transcription, "audio": map[string]any{"input": map[string]any{
			"format": realtime.Format{Type: realtime.PCM, Rate: realtime.PCMRate}, "transcription": transcriber, "turn_detection": detection,
		}},
	}}
	if c.Beta {
		update = map[string]any{"type": realtime.TranscriptionUpdate, "session": map[string]any{
			"input_audio_format": "pcm16", "input_audio_transcription": transcriber, "turn_detection": detection,
		}}
	}
	b, err := json.Marshal(update)
	if err != nil {
		panic("listen: " + err.Error()) // strings and numbers always encode
	}
	return [][]byte{b}
}

// realtimeDecoder reads OpenAI's realtime transcription. A turn is settled when the text of
// its item is complete.
type realtimeDecoder struct{ soFar map[string]string } // text of each item

func (d *realtimeDecoder) read(m talk.Message, s *step) {
	var e struct {
		Type       string          `json:"type"`
		ItemID     string          `json:"item_id"`
		Delta      string          `json:"delta"`
		Transcript string          `json:"transcript"`
		AudioEnd   float64         `json:"audio_end_ms"`
		Error      json.RawMessage `json:"error"`
	}
	if !object(m, &e, s) {
		return
	}
	if e.Type != realtime.EventSpeechStarted { // whose end may be far
		s.item = e.ItemID
	}
	switch e.Type {
	case realtime.EventSessionUpdated, realtime.EventTranscriptionUpdated:
		s.ready = true
	case realtime.EventSpeechStarted, realtime.EventSpeechStopped:
		s.event(e.Type)
		s.place(e.AudioEnd / 1000)
	case realtime.EventCommitted:
		s.event(e.Type)
		s.turnEnd = true
	case realtime.EventTranscriptionDelta:
		d.soFar[e.ItemID] += e.Delta
		s.partial = d.soFar[e.ItemID]
	case realtime.EventTranscriptionCompleted:
		delete(d.soFar, e.ItemID)
		s.settled = true
		s.final(e.ItemID, e.Transcript)
	case realtime.EventError, transcriptionFailed:
		if s.failure = reply.MemberFailure(e.Error); s.failure == nil {
			s.fail("", nil)
		}
	default:
		s.complain(m)
	}
}

// transcriptionFailed is the event of an item that could not be written down
// (openai/openai-openapi openapi.yaml, Realtime schemas, 2026-08-21, read 2026-11-29).
const transcriptionFailed = "conversation.item.input_audio_transcription.failed"

// object reads a message that must be an object of JSON.
func object(m talk.Message, into any, s *step) bool {
	if m.Binary {
		s.unreadable(errors.New("a binary message where text was expected"))
		return false
	}
	s.failure = talk.Object(m.Data, into)
	return s.failure == nil
}
