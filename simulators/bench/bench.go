// Package bench simulates plain requests: a prompt goes out, an answer comes
// back. It is the interaction to compare engines and endpoints with. shared.go is what
// prompts have in common, sizing.go how long they are for a server that counts tokens in
// its own way.
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
	OutputTokens dist.Count
	// Lengths, when set, says how many tokens a prompt and its answer have, in place of
	// the two above.
	Lengths  func(session, index int) (prompt, output int)
	Shared   Shared
	Priority int // of every request
	Seed     uint64
	// Salt tells the prompts from those of other runs with the same seed, which a server
	// may have kept. A prompt begins with a name that no other has, unless it is to begin
	// like others.
	Salt        uint64
	Sizing      *Sizing              // of prompts for a server; nil counts as the mock does
	NextRequest func() int64         // numbers requests, unique within the run
	Late        func() time.Duration // how late the loop handles the work in hand; nil means never
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
	words     int // of the prompt
	shared    int // of those, the ones that others begin with as well
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
	prompt, output, shared := c.lengths(session, index)
	x.words = c.Sizing.Words(prompt)
	x.shared = min(shared*x.words/prompt, x.words)
	x.call = pipeline.Call{
		Session:      session,
		Record:       pipeline.NewRequest(c.NextRequest(), c.Loop.Now()),
		PromptTokens: prompt, OutputTokens: output, Priority: c.Priority,
		Prompt: x.prompt, Answer: x.answer, Blocks: x.blocks, Counts: firstToken, Notify: x.progress, Done: x.ended,
	}
	draw := dist.Stream(c.Seed, "bench/model", session, index)
	x.call.MaxTokens, x.call.Draw = x.call.OutputTokens, draw.Uint64()
	x.first = x.Interaction.Begin(pipeline.SpanLLMFirstToken, false)
	c.LLM.Start(&x.call)
}

// lengths returns how many tokens a prompt and its answer have, and how many of the
// prompt are shared.
func (c *Config) lengths(session, index int) (prompt, output, shared int) {
	r := dist.Stream(c.Seed, "bench/request", session, index)
	if c.Lengths != nil {
		prompt, output = c.Lengths(session, index)
	} else {
		prompt, output = c.PromptTokens.Draw(&r), c.OutputTokens.Draw(&r)
	}
	return prompt, output, c.Shared.of(prompt, &r)
}

// Busy returns how long a user of a closed loop is busy before a request beside
// thinking: not at all.
func (s *Simulator) Busy(int, int) time.Duration { return 0 }

// says returns what the exchange is about: the prompt in two segments and the
// answer.
func (x *exchange) says() [3]token.Segment {
	session, index, seed := x.trace.Session, x.trace.Index, x.simulator.config.Seed^x.simulator.config.Salt
	return [3]token.Segment{
		{ID: token.Name(seed, "bench/shared"), N: x.shared},
		{ID: token.Name(seed, "bench/prompt", session, index), N: x.words - x.shared},
		{ID: token.Name(seed, "bench/answer", session, index), N: x.call.OutputTokens},
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
	if r.Outcome == pipeline.OK {
		x.simulator.config.Sizing.Learn(x.words, r.PromptTokens)
	}
	if x.decode != pipeline.NoSpan && r.Whole() {
		x.trace.Spans[x.first].Name = pipeline.SpanLLMWhole
		x.trace.Remove(x.decode)
		x.decode = pipeline.NoSpan
	}
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
