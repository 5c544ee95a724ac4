package realtime

// Types of server events, under the names of today; see BetaName for those of the beta.
const (
	EventError                  = "error"
	EventSessionCreated         = "session.created"
	EventSessionUpdated         = "session.updated"
	EventTranscriptionCreated   = "transcription_session.created" // of the beta
	EventTranscriptionUpdated   = "transcription_session.updated" // of the beta
	EventSpeechStarted          = "input_audio_buffer.speech_started"
	EventSpeechStopped          = "input_audio_buffer.speech_stopped"
	EventCommitted              = "input_audio_buffer.committed"
	EventCleared                = "input_audio_buffer.cleared"
	EventTimeoutTriggered       = "input_audio_buffer.timeout_triggered"
	EventItemAdded              = "conversation.item.added"
	EventItemDone               = "conversation.item.done"
	EventItemDeleted            = "conversation.item.deleted"
	EventItemRetrieved          = "conversation.item.retrieved"
	EventItemTruncated          = "conversation.item.truncated"
	EventTranscriptionDelta     = "conversation.item.input_audio_transcription.delta"
	EventTranscriptionCompleted = "conversation.item.input_audio_transcription.completed"
	EventResponseCreated        = "response.created"
	EventResponseDone           = "response.done"
	EventOutputItemAdded        = "response.output_item.added"
	EventOutputItemDone         = "response.output_item.done"
	EventPartAdded              = "response.content_part.added"
	EventPartDone               = "response.content_part.done"
	EventAudioDelta             = "response.output_audio.delta"
	EventAudioDone              = "response.output_audio.done"
	EventAudioTranscriptDelta   = "response.output_audio_transcript.delta"
	EventAudioTranscriptDone    = "response.output_audio_transcript.done"
	EventTextDelta              = "response.output_text.delta"
	EventTextDone               = "response.output_text.done"
	EventArgumentsDelta         = "response.function_call_arguments.delta"
	EventArgumentsDone          = "response.function_call_arguments.done"
	EventRateLimits             = "rate_limits.updated"
)

// Head is what every server event begins with.
type Head struct {
	Type    string `json:"type"`
	EventID string `json:"event_id"`
}

// SessionEvent has a session in the shape that the client speaks.
type SessionEvent struct {
	Head
	Session any `json:"session"`
}

// ErrorEvent says what was wrong. The session goes on unless it is closed.
type ErrorEvent struct {
	Head
	Error Error `json:"error"`
}

// Error is what was wrong. As a body of HTTP it is in an ErrorBody, without EventID.
type Error struct {
	Type    string  `json:"type"` // InvalidRequest
	Code    *string `json:"code"`
	Message string  `json:"message"`
	Param   *string `json:"param"`
	EventID *string `json:"event_id"` // of the client's event
}

// InvalidRequest is the type of an Error that the client made.
const InvalidRequest = "invalid_request_error"

// SpeechStarted says where in all audio that was written speech began, the padding
// before it included.
type SpeechStarted struct {
	Head
	AudioStart int64  `json:"audio_start_ms"`
	ItemID     string `json:"item_id"`
}

// SpeechStopped says where speech ended, the silence after it included.
type SpeechStopped struct {
	Head
	AudioEnd int64  `json:"audio_end_ms"`
	ItemID   string `json:"item_id"`
}

// TimeoutTriggered says where the user has said nothing for too long.
type TimeoutTriggered struct {
	Head
	AudioStart int64  `json:"audio_start_ms"`
	AudioEnd   int64  `json:"audio_end_ms"`
	ItemID     string `json:"item_id"`
}

// Committed says that the audio has become an item.
type Committed struct {
	Head
	PreviousItemID *string `json:"previous_item_id"`
	ItemID         string  `json:"item_id"`
}

// ItemEvent has an item and the one before it: EventItemAdded and EventItemDone.
type ItemEvent struct {
	Head
	PreviousItemID *string `json:"previous_item_id"`
	Item           Item    `json:"item"`
}

// ItemRetrieved has an item with its audio.
type ItemRetrieved struct {
	Head
	Item Item `json:"item"`
}

// ItemDeleted says that an item is no longer there.
type ItemDeleted struct {
	Head
	ItemID string `json:"item_id"`
}

// ItemTruncated says that the rest of an item's audio, and its text, are forgotten.
type ItemTruncated struct {
	Head
	ItemID       string `json:"item_id"`
	ContentIndex int    `json:"content_index"`
	AudioEnd     int    `json:"audio_end_ms"`
}

// TranscriptionDelta has more of what the user said.
type TranscriptionDelta struct {
	Head
	ItemID       string `json:"item_id"`
	ContentIndex int    `json:"content_index"`
	Delta        string `json:"delta"`
}

// TranscriptionCompleted has all that the user said.
type TranscriptionCompleted struct {
	Head
	ItemID       string             `json:"item_id"`
	ContentIndex int                `json:"content_index"`
	Transcript   string             `json:"transcript"`
	Usage        TranscriptionUsage `json:"usage"`
}

// TranscriptionUsage is the tokens, or the seconds, that a transcript took.
type TranscriptionUsage struct {
	Type         string  `json:"type"` // "tokens" or "duration"
	Total        int     `json:"total_tokens,omitempty"`
	Input        int     `json:"input_tokens,omitempty"`
	InputDetails *Heard  `json:"input_token_details,omitempty"`
	Output       int     `json:"output_tokens,omitempty"`
	Seconds      float64 `json:"seconds,omitempty"`
}

// Heard is the tokens of what was heard.
type Heard struct {
	Text  int `json:"text_tokens"`
	Audio int `json:"audio_tokens"`
}

// ResponseEvent has a response in the shape that the client speaks.
type ResponseEvent struct {
	Head
	Response any `json:"response"`
}

// OutputItemEvent has an item of a response.
type OutputItemEvent struct {
	Head
	ResponseID  string `json:"response_id"`
	OutputIndex int    `json:"output_index"`
	Item        Item   `json:"item"`
}

// Place is where in a response something is.
type Place struct {
	ResponseID   string `json:"response_id"`
	ItemID       string `json:"item_id"`
	OutputIndex  int    `json:"output_index"`
	ContentIndex int    `json:"content_index"`
}

// PartEvent has a part of an item, of type Audio or Text.
type PartEvent struct {
	Head
	Place
	Part Content `json:"part"`
}

// Delta has more text, transcript, or audio in base64.
type Delta struct {
	Head
	Place
	Delta string `json:"delta"`
}

// Done says that a part of a kind is complete, and what all of it was: Transcript of
// EventAudioTranscriptDone, Text of EventTextDone, neither of EventAudioDone.
type Done struct {
	Head
	Place
	Transcript *string `json:"transcript,omitempty"`
	Text       *string `json:"text,omitempty"`
}

// CallPlace is where in a response a call is.
type CallPlace struct {
	ResponseID  string `json:"response_id"`
	ItemID      string `json:"item_id"`
	OutputIndex int    `json:"output_index"`
	CallID      string `json:"call_id"`
}

// ArgumentsDelta has more of the arguments of a call.
type ArgumentsDelta struct {
	Head
	CallPlace
	Delta string `json:"delta"`
}

// ArgumentsDone has all of them, and whose they are.
type ArgumentsDone struct {
	Head
	CallPlace
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// RateLimits has what is left of the limits.
type RateLimits struct {
	Head
	RateLimits []RateLimit `json:"rate_limits"`
}
