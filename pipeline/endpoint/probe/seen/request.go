package seen

import (
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/exchange"
)

// What a request's prompt is.
const (
	Fresh = "fresh" // it begins as no other does
	Again = "again" // that of the request before, once more
)

// Request is one request for a completion.
type Request struct {
	Prompt string // Fresh or Again
	Gzip   bool   // compressed answers were welcome, as most libraries say they are
	Record pipeline.Request
	// Reply is the response as it was read; nil when the request was not sent.
	Reply   *reply.Reply
	Headers [][2]string // of the response, without those that may hold secrets
	Reads   []exchange.Read
	Ended   string // how the body ended, as in package exchange
	Events  []Event

	Rest exchange.Rest // behind the end event; zero over HTTP/2, where it does not matter
}

// Kinds of events.
const (
	KindText      = "text"      // output that can be seen
	KindSpace     = "space"     // output that is nothing but white space
	KindReasoning = "reasoning" // output of reasoning
	KindTool      = "tool"      // output of a tool call
	KindRole      = "role"      // says who speaks
	KindStart     = "start"     // says that something begins
	KindFilter    = "filter"    // what a content filter found
	KindPing      = "ping"      // keeps the connection alive
	KindComment   = "comment"   // the same as a comment of the stream
	KindFinish    = "finish"    // why the answer ended
	KindUsage     = "usage"     // tokens counted
	KindEnd       = "end"       // the answer has ended
	KindError     = "error"
	KindUnread    = "unread" // no valid JSON
	KindOther     = "other"
)

// Event is one message of a response.
type Event struct {
	At    time.Duration // when it was complete
	Kind  string
	Bytes int    // of its data
	Text  string // the beginning of what it says; of KindUnread as it came
	Wrong string // why it is no valid JSON: of KindUnread, and of what is read though it is no UTF-8
}

// Output reports whether the event brought any of the answer.
func (e Event) Output() bool {
	switch e.Kind {
	case KindText, KindSpace, KindReasoning, KindTool:
		return true
	}
	return false
}

// Unfinished reports whether we ended the request ourselves when its answer had begun: it
// was too long, took too long, or was given up.
func (r *Request) Unfinished() bool {
	if r.Reply == nil || len(r.Outputs()) == 0 {
		return false
	}
	o := r.Record.Outcome
	return o == pipeline.Timeout || o == pipeline.Cancelled || r.TooLong()
}

// TooLong reports whether more came than we read of any answer.
func (r *Request) TooLong() bool {
	return r.Reply != nil && r.Reply.Failure != nil && r.Reply.Failure.Kind == reply.TooLong
}

// OK reports whether the request was answered to its end.
func (r *Request) OK() bool { return r.Record.Outcome == pipeline.OK }

// Refused reports whether the server answered with something that is no completion: a
// status of failure, or a body of another kind.
func (r *Request) Refused() bool {
	if r.Reply == nil || r.Reply.Failure == nil {
		return false
	}
	kind := r.Reply.Failure.Kind
	return kind == reply.HTTPStatus || kind == reply.BadType
}

// Missing reports whether the server says that it has nothing at this place. One that does
// not know the model answers 404 too, and says so.
func (r *Request) Missing() bool {
	status := r.Record.Transport.Status
	if status == 404 {
		return !AboutModel(r.Reply.Failure.Message)
	}
	return status == 405
}

// Since returns the time from the sending to an instant, Unknown where either is.
func (r *Request) Since(at time.Duration) time.Duration { return pipeline.Since(r.Record.Sent, at) }

// Header returns a header of the response, empty when it has none of that name.
func (r *Request) Header(name string) string {
	for _, h := range r.Headers {
		if strings.EqualFold(h[0], name) {
			return h[1]
		}
	}
	return ""
}

// Outputs returns the output chunks of the answer.
func (r *Request) Outputs() []reply.Output {
	if r.Reply == nil {
		return nil
	}
	return r.Reply.Answer().Outputs
}
