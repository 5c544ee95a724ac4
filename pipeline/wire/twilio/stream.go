package twilio

// Events of a Media Stream. Twilio sends all of them but Clear; a server sends Media,
// Mark and Clear.
const (
	EventConnected = "connected"
	EventStart     = "start"
	EventMedia     = "media"
	EventDTMF      = "dtmf"
	EventMark      = "mark"
	EventClear     = "clear"
	EventStop      = "stop"
)

// SampleRate is the samples a second of a stream, each a byte of G.711 mu-law.
const SampleRate = 8000

// Connected is the first message of a stream.
type Connected struct {
	Event    string `json:"event"`
	Protocol string `json:"protocol"` // "Call"
	Version  string `json:"version"`  // "1.0.0"
}

// Message is any other message, of either side. Numbers are strings.
type Message struct {
	Event          string `json:"event"`
	SequenceNumber string `json:"sequenceNumber,omitempty"` // of Twilio; from 1 on
	Start          *Start `json:"start,omitempty"`
	Media          *Media `json:"media,omitempty"`
	DTMF           *DTMF  `json:"dtmf,omitempty"`
	Mark           *Mark  `json:"mark,omitempty"`
	Stop           *Stop  `json:"stop,omitempty"`
	StreamSid      string `json:"streamSid"`
}

// Start says what the stream is.
type Start struct {
	AccountSid       string            `json:"accountSid"`
	StreamSid        string            `json:"streamSid"`
	CallSid          string            `json:"callSid"`
	Tracks           []string          `json:"tracks"`
	MediaFormat      MediaFormat       `json:"mediaFormat"`
	CustomParameters map[string]string `json:"customParameters"`
}

// MediaFormat is how audio is written.
type MediaFormat struct {
	Encoding   string `json:"encoding"`
	SampleRate int    `json:"sampleRate"`
	Channels   int    `json:"channels"`
}

// MuLaw is the format of every stream.
var MuLaw = MediaFormat{"audio/x-mulaw", SampleRate, 1}

// Tracks of a stream. A bidirectional one has the caller's alone.
const (
	Inbound     = "inbound"
	InboundDTMF = "inbound_track" // of a DTMF
)

// Media is audio. Of a server's only Payload means something.
type Media struct {
	Track     string `json:"track,omitempty"`
	Chunk     string `json:"chunk,omitempty"`     // from 1 on
	Timestamp string `json:"timestamp,omitempty"` // ms since the start of the stream
	Payload   string `json:"payload"`             // base64
}

// DTMF is a key that the caller has pressed.
type DTMF struct {
	Track string `json:"track"`
	Digit string `json:"digit"`
}

// Mark is a place between audio: a server sends it after audio, and Twilio sends it back
// when that has played, or was cleared.
type Mark struct {
	Name string `json:"name"`
}

// Stop says that the stream has ended.
type Stop struct {
	AccountSid string `json:"accountSid"`
	CallSid    string `json:"callSid"`
}
