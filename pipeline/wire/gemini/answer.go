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
