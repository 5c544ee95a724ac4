package heard

import "time"

// Kind is what an endpoint does.
type Kind string

// The kinds.
const (
	Listens   Kind = "listens"   // speech to text
	Speaks    Kind = "speaks"    // text to speech
	Converses Kind = "converses" // speech to speech
)

// Endpoint is what was heard of one. Texts that came from the server are without the key.
type Endpoint struct {
	URL      string // without what may be secret
	Kind     Kind
	Protocol string
	Model    string
	KeyGiven bool

	Recording *Recording // what was said to it; nil where it speaks alone
	Text      string     // what it was to say; "" where it does not
	Voice     string     // "" for its own choice
	Format    string     // of the samples that it was asked for, as in package speak
	Rate      int        // of these; 0 where it listens

	Idle     time.Duration // how long each session was left alone before anything was said
	Planned  int           // sessions
	Sessions []Session     // those that there were, in order
	// Stopped says why there were no more: Refused, Unanswered or Interrupted; "" when all
	// that were planned went well enough to go on.
	Stopped string
}

// Recording is what was said.
type Recording struct {
	Name                 string
	Rate                 int // samples a second
	Length               time.Duration
	SpeechFrom, SpeechTo time.Duration // its first and its last sample of speech
	Lacks                time.Duration // how much more its file says that it holds, of one that was cut
	Cut                  bool          // its file was cut, whether or not it is known by how much
}

// Why there were no more sessions.
const (
	Refused     = "refused"     // the server would not have the one before
	Unanswered  = "unanswered"  // nobody answered the one before
	Interrupted = "interrupted" // the user had enough
)
