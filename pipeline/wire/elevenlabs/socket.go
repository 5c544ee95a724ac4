package elevenlabs

import "encoding/json"

// ClientMessage is a message of the client of either WebSocket. Fields that change
// nothing but the sound are left out.
type ClientMessage struct {
	// Text is what shall be said; on stream-input "" ends the stream, on
	// multi-stream-input it does nothing but keep a context alive. Nil when there was
	// none.
	Text             *string           `json:"text,omitempty"`
	VoiceSettings    *VoiceSettings    `json:"voice_settings,omitempty"`
	GenerationConfig *GenerationConfig `json:"generation_config,omitempty"`
	// TryTrigger asks to speak what is there, if that is not too little.
	TryTrigger bool `json:"try_trigger_generation,omitempty"`
	// Flush asks to speak what is there.
	Flush bool   `json:"flush,omitempty"`
	Key   string `json:"xi-api-key,omitempty"`

	// Of multi-stream-input.
	ContextID    *string `json:"context_id,omitempty"`
	CloseContext bool    `json:"close_context,omitempty"`
	CloseSocket  bool    `json:"close_socket,omitempty"`
}

// UnmarshalJSON takes contextId for context_id too: the schema of all messages in one
// has that, those of each kind and all examples have the other.
func (m *ClientMessage) UnmarshalJSON(b []byte) error {
	type plain ClientMessage
	both := struct {
		*plain
		Other *string `json:"contextId"`
	}{plain: (*plain)(m)}
	if err := json.Unmarshal(b, &both); err != nil {
		return err
	}
	if m.ContextID == nil {
		m.ContextID = both.Other
	}
	return nil
}

// GenerationConfig says how much text is gathered before it is spoken.
type GenerationConfig struct {
	// ChunkLengths are the least characters of the first generation, the second and so
	// on; the last holds for all that follow. Each is MinChunkLength to MaxChunkLength.
	ChunkLengths []float64 `json:"chunk_length_schedule,omitempty"`
}

// Bounds of the lengths of a GenerationConfig.
const (
	MinChunkLength = 50
	MaxChunkLength = 500
)

// DefaultChunkLengths are the lengths when a client sets none.
var DefaultChunkLengths = []float64{120, 160, 250, 290}

// DefaultInactivity and MaxInactivity are how many seconds without a message of the
// client end a connection, or a context.
const (
	DefaultInactivity = 20
	MaxInactivity     = 180
)

// MaxContexts is how many contexts a connection may have at once: the service refuses
// a sixth, as livekit/agents-js issue 1985 shows, read 2026-11-29.
const MaxContexts = 5

// ServerMessage is a message of the server of either WebSocket: a stretch of audio, or
// the end. Null is written for what it lacks, as the service does.
type ServerMessage struct {
	Audio      []byte     `json:"audio"`
	IsFinal    *bool      `json:"isFinal"` // true at the end, null before it
	Normalized *Alignment `json:"normalizedAlignment"`
	Alignment  *Alignment `json:"alignment"`
	ContextID  *string    `json:"contextId,omitempty"` // of multi-stream-input
}

// Alignment says when characters are said, in ms from the start of a generation or a
// stretch of audio. The three lists are equally long. The documents call the last
// charsDurationsMs, the service and its SDKs charDurationsMs
// (elevenlabs/elevenlabs-docs issue 76, read 2026-11-29).
type Alignment struct {
	Chars     []string `json:"chars"`
	Starts    []int    `json:"charStartTimesMs"`
	Durations []int    `json:"charDurationsMs"`
}
