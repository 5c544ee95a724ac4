package wire

import "encoding/json"

// ResponsesEvent is one event of a streamed Response as a client must be ready to find
// it: any field may be missing or null.
type ResponsesEvent struct {
	Type        string              `json:"type"`
	OutputIndex int                 `json:"output_index"`
	Delta       string              `json:"delta"`
	Item        *ResponsesEventItem `json:"item"`
	Response    *ResponsesSnapshot  `json:"response"`

	// Of the type "error"; some servers nest the error.
	Code    any             `json:"code"`
	Message string          `json:"message"`
	Error   json.RawMessage `json:"error"`
}

// ResponsesSnapshot is a Response as a client finds it, whole or so far.
type ResponsesSnapshot struct {
	Status            string               `json:"status"`
	Error             json.RawMessage      `json:"error"`
	IncompleteDetails *IncompleteDetails   `json:"incomplete_details"`
	Output            []ResponsesEventItem `json:"output"`
	Usage             *ResponsesCounts     `json:"usage"`
}

// ResponsesEventItem is an item of the output as a client finds it.
type ResponsesEventItem struct {
	Type      string          `json:"type"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments Arguments       `json:"arguments"`
	Content   []ResponsesPart `json:"content"`
	Summary   []ResponsesPart `json:"summary"`
}

// ResponsesPart is a part of an item as a client finds it.
type ResponsesPart struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Refusal string `json:"refusal"`
}

// ResponsesCounts is a ResponsesUsage in which a count that the server does not state is
// nil.
type ResponsesCounts struct {
	InputTokens        *int `json:"input_tokens"`
	OutputTokens       *int `json:"output_tokens"`
	TotalTokens        *int `json:"total_tokens"`
	InputTokensDetails struct {
		CachedTokens *int `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	OutputTokensDetails struct {
		ReasoningTokens *int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}
