package seen

import (
	"time"

	"halfsecond/pipeline/endpoint/dialect"
)

// How something about an endpoint came to be known.
const (
	Told    = "told"    // the user said so
	Path    = "path"    // the URL is that of a protocol
	List    = "list"    // its list of models has the protocol's shape
	Answer  = "answer"  // of the places where protocols are asked, that one is there
	Assumed = "assumed" // nothing tells
	Only    = "only"    // the model is the only one that the endpoint lists
	Ignored = "ignored" // the protocol has no place for a model's name
)

// Endpoint is what was seen of one. Texts that came from the server are without the key.
type Endpoint struct {
	URL        string // without what may be secret
	Protocol   dialect.Protocol
	ProtocolBy string // Told, Path, List, Answer or Assumed
	Model      string // empty when it is not known, and nothing was sent
	ModelBy    string // Told, Only or Ignored; empty when it is not known
	KeyGiven   bool
	Cold       bool // each request has a connection of its own

	Looks  []Look   // what was asked beside the requests, in order; none of it a completion
	Models []string // names in its list of models, sorted; nil when it gave none
	// NoList is the Look at the list of models when the server failed to give it; nil when
	// it gave one, was not asked, or has none.
	NoList *Look
	// Hindrance is the Look that shows why the endpoint cannot be asked; nil when none does.
	Hindrance *Look
	Elsewhere []dialect.Place // what the user may have meant, where the server has nothing at this place

	Limit    int       // most tokens of an answer, as each request says
	Planned  int       // requests for a completion that were to be sent
	Requests []Request // those that were, in order
	// Stopped says why no more was to be sent after the last; empty when all that were
	// planned went well enough to go on.
	Stopped string
}

// Why requests were not sent.
const (
	Refused     = "refused"     // the one before got an answer that is no completion
	Unanswered  = "unanswered"  // the one before got no response
	Overrun     = "overrun"     // the answer before went on far beyond its limit
	TimedOut    = "timeout"     // the answer before took too long
	Cap         = "cap"         // it might have exceeded the cap on tokens
	Interrupted = "interrupted" // the user had enough
)

// Look is a request that asks for no completion.
type Look struct {
	Method, URL string
	Status      int           // 0 without a response
	Type        string        // media type
	To          string        // where a redirect leads
	Wait        time.Duration // how long the server asks to wait; pipeline.Unknown when it does not
	Headers     [][2]string   // of the response, without those that may hold secrets
	Message     string        // the server's words, when the status is no success
	Failed      string        // why there was no response
}
