package gemini

import "encoding/json"

// Chunk is a piece of a streamed answer, or a whole one, as a client must be ready to
// find it: any field may be missing or null.
type Chunk struct {
	Candidates     []ChunkCandidate `json:"candidates"`
	PromptFeedback *struct {
		BlockReason string `json:"blockReason"`
	} `json:"promptFeedback"`
	UsageMetadata *Counts         `json:"usageMetadata"`
	Error         json.RawMessage `json:"error"`
}

// ChunkCandidate is a piece of one answer.
type ChunkCandidate struct {
	Index        int     `json:"index"`
	Content      Content `json:"content"`
	FinishReason string  `json:"finishReason"`
}

// Counts is a UsageMetadata in which a count that the server does not state is nil.
type Counts struct {
	PromptTokenCount        *int `json:"promptTokenCount"`
	CandidatesTokenCount    *int `json:"candidatesTokenCount"`
	CachedContentTokenCount *int `json:"cachedContentTokenCount"`
	ThoughtsTokenCount      *int `json:"thoughtsTokenCount"`
}
