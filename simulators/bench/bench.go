// Package bench simulates plain requests: a prompt goes out, an answer comes
// back. It is the interaction to compare engines and endpoints with.
package bench

import (
	"time"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// Config sets up a Simulator.
type Config struct {
	Loop         pipeline.Scheduler
	LLM          pipeline.LLM
	PromptTokens dist.Count
	SharedPrefix int // tokens that begin every prompt, the same in all; a shorter prompt is nothing else
	OutputTokens dist.Count
	Priority     int // of every request
	Seed         uint64
	NextRequest  func() int64         // numbers requests, unique within the run
	Late         func() time.Duration // how late the loop handles the work in hand; nil means never
}

// Simulator makes requests. Its methods run on the loop.
type Simulator struct{ config Config }

// New returns a Simulator.
func New(c Config) *Simulator { return &Simulator{c} }

// exchange is one request under way.
type exchange struct {
	pipeline.Interaction
	simulator *Simulator
	trace     pipeline.Trace
	call      pipeline.Call
	first     pipeline.SpanID
	decode    pipeline.SpanID
	kept      *kept
}

// kept is what a trace keeps of an exchange, in one piece of memory.
type kept struct {
	spans    [2]pipeline.Span
	requests [1]pipeline.Request
}

// firstToken is the count of interest of a modelled answer.
var firstToken = []int{1}

// Begin sends a request that is due now. done receives its trace.
func (s *Simulator) Begin(session, index int, done func(*pipeline.Trace)) {
	c := &s.config
	x := &exchange{simulator: s, decode: pipeline.NoSpan, kept: &kept{}}
	x.trace = pipeline.Trace{Kind: pipeline.KindBench, Session: session, Index: index, Spans: x.kept.spans[:0]}
	x.Interaction = pipeline.NewInteraction(c.Loop, &x.trace, done)
	if c.Late != nil {
		x.trace.Late = c.Late()
	}
	r := dist.Stream(c.Seed, "bench/request", session, index)
	x.call = pipeline.Call{
		Session:      session,
		Record:       pipeline.NewRequest(c.NextRequest(), c.Loop.Now()),
		PromptTokens: c.PromptTokens.Draw(&r), OutputTokens: c.OutputTokens.Draw(&r), Priority: c.Priority,
		Prompt: x.prompt, Answer: x.answer, Blocks: x.blocks, Counts: firstToken, Notify: x.progress, Done: x.ended,
	}
	x.call.MaxTokens = x.call.OutputTokens
	x.first = x.Interaction.Begin(pipeline.SpanLLMFirstToken, false)
	c.LLM.Start(&x.call)
}

// Busy returns how long a user of a closed loop is busy before a request beside
// thinking: not at all.
func (s *Simulator) Busy(int, int) time.Duration { return 0 }

// says returns what the exchange is about: the prompt in two segments and the
// answer.
func (x *exchange) says() [3]token.Segment {
	c, session, index := &x.simulator.config, x.trace.Session, x.trace.Index
	shared := min(c.SharedPrefix, x.call.PromptTokens)
	return [3]token.Segment{
		{ID: token.Name(c.Seed, "bench/shared"), N: shared},
		{ID: token.Name(c.Seed, "bench/prompt", session, index), N: x.call.PromptTokens - shared},
		{ID: token.Name(c.Seed, "bench/answer", session, index), N: x.call.OutputTokens},
	}
}

func (x *exchange) prompt() pipeline.Prompt {
	s := x.says()
	return pipeline.Prompt{Chat: true, Text: token.Passage(s[:2]).Text()}
}

func (x *exchange) answer() string {
	s := x.says()
	return token.Passage(s[2:]).Text()
}

func (x *exchange) blocks(dst []uint64, size int) []uint64 {
	s := x.says()
	return token.Passage(s[:]).Blocks(dst, size)
}

func (x *exchange) progress(pipeline.Progress) {
	if x.decode == pipeline.NoSpan {
		x.Interaction.End(x.first)
		x.decode = x.Interaction.Begin(pipeline.SpanLLMDecode, false, x.first)
	}
}

func (x *exchange) ended() {
	r := &x.call.Record
	if x.decode != pipeline.NoSpan && r.LastOutput != pipeline.Unknown {
		x.trace.Spans[x.decode].End = r.LastOutput
	}
	for i := range x.trace.Spans {
		x.trace.Spans[i].Simulated = r.Simulated
	}
	x.trace.SplitLoad(x.first, r)
	x.kept.requests[0] = *r
	x.trace.Requests = x.kept.requests[:]
	x.Finish(r.Outcome, r.Reason)
}
