package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/strict"
	"halfsecond/simulators/arrival"
	"halfsecond/simulators/bench"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/recording"
	"halfsecond/simulators/ide/typing"
)

// Scenario is an experiment: who asks what of which system, and what is good
// enough. Run and Endpoints say how to carry it out and are no part of it. The
// section of its Kind is set, the others are nil.
type Scenario struct {
	Version  int    // of the file format, 1
	Kind     string // "voice", "ide", "bench" or "grid"
	Name     string
	Catalog  Catalog
	Arrivals arrival.Process
	WarmUp   int // interactions at the start that stay out of the report
	// FindStartUp has the report find out for itself how many: WarmUp is then 0.
	FindStartUp bool

	Voice *Voice
	IDE   *IDE
	Bench *Bench
	Grid  *Grid

	Background *Background // nil for none
	Budgets    []Budget
	Run        Run
	Endpoints  Endpoints
}

// IDE describes somebody typing in an editor with a ghost-text plugin.
type IDE struct {
	Typist    Typist
	Plugin    plugin.Rules
	LLM       LLM
	RoundTrip Delay
	Answers
	Quality *Quality // nil where the scenario does not have answers checked
}

// Quality is how answers of an IDE are checked that are code.
type Quality struct {
	Language string         // of what is typed
	Repair   *time.Duration // what a broken answer costs; nil where that is not stated
}

// Answers is what the modelled answers of an IDE say.
type Answers struct {
	Truth  float64 // share that is what the user goes on to type, among those that are not broken
	Broken float64 // share that begins as that and has broken syntax further on
}

// Typist is a generated typist, or a recorded session when Session has a name.
type Typist struct {
	Profile  string  // one of typing.ProfileNames
	WPM      float64 // words of five characters a minute; 0 is the expert's own pace
	Gaps     typing.Shape
	Text     Text
	Lines    int     // typed at a time somewhere in the text; 0 types it whole into an empty document
	Errors   float64 // share of letters and digits mistyped, and put right
	Rethinks float64 // share of lines taken back in part and typed again
	Jumps    float64 // share of lines after which another one is corrected
	Pastes   float64 // share of lines that begin with a paste
	// HoldFirst and HoldNext are when a held backspace repeats.
	HoldFirst, HoldNext time.Duration
	Accepts             *Accepts // nil: every suggestion is typed through

	Session  Session
	Document int // which of its documents, AllDocuments for the whole session

	MaxPause time.Duration // longer pauses are cut to this; 0 cuts none
}

// AllDocuments stands for all documents of a session, in order of time.
const AllDocuments = -1

// Accepts is which suggestions a generated typist takes: see typing.Reader.
type Accepts struct {
	Right, Wrong float64
	Length       int
}

// Session is a recording that is replayed.
type Session struct {
	Name      string // of the built-in recording, or the path of a file
	Digest    string // identifies the content of a file; empty for the built-in one
	Recording *recording.Session
}

// Text is what a generated typist types.
type Text struct {
	Name    string // of a built-in text, or the path of a file
	Content string
	Digest  string // identifies the content of a file; empty for a built-in text
}

// Bench describes plain requests.
type Bench struct {
	Lengths      string     // "stated", or "trace": those of the arrivals' own rows
	PromptTokens dist.Count // stated
	OutputTokens dist.Count // stated
	Shared       bench.Shared
	LLM          LLM
}

// LLM is a modelled language model: an Engine, or else a Cassette, or else a delay to
// the first token and a steady rate after it.
type LLM struct {
	Engine          *Engine
	Cassette        *Cassette
	TTFT            Delay
	TokensPerSecond float64 // after the first token
}

// Loads reports whether the model is not always in memory.
func (m LLM) Loads() bool { return m.Engine != nil && m.Engine.loads() }

// LLM returns the scenario's language model and the network to it and back, of any
// kind but a grid, which has several.
func (s *Scenario) LLM() (m LLM, roundTrip Delay) {
	switch {
	case s.Voice != nil:
		return s.Voice.LLM, s.Voice.LLMRoundTrip
	case s.IDE != nil:
		return s.IDE.LLM, s.IDE.RoundTrip
	default:
		return s.Bench.LLM, Delay{}
	}
}

// Background is what other people ask of the same model meanwhile. Their requests
// arrive at random, share nothing with any other, and are not judged.
type Background struct {
	Rate         float64 // requests a second
	PromptTokens dist.Count
	OutputTokens dist.Count
	Priority     int // larger goes first, where the model has priorities; others have 0
}

// Budget is an expression that a run has to meet.
type Budget struct {
	Expression   string
	Line, Column int // where the expression begins in the file
}

// MostInteractions bounds a run: a million traces take some 4 GB of memory.
const MostInteractions = 1_000_000

// Run holds the settings of a run.
type Run struct {
	N      int // interactions to report
	Seed   uint64
	Target string // "sim", "mock" or "endpoint"
}

// Endpoints holds the real services to use in place of the modelled ones.
type Endpoints struct {
	LLM *Endpoint
	STT *SpeechService
	TTS *SpeechService
	// Direct is a model that hears and speaks.
	Direct *SpeechService
	Cells  []Cell // of a grid: where it departs from LLM
}

// Endpoint is a service that somebody runs.
type Endpoint struct {
	URL       string
	Protocol  string // a dialect.Protocol
	Model     string // as the service calls it; empty for its only one
	KeyEnv    string // the environment variable that holds the key; empty for none
	IgnoreEOS bool   // ask for answers of full length, which vLLM and SGLang understand
}

// SpeechService is a service that hears or speaks, which somebody runs.
type SpeechService struct {
	URL, Protocol, Model, KeyEnv string
	Language                     string // "" leaves it to the service
	Voice                        string // that speaks; "" leaves it to the service
}

// Parse reads a scenario; file is its name in messages. open returns the content
// of a file that the scenario names; when it is nil, only what is built in can be
// named. The error joins one Problem for everything that is wrong, in the order
// of the file.
func Parse(file string, data []byte, open func(name string) ([]byte, error)) (*Scenario, error) {
	return ParseWith(file, data, open, nil)
}

// ParseWith is Parse of a scenario with changes. Places of what is wrong with a change are
// those in its own value.
func ParseWith(file string, data []byte, open func(name string) ([]byte, error), changes []Change) (*Scenario, error) {
	r := &reader{Reader: strict.Reader{File: file}, open: open}
	root := r.Document(data, "halfsecond: 1")
	if root == nil {
		return nil, strict.Join(r.Problems)
	}
	root, err := altered(root, changes)
	if err != nil {
		return nil, err
	}
	s, ok := schema.read(r, root)
	if !ok || len(r.Problems) > 0 {
		return nil, strict.Join(r.Problems)
	}
	return &s, nil
}

// Canonical returns the scenario in full: every default is written out, names of
// the catalogue are spelled as there, and the figures of components and the
// contents of files are noted. A plugin's rules that are as usual are left out by groups. Parse reads it back to an equal scenario, but for
// the positions of the budgets.
func (s *Scenario) Canonical() string { return schema.write(*s).render(false) }

// Hash identifies the experiment: the SHA-256, in hexadecimal, of the canonical
// text without the keys run and endpoints. Models and accelerators of the program
// count by name: their figures and the equations belong to its version. Those of a
// user's file count by the file's content.
func (s *Scenario) Hash() string {
	experiment := schema.write(*s).keep(func(key string) bool { return key != "run" && key != "endpoints" })
	sum := sha256.Sum256([]byte(experiment.render(false)))
	return hex.EncodeToString(sum[:])
}
