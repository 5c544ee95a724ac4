package realtime

import "encoding/json"

// Types of a ClientEvent.
const (
	SessionUpdate       = "session.update"
	TranscriptionUpdate = "transcription_session.update" // of the beta
	BufferAppend        = "input_audio_buffer.append"
	BufferCommit        = "input_audio_buffer.commit"
	BufferClear         = "input_audio_buffer.clear"
	ItemCreate          = "conversation.item.create"
	ItemTruncate        = "conversation.item.truncate"
	ItemDelete          = "conversation.item.delete"
	ItemRetrieve        = "conversation.item.retrieve"
	ResponseCreate      = "response.create"
	ResponseCancel      = "response.cancel"
)

// ClientEvent is any event of a client; what its type does not have is nil or "".
type ClientEvent struct {
	Type           string          `json:"type"`
	EventID        string          `json:"event_id,omitempty"`
	Session        json.RawMessage `json:"session,omitempty"`
	Audio          *string         `json:"audio,omitempty"` // base64
	PreviousItemID *string         `json:"previous_item_id,omitempty"`
	Item           *Item           `json:"item,omitempty"`
	ItemID         string          `json:"item_id,omitempty"`
	ContentIndex   *int            `json:"content_index,omitempty"`
	AudioEnd       *int            `json:"audio_end_ms,omitempty"`
	Response       *ResponseParams `json:"response,omitempty"`
	ResponseID     string          `json:"response_id,omitempty"`
}

// Root is the PreviousItemID of an item that shall be the first.
const Root = "root"

// ResponseParams are how one response differs from the session. What is nil or "" is as
// in the session.
type ResponseParams struct {
	OutputModalities []string          `json:"output_modalities,omitempty"`
	Conversation     string            `json:"conversation,omitempty"` // "auto", or "none" for one beside the conversation
	Instructions     *string           `json:"instructions,omitempty"`
	Tools            []Tool            `json:"tools,omitempty"`
	ToolChoice       json.RawMessage   `json:"tool_choice,omitempty"`
	MaxOutputTokens  *Limit            `json:"max_output_tokens,omitempty"`
	Metadata         json.RawMessage   `json:"metadata,omitempty"`
	Input            *[]Item           `json:"input,omitempty"` // instead of the conversation
	Audio            *ResponseAudioSet `json:"audio,omitempty"`

	// Names of the beta.
	Modalities        []string `json:"modalities,omitempty"`
	Voice             string   `json:"voice,omitempty"`
	OutputFormat      string   `json:"output_audio_format,omitempty"`
	MaxResponseTokens *Limit   `json:"max_response_output_tokens,omitempty"`

	// MockAnswer dictates the answer, or the arguments of the call; it is our extension
	// of the API.
	MockAnswer string `json:"mock_answer,omitempty"`
}

// ResponseAudioSet is what of the audio one response has differently.
type ResponseAudioSet struct {
	Output struct {
		Format *Format `json:"format,omitempty"`
		Voice  string  `json:"voice,omitempty"`
	} `json:"output"`
}
