package pipeline

// LLM is a language model as a stage. It has a simulated form (an engine or a
// drawn hosted component on the same loop) and a network form (an endpoint).
// Its methods run on the loop.
type LLM interface {
	// Start sends the call now. Done follows exactly once, never from inside
	// Start.
	Start(c *Call)
	// Cancel gives the call up. Done follows with outcome Cancelled, unless the
	// call had ended. Cancel of an ended call does nothing.
	Cancel(c *Call)
}

// Reporter is an LLM that can tell of a call before that has ended, as when a run is cut.
type Reporter interface {
	// Report has the call's Record say what is known by now. It does nothing to a call that
	// has ended.
	Report(c *Call)
}

// Call is one request to a language model, seen from the stage that asks.
// The asker fills everything up to Done; Record and State belong to the LLM.
type Call struct {
	Session      int // whose call it is, as in Trace.Session
	PromptTokens int // prompt length for modelled forms
	OutputTokens int // answer length for modelled forms; at least 1
	MaxTokens    int // limit sent to a server; at least OutputTokens for modelled forms
	// Kind is what the call is for, such as "completion"; only slots that are pinned to a kind
	// look at it.
	Kind     string
	Priority int // larger goes first where the model has priorities; usually 0
	// Draw names the random numbers that a modelled form takes for the call: calls with the
	// same one meet the same in all runs of a seed, whatever else is asked. 0 takes the next of
	// those that such calls share, in the order of their coming.
	Draw uint64

	// Prompt, Answer and Thought are asked for only when the call crosses a socket.
	// Answer is the text that our own mock is told to say, and Thought the reasoning before
	// it; their token counts together are OutputTokens. A rented endpoint never sees them.
	// Each may be nil.
	Prompt  func() Prompt
	Answer  func() string
	Thought func() string
	// Blocks is asked for only by a modelled form that keeps prompts in a cache. It
	// appends one hash for each whole block of size tokens of the prompt followed by
	// the answer; each stands for all tokens up to its block's end, so that what
	// begins alike has the same hashes. It may be asked later than at the start and
	// more than once, and answers alike until Done. nil means that nothing is shared
	// with others.
	Blocks func(dst []uint64, size int) []uint64

	// Notify tells how far the answer is: a modelled form calls it at each of
	// Counts (ascending, each at least 1), a network form at every output chunk.
	// It may be nil when Counts is empty.
	Counts []int
	Notify func(Progress)
	// Done is called once, after the last Notify, with Record complete.
	Done func()

	Record Request // filled by the LLM; the asker sets ID and Due with NewRequest
	State  any     // the LLM's own
}

// Progress tells how far an answer has come.
type Progress struct {
	// Tokens out so far. A network form counts output chunks, which is an
	// estimate.
	Tokens int
	// Text that came since the last Progress. A modelled form has none: the
	// asker knows what it modelled. Nor has an output chunk of reasoning.
	Text string
	// Modelled is true for a modelled form: the count is then one of Counts.
	Modelled bool
}

// Prompt is what a server is asked. Chat is true for a conversation of one user
// message (Text) after an optional System; otherwise Text is a raw prompt with
// an optional Suffix, as code completion sends it. Typed is the end of Text that goes behind
// the suffix at a server that has a field for it, as llama.cpp's /infill has.
type Prompt struct {
	Chat   bool
	System string
	Text   string
	Suffix string
	Typed  string
}
