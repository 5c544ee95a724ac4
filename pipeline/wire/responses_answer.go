package wire

import "encoding/json"

// ResponseObject is the object field of a Response.
const ResponseObject = "response"

// States of a Response and of its items.
const (
	StatusInProgress = "in_progress"
	StatusCompleted  = "completed"
	StatusIncomplete = "incomplete"
	StatusFailed     = "failed"
)

// ReasonMaxOutput is why an answer that reached its limit is incomplete.
const ReasonMaxOutput = "max_output_tokens"

// Response is an answer of the Responses API, complete or not.
type Response struct {
	ID                 string             `json:"id"`
	Object             string             `json:"object"`     // ResponseObject
	CreatedAt          int64              `json:"created_at"` // Unix time in seconds
	Status             string             `json:"status"`
	Background         bool               `json:"background"`
	Error              *ResponseError     `json:"error"`
	IncompleteDetails  *IncompleteDetails `json:"incomplete_details"`
	Instructions       *string            `json:"instructions"`
	MaxOutputTokens    *int               `json:"max_output_tokens"`
	Model              string             `json:"model"`
	Output             []OutputItem       `json:"output"`
	ParallelToolCalls  bool               `json:"parallel_tool_calls"`
	PreviousResponseID *string            `json:"previous_response_id"`
	Reasoning          Reasoning          `json:"reasoning"`
	Store              bool               `json:"store"`
	Temperature        float64            `json:"temperature"`
	Text               json.RawMessage    `json:"text"`
	ToolChoice         json.RawMessage    `json:"tool_choice"`
	Tools              []json.RawMessage  `json:"tools"`
	TopP               float64            `json:"top_p"`
	Truncation         string             `json:"truncation"`
	Usage              *ResponsesUsage    `json:"usage"`
	Metadata           json.RawMessage    `json:"metadata"`
}

// ResponseError is why a Response failed.
type ResponseError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// IncompleteDetails is why a Response is incomplete.
type IncompleteDetails struct {
	Reason string `json:"reason"`
}

// ResponsesUsage counts the tokens of a request.
type ResponsesUsage struct {
	InputTokens        int                    `json:"input_tokens"`
	InputTokensDetails PromptTokensDetail     `json:"input_tokens_details"`
	OutputTokens       int                    `json:"output_tokens"`
	OutputDetails      CompletionTokensDetail `json:"output_tokens_details"`
	TotalTokens        int                    `json:"total_tokens"`
}

// OutputItem is one item of an answer: a message of the assistant, a call, or the
// reasoning before them.
type OutputItem struct {
	Type   string
	ID     string
	Status string
	// Text is that of a message, the arguments of a call, or the reasoning; Open says
	// that it is still to come.
	Text string
	Open bool

	CallID, Name string // of a call
	// Summarized says that the reasoning is told as a summary and not as it stands.
	Summarized bool
}

// ContentPart is a part of the content of an OutputItem.
type ContentPart struct {
	Type        string    `json:"type"`
	Text        string    `json:"text"`
	Annotations *[]string `json:"annotations,omitempty"` // of PartText, always empty
	Logprobs    *[]string `json:"logprobs,omitempty"`    // of PartText, always empty
}

// Types of a ContentPart.
const (
	PartText      = "output_text"
	PartReasoning = "reasoning_text"
	PartSummary   = "summary_text"
)

// Part returns the one part of the item's content.
func (i OutputItem) Part() ContentPart {
	switch {
	case i.Type == ItemMessage:
		return ContentPart{Type: PartText, Text: i.Text, Annotations: &[]string{}, Logprobs: &[]string{}}
	case i.Summarized:
		return ContentPart{Type: PartSummary, Text: i.Text}
	}
	return ContentPart{Type: PartReasoning, Text: i.Text}
}

// MarshalJSON writes the fields that the item's type has.
func (i OutputItem) MarshalJSON() ([]byte, error) {
	parts := []ContentPart{}
	if !i.Open {
		parts = append(parts, i.Part())
	}
	switch i.Type {
	case ItemMessage:
		return json.Marshal(struct {
			ID      string        `json:"id"`
			Type    string        `json:"type"`
			Status  string        `json:"status"`
			Role    string        `json:"role"`
			Content []ContentPart `json:"content"`
		}{i.ID, i.Type, i.Status, "assistant", parts})
	case ItemCall:
		return json.Marshal(struct {
			ID        string `json:"id"`
			Type      string `json:"type"`
			Status    string `json:"status"`
			Arguments string `json:"arguments"`
			CallID    string `json:"call_id"`
			Name      string `json:"name"`
		}{i.ID, i.Type, i.Status, i.Text, i.CallID, i.Name})
	}
	return i.marshalReasoning(parts)
}

func (i OutputItem) marshalReasoning(parts []ContentPart) ([]byte, error) {
	item := struct {
		ID      string        `json:"id"`
		Type    string        `json:"type"`
		Status  string        `json:"status"`
		Summary []ContentPart `json:"summary"`
		Content []ContentPart `json:"content,omitempty"`
	}{i.ID, i.Type, i.Status, []ContentPart{}, nil}
	if i.Summarized {
		item.Summary = parts
	} else {
		item.Content = parts
	}
	return json.Marshal(item)
}

// ResponseDeleted is the answer to DELETE /v1/responses/ID.
type ResponseDeleted struct {
	ID      string `json:"id"`
	Object  string `json:"object"` // ResponseObject
	Deleted bool   `json:"deleted"`
}
