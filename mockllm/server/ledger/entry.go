package ledger

import (
	"strings"
	"time"

	"halfsecond/mockllm/fault"
	"halfsecond/pipeline"
)

// Entry is what is known of one request when it has ended, or of one under way. Instants
// count from the start of the server; pipeline.Unknown is one that has not come.
//
// They are the engine's own. Of a request that rules had a hand in they are what its client
// saw: it arrived before its model was loaded, the first token came when its first byte
// left, and all ended with the last byte, or when the client left before that.
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

	// Stream is what its delays are drawn from, as its client wanted it; 0 is the next.
	Stream int

	Outcome pipeline.Outcome
	Finish  string // why an answer that is OK ended: "stop", "length" or "tool_calls"
	Reason  string // why it is not OK
	Unsaid  string // why the answer is not what a source of answers should have said
	Fault   string // the rules that made it go wrong on purpose
}

// Running reports whether the request is still under way.
func (e Entry) Running() bool { return e.Ended == pipeline.Unknown }

// kept returns the entry as it is kept of a request with a plan, nil for none.
func (e Entry) kept(plan *fault.Plan) Entry {
	e.Model, e.Path, e.Reason = bounded(e.Model, mostModel), bounded(e.Path, mostPath), bounded(e.Reason, mostReason)
	if plan != nil {
		e.Fault = plan.Rules()
	}
	return e
}

// see makes an entry what the client saw.
func (e *Entry) see(d fault.Delivery) {
	e.Arrived -= d.Loaded
	if d.Held {
		e.wait(d)
	}
	switch {
	case d.Broken != pipeline.OK && (e.Outcome == pipeline.OK || e.Outcome == pipeline.Cancelled):
		e.Outcome, e.Finish, e.Reason, e.Left = d.Broken, "", "a rule ended the answer", pipeline.Unknown
	case d.Left != pipeline.Unknown && (e.Outcome == pipeline.OK || e.Outcome == pipeline.Refused):
		e.Outcome, e.Finish, e.Left, e.Ended = pipeline.Cancelled, "", d.Left, max(e.Ended, d.Left)
	}
}

// wait moves the first token and the end to when their bytes left.
func (e *Entry) wait(d fault.Delivery) {
	switch {
	case d.First == pipeline.Unknown:
		e.First = pipeline.Unknown
	case e.First != pipeline.Unknown && d.Streamed:
		e.First = max(e.First, d.First)
	case e.First != pipeline.Unknown:
		e.First += d.Wait
	}
	if d.Last != pipeline.Unknown {
		e.Ended = max(e.Ended, d.Last)
	}
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
	Ended   *float64  `json:"ended_ms"`
	Left    *float64  `json:"left_ms"`

	*tokens // of a language model

	Characters int     `json:"characters,omitempty"`
	AudioIn    float64 `json:"audio_in_ms,omitempty"`
	AudioOut   float64 `json:"audio_out_ms,omitempty"`

	Outcome string `json:"outcome"`
	Finish  string `json:"finish_reason,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Unsaid  string `json:"unsaid,omitempty"`
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
		At: began.Add(e.Arrived), Arrived: milliseconds(e.Arrived), Ended: known(e.Ended),
		Started: known(e.Started), First: known(e.First), Left: known(e.Left),
		Characters: e.Characters, AudioIn: milliseconds(e.AudioIn), AudioOut: milliseconds(e.AudioOut),
		Outcome: e.Outcome.String(), Finish: e.Finish, Reason: e.Reason, Unsaid: e.Unsaid, Fault: e.Fault,
	}
	if e.Running() {
		r.Outcome = "running"
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
