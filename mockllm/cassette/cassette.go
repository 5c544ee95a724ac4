// Package cassette is a language model whose answers come at the instants at which a real
// one gave them, as a cassette holds them.
//
// Read cassette.go for what is taken from the exchanges of a file, and stage.go for how an
// answer is given again. Which recorded answer a request gets depends on nothing but chance
// or order: what was asked, how long the answer may be, and how many others are under way,
// change nothing.
package cassette

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/exchange"
)

// Tape holds recorded answers.
type Tape struct {
	Answers []Answer // at least one
	Left    int      // exchanges of the file that are no answer: without a response, given up, without bytes
	Cut     bool     // the file ends in mid-air
}

// Answer is what came of one recorded request. Its instants count from when that was sent.
type Answer struct {
	Model  string // as the client called it
	Record pipeline.Request
	Steps  []Step // ascending
}

// Step is an instant at which something of the answer came.
type Step struct {
	At     time.Duration
	Tokens int // of the answer that are out then, its reasoning aside
}

// Read reads the exchanges of a file. The error says why nothing of it can be an answer.
func Read(data []byte) (*Tape, error) {
	r, err := exchange.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	c := &Tape{}
	var why error
	for {
		x, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if bad := x.Playable(); bad != nil {
			c.Left, why = c.Left+1, bad
			continue
		}
		a, err := answer(x)
		if err != nil {
			return nil, fmt.Errorf("exchange %d: %w", c.Left+len(c.Answers)+1, err)
		}
		c.Answers = append(c.Answers, a)
	}
	c.Cut = r.Unfinished()
	switch {
	case len(c.Answers) > 0:
		return c, nil
	case why == nil:
		return nil, errors.New("there is no exchange in it")
	}
	return nil, fmt.Errorf("none of its exchanges can be given again; of the last: %w", why)
}

// answer returns what an exchange was.
func answer(x *exchange.Exchange) (Answer, error) {
	r, err := dialect.Reread(x)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Model: x.Model, Record: pipeline.NewRequest(0, 0), Steps: steps(r)}
	r.Fill(&a.Record)
	burst := a.Record.Transport.Burst
	a.Record.Transport = pipeline.NewTransport() // nothing is sent
	a.Record.Transport.Burst = burst             // but that nobody can tell its pace stays so
	since := func(at *time.Duration) { *at = pipeline.Since(x.Sent, *at) }
	for _, at := range []*time.Duration{
		&a.Record.FirstByte, &a.Record.FirstOutput, &a.Record.FirstText, &a.Record.FirstSeen, &a.Record.LastOutput, &a.Record.End,
	} {
		since(at)
	}
	for i := range a.Steps {
		since(&a.Steps[i].At)
	}
	return a, nil
}

// steps returns when the tokens of a reply's text came: as many with each output chunk as
// the server counted with it, or else its whole count spread evenly, or else one each. A
// whole answer comes at its end.
func steps(r *reply.Reply) (all []Step) {
	if r.Whole && r.Outcome == pipeline.OK {
		tokens := r.OutputTokens()
		if tokens < 1 {
			tokens = math.MaxInt // all that there are
		}
		return []Step{{r.End, tokens}}
	}
	texts, counts := texts(r)
	sum := 0
	for i, o := range texts {
		sum += counts[i]
		if last := len(all) - 1; last >= 0 && all[last].At == o.At {
			all[last].Tokens = sum
			continue
		}
		all = append(all, Step{o.At, sum})
	}
	return all
}

// texts returns the output chunks that are not reasoning, and how many tokens each is.
func texts(r *reply.Reply) (texts []reply.Output, counts []int) {
	outputs := r.Answer().Outputs
	counted := true
	for _, o := range outputs {
		counted = counted && o.Tokens != pipeline.UnknownCount
		if o.Kind != reply.Reasoning {
			texts, counts = append(texts, o), append(counts, o.Tokens)
		}
	}
	switch whole := r.OutputTokens(); {
	case counted:
		return texts, counts
	case len(texts) == len(outputs):
		return texts, spread(len(texts), whole)
	case whole != pipeline.UnknownCount && r.Usage.Reasoning != pipeline.UnknownCount:
		return texts, spread(len(texts), whole-r.Usage.Reasoning)
	case whole != pipeline.UnknownCount: // as many of them are reasoning as chunks are
		return texts, spread(len(texts), whole*len(texts)/len(outputs))
	}
	return texts, spread(len(texts), len(texts))
}

// mostTokens bounds what a server is believed to have counted.
const mostTokens = 1 << 30

// spread spreads tokens evenly over chunks, one each when there is no number of them. The
// first chunk has at least one and, unless that is all, so has the last.
func spread(chunks, tokens int) []int {
	counts := make([]int, chunks)
	if tokens < 1 {
		tokens = chunks
	}
	tokens = min(tokens, mostTokens)
	if tokens < chunks {
		for i := range tokens {
			counts[i*(chunks-1)/max(1, tokens-1)]++
		}
		return counts
	}
	for i := range counts {
		counts[i] = (i+1)*tokens/chunks - i*tokens/chunks
	}
	return counts
}
