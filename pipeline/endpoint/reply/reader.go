package reply

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"halfsecond/pipeline"
	"halfsecond/pipeline/wire"
)

// Response is what Read reads.
type Response struct {
	Status  int
	Header  http.Header
	Body    io.Reader
	Decoder Decoder // made for this response
	// Endless says that the protocol has no end event: the body ends when the answer
	// does.
	Endless bool
	// Clock is read at once and right after each read of Body returns.
	Clock func() time.Duration
	// Read, when set, is told of each read of Body that brought bytes; it may keep the
	// instant but not the bytes.
	Read func(at time.Duration, p []byte)
	// Message, when set, is told of each message of the response.
	Message func(Message)
	// MaxBytes limits the body, both as it comes and after decoding. 0 means DefaultMaxBytes.
	MaxBytes int64
	// RequestBytes is the length of the request's body, which bounds what a server can count
	// of its prompt; 0 is unknown.
	RequestBytes int
	// MaxOutputs limits the output chunks of a stream, of all choices together. 0 is no
	// limit.
	MaxOutputs int
}

const (
	// DefaultMaxBytes limits a reply: four of the longest lines. What is kept of one takes
	// up to five times as much memory, in chunks of output as short as JSON lets them be;
	// MaxOutputs bounds those. Messages without output take none, but end a reply that has
	// too many; see ErrSilent.
	DefaultMaxBytes = 4 * wire.MaxLine
	// ReadBytes is the most that one read takes. Bytes that wait together should be read
	// together, since they get one instant.
	ReadBytes = 32 << 10
	// maxErrorBytes is how much of a body is read for the words of an error.
	maxErrorBytes = 1 << 20
)

// Read reads the response to a streaming request up to its end and says what it held.
// It hands each output chunk to each as soon as its message is complete, with the choice
// that it belongs to; each may be nil.
//
// The content type decides the framing: an event stream, lines of JSON, or a whole
// answer in JSON. The end event, or a message that reports an error, ends the reply even
// if the body goes on. A body that ends cleanly without either is complete when the
// server had given a finish reason, and truncated otherwise; one that breaks off is
// truncated. One that goes over a limit is read no further and fails as TooLong.
func Read(resp Response, each func(choice int, o Output)) *Reply {
	r := newReader(resp, each)
	switch {
	case resp.Status < 200 || resp.Status > 299:
		r.readError()
	case r.contentType == "text/event-stream":
		r.readStream(&eventFraming{decoder: wire.EventDecoder{Comment: r.comment}, each: r.event})
	case slices.Contains(lineTypes, r.contentType):
		r.readStream(&lineFraming{each: r.event})
	case r.contentType == "application/json":
		r.readWhole()
	default:
		r.readOther()
	}
	return r.finish()
}

// lineTypes are the content types of a stream of JSON lines: none is registered.
var lineTypes = []string{"application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines", "application/stream+json"}

// reader builds a Reply.
type reader struct {
	decoder     Decoder
	endless     bool
	contentType string // lower case, without parameters
	body        body
	each        func(choice int, o Output)
	tell        func(Message)
	maxOutputs  int // 0 for no limit
	asked       int // bytes of the request, 0 for unknown

	reply   Reply
	ended   bool // the end event or an error was read
	step    Step // of the message in hand
	tally   tally
	odd     oddCounts
	outputs int // output chunks of all choices
	silent  int // messages and comments without any
	parts   parts
	choices []*gatherer
}

func newReader(resp Response, each func(int, Output)) *reader {
	if each == nil {
		each = func(int, Output) {}
	}
	tell := resp.Message
	if tell == nil {
		tell = func(Message) {}
	}
	limit, began := cmp.Or(resp.MaxBytes, DefaultMaxBytes), resp.Clock()
	mediaType, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	coding := strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding")))
	if coding == "identity" {
		coding = ""
	}
	return &reader{
		decoder:     resp.Decoder,
		endless:     resp.Endless,
		contentType: strings.ToLower(strings.TrimSpace(mediaType)),
		body: body{
			source: &source{from: resp.Body, clock: resp.Clock, at: began, read: resp.Read, left: limit, limit: limit, reads: mostReads(limit)},
			coding: coding, left: limit,
		},
		each:       each,
		tell:       tell,
		maxOutputs: resp.MaxOutputs,
		asked:      resp.RequestBytes,
		reply: Reply{
			Outcome:    pipeline.Truncated,
			Status:     resp.Status,
			Header:     resp.Header,
			RetryAfter: RetryAfter(resp.Header),
			Compressed: coding != "",
			Began:      began,
			FirstByte:  pipeline.Unknown,
			End:        pipeline.Unknown,
			Server:     pipeline.NewServerTime(),
		},
	}
}

// framing cuts a body into messages. feed and flush hand them over until the reader has
// enough.
type framing interface {
	feed(p []byte, at time.Duration) error
	flush()
}

type eventFraming struct {
	decoder wire.EventDecoder
	each    func(wire.Event) bool
}

func (f *eventFraming) feed(p []byte, at time.Duration) error { return f.decoder.Feed(p, at, f.each) }

func (f *eventFraming) flush() { f.decoder.Flush(f.each) }

type lineFraming struct {
	decoder wire.LineDecoder
	each    func(wire.Event) bool
}

func (f *lineFraming) feed(p []byte, at time.Duration) error { return f.decoder.Feed(p, at, f.each) }

func (f *lineFraming) flush() { f.decoder.Flush(f.each) }

// rooms are what readers read into.
var rooms = sync.Pool{New: func() any { return new([ReadBytes]byte) }}

// readStream reads messages as they come.
func (r *reader) readStream(f framing) {
	r.reply.streamed = true
	room := rooms.Get().(*[ReadBytes]byte)
	defer rooms.Put(room)
	for buf := room[:]; !r.ended; {
		n, err := r.body.Read(buf)
		if feedErr := f.feed(buf[:n], r.body.source.at); feedErr != nil {
			err = feedErr
		}
		if err != nil && !r.ended {
			r.endBody(f, err)
			return
		}
	}
}

// endBody handles a stream that ends without an end event.
func (r *reader) endBody(f framing, err error) {
	r.reply.End = r.body.source.at
	if !r.cleanEnd(err) {
		return
	}
	f.flush()
	if !r.ended && r.finished() {
		r.reply.Outcome = pipeline.OK
	}
}

// finished reports whether the server gave a reason why the answer ended: that of choice 0, or
// of the first one that came where that did not.
func (r *reader) finished() bool {
	slices.SortFunc(r.choices, func(a, b *gatherer) int { return cmp.Compare(a.index, b.index) })
	i := slices.IndexFunc(r.choices, func(g *gatherer) bool { return g.index == 0 })
	return len(r.choices) > 0 && r.choices[max(0, i)].finish != ""
}

// cleanEnd reports whether the body ended as it should and otherwise says what
// went wrong: the connection broke off, or bytes came that cannot be read.
// Compressed bytes that stop short of their own trailer are complete when the
// connection says so, since servers leave it out.
func (r *reader) cleanEnd(err error) bool {
	source := r.body.source
	if err == io.EOF || source.ended && errors.Is(err, io.ErrUnexpectedEOF) {
		return true
	}
	r.reply.Failure = &Failure{Kind: BadLink, Cause: err}
	if _, over := errors.AsType[*limitError](err); over || errors.Is(err, wire.ErrLineTooLong) {
		r.reply.Failure.Kind = TooLong
	}
	if source.broken == nil {
		r.reply.Outcome = pipeline.Error
	}
	return false
}

// event handles one message of a stream. It reports whether to read on.
func (r *reader) event(e wire.Event) bool {
	if r.ended { // by a comment of the same read
		return false
	}
	outputs := r.outputs
	r.message(e)
	if r.outputs == outputs {
		r.countSilent(e.At)
	}
	return !r.ended
}

// countSilent counts a message without output.
func (r *reader) countSilent(at time.Duration) {
	r.silent++
	if !r.ended && tooSilent(r.silent, r.outputs, at-r.reply.Began) {
		r.fail(at, &Failure{Kind: TooLong, Cause: ErrSilent})
	}
}

func (r *reader) message(e wire.Event) {
	e.Data = bytes.TrimSpace(e.Data)
	switch {
	case string(e.Data) == wire.Done:
		r.tell(Message{At: e.At, Name: e.Name, Data: e.Data})
		r.reply.Done = true
		r.end(e.At, pipeline.OK)
	case crowded(e.Data):
		r.tell(Message{At: e.At, Name: e.Name, Data: e.Data})
		r.fail(e.At, &Failure{Kind: TooLong, Cause: ErrTooManyValues})
	case e.Name == "error":
		r.tell(Message{At: e.At, Name: e.Name, Data: e.Data})
		if f := eventFailure(e.Data, e.Pending); f != nil {
			r.fail(e.At, f)
		}
	default:
		r.step.reset()
		r.decoder.Event(e, &r.step)
		if r.step.Unread = unread(e, &r.step); r.step.Unread {
			if !e.Pending {
				r.reply.Unread++
			}
		} else {
			if r.step.Mangled = r.step.says() && !utf8.Valid(e.Data); r.step.Mangled {
				r.reply.Mangled++
			}
			r.odd.look(e.Data, r.step.Usage, r.step.Timings)
		}
		r.tell(Message{At: e.At, Name: e.Name, Data: e.Data, Step: &r.step})
		r.take(e.At)
	}
}

// unread reports whether a message of a stream, of which the decoder made nothing, is no
// valid JSON. One by a name of its own may hold other text, so it counts only where it
// begins as JSON does.
func unread(e wire.Event, s *Step) bool {
	if len(e.Data) == 0 || s.says() {
		return false
	}
	named := e.Name != "" && e.Name != "message"
	return (!named || e.Data[0] == '{') && !json.Valid(e.Data)
}

// comment handles what an event stream says to nobody.
func (r *reader) comment(text []byte, at time.Duration) {
	if r.ended {
		return
	}
	r.tell(Message{At: at, Data: text, Comment: true})
	r.countSilent(at)
}

// take handles what a message of a stream said.
func (r *reader) take(at time.Duration) {
	s := &r.step
	outputs := s.outputs()
	r.outputs += outputs
	added := r.count(s.kinds())
	if outputs != 1 {
		added = unknownGrowth
	}
	for i := range s.Pieces {
		r.choice(s.Pieces[i].Choice).take(&s.Pieces[i], at, added)
	}
	switch {
	case s.Failure != nil:
		r.fail(at, s.Failure)
	case r.parts.tooMany() || s.asked.tooMany():
		r.fail(at, &Failure{Kind: TooLong, Cause: ErrTooManyParts})
	case r.maxOutputs > 0 && r.outputs > r.maxOutputs:
		r.fail(at, &Failure{Kind: TooLong, Cause: tooManyOutputs(r.outputs, r.maxOutputs)})
	case s.End:
		r.reply.Done = true
		r.end(at, pipeline.OK)
	}
}

// choice returns the gatherer of the choice with that index.
func (r *reader) choice(index int) *gatherer {
	for _, g := range r.choices {
		if g.index == index {
			return g
		}
	}
	if !r.parts.more() {
		return &gatherer{emit: func(Output) {}, parts: &r.parts}
	}
	g := &gatherer{index: index, emit: func(o Output) { r.each(index, o) }, parts: &r.parts}
	r.choices = append(r.choices, g)
	return g
}

// readWhole reads an answer that came as one JSON text.
func (r *reader) readWhole() {
	r.reply.Whole = true
	text, err := io.ReadAll(&r.body)
	r.reply.End = r.body.source.at
	if err != nil && !r.cleanEnd(err) {
		return
	}
	if crowded(text) {
		r.tell(Message{At: r.reply.End, Data: text})
		r.fail(r.reply.End, &Failure{Kind: TooLong, Cause: ErrTooManyValues})
		return
	}
	r.whole(text)
}

// whole handles an answer that came as one JSON text.
func (r *reader) whole(text []byte) {
	r.step.reset()
	r.decoder.Whole(text, &r.step)
	r.odd.look(text, r.step.Usage, r.step.Timings)
	r.tell(Message{At: r.reply.End, Data: text, Step: &r.step})
	r.count(kinds{})
	for i := range r.step.Pieces {
		p := &r.step.Pieces[i]
		r.choice(p.Choice).takeWhole(p)
	}
	switch {
	case r.step.Failure != nil:
		r.fail(r.reply.End, r.step.Failure)
	case r.parts.tooMany() || r.step.asked.tooMany():
		r.fail(r.reply.End, &Failure{Kind: TooLong, Cause: ErrTooManyParts})
	case len(r.choices) > 0:
		r.reply.Outcome = pipeline.OK
	}
}

// readError reads the body of a response whose status says that it failed.
func (r *reader) readError() {
	text := r.drain()
	r.tell(Message{At: r.body.source.at, Data: text})
	r.fail(r.body.source.at, statusFailure(r.reply.Status, text))
}

// readOther reads a body that nobody asked for, to know when it ended.
func (r *reader) readOther() {
	r.drain()
	r.fail(r.body.source.at, &Failure{Kind: BadType, Message: r.contentType})
}

// drain reads the body, or the beginning of a long one. What it cannot read does
// not matter beside the failure that the response already is.
func (r *reader) drain() []byte {
	text, _ := io.ReadAll(io.LimitReader(&r.body, maxErrorBytes))
	return text
}

func (r *reader) fail(at time.Duration, f *Failure) {
	r.reply.Failure = f
	r.end(at, pipeline.Error)
}

func (r *reader) end(at time.Duration, o pipeline.Outcome) {
	r.ended = true
	r.reply.End = at
	r.reply.Outcome = o
}

// finish completes the Reply from what was gathered.
func (r *reader) finish() *Reply {
	if r.body.source.got {
		r.reply.FirstByte = r.body.source.first
	}
	slices.SortFunc(r.choices, func(a, b *gatherer) int { return cmp.Compare(a.index, b.index) })
	r.reply.endless = r.endless
	r.reply.BodyEnded, r.reply.BodyBroken = r.body.source.ended, r.body.source.broken != nil
	for _, g := range r.choices {
		g.useSnapshot()
		r.reply.Choices = append(r.reply.Choices, g.choice())
	}
	r.useCount()
	r.judgeUnread()
	return &r.reply
}

// ErrNothingRead is the cause of a failure for a stream that came to its end, and brought
// nothing of an answer, while messages of it could not be read.
var ErrNothingRead = errors.New("nothing of the answer could be read: it came in messages that are no valid JSON")

// judgeUnread lets no answer pass of which there is nothing because of what could not be
// read: it is not known to be empty.
func (r *reader) judgeUnread() {
	if r.reply.Outcome == pipeline.OK && r.reply.Unread > 0 && r.amount() == "" {
		r.reply.Outcome, r.reply.Failure = pipeline.Error, &Failure{Kind: BadLink, Cause: ErrNothingRead}
	}
}
