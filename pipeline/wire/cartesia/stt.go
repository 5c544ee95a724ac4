package cartesia

// Source of the shapes in this file: types of npm @cartesia/cartesia-js 4.2.0,
// resources/stt, and docs.cartesia.ai/api-reference/stt, read 2026-11-29.

// Values of the type field of /stt/websocket, on which the client decides when a
// transcript is final.
const (
	TypeTranscript = "transcript"
	TypeFlushDone  = "flush_done"
	TypeSTTDone    = "done"
	TypeSTTError   = "error"
)

// Text frames of the client of /stt/websocket: bare words.
const (
	CommandFinalize = "finalize"
	CommandClose    = "close"
)

// Values of the type field of /stt/turns/websocket, on which the service finds turns.
const (
	TypeConnected    = "connected"
	TypeTurnStart    = "turn.start"
	TypeTurnUpdate   = "turn.update"
	TypeTurnEagerEnd = "turn.eager_end"
	TypeTurnResume   = "turn.resume"
	TypeTurnEnd      = "turn.end"

	TypeTurnsClose  = "close"
	TypeTurnsConfig = "config"
)

// Transcript is what was heard since the last one that is final: texts of those that
// are, put together as they are, make the whole.
type Transcript struct {
	Type      string    `json:"type"`
	IsFinal   bool      `json:"is_final"`
	RequestID string    `json:"request_id"`
	Text      string    `json:"text"`
	Duration  float64   `json:"duration"` // seconds
	Language  string    `json:"language,omitempty"`
	Words     []STTWord `json:"words,omitempty"`
}

// STTWord is a word and where it was said, in seconds.
type STTWord struct {
	Word  string  `json:"word"`
	Start float64 `json:"start"`
	End   float64 `json:"end"`
}

// STTNotice is a message that says no more than its type: FlushDone, Done, Connected,
// TurnStart and TurnResume.
type STTNotice struct {
	Type      string `json:"type"`
	RequestID string `json:"request_id"`
}

// TurnText is a message with the whole text of a turn so far: TurnUpdate, TurnEagerEnd
// and TurnEnd.
type TurnText struct {
	Type       string `json:"type"`
	RequestID  string `json:"request_id"`
	Transcript string `json:"transcript"`
}

// TurnsCommand is a text frame of the client of /stt/turns/websocket.
type TurnsCommand struct {
	Type string `json:"type"`
	Turn *struct {
		StartThreshold    *float64 `json:"start_threshold,omitempty"`
		EagerEndThreshold *float64 `json:"eager_end_threshold,omitempty"`
		EndThreshold      *float64 `json:"end_threshold,omitempty"`
		EndTimeout        *float64 `json:"end_timeout_ms,omitempty"`
	} `json:"turn,omitempty"`
}

// STTError is an error of either, and without Type and StatusCode the body of a refused
// handshake. Source: docs.cartesia.ai/use-the-api/api-errors.md, read 2026-11-29.
type STTError struct {
	Type       string `json:"type,omitempty"`
	StatusCode int    `json:"status_code,omitempty"`
	ErrorCode  string `json:"error_code"`
	Title      string `json:"title"`
	Message    string `json:"message"`
	RequestID  string `json:"request_id"`
}
