package serve

import (
	"net/http"
	"time"

	"halfsecond/pipeline/wire"
)

// Protocol is what one family of clients speaks.
type Protocol struct {
	Name       string // in the ledger, such as "openai"
	CallPrefix string // how the ids of its tool calls begin
	// Early says that the headers of a stream go out when an engine begins to work on it,
	// and not with its first token, as they do of all streams of llama.cpp's server.
	Early bool
	// Whole says that the protocol has no streams.
	Whole bool
	// Dress adds the protocol's own headers to an answer of the model whose first byte
	// goes out that long after the request arrived; nil adds none.
	Dress func(h http.Header, m *Model, took time.Duration)
	// Refuse writes an error in place of an answer.
	Refuse func(w http.ResponseWriter, e *wire.Failure)
}

// Form writes one streamed answer in the shape of its protocol. Its methods append
// to a buffer of the caller, since they are called once a token. A form belongs to
// one answer and may keep what it has written so far.
type Form interface {
	// ContentType returns the value of the header.
	ContentType() string
	// Open appends what comes before the first piece; it goes out with it.
	Open(dst []byte, g *Generation) []byte
	// Piece appends one piece of the answer. Its text may be empty, as of a token that
	// belongs to a stop string.
	Piece(dst []byte, p Piece) []byte
	// End appends what follows the last piece of an answer that is complete.
	End(dst []byte, g *Generation) []byte
	// Fail appends what follows the last piece of one that is not.
	Fail(dst []byte, e *wire.Failure) []byte
}

// Kind is the channel that a part of an answer belongs to.
type Kind uint8

const (
	Content  Kind = iota // what the client shows
	Thinking             // the model's reasoning
	ToolCall             // the arguments of a tool call
)

// Part is a stretch of tokens of one kind.
type Part struct {
	Kind     Kind
	Call     *Call // of a ToolCall
	from, to int   // tokens of the answer
}

// Call is a tool call. Its tokens are those of the arguments; the name goes out with
// the first of them and costs none.
type Call struct {
	ID, Name  string
	Arguments string // JSON
}

// Piece is the text of one token, or of several that go out together. It never
// reaches over the end of a part.
type Piece struct {
	Part   *Part
	Index  int // of the part
	Tokens int // how many
	Text   string
	Opens  bool // it is the first of its part
	Shuts  bool // it is the last of its part
}

// EventStream is the content type of an event stream.
const EventStream = "text/event-stream; charset=utf-8"
