package deepgram

// Values of the type field of /v1/listen.
const (
	TypeResults          = "Results"
	TypeSpeechStarted    = "SpeechStarted"
	TypeUtteranceEnd     = "UtteranceEnd"
	TypeMetadata         = "Metadata"
	TypeError            = "Error"
	TypeConfigureSuccess = "ConfigureSuccess"
	TypeConfigureFailure = "ConfigureFailure"

	TypeFinalize    = "Finalize"
	TypeKeepAlive   = "KeepAlive"
	TypeCloseStream = "CloseStream"
	TypeConfigure   = "Configure"
	TypeSync        = "Sync" // known to the service, described nowhere
)

// ListenCommand is a text frame of the client.
type ListenCommand struct {
	Type string `json:"type"`
	// Channel is the one to finalize, from 0; nil is all of them.
	Channel *int `json:"channel,omitempty"`
	// Keyterms of a Configure replace those before; nil keeps them.
	Keyterms *[]string       `json:"keyterms,omitempty"`
	Features map[string]bool `json:"features,omitempty"`
}

// Results is what was heard in a span of the audio. IsFinal says that it will not
// change, and SpeechFinal that an utterance ends with it; the latter implies the former.
// Times are in seconds from the start of the stream.
type Results struct {
	Type         string        `json:"type"`
	ChannelIndex [2]int        `json:"channel_index"` // the channel, from 0, and how many there are
	Duration     float64       `json:"duration"`
	Start        float64       `json:"start"`
	IsFinal      bool          `json:"is_final"`
	SpeechFinal  bool          `json:"speech_final"`
	Channel      ListenChannel `json:"channel"`
	Metadata     ResultsOrigin `json:"metadata"`
	FromFinalize bool          `json:"from_finalize"`
}

// ListenChannel holds the transcripts of one channel; there is one.
type ListenChannel struct {
	Alternatives []Alternative `json:"alternatives"`
}

// Alternative is one transcript.
type Alternative struct {
	Transcript string      `json:"transcript"`
	Confidence float64     `json:"confidence"`
	Words      []Word      `json:"words"`
	Paragraphs *Paragraphs `json:"paragraphs,omitempty"` // of a file
}

// Word is a word and where it was said, in seconds. Word itself is in lower case and
// without marks.
type Word struct {
	Word           string  `json:"word"`
	Start          float64 `json:"start"`
	End            float64 `json:"end"`
	Confidence     float64 `json:"confidence"`
	PunctuatedWord string  `json:"punctuated_word,omitempty"`
}

// ResultsOrigin says what made a Results.
type ResultsOrigin struct {
	RequestID string    `json:"request_id"`
	ModelInfo ModelInfo `json:"model_info"`
	ModelUUID string    `json:"model_uuid"`
}

// ModelInfo describes a model.
type ModelInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Arch    string `json:"arch"`
}

// SpeechStarted says that speech was found.
type SpeechStarted struct {
	Type      string  `json:"type"`
	Channel   [2]int  `json:"channel"` // as Results.ChannelIndex
	Timestamp float64 `json:"timestamp"`
}

// UtteranceEnd says that no words came for a while.
type UtteranceEnd struct {
	Type        string  `json:"type"`
	Channel     [2]int  `json:"channel"`
	LastWordEnd float64 `json:"last_word_end"`
}

// Metadata is the last message of a stream, and the first part of the answer to a file.
type Metadata struct {
	Type           string               `json:"type,omitempty"` // of the message alone
	TransactionKey string               `json:"transaction_key"`
	RequestID      string               `json:"request_id"`
	SHA256         string               `json:"sha256"`  // of the audio
	Created        string               `json:"created"` // RFC 3339 with milliseconds
	Duration       float64              `json:"duration"`
	Channels       int                  `json:"channels"`
	Models         []string             `json:"models,omitempty"` // UUIDs
	ModelInfo      map[string]ModelInfo `json:"model_info,omitempty"`
}

// NoTransaction is the TransactionKey of every Metadata.
const NoTransaction = "deprecated"

// ListenError answers a text frame that was not understood; the stream goes on.
// Source: frames that users quote, such as "Could not deserialize last text message:
// unknown variant ..." (found in public repositories, read 2026-11-29).
type ListenError struct {
	Type        string `json:"type"`
	Variant     string `json:"variant"`
	Description string `json:"description"`
	Message     string `json:"message"` // the frame
}

// VariantSchema is the Variant of a frame that is not as the schema has it.
const VariantSchema = "SchemaError"

// ListenConfigured answers a Configure: with the key terms now in effect, or with a code
// and a description of what is wrong. Source: developers.deepgram.com/changelog
// 2026-10-02 and 2026-10-19, read 2026-11-29; the fields of a failure are those that
// Flux has.
type ListenConfigured struct {
	Type        string   `json:"type"`
	RequestID   string   `json:"request_id"`
	Keyterms    []string `json:"keyterms,omitempty"`
	Code        string   `json:"code,omitempty"`
	Description string   `json:"description,omitempty"`
}
