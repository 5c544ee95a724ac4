package text

import (
	"net/http"
	"time"
)

// protocol is what one family of clients speaks.
type protocol struct {
	name       string // in the ledger, such as "openai"
	callPrefix string // how the ids of its tool calls begin
	// dress adds the protocol's own headers to an answer of the model whose first byte
	// goes out that long after the request arrived; nil adds none.
	dress func(h http.Header, m *model, took time.Duration)
	// refuse writes an error in place of an answer.
	refuse func(w http.ResponseWriter, e *apiError)
}

// form writes one streamed answer in the shape of its protocol. Its methods append
// to a buffer of the caller, since they are called once a token. A form belongs to
// one answer and may keep what it has written so far.
type form interface {
	// contentType returns the value of the header.
	contentType() string
	// open appends what comes before the first piece; it goes out with it.
	open(dst []byte, g *generation) []byte
	// piece appends one piece of the answer. Its text may be empty, as of a token that
	// belongs to a stop string.
	piece(dst []byte, p piece) []byte
	// end appends what follows the last piece of an answer that is complete.
	end(dst []byte, g *generation) []byte
	// fail appends what follows the last piece of one that is not.
	fail(dst []byte, e *apiError) []byte
}

// kind is the channel that a part of an answer belongs to.
type kind uint8

const (
	content  kind = iota // what the client shows
	thinking             // the model's reasoning
	toolCall             // the arguments of a tool call
)

// part is a stretch of tokens of one kind.
type part struct {
	kind     kind
	call     *call // of a toolCall
	from, to int   // tokens of the answer
}

// call is a tool call. Its tokens are those of the arguments; the name goes out with
// the first of them and costs none.
type call struct {
	id, name  string
	arguments string // JSON
}

// piece is the text of one token, or of several that go out together. It never
// reaches over the end of a part.
type piece struct {
	part   *part
	index  int // of the part
	tokens int // how many
	text   string
	opens  bool // it is the first of its part
	shuts  bool // it is the last of its part
}
