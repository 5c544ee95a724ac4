package realtime

import "encoding/json"

// ResponseObject is what a Response is.
const ResponseObject = "realtime.response"

// Reasons of a StatusDetails.
const (
	TurnDetected    = "turn_detected"
	ClientCancelled = "client_cancelled"
	MaxOutputTokens = "max_output_tokens"
)

// Response is an answer of the model.
type Response struct {
	Object           string          `json:"object"`
	ID               string          `json:"id"`
	Status           string          `json:"status"`
	StatusDetails    *StatusDetails  `json:"status_details"`
	Output           []Item          `json:"output"`
	ConversationID   *string         `json:"conversation_id"`
	OutputModalities []string        `json:"output_modalities"`
	MaxOutputTokens  Limit           `json:"max_output_tokens"`
	Audio            *ResponseAudio  `json:"audio"`
	Usage            *Usage          `json:"usage"`
	Metadata         json.RawMessage `json:"metadata"`
}

// ResponseAudio is how a Response is spoken.
type ResponseAudio struct {
	Output ResponseVoice `json:"output"`
}

// ResponseVoice is who speaks a Response.
type ResponseVoice struct {
	Format Format `json:"format"`
	Voice  string `json:"voice"`
}

// BetaResponse is a Response in the shape of the beta.
type BetaResponse struct {
	Object          string          `json:"object"`
	ID              string          `json:"id"`
	Status          string          `json:"status"`
	StatusDetails   *StatusDetails  `json:"status_details"`
	Output          []Item          `json:"output"`
	ConversationID  *string         `json:"conversation_id"`
	Modalities      []string        `json:"modalities"`
	Voice           string          `json:"voice"`
	OutputFormat    string          `json:"output_audio_format"`
	Temperature     float64         `json:"temperature"`
	MaxOutputTokens Limit           `json:"max_output_tokens"`
	Usage           *Usage          `json:"usage"`
	Metadata        json.RawMessage `json:"metadata"`
}

// Beta returns the response in the shape of the beta, where it has the session's
// temperature.
func (r *Response) Beta(temperature float64) *BetaResponse {
	modalities := []string{Text}
	if Speaks(r.OutputModalities) {
		modalities = []string{Audio, Text}
	}
	b := &BetaResponse{
		Object: r.Object, ID: r.ID, Status: r.Status, StatusDetails: r.StatusDetails, Output: r.Output,
		ConversationID: r.ConversationID, Modalities: modalities, Temperature: temperature,
		MaxOutputTokens: r.MaxOutputTokens, Usage: r.Usage, Metadata: r.Metadata,
	}
	if r.Audio != nil {
		b.Voice, b.OutputFormat = r.Audio.Output.Voice, BetaFormat(r.Audio.Output.Format)
	}
	return b
}

// StatusDetails says why a Response is not complete.
type StatusDetails struct {
	Type   string `json:"type"` // the status
	Reason string `json:"reason,omitempty"`
}

// Usage is the tokens of a Response.
type Usage struct {
	Total         int         `json:"total_tokens"`
	Input         int         `json:"input_tokens"`
	Output        int         `json:"output_tokens"`
	InputDetails  InputUsage  `json:"input_token_details"`
	OutputDetails OutputUsage `json:"output_token_details"`
}

// Modal is tokens by what they stand for.
type Modal struct {
	Text  int `json:"text_tokens"`
	Audio int `json:"audio_tokens"`
	Image int `json:"image_tokens"`
}

// InputUsage is the tokens of the input.
type InputUsage struct {
	Modal
	Cached        int   `json:"cached_tokens"`
	CachedDetails Modal `json:"cached_tokens_details"`
}

// OutputUsage is the tokens of the output.
type OutputUsage struct {
	Text  int `json:"text_tokens"`
	Audio int `json:"audio_tokens"`
}

// RateLimit is what is left of a limit.
type RateLimit struct {
	Name         string  `json:"name"`
	Limit        int     `json:"limit"`
	Remaining    int     `json:"remaining"`
	ResetSeconds float64 `json:"reset_seconds"`
}
