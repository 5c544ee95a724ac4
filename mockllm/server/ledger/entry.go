package ledger

import (
	"strings"
	"time"

	"halfsecond/pipeline"
)

// Entry is what is known of one request when it has ended. Instants count from the
// start of the server; pipeline.Unknown is one that never came.
type Entry struct {
	ID       string // as the client was told, or ""
	Protocol string // such as "openai chat"
	Path     string
	Model    string

	Arrived time.Duration // the request was whole
	Started time.Duration // the engine began to work on it
	First   time.Duration // first token, or first audio
	Ended   time.Duration
	Left    time.Duration // the client hung up

	Prompt    int // tokens
	Cached    int // of them, that were there from earlier requests
	Generated int // tokens
	AfterLeft int // of them, that came out when the client had left

	Characters int           // of text to be spoken
	AudioIn    time.Duration // heard
	AudioOut   time.Duration // spoken

	Outcome pipeline.Outcome
	Finish  string // why an answer that is OK ended: "stop", "length" or "tool_calls"
	Reason  string // why it is not OK
	Fault   string // the rule that made it go wrong on purpose
}

// Most bytes that are kept of what a client writes; a name or a path of this length is
// none that anybody meant.
const (
	mostModel  = 200
	mostPath   = 500
	mostReason = 1000
)

// bounded returns a text as valid UTF-8 of at most so many bytes.
func bounded(s string, most int) string {
	return strings.ToValidUTF8(s[:min(len(s), most)], "\ufffd")
}

// record is the JSON form of an Entry: durations in ms since the start of the
// server, null for what never came.
type record struct {
	ID       string `json:"id,omitempty"`
	Protocol string `json:"protocol"`
	Path     string `json:"path"`
	Model    string `json:"model"`

	At      time.Time `json:"at"` // wall-clock time of the arrival
	Arrived float64   `json:"arrived_ms"`
	Started *float64  `json:"started_ms"`
	First   *float64  `json:"first_ms"`
	Ended   float64   `json:"ended_ms"`
	Left    *float64  `json:"left_ms"`

	*tokens // of a language model

	Characters int     `json:"characters,omitempty"`
	AudioIn    float64 `json:"audio_in_ms,omitempty"`
	AudioOut   float64 `json:"audio_out_ms,omitempty"`

	Outcome string `json:"outcome"`
	Finish  string `json:"finish_reason,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Fault   string `json:"fault,omitempty"`
}

// tokens is what only a language model counts.
type tokens struct {
	Queued  *float64 `json:"queue_ms"`   // arrival to start
	Prefill *float64 `json:"prefill_ms"` // start to first token
	Decode  *float64 `json:"decode_ms"`  // first token to the end

	Prompt    int `json:"prompt_tokens"`
	Cached    int `json:"cached_tokens"`
	Generated int `json:"generated_tokens"`
	AfterLeft int `json:"generated_after_left"`
}

func (e *Entry) record(began time.Time) record {
	r := record{
		ID: e.ID, Protocol: e.Protocol, Path: e.Path, Model: e.Model,
		At: began.Add(e.Arrived), Arrived: milliseconds(e.Arrived), Ended: milliseconds(e.Ended),
		Started: known(e.Started), First: known(e.First), Left: known(e.Left),
		Characters: e.Characters, AudioIn: milliseconds(e.AudioIn), AudioOut: milliseconds(e.AudioOut),
		Outcome: e.Outcome.String(), Finish: e.Finish, Reason: e.Reason, Fault: e.Fault,
	}
	if e.Prompt > 0 {
		r.tokens = &tokens{
			Queued: between(e.Arrived, e.Started), Prefill: between(e.Started, e.First), Decode: between(e.First, e.Ended),
			Prompt: e.Prompt, Cached: e.Cached, Generated: e.Generated, AfterLeft: e.AfterLeft,
		}
	}
	return r
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func known(d time.Duration) *float64 {
	if d == pipeline.Unknown {
		return nil
	}
	ms := milliseconds(d)
	return &ms
}

func between(from, to time.Duration) *float64 {
	if from == pipeline.Unknown || to == pipeline.Unknown {
		return nil
	}
	return known(to - from)
}
