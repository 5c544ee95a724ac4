// Package engine models one replica of an LLM server: requests queue, are
// computed and leave, on a pipeline loop.
//
// Read engine.go first: the Request and what every Engine promises. batched.go
// is continuous batching with paged KV blocks, as vLLM and its kin do it;
// slots.go is N independent slots in continuous time, as llama.cpp and Ollama do
// it; hosted.go is a rented model known by its published latencies. All pass one
// contract suite. stage.go puts an Engine into a pipeline.
package engine

import (
	"errors"
	"fmt"
	"time"

	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline"
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

	// Notify is called when NotifyAt tokens are out, and returns the next count
	// of interest, or 0 for none. It runs at the instant of the token. May be
	// nil.
	NotifyAt int
	Notify   func(n int) (next int)
	// Done is called once, after the last Notify: OK, Cancelled or Refused.
	Done func(pipeline.Outcome)

	// Scheduled is the instant at which the engine began to work on the request and
	// Last that of its newest token; Unknown before. Reason says why it was refused.
	Scheduled time.Duration
	Last      time.Duration
	Reason    error

	state     state
	target    int     // tokens to produce: Output, or Limit if less
	generated int     // tokens out
	computed  int     // tokens whose keys and values are in the cache
	planned   int     // tokens to compute in the step under way
	blocks    int     // KV blocks held
	answer    *answer // at a Hosted
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
// Submitted = Finished + Cancelled + Refused + Waiting + Running.
type Stats struct {
	Submitted, Finished, Cancelled, Refused int
	Waiting, Running                        int
	BlocksUsed, BlocksTotal                 int // KV blocks of BlockTokens; a slot is its context's blocks
	PromptTokens, OutputTokens              int // computed and produced so far
	Preemptions, Steps                      int
}

// BlockTokens is the number of tokens in a KV block.
const BlockTokens = roofline.BlockTokens

// blocksFor returns the blocks that hold n tokens.
func blocksFor(n int) int { return (n + BlockTokens - 1) / BlockTokens }

// ErrTooLarge is the Reason of a request that could never run here: its prompt
// and output do not fit the context or the cache.
var ErrTooLarge = errors.New("request is larger than the engine's context")

// accept prepares a request for the queue and checks it against the most tokens
// that one request may hold.
func (r *Request) accept(most int) error {
	if r.state != fresh {
		panic("engine: request submitted twice")
	}
	if r.Prompt < 1 || r.Output < 1 || r.Limit < 0 {
		panic(fmt.Sprintf("engine: impossible request: prompt %d, output %d, limit %d", r.Prompt, r.Output, r.Limit))
	}
	r.Scheduled, r.Last = pipeline.Unknown, pipeline.Unknown
	r.target = r.Tokens()
	if need := r.Prompt + r.target; need > most {
		return fmt.Errorf("%w: prompt %d and output %d need %d tokens, %d fit", ErrTooLarge, r.Prompt, r.target, need, most)
	}
	return nil
}

// emit counts one token out now and notifies.
func (r *Request) emit(now time.Duration) {
	r.generated++
	r.Last = now
	r.tell()
}

// tell notifies of the tokens out when that count is of interest.
func (r *Request) tell() {
	if r.NotifyAt > 0 && r.generated >= r.NotifyAt && r.Notify != nil {
		r.NotifyAt = r.Notify(r.generated)
	}
}
