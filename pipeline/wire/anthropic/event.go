package anthropic

import "encoding/json"

// Types of an Event.
const (
	EventStart      = "message_start"
	EventBlockStart = "content_block_start"
	EventDelta      = "content_block_delta"
	EventEnd        = "message_delta"
	EventStop       = "message_stop"
)

// Event is one event of a streamed answer as a client must be ready to find it: any
// field may be missing or null.
type Event struct {
	Type    string          `json:"type"`
	Index   int             `json:"index"`
	Message *Reply          `json:"message"`       // of EventStart
	Block   *EventBlock     `json:"content_block"` // of EventBlockStart
	Delta   *EventChange    `json:"delta"`         // of EventDelta and EventEnd
	Usage   *Counts         `json:"usage"`         // of EventEnd
	Error   json.RawMessage `json:"error"`
}

// Reply is an answer as a client finds it, whole or not yet begun.
type Reply struct {
	Type       string          `json:"type"`
	Content    []EventBlock    `json:"content"`
	StopReason string          `json:"stop_reason"`
	Usage      *Counts         `json:"usage"`
	Error      json.RawMessage `json:"error"`
}

// EventBlock is a block as a client finds it.
type EventBlock struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Input    json.RawMessage `json:"input"`
}

// EventChange is what an Event changes: of a block, or of the message.
type EventChange struct {
	Type        string `json:"type"`
	Text        string `json:"text"`
	Thinking    string `json:"thinking"`
	PartialJSON string `json:"partial_json"`
	StopReason  string `json:"stop_reason"`
}

// Counts is a Usage in which a count that the server does not state is nil.
type Counts struct {
	InputTokens         *int `json:"input_tokens"`
	CacheCreationTokens *int `json:"cache_creation_input_tokens"`
	CacheReadTokens     *int `json:"cache_read_input_tokens"`
	OutputTokens        *int `json:"output_tokens"`
	OutputDetails       struct {
		ThinkingTokens *int `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}
