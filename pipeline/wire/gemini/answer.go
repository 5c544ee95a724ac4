package gemini

// Reasons why an answer ended; a call of a function ends it with FinishStop too.
const (
	FinishStop      = "STOP"
	FinishMaxTokens = "MAX_TOKENS"
)

// GenerateResponse is a whole answer, or a piece of a streamed one.
type GenerateResponse struct {
	Candidates    []Candidate   `json:"candidates,omitempty"`
	UsageMetadata UsageMetadata `json:"usageMetadata"`
	ModelVersion  string        `json:"modelVersion"`
	ResponseID    string        `json:"responseId"`
}

// Candidate is one answer.
type Candidate struct {
	Content      Content `json:"content"`
	FinishReason string  `json:"finishReason,omitempty"` // of the last piece
	Index        int     `json:"index"`
}

// UsageMetadata counts tokens; those of a streamed answer grow from piece to piece. What
// is zero is left out.
type UsageMetadata struct {
	PromptTokenCount        int             `json:"promptTokenCount,omitempty"` // cached ones included
	CandidatesTokenCount    int             `json:"candidatesTokenCount,omitempty"`
	TotalTokenCount         int             `json:"totalTokenCount,omitempty"`
	CachedContentTokenCount int             `json:"cachedContentTokenCount,omitempty"`
	PromptTokensDetails     []ModalityCount `json:"promptTokensDetails,omitempty"`
	ThoughtsTokenCount      int             `json:"thoughtsTokenCount,omitempty"`
}

// ModalityCount counts the tokens of one modality.
type ModalityCount struct {
	Modality   string `json:"modality"` // "TEXT"
	TokenCount int    `json:"tokenCount"`
}

// CountTokensResponse is the answer to countTokens.
type CountTokensResponse struct {
	TotalTokens         int             `json:"totalTokens"`
	PromptTokensDetails []ModalityCount `json:"promptTokensDetails"`
}

// ModelList is the answer to GET /v1beta/models.
type ModelList struct {
	Models []Model `json:"models"`
}

// Model is one model that the service has.
type Model struct {
	Name                       string   `json:"name"` // "models/" and its name
	Version                    string   `json:"version"`
	DisplayName                string   `json:"displayName"`
	InputTokenLimit            int      `json:"inputTokenLimit"`
	OutputTokenLimit           int      `json:"outputTokenLimit"`
	SupportedGenerationMethods []string `json:"supportedGenerationMethods"`
}

// ErrorBody is the body of a response that reports an error, and the last piece of a
// stream that cannot be completed.
type ErrorBody struct {
	Error Error `json:"error"`
}

// Error says what is wrong. Source: answers of the service in google-gemini/gemini-cli
// issue 4118 and langchain-ai/langchain-google issue 1393, read 2026-11-29.
type Error struct {
	Code    int    `json:"code"` // the HTTP status
	Message string `json:"message"`
	Status  string `json:"status"` // Status of the code
}

// Status returns the name of an HTTP status among the canonical error codes of Google's
// APIs; source: googleapis/googleapis google/rpc/code.proto, read 2026-11-29.
func Status(code int) string {
	switch code {
	case 400, 413, 415:
		return "INVALID_ARGUMENT"
	case 401:
		return "UNAUTHENTICATED"
	case 403:
		return "PERMISSION_DENIED"
	case 404:
		return "NOT_FOUND"
	case 429:
		return "RESOURCE_EXHAUSTED"
	case 499:
		return "CANCELLED"
	case 501:
		return "UNIMPLEMENTED"
	case 503:
		return "UNAVAILABLE"
	case 504:
		return "DEADLINE_EXCEEDED"
	}
	return "INTERNAL"
}
