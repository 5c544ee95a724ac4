package pipeline

import (
	"math"
	"time"
)

// Unknown is the instant or span that was not observed. It is written as null,
// never as zero.
const Unknown = time.Duration(math.MinInt64)

// UnknownCount is the token count that nobody stated.
const UnknownCount = -1

// SpanID names a span inside its trace: its index in Trace.Spans.
type SpanID int32

// NoSpan is the SpanID of no span.
const NoSpan SpanID = -1

// Trace is what one interaction leaves behind. Percentiles, verdicts and
// waterfalls are pure functions of traces.
//
// Instants are durations since the run began. A Trace is owned by the loop
// until its interaction finishes and must not be changed afterwards.
type Trace struct {
	Kind    string        // the interaction: "voice", "ide" or "bench"
	Session int           // which user, from 0
	Index   int           // which interaction of that user, from 0
	Due     time.Duration // t0: the instant from which a budget counts
	End     time.Duration // when the last of it was handled
	Late    time.Duration // how late the loop itself handled Due; 0 on the virtual clock
	Outcome Outcome
	Reason  string // why, when the outcome is not OK; empty otherwise

	Spans    []Span
	Marks    []Mark
	Requests []Request
	Hearings []Transcription // of services that wrote the user's speech down
	Sayings  []Speech        // of services that spoke the reply
	Answers  []Answered      // of models that heard and spoke
	Uses     []Use           // requests of other traces that this one drew on
	Facts    []Fact          // what was decided, by name: "verdict", "source", ...

	after []SpanID // backs the After lists of Spans
}

// Span is a stage of an interaction at work or waiting.
type Span struct {
	Name       string
	Start, End time.Duration
	After      []SpanID // the spans it waited for; it starts no earlier than any of them ends
	Simulated  bool     // true when no socket of the target was involved
}

// For returns how long the span took.
func (s Span) For() time.Duration { return s.End - s.Start }

// Mark is a named instant of an interaction.
type Mark struct {
	Name string
	At   time.Duration
}

// Fact is a named decision of an interaction, such as an arrival verdict.
type Fact struct{ Name, Value string }

// Use refers to a request that another trace caused and this one drew on.
type Use struct {
	Request int64  // the ID of that request
	How     string // "typed-as-suggested", "joined" or "cached"
}

// Request is the record of one request to a model. Instants that were not
// observed are Unknown, counts that nobody stated are UnknownCount: make one
// with NewRequest.
type Request struct {
	ID          int64         // unique within the run, from 1
	Due         time.Duration // when it should have been sent
	Sent        time.Duration // when it was
	Scheduled   time.Duration // when the model began to work on it, less Way.Out; Unknown unless the model says so
	Loading     time.Duration // how long it waited for the model to be in memory and warm; Unknown unless the model says so
	FirstByte   time.Duration // first byte of the body
	FirstOutput time.Duration // first output of any kind: ttft counts to here
	FirstText   time.Duration // first output that is not reasoning: ttfo
	FirstSeen   time.Duration // first output with a character that can be seen: ttfv
	LastOutput  time.Duration
	End         time.Duration // end event, error event, or end of the body

	// Closed is when the asker gave it up on the wire; Unknown when it did not. AtClose is the
	// work that a modelled one had done by then, and AtEnd all that it did: the rest was for
	// nobody.
	Closed         time.Duration
	AtClose, AtEnd Work

	Outcome      Outcome
	Reason       string // the error's words, when the outcome is not OK
	Finish       string // the model's word: "stop", "length", ...; empty when none came
	PromptTokens int
	// PromptEstimate is the asker's own count of a prompt that was sent and that nobody else
	// counted, as of a request that was given up; 0 where PromptTokens is known, or nothing is
	// taken to have been used.
	PromptEstimate int
	CachedTokens   int // those of the prompt that the model had in its cache
	OutputTokens   int
	LimitTokens    int    // longest answer that a server was asked for; 0 for no limit, or unknown
	TokenSource    string // "engine", "usage", "timings" or "none"
	Impossible     string // what the server counted that cannot be, in words; it is in no count
	Chunks         int    // output chunks seen, 0 when nothing was delivered
	Empty          bool   // it ended ok, and nothing of an answer came: no text, no reasoning, no call of a tool
	Unread         int    // messages of the response that are no valid JSON, and were left out
	// Choices is how many choices the answer has where it has several: the server counts the
	// tokens of all, and all else is of the first. 0 is one, or none.
	Choices int
	// Together is the most output chunks that came at one instant, where those are eight or
	// more: no step of an engine makes as many. 0 is fewer.
	Together int
	// Opening is what came with the first output, where that may be more than one token.
	Opening Opening
	// Gaps are the times between the chunks, and LongestGap the longest of them, exact;
	// none and Unknown where nobody saw chunks one by one, as in a simulation.
	Gaps       Gaps
	LongestGap time.Duration
	Simulated  bool
	Server     ServerTime // what the server says of its own time
	Transport  Transport
	// Way is the part of a modelled network in the instants of a request; zero for none.
	Way Way
}

// Work is how many tokens of a prompt were computed and how many of an answer were out;
// UnknownCount where nobody knows.
type Work struct{ Prompt, Output int }

// Way is how long the way to a model and back takes.
type Way struct{ Out, Back time.Duration }

// Transport holds what the connection told about a request. It is zero for a
// simulated one.
type Transport struct {
	Status   int    // HTTP status, 0 when there was no response
	HTTP     string // "1.1" or "2"
	Encoding string // content coding of the body, "" for none
	Reused   bool   // the connection was open before
	// DNS, Connect and TLS are how long it took to look the host up, to open the
	// connection and to shake hands on it; Unknown where the request did not wait for that.
	DNS, Connect, TLS time.Duration
	RetryAfter        time.Duration // what the server asked for; Unknown when it did not
	Burst             bool          // three or more output chunks, all in one read
	Headers           []Fact        // chosen headers of the response that tell who answered, and how
}

// NewTransport returns the Transport of a request that has seen no connection yet.
func NewTransport() Transport {
	return Transport{DNS: Unknown, Connect: Unknown, TLS: Unknown, RetryAfter: Unknown}
}

// NewRequest returns a request with the given ID and due instant and everything
// else unknown.
func NewRequest(id int64, due time.Duration) Request {
	return Request{
		ID: id, Due: due,
		Sent: Unknown, Scheduled: Unknown, Loading: Unknown, FirstByte: Unknown, FirstOutput: Unknown,
		FirstText: Unknown, FirstSeen: Unknown, LastOutput: Unknown, End: Unknown, LongestGap: Unknown, Closed: Unknown, AtClose: Work{UnknownCount, UnknownCount}, AtEnd: Work{UnknownCount, UnknownCount},
		PromptTokens: UnknownCount, CachedTokens: UnknownCount, OutputTokens: UnknownCount, TokenSource: "none",
		Server: NewServerTime(), Transport: NewTransport(),
	}
}

// Output returns how many tokens its answer has, as they were counted; UnknownCount where nobody
// did. The count of an answer that did not end well may be one of its beginning (Anthropic states
// 1 as it begins): each chunk that came has a token at least.
func (r *Request) Output() int {
	if r.OutputTokens == UnknownCount || r.Outcome == OK {
		return r.OutputTokens
	}
	return max(r.OutputTokens, r.Chunks)
}

// Tokens returns how many tokens a request took: those that were counted, and of what nobody
// counted PromptEstimate for the prompt and one for each chunk of the answer that came, see
// Output too. Of these estimated is how many; the answer may have gone on unseen. ok is false where not even that is
// known of a prompt that was sent.
func (r *Request) Tokens() (prompt, output, estimated int, ok bool) {
	prompt, output, ok = r.PromptTokens, r.Output(), true
	if prompt == UnknownCount {
		prompt = r.PromptEstimate
		estimated, ok = prompt, prompt > 0 || r.Sent == Unknown || r.free()
	}
	if output == UnknownCount {
		output = r.Chunks
	}
	estimated += output - max(0, r.OutputTokens)
	return prompt, output, estimated, ok
}

// free reports whether a server refused a request, by a status of 300 to 499, and is taken to
// have used nothing for it.
func (r *Request) free() bool { return r.Transport.Status >= 300 && r.Transport.Status < 500 }

// Estimate has the record say the asker's own count of the prompt where nobody counted it, and
// it was sent.
func (r *Request) Estimate(prompt int) {
	if r.PromptTokens == UnknownCount && r.Sent != Unknown && !r.free() && r.PromptEstimate == 0 {
		r.PromptEstimate = max(0, prompt)
	}
}

// Whole reports whether a real answer came as one text where a stream was asked for: it is
// there, and no output of it has an instant of its own.
func (r *Request) Whole() bool {
	return r.Outcome == OK && !r.Simulated && !r.Empty && r.FirstOutput == Unknown && r.FirstByte != Unknown
}

// Mark returns the instant of the first mark with that name, or Unknown.
func (t *Trace) Mark(name string) time.Duration {
	for i := range t.Marks {
		if t.Marks[i].Name == name {
			return t.Marks[i].At
		}
	}
	return Unknown
}

// Fact returns the value of the first fact with that name, or "".
func (t *Trace) Fact(name string) string {
	for i := range t.Facts {
		if t.Facts[i].Name == name {
			return t.Facts[i].Value
		}
	}
	return ""
}

// Since returns at - from, or Unknown when either is unknown.
func Since(from, at time.Duration) time.Duration {
	if from == Unknown || at == Unknown {
		return Unknown
	}
	return at - from
}
