package anthropic

import (
	"encoding/json"

	"halfsecond/pipeline/wire"
)

// MessagesPath is the path of the API below its base, which ends in /v1.
const MessagesPath = "/messages"

// Request is the body of POST /v1/messages and, without a limit, of POST
// /v1/messages/count_tokens, as far as we use it. A nil pointer is a field that was not
// sent.
type Request struct {
	Model         string        `json:"model"`
	MaxTokens     *int          `json:"max_tokens,omitempty"`
	Messages      []Message     `json:"messages"`
	System        Blocks        `json:"system,omitempty"`
	StopSequences []string      `json:"stop_sequences,omitempty"`
	Temperature   *float64      `json:"temperature,omitempty"`
	TopP          *float64      `json:"top_p,omitempty"`
	Stream        bool          `json:"stream,omitempty"`
	Tools         []Tool        `json:"tools,omitempty"`
	ToolChoice    *ToolChoice   `json:"tool_choice,omitempty"`
	Thinking      *Thinking     `json:"thinking,omitempty"`
	OutputConfig  *OutputConfig `json:"output_config,omitempty"`
	// CacheControl marks the end of the prompt as one that shall be cached.
	CacheControl *CacheControl `json:"cache_control,omitempty"`
	wire.Mock
}

// Message is one message of a conversation.
type Message struct {
	Role    string `json:"role"` // "user" or "assistant"
	Content Blocks `json:"content"`
}

// Blocks is a list of blocks. The API writes it as a list or, for one block of text, as
// a string.
type Blocks []Block

// UnmarshalJSON takes both forms, and null.
func (b *Blocks) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*b = nil
		if string(text) != "null" {
			*b = Blocks{{Type: BlockText, Text: one}}
		}
		return nil
	}
	var list []Block
	if err := json.Unmarshal(text, &list); err != nil {
		return &wire.FieldError{Field: "content", Problem: "want a string or a list of blocks (" + err.Error() + ")"}
	}
	*b = list
	return nil
}

// Types of a Block that hold text of some kind; all others hold none.
const (
	BlockText       = "text"
	BlockThinking   = "thinking"
	BlockToolUse    = "tool_use"
	BlockToolResult = "tool_result"
)

// Block is one block of a message. Which fields it has follows from its type.
type Block struct {
	Type string `json:"type"`

	Text string `json:"text"` // BlockText

	Thinking  string `json:"thinking"` // BlockThinking
	Signature string `json:"signature"`

	ID    string          `json:"id"` // BlockToolUse
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`

	ToolUseID string `json:"tool_use_id"` // BlockToolResult
	Content   Blocks `json:"content"`

	CacheControl *CacheControl `json:"cache_control"` // of any
}

// MarshalJSON writes the fields that the block's type has, of another type than the
// four above none.
func (b Block) MarshalJSON() ([]byte, error) {
	h := blockHead{b.Type, b.CacheControl}
	switch b.Type {
	case BlockText:
		return json.Marshal(struct {
			blockHead
			Text string `json:"text"`
		}{h, b.Text})
	case BlockThinking:
		return json.Marshal(struct {
			blockHead
			Thinking  string `json:"thinking"`
			Signature string `json:"signature"`
		}{h, b.Thinking, b.Signature})
	case BlockToolUse:
		return json.Marshal(struct {
			blockHead
			ID    string          `json:"id"`
			Name  string          `json:"name"`
			Input json.RawMessage `json:"input"`
		}{h, b.ID, b.Name, b.Input})
	case BlockToolResult:
		return json.Marshal(struct {
			blockHead
			ToolUseID string `json:"tool_use_id"`
			Content   Blocks `json:"content"`
		}{h, b.ToolUseID, b.Content})
	}
	return json.Marshal(h)
}

type blockHead struct {
	Type         string        `json:"type"`
	CacheControl *CacheControl `json:"cache_control,omitempty"`
}

// CacheControl marks a block as the end of what shall be cached.
type CacheControl struct {
	Type string `json:"type"` // "ephemeral"
}

// Tool is something that a model may call. One that has a type other than "custom" is
// run by the service, or has a schema that the client is not told.
type Tool struct {
	Type         string          `json:"type,omitempty"`
	Name         string          `json:"name"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"input_schema,omitempty"`
	CacheControl *CacheControl   `json:"cache_control,omitempty"`
}

// Types of a ToolChoice.
const (
	ChoiceAuto = "auto"
	ChoiceAny  = "any"
	ChoiceTool = "tool"
	ChoiceNone = "none"
)

// ToolChoice says whether the model may call tools.
type ToolChoice struct {
	Type            string `json:"type"`
	Name            string `json:"name,omitempty"` // of ChoiceTool
	DisableParallel bool   `json:"disable_parallel_tool_use,omitempty"`
}

// Types of Thinking, and a Display.
const (
	ThinkingEnabled  = "enabled"
	ThinkingAdaptive = "adaptive"
	ThinkingDisabled = "disabled"

	DisplayOmitted = "omitted"
)

// Thinking says whether the model shall reason before it answers.
type Thinking struct {
	Type         string `json:"type"`
	BudgetTokens int    `json:"budget_tokens,omitempty"` // of ThinkingEnabled
	Display      string `json:"display,omitempty"`       // DisplayOmitted leaves the text out
}

// OutputConfig is the form that an answer shall have.
type OutputConfig struct {
	Format *struct {
		Type   string          `json:"type"` // "json_schema"
		Schema json.RawMessage `json:"schema"`
	} `json:"format,omitempty"`
}
