// Package engine models one replica of an LLM server: requests queue, are
// computed and leave, on a pipeline loop.
//
// Read engine.go first: the Request and what every Engine promises. batched.go
// works in steps, as all serving software does: config.go lists its habits, plan.go
// says who is in a step, memory.go, prefix.go and lanes.go where keys and values
// live, full.go what happens when they do not fit, speculation.go how drafts are
// verified. slots.go is N independent slots in continuous time with given service
// times; hosted.go a rented model known by its published latencies. All pass one
// contract suite. replica.go turns a family of the catalogue on some hardware into
// an engine; stage.go puts an Engine into a pipeline.
package engine

import (
	"errors"
	"fmt"
	"time"

	"halfsecond/mockllm/engine/kv"
	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// Engine serves requests on the loop it was made with. Its methods may be called
// only from work on that loop, callbacks of its requests included: there they
// queue or flag and nothing more.
type Engine interface {
	// Submit queues the request. Done follows exactly once, never from inside
	// Submit.
	Submit(r *Request)
	// Cancel gives the request up. A waiting one leaves at once; a running one
	// leaves, and its memory is free, within the step under way. Cancel of a
	// request that has ended does nothing.
	Cancel(r *Request)
	// Stats returns the state at this instant.
	Stats() Stats
}

// Request is one generation. The asker fills the first part before Submit and
// must not change it until Done.
type Request struct {
	Prompt int // prompt tokens, at least 1
	Output int // tokens after which the model ends by itself, at least 1
	Limit  int // most tokens wanted; 0 means no limit

	// Kind is what the request is for, such as "chat". Only slots that are pinned to a
	// kind look at it.
	Kind string
	// Priority goes before age: the larger is served first and gives way last. It
	// means nothing to an engine that knows no priorities.
	Priority int
	// ID is the number of the call that it serves; 0 when that has none.
	ID int64
	// Draw names the random numbers that are the request's, as in pipeline.Call.
	Draw uint64
	// Blocks appends one hash for each whole block of size tokens of the prompt
	// followed by the answer. A hash stands for all tokens up to the end of its
	// block, so requests have as many hashes in common as they have blocks. An engine
	// that reuses what it computed asks when it takes the request up, which an API
	// server, a load or a router before it delays, and again when the request is tried
	// elsewhere: it must answer alike at any instant until Done. Nil shares nothing.
	Blocks func(dst []uint64, size int) []uint64

	// Notify is called when NotifyAt tokens are out, and returns the next count
	// of interest, above n, or 0 for none. It runs at the instant of token n; when
	// several come out at once, it is called for each count of interest among
	// them, in order. May be nil.
	NotifyAt int
	Notify   func(n int) (next int)
	// Started is called at the instant Scheduled, again when the request is tried
	// elsewhere. It must not call the engine. May be nil.
	Started func()
	// Done is called once, after the last Notify: OK, Cancelled or Refused, or
	// Error when the replica failed under it.
	Done func(pipeline.Outcome)

	// Scheduled is the instant at which the engine began to work on the request and
	// Last that of its newest token; Unknown before. Loading is how long it waited before
	// that for the model to be loaded and warm. Reason says why it was refused or failed.
	// CachedTokens is how many tokens of the prompt were there from earlier requests and
	// not computed.
	Scheduled    time.Duration
	Last         time.Duration
	Loading      time.Duration
	Reason       error
	CachedTokens int

	state     state
	decoding  bool          // all but the newest token are computed
	target    int           // tokens to produce: Output, or Limit if less
	generated int           // tokens out
	computed  int           // tokens whose keys and values are in the cache
	planned   int           // tokens to compute in the step under way
	blocks    int           // KV blocks held for its tokens, those beside the cache with them
	extra     *extra        // at a Batched that needs it
	answer    *answer       // at a Hosted
	first     time.Duration // at Slots: from Scheduled to the first token
	relayed   *Request      // what an engine works on in its place, as long as a Relay knows
}

// extra is what only some configurations of Batched know of a request.
type extra struct {
	slow     int // KV blocks held beside the cache
	promised int // KV blocks that admission control keeps for it
	windowed int // KV blocks held for sliding windows

	chain     []uint64   // hashes of the blocks of its tokens
	held      []kv.Block // the blocks, where they are shared
	windows   []kv.Block // those for sliding windows beside them
	published int        // of held, from the start

	dice dist.Rand // of the acceptance of drafts
}

// Evaluated returns how many tokens of the prompt were computed for the request until now,
// those aside that were there from earlier requests. A slot computes them evenly until the
// first token. It is pipeline.UnknownCount at a Hosted until the first token: nobody tells.
func (r *Request) Evaluated(now time.Duration) int {
	if r.relayed != nil {
		return r.relayed.Evaluated(now)
	}
	fresh := r.Prompt - r.CachedTokens
	switch {
	case r.generated > 0:
		return fresh
	case !r.begun():
		return 0
	case r.answer != nil:
		return pipeline.UnknownCount
	case r.first > 0:
		return int(float64(fresh) * min(1, float64(now-r.Scheduled)/float64(r.first)))
	}
	return min(fresh, max(0, r.computed-r.CachedTokens))
}

// Finish returns why a request that ended OK ended: "stop" at the end of the
// sequence, "length" at the limit.
func (r *Request) Finish() string {
	if r.Limit > 0 && r.Limit < r.Output {
		return "length"
	}
	return "stop"
}

// Generated returns the number of tokens out so far.
func (r *Request) Generated() int { return r.generated }

// Tokens returns the number of tokens that the request will produce.
func (r *Request) Tokens() int {
	if r.Limit > 0 {
		return min(r.Output, r.Limit)
	}
	return r.Output
}

type state uint8

const (
	fresh state = iota
	waiting
	running
	leaving // ended or given up, Done still to come
	ended
)

// Stats is the state of an engine at one instant. At every instant
// Submitted = Finished + Cancelled + Refused + Failed + Waiting + Running.
type Stats struct {
	Submitted, Finished, Cancelled, Refused int
	Failed                                  int // ended with an error, as only replicas behind a router do
	Waiting, Running                        int

	// KV blocks, each counted once: held by running requests, kept for later ones
	// that may share them, and all there are; the rest is free. A slot is the blocks
	// of its context and its windows.
	BlocksUsed, BlocksCached, BlocksTotal int
	// KV blocks in the memory beside the cache, and bytes moved to it or back so far, and
	// tokens that these were the keys and values of.
	BlocksSlow  int
	BytesMoved  int64
	TokensMoved int

	PromptTokens, OutputTokens int // computed and produced so far
	Preemptions, Steps         int
	// Of the steps so far: the most KV blocks used in one, or several engines' such added
	// up; the sum of those used over all; and how many used more than FullCache of them.
	BlocksPeak, BlocksHeld, StepsFull int

	PrefixQueries int // tokens looked up in the prefix cache so far
	PrefixHits    int // those of them that were there
	Evictions     int // cached blocks given up for their room so far

	Drafted, Accepted int // tokens drafted and accepted so far

	Loads int // of a model that is not always in memory, so far
}

// FullCache is the share of the KV blocks in use above which a cache counts as full.
const FullCache = .95

// BlockTokens is the number of tokens in a KV block unless a configuration says
// otherwise.
const BlockTokens = roofline.BlockTokens

// blocksFor returns the blocks of size tokens that hold n tokens.
func blocksFor(n, size int) int { return (n + size - 1) / size }

// Reasons of a refusal.
var (
	// ErrTooLarge: the request could never run here, for its prompt and output do
	// not fit the context or the cache.
	ErrTooLarge = errors.New("request is larger than the engine's context")
	// ErrFull: the request does not fit beside those accepted before it.
	ErrFull = errors.New("no room in the KV cache now")
)

// arrive takes note of a request that was just submitted.
func (r *Request) arrive() {
	if r.state != fresh {
		panic("engine: request submitted twice")
	}
	r.Scheduled, r.Last = pipeline.Unknown, pipeline.Unknown
}

// start takes note that the engine begins to work on the request now.
func (r *Request) start(now time.Duration) {
	r.Scheduled = now
	if r.Started != nil {
		r.Started()
	}
}

// begun reports whether an engine has begun to work on the request.
func (r *Request) begun() bool {
	if r.relayed != nil {
		return r.relayed.begun()
	}
	return r.Scheduled != pipeline.Unknown
}

// accept prepares a request for the queue and checks it against the most tokens
// that one request may hold.
func (r *Request) accept(most int) error {
	r.arrive()
	if r.Prompt < 1 || r.Output < 1 || r.Limit < 0 {
		panic(fmt.Sprintf("engine: impossible request: prompt %d, output %d, limit %d", r.Prompt, r.Output, r.Limit))
	}
	r.CachedTokens, r.target = 0, r.Tokens()
	if need := r.Prompt + r.target; need > most {
		return fmt.Errorf("%w: prompt %d and output %d need %d tokens, %d fit", ErrTooLarge, r.Prompt, r.target, need, most)
	}
	return nil
}

// emit counts n tokens out now and notifies.
func (r *Request) emit(n int, now time.Duration) {
	r.generated += n
	r.Last = now
	if r.NotifyAt > 0 && r.generated >= r.NotifyAt {
		r.tell()
	}
}

// tell notifies of each count of interest among the tokens out, until the asker
// gives the request up.
func (r *Request) tell() {
	if r.Notify == nil {
		return
	}
	for r.NotifyAt > 0 && r.NotifyAt <= r.generated && r.state == running {
		n := r.NotifyAt
		if r.NotifyAt = r.Notify(n); r.NotifyAt > 0 && r.NotifyAt <= n {
			panic(fmt.Sprintf("engine: told of %d tokens, the next count of interest is %d", n, r.NotifyAt))
		}
	}
}
