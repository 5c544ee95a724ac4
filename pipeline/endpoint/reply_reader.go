package endpoint

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/wire"
)

// Response is what ReadReply reads.
type Response struct {
	Protocol Protocol
	Status   int
	Header   http.Header
	Body     io.Reader
	// Clock is read at once and right after each read of Body returns.
	Clock func() time.Duration
	// MaxBytes limits the body after decoding. 0 means DefaultMaxBytes.
	MaxBytes int64
}

const (
	// DefaultMaxBytes limits a reply: four of the longest lines.
	DefaultMaxBytes = 4 * wire.MaxLine
	// maxErrorBytes is how much of a body is read for the words of an error.
	maxErrorBytes = 1 << 20
	// readBytes is the most that one read takes. Bytes that wait together should
	// be read together, since they get one instant.
	readBytes = 32 << 10
)

// ReadReply reads the response to a streaming request up to its end and says what
// it held. It hands each output chunk to each as soon as its event is complete,
// with the choice that it belongs to; each may be nil.
//
// The content type decides the parser: an event stream, or a whole answer in
// JSON. The end event, or an event that reports an error, ends the reply even if
// the body goes on. A body that ends cleanly without either is complete when the
// server had given a finish reason, and truncated otherwise; one that breaks off
// is truncated.
func ReadReply(resp Response, each func(choice int, o Output)) *Reply {
	r := newReplyReader(resp, each)
	switch {
	case resp.Status < 200 || resp.Status > 299:
		r.readError()
	case r.contentType == "text/event-stream":
		r.readStream()
	case r.contentType == "application/json":
		r.readWhole()
	default:
		r.readOther()
	}
	return r.finish()
}

// replyReader builds a Reply.
type replyReader struct {
	protocol    Protocol
	contentType string // lower case, without parameters
	body        body
	events      wire.EventDecoder
	each        func(choice int, o Output)

	reply   Reply
	ended   bool // the end event or an error was read
	tally   tally
	choices []*gatherer
	touched []*gatherer // those that the event in hand is about
}

func newReplyReader(resp Response, each func(int, Output)) *replyReader {
	if each == nil {
		each = func(int, Output) {}
	}
	limit := cmp.Or(resp.MaxBytes, DefaultMaxBytes)
	mediaType, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	coding := strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding")))
	if coding == "identity" {
		coding = ""
	}
	return &replyReader{
		protocol:    resp.Protocol,
		contentType: strings.ToLower(strings.TrimSpace(mediaType)),
		body: body{
			source: &source{from: resp.Body, clock: resp.Clock, at: resp.Clock()},
			coding: coding, left: limit, limit: limit,
		},
		each: each,
		reply: Reply{
			Outcome:    pipeline.Truncated,
			Status:     resp.Status,
			Header:     resp.Header,
			RetryAfter: retryAfter(resp.Header),
			Compressed: coding != "",
			FirstByte:  pipeline.Unknown,
			End:        pipeline.Unknown,
		},
	}
}

// readStream reads an event stream.
func (r *replyReader) readStream() {
	r.reply.streamed = true
	buf := make([]byte, readBytes)
	for !r.ended {
		n, err := r.body.Read(buf)
		if feedErr := r.events.Feed(buf[:n], r.body.source.at, r.event); feedErr != nil {
			err = feedErr
		}
		if err != nil && !r.ended {
			r.endBody(err)
			return
		}
	}
}

// endBody handles a stream that ends without an end event.
func (r *replyReader) endBody(err error) {
	r.reply.End = r.body.source.at
	if !r.cleanEnd(err) {
		return
	}
	r.events.Flush(r.event)
	if !r.ended && len(r.choices) > 0 && r.choice(0).finish != "" {
		r.reply.Outcome = pipeline.OK
	}
}

// cleanEnd reports whether the body ended as it should and otherwise says what
// went wrong: the connection broke off, or bytes came that cannot be read.
// Compressed bytes that stop short of their own trailer are complete when the
// connection says so, since servers leave it out.
func (r *replyReader) cleanEnd(err error) bool {
	source := r.body.source
	if err == io.EOF || source.ended && errors.Is(err, io.ErrUnexpectedEOF) {
		return true
	}
	r.reply.Failure = &Failure{Kind: BadLink, Cause: err}
	if source.broken == nil {
		r.reply.Outcome = pipeline.Error
	}
	return false
}

// event handles one event of a stream. It reports whether to read on.
func (r *replyReader) event(e wire.Event) bool {
	data := bytes.TrimSpace(e.Data)
	switch {
	case string(data) == wire.Done:
		r.reply.Done = true
		r.end(e.At, pipeline.OK)
	case e.Name == "error":
		if f := eventFailure(data, e.Pending); f != nil {
			r.fail(e.At, f)
		}
	case e.Name == "" || e.Name == "message":
		if c, err := wire.ParseChunk(data); err == nil {
			r.chunk(&c, e.At)
		}
	}
	return !r.ended
}

// chunk handles the JSON of one event.
func (r *replyReader) chunk(c *wire.Chunk, at time.Duration) {
	f := r.gather(c, at)
	pieces := 0
	for _, g := range r.touched {
		pieces += g.pieces()
	}
	tokens := r.tally.take(c, pieces > 0)
	if pieces != 1 {
		tokens = pipeline.UnknownCount
	}
	for _, g := range r.touched {
		g.endEvent(at, tokens, r.emitter(g))
	}
	if f != nil {
		r.fail(at, f)
	}
}

// gather hands the choices of a chunk to their gatherers and returns the error
// that the chunk reports, if any.
func (r *replyReader) gather(c *wire.Chunk, at time.Duration) *Failure {
	f := memberFailure(c.Error)
	r.touched = r.touched[:0]
	for i := range c.Choices {
		choice := &c.Choices[i]
		g := r.choice(choice.Index)
		if !slices.Contains(r.touched, g) {
			r.touched = append(r.touched, g)
		}
		g.finish = cmp.Or(choice.FinishReason, g.finish)
		if f == nil {
			f = memberFailure(choice.Error)
		}
		r.takePiece(g, choice, at)
	}
	return f
}

func (r *replyReader) takePiece(g *gatherer, c *wire.Choice, at time.Duration) {
	switch {
	case r.protocol == OpenAICompletions:
		g.textPiece += c.Text
	case r.reply.Whole:
		if c.Message != nil {
			g.takeMessage(*c.Message)
		}
	default:
		if c.Delta != nil {
			g.take(*c.Delta)
		}
		if c.Message != nil {
			g.keepSnapshot(c.Message, at)
		}
	}
}

// choice returns the gatherer of the choice with that index.
func (r *replyReader) choice(index int) *gatherer {
	for _, g := range r.choices {
		if g.index == index {
			return g
		}
	}
	g := &gatherer{index: index}
	r.choices = append(r.choices, g)
	return g
}

func (r *replyReader) emitter(g *gatherer) func(Output) {
	return func(o Output) { r.each(g.index, o) }
}

// readWhole reads an answer that came as one JSON text.
func (r *replyReader) readWhole() {
	r.reply.Whole = true
	text, err := io.ReadAll(&r.body)
	r.reply.End = r.body.source.at
	if err != nil && !r.cleanEnd(err) {
		return
	}
	c, err := wire.ParseChunk(text)
	if err != nil {
		return
	}
	f := r.gather(&c, r.reply.End)
	r.tally.take(&c, false)
	for _, g := range r.touched {
		g.join()
	}
	switch {
	case f != nil:
		r.fail(r.reply.End, f)
	case len(r.choices) > 0:
		r.reply.Outcome = pipeline.OK
	}
}

// readError reads the body of a response whose status says that it failed.
func (r *replyReader) readError() {
	text := r.drain()
	r.fail(r.body.source.at, statusFailure(r.reply.Status, text))
}

// readOther reads a body that nobody asked for, to know when it ended.
func (r *replyReader) readOther() {
	r.drain()
	r.fail(r.body.source.at, &Failure{Kind: BadType, Message: r.contentType})
}

// drain reads the body, or the beginning of a long one. What it cannot read does
// not matter beside the failure that the response already is.
func (r *replyReader) drain() []byte {
	text, _ := io.ReadAll(io.LimitReader(&r.body, maxErrorBytes))
	return text
}

func (r *replyReader) fail(at time.Duration, f *Failure) {
	r.reply.Failure = f
	r.end(at, pipeline.Error)
}

func (r *replyReader) end(at time.Duration, o pipeline.Outcome) {
	r.ended = true
	r.reply.End = at
	r.reply.Outcome = o
}

// finish completes the Reply from what was gathered.
func (r *replyReader) finish() *Reply {
	if r.body.source.got {
		r.reply.FirstByte = r.body.source.first
	}
	slices.SortFunc(r.choices, func(a, b *gatherer) int { return cmp.Compare(a.index, b.index) })
	for _, g := range r.choices {
		g.useSnapshot(r.emitter(g))
		r.reply.Choices = append(r.reply.Choices, g.choice())
	}
	r.reply.Usage, r.reply.TokenSource = r.tally.result()
	return &r.reply
}
