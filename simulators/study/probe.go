package study

import (
	"strconv"
	"time"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/simulators/runner"
)

// The answer that streams beside a request.
const (
	// besidePrompt is the length of its own prompt: short, so that it is soon in
	// full flow.
	besidePrompt = 128
	// besideFlow is the token of it from which it counts as flowing: the request
	// comes in at a random instant of the gap behind it.
	besideFlow = 8
)

// probes makes the requests of one cell fall due, on the loop of its run.
type probes struct {
	runner.Stand
	cell   *cell
	output int
	beside bool   // each with an answer streaming beside
	seed   uint64 // of every draw; each cell has its own, alone and beside
	salt   uint64 // tells the prompts from those of other runs
	nextID func() int64
}

// probe is one request under way.
type probe struct {
	*probes
	pipeline.Interaction
	session, index int
	done           func(*pipeline.Trace)
	trace          pipeline.Trace
	first, decode  pipeline.SpanID
	call           pipeline.Call
	asked          bool // it is sent, or about to be
	missing        int  // calls that have not ended, or not begun

	stream pipeline.Call // the answer beside
	last   time.Duration // instant of its newest output; Unknown before
	gap    time.Duration // the newest between two instants of output
	stall  pipeline.Span // the longest gap in it while the request waited for its first output
}

var firstToken = []int{1}

// Begin implements runner.Interactions.
func (s *probes) Begin(session, index int, done func(*pipeline.Trace)) {
	p := &probe{
		probes: s, session: session, index: index, done: done, missing: 1,
		last: pipeline.Unknown, first: pipeline.NoSpan, decode: pipeline.NoSpan,
	}
	if s.beside {
		p.missing = 2
		p.startStream()
		return
	}
	p.start()
}

// Busy implements runner.Interactions: a user is not busy beside thinking.
func (s *probes) Busy(int, int) time.Duration { return 0 }

// start sends the request, due now.
func (p *probe) start() {
	p.asked = true
	p.trace = pipeline.Trace{Kind: pipeline.KindBench, Session: p.session, Index: p.index, Facts: p.facts()}
	p.Interaction = pipeline.NewInteraction(p.Loop, &p.trace, p.done)
	if p.Late != nil {
		p.trace.Late = p.Late()
	}
	p.first = p.Interaction.Begin(pipeline.SpanLLMFirstToken, false)
	p.call = p.newCall(p.prompt(), p.output)
	p.call.Counts, p.call.Notify = firstToken, p.progress
	p.LLM.Start(&p.call)
}

// facts names the cell and how it is served. A request whose stream has ended before it is sent was alone.
func (p *probe) facts() []pipeline.Fact {
	facts := []pipeline.Fact{
		{Name: pipeline.FactModel, Value: p.cell.model},
		{Name: pipeline.FactVariant, Value: p.cell.variant.Name},
		{Name: pipeline.FactPrompt, Value: strconv.Itoa(p.cell.prompt)},
	}
	facts = append(facts, p.cell.served...)
	if p.beside && p.missing == 2 {
		facts = append(facts, pipeline.Fact{Name: pipeline.FactBeside, Value: pipeline.BesideStream})
	}
	return facts
}

// newCall returns a call of this probe that asks with a prompt.
func (p *probe) newCall(prompt token.Segment, output int) pipeline.Call {
	answer := token.Segment{ID: token.Name(p.seed^p.salt, "study/answer", p.session, p.index), N: output}
	of := "study/model"
	if !p.asked {
		of = "study/stream"
	}
	draw := dist.Stream(p.seed, of, p.session, p.index)
	return pipeline.Call{
		Session: p.session, Draw: draw.Uint64(), Record: pipeline.NewRequest(p.nextID(), p.Loop.Now()),
		PromptTokens: prompt.N, OutputTokens: output, MaxTokens: output,
		Prompt: func() pipeline.Prompt { return pipeline.Prompt{Chat: true, Text: token.Passage{prompt}.Text()} },
		Answer: func() string { return token.Passage{answer}.Text() },
		Blocks: func(dst []uint64, size int) []uint64 { return token.Passage{prompt, answer}.Blocks(dst, size) },
		Done:   p.ended,
	}
}

// prompt returns the request's prompt: words of its own from the first on, or the
// cell's.
func (p *probe) prompt() token.Segment {
	name := token.Name(p.seed^p.salt, "study/prompt", p.session, p.index)
	if p.cell.variant.SamePrompt {
		name = token.Name(p.seed^p.salt, "study/same")
	}
	return token.Segment{ID: name, N: p.cell.prompt}
}

func (p *probe) progress(pipeline.Progress) {
	if p.decode == pipeline.NoSpan {
		p.Interaction.End(p.first)
		p.decode = p.Interaction.Begin(pipeline.SpanLLMDecode, false, p.first)
	}
}

// ended takes note that one of the calls has ended; the last one ends the probe.
func (p *probe) ended() {
	p.missing--
	switch {
	case p.missing == 0:
		p.finish()
	case !p.asked: // the answer beside never came to flow
		p.start()
	}
}

func (p *probe) finish() {
	r := &p.call.Record
	if p.decode != pipeline.NoSpan && r.FirstOutput != pipeline.Unknown { // the instants of the reads, not of their handling
		p.trace.Spans[p.first].End, p.trace.Spans[p.decode].Start = r.FirstOutput, r.FirstOutput
		p.trace.Spans[p.decode].End = r.LastOutput
	}
	if p.decode != pipeline.NoSpan && r.Whole() {
		p.trace.Spans[p.first].Name = pipeline.SpanLLMWhole
		p.trace.Remove(p.decode)
	}
	p.trace.Requests = []pipeline.Request{*r}
	p.endStream()
	for i := range p.trace.Spans {
		p.trace.Spans[i].Simulated = r.Simulated
	}
	p.Finish(r.Outcome, r.Reason)
}

// startStream begins the answer beside; the request follows when it flows.
func (p *probe) startStream() {
	prompt := token.Segment{ID: token.Name(p.seed^p.salt, "study/beside", p.session, p.index), N: besidePrompt}
	p.stream = p.newCall(prompt, p.output)
	for n := 1; n <= p.output; n++ {
		p.stream.Counts = append(p.stream.Counts, n)
	}
	p.stream.Notify = p.flow
	p.LLM.Start(&p.stream)
}

// flow takes note of outputs of the answer beside.
func (p *probe) flow(at pipeline.Progress) {
	now := p.Loop.Now()
	if gap := pipeline.Since(p.last, now); gap > 0 { // tokens may come together
		p.gap = gap
		if p.waiting(p.last) && gap > p.stall.For() {
			p.stall = pipeline.Span{Name: pipeline.SpanStall, Start: p.last, End: now}
		}
	}
	p.last = now
	if !p.asked && at.Tokens >= besideFlow {
		p.asked = true
		random := dist.Stream(p.seed, "study/phase", p.session, p.index)
		p.Loop.After(time.Duration(random.Float64()*float64(p.gap)), pipeline.RankInput, p.start)
	}
}

// waiting reports whether the request is sent, and had no output before an instant
// of the past.
func (p *probe) waiting(at time.Duration) bool {
	if p.first == pipeline.NoSpan {
		return false
	}
	end := p.trace.Spans[p.first].End
	return end == pipeline.Unknown || at < end
}

// endStream adds the answer beside to the trace.
func (p *probe) endStream() {
	if !p.beside {
		return
	}
	p.trace.Requests = append(p.trace.Requests, p.stream.Record)
	if p.stall.For() > 0 {
		p.trace.Add(p.stall)
	}
}
