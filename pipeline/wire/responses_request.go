package wire

import "encoding/json"

// ResponsesPath is the path of the Responses API below its base, which ends in /v1.
const ResponsesPath = "/responses"

// ResponsesRequest is the body of POST /v1/responses, as far as we use it. Parts that
// an answer repeats as they were sent are kept as they are. Source of all shapes of the
// Responses API: openai/openai-node 7.55.0, src/resources/responses/responses.ts, read
// 2026-11-29.
type ResponsesRequest struct {
	Model              string            `json:"model"`
	Input              ResponsesInput    `json:"input"`
	Instructions       *string           `json:"instructions,omitempty"`
	PreviousResponseID *string           `json:"previous_response_id,omitempty"`
	MaxOutputTokens    *int              `json:"max_output_tokens,omitempty"`
	Temperature        *float64          `json:"temperature,omitempty"`
	TopP               *float64          `json:"top_p,omitempty"`
	Stream             bool              `json:"stream,omitempty"`
	Store              *bool             `json:"store,omitempty"` // nil means true
	Background         bool              `json:"background,omitempty"`
	Conversation       json.RawMessage   `json:"conversation,omitempty"`
	Tools              []json.RawMessage `json:"tools,omitempty"`       // ResponsesTool
	ToolChoice         json.RawMessage   `json:"tool_choice,omitempty"` // ToolChoice
	ParallelToolCalls  *bool             `json:"parallel_tool_calls,omitempty"`
	Reasoning          *Reasoning        `json:"reasoning,omitempty"`
	Text               json.RawMessage   `json:"text,omitempty"` // ResponsesText
	Metadata           json.RawMessage   `json:"metadata,omitempty"`
	Mock
}

// Reasoning is how much a model shall reason, and whether it shall tell of it.
type Reasoning struct {
	Effort  *string `json:"effort"`
	Summary *string `json:"summary"`
}

// ResponsesTool is something that a model may call. Only one of type "function" is run
// by the client and has the other fields.
type ResponsesTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON schema
}

// ResponsesText is the form that an answer shall have.
type ResponsesText struct {
	Format struct {
		Type   string          `json:"type"` // FormatText, FormatObject or FormatSchema
		Schema json.RawMessage `json:"schema"`
	} `json:"format"`
}

// ResponsesInput is what the model is asked: a list of items or, for one message of the
// user, a string.
type ResponsesInput []InputItem

// UnmarshalJSON takes both forms, and null.
func (in *ResponsesInput) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*in = nil
		if string(b) != "null" {
			*in = ResponsesInput{{Type: ItemMessage, Role: "user", Content: Content{Text: one}}}
		}
		return nil
	}
	var list []InputItem
	if json.Unmarshal(b, &list) != nil {
		return &FieldError{"input", "want a string or a list of items"}
	}
	*in = list
	return nil
}

// Types of an InputItem and of an OutputItem.
const (
	ItemMessage    = "message" // "" too, where it has a role
	ItemCall       = "function_call"
	ItemCallOutput = "function_call_output"
	ItemReasoning  = "reasoning"
	ItemReference  = "item_reference"
)

// InputItem is one item of a ResponsesInput. Which fields it has follows from its type.
type InputItem struct {
	Type      string    `json:"type"`
	ID        string    `json:"id"`
	Role      string    `json:"role"`
	Content   Content   `json:"content"`
	CallID    string    `json:"call_id"`
	Name      string    `json:"name"`
	Arguments Arguments `json:"arguments"`
	Output    Content   `json:"output"`
}
