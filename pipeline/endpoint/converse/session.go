package converse

import (
	"encoding/json"

	"halfsecond/pipeline/wire/realtime"
)

// update returns the event that makes the session as it is wanted.
func (c *Config) update() []byte {
	session := c.today()
	if c.Beta {
		session = c.beta()
	}
	if c.Instructions != "" {
		session["instructions"] = c.Instructions
	}
	return encode(map[string]any{"type": realtime.SessionUpdate, "session": session})
}

func (c *Config) today() map[string]any {
	format := realtime.Format{Type: realtime.PCM, Rate: realtime.PCMRate}
	output := map[string]any{"format": format}
	if c.Voice != "" {
		output["voice"] = c.Voice
	}
	input := map[string]any{"format": format, "turn_detection": c.detection()}
	if t := c.transcriber(); t != nil {
		input["transcription"] = t
	}
	return map[string]any{
		"type": realtime.Conversation, "output_modalities": []string{realtime.Audio},
		"audio": map[string]any{"input": input, "output": output},
	}
}

func (c *Config) beta() map[string]any {
	session := map[string]any{
		"modalities":         []string{realtime.Audio, realtime.Text},
		"input_audio_format": "pcm16", "output_audio_format": "pcm16", "turn_detection": c.detection(),
	}
	if c.Voice != "" {
		session["voice"] = c.Voice
	}
	if t := c.transcriber(); t != nil {
		session["input_audio_transcription"] = t
	}
	return session
}

// detection returns the turn detection; nil, which is written as null, is none.
func (c *Config) detection() map[string]any {
	switch {
	case c.Manual:
		return nil
	case c.Eagerness != "":
		return map[string]any{"type": realtime.SemanticVAD, "eagerness": c.Eagerness}
	case c.EndSilence > 0:
		return map[string]any{"type": realtime.ServerVAD, "silence_duration_ms": c.EndSilence.Milliseconds()}
	}
	return map[string]any{"type": realtime.ServerVAD}
}

func (c *Config) transcriber() map[string]any {
	if c.Transcriber == "" {
		return nil
	}
	t := map[string]any{"model": c.Transcriber}
	if c.Language != "" {
		t["language"] = c.Language
	}
	return t
}

// encode returns an event as it is sent.
func encode(event any) []byte {
	b, err := json.Marshal(event)
	if err != nil {
		panic("converse: " + err.Error()) // our own types always encode
	}
	return b
}
