package trace

import (
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/price"
	"halfsecond/pipeline/quantile"
)

// Version is the version of the format that this package writes and reads.
const Version = 1

// Run is everything a trace file holds.
type Run struct {
	Header Header
	Traces []pipeline.Trace
	Footer Footer
}

// Header says what was run, and how.
type Header struct {
	Scenario     string
	Kind         string // of its interactions: "voice", "ide" or "bench"; "grid" in a comparison
	ScenarioHash string
	Target       string // "sim", "mock" or "endpoint"
	Seed         uint64
	N            int    // interactions asked for
	WarmUp       int    // others before them, which are not in the file
	Version      string // of the program
	Budgets      []string
	Stages       []Stage // in the order of the pipeline
	Endpoints    []Endpoint
	TextsHashed  bool // of what was said, and of what a server says of a failure, there is the SHA-256
	Load         Load
	SelfTest     SelfTest
	ScenarioText string // the canonical scenario
	// LeastVisible is how long a suggestion in an editor must be there to count as shown; 0
	// where the scenario does not say.
	LeastVisible time.Duration
	// Hold is how long an editor holds text back at least, counted from the key; 0 where it does
	// not.
	Hold time.Duration
	// Quality is how answers were checked that are code; zero where they were not.
	Quality Quality
}

// Quality is how answers were checked that are code.
type Quality struct {
	Language string
	Checker  string        // who parsed them: a package, or the name of a program without its arguments
	Repair   time.Duration // what a broken answer costs
	Assumed  bool          // the scenario does not state that
}

// Endpoint is a service that took the place of a modelled stage.
type Endpoint struct {
	Stage       string // "llm"
	URL         string // without user and query, which may hold secrets
	Protocol    string
	Model       string // as the service calls it
	MaxRequests int    // caps of the run; 0 for none
	MaxTokens   int
	MaxCost     price.Dollars
	PerUser     int  // most requests of one user in flight
	Cold        bool // a connection was opened for each request
	IgnoreEOS   bool // answers of full length were asked for
	Limits      Limits
	Voice       string      // that speaks; empty where that was left to the service
	Language    string      // likewise
	Recordings  string      // SHA-256 of what users said to it: the rate and samples of each recording, in the order of their use; empty for none
	Price       price.Price // of the model; the zero Price when it is not known
}

// Stage is what is known of a stage before it runs.
type Stage struct {
	Name      string // the name of its spans
	Simulated bool   // it is modelled on this target
	Component string // where its figure is from: the slug of a hosted component, or "transport" and its name; "" for neither
	NoSpread  bool   // only a median is published for that component
	Engine    string // the modelled engine behind it, in words; "" for none
}

// Footer says how the run ended.
type Footer struct {
	N        int // interactions in the file
	Lateness Lateness
	Finished bool   // the run did all that was asked
	Reason   string // why not; empty when finished
	Cut      bool   // the file ends without a footer, as that of a program that was killed

	Background Background
	Engines    []Engine // the modelled engines of the run, one for each cell of a grid; none over a socket
	Prompts    Prompts
	Counters   []Counters // what the server counted, one for each cell of a grid; none where it was not asked
	Effort     Effort
	// Used is what was used of endpoints, with the warm-up and the requests of others, each
	// model once; none on other targets.
	Used []Used
	// LanguageServer is what was counted of the language server that completed; nil for none.
	LanguageServer *LanguageServer
}

// Engine is what became of the KV cache of a modelled engine, or of its replicas
// together, over the steps of a run, warm-up included.
type Engine struct {
	Model, Variant string // of a cell, with the tokens of its prompts; empty and 0 outside of a grid
	Prompt         int

	Blocks      int // of the cache
	Peak        int // most of them in use in a step
	Held        int // the sum of those in use over all steps
	Steps       int
	Full        int // steps with more than 95 % of the blocks in use
	Preemptions int // requests that gave way to others
	TokensMoved int // to a memory beside the cache, or back
}

// Background counts the requests that others made of the same model during the run,
// which are not in the file, and those of them that ended ok before it did.
type Background struct{ Requests, OK int }

// Lateness is how late the tester's own loop handled its work. P50 and P99 are
// Unknown when N is too small for them, Max is Unknown when N is 0: always on
// the virtual clock, which is never late.
type Lateness struct {
	N             int
	P50, P99, Max time.Duration
}

// LatenessOf sums up a histogram of latenesses.
func LatenessOf(h *quantile.Histogram) Lateness {
	l := unknownLateness()
	if l.N = h.N(); l.N > 0 {
		l.Max = h.Max()
	}
	if d, ok := h.P50(); ok {
		l.P50 = d
	}
	if d, ok := h.P99(); ok {
		l.P99 = d
	}
	return l
}

func unknownLateness() Lateness {
	return Lateness{P50: pipeline.Unknown, P99: pipeline.Unknown, Max: pipeline.Unknown}
}
