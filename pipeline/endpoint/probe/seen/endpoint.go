package seen

import "halfsecond/pipeline/endpoint/dialect"

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

	Looks     []Look   // what was asked before, in order; none of it a completion
	Models    []string // names in its list of models, sorted; nil when it gave none
	Elsewhere []Place  // what the user may have meant, where the server has nothing at this place

	Planned  int       // requests for a completion that were to be sent
	Requests []Request // those that were, in order
	// Stopped says why no more was to be sent after the last: Refused, Unanswered, Cap or
	// Interrupted; empty when all that were planned went well enough to go on.
	Stopped string
}

// Place is where a protocol is spoken.
type Place struct {
	URL      string
	Protocol dialect.Protocol
}

// Why requests were not sent.
const (
	Refused     = "refused"     // the one before got an answer that is no completion
	Unanswered  = "unanswered"  // the one before got no response
	Cap         = "cap"         // it might have exceeded the cap on tokens
	Interrupted = "interrupted" // the user had enough
)

// Look is a request that asks for no completion.
type Look struct {
	Method, URL string
	Status      int    // 0 without a response
	Type        string // media type
	To          string // where a redirect leads
	Message     string // the server's words, when the status is no success
	Failed      string // why there was no response
}
