package voice

import (
	"fmt"
	"testing"
	"time"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
)

// staged is a modelled model: a request waits for queue, its first token comes prefill
// later, and each further one next later. It keeps what it was asked.
type staged struct {
	loop                 pipeline.Scheduler
	queue, prefill, next time.Duration
	fails                int  // the number of the request that fails at once, from 1
	silent               bool // requests that are given up are counted by nobody
	calls                []staging
}

type staging struct {
	at             time.Duration
	prompt, output int
	blocks         []uint64
	cancelled      time.Duration
}

type run struct {
	number int
	sent   time.Duration
	timer  pipeline.Timer
	next   int // of the counts
	ended  bool
}

func (m *staged) Start(c *pipeline.Call) {
	m.calls = append(m.calls, staging{at: m.loop.Now(), prompt: c.PromptTokens, output: c.OutputTokens, blocks: c.Blocks(nil, 1), cancelled: pipeline.Unknown})
	x := &run{number: len(m.calls), sent: m.loop.Now()}
	c.State, c.Record.Simulated, c.Record.Sent, c.Record.PromptTokens = x, true, m.loop.Now(), c.PromptTokens
	if x.number == m.fails {
		m.loop.After(0, pipeline.RankOutput, func() { m.end(c, x, pipeline.Error) })
		return
	}
	m.step(c, x)
}

// at returns when a token is out.
func (m *staged) at(x *run, token int) time.Duration {
	return x.sent + m.queue + m.prefill + time.Duration(token-1)*m.next
}

func (m *staged) step(c *pipeline.Call, x *run) {
	n := c.OutputTokens
	if x.next < len(c.Counts) {
		n = c.Counts[x.next]
	}
	x.timer = m.loop.At(m.at(x, n), pipeline.RankOutput, func() {
		c.Record.Scheduled, c.Record.FirstOutput = x.sent+m.queue, m.at(x, 1)
		c.Record.FirstText, c.Record.FirstSeen = m.at(x, 1), m.at(x, 1)
		if x.next < len(c.Counts) {
			x.next++
			c.Notify(pipeline.Progress{Tokens: n, Modelled: true})
		}
		switch {
		case x.ended:
		case n == c.OutputTokens:
			m.end(c, x, pipeline.OK)
		default:
			m.step(c, x)
		}
	})
}

func (m *staged) end(c *pipeline.Call, x *run, o pipeline.Outcome) {
	x.ended = true
	c.Record.Outcome, c.Record.End, c.Record.OutputTokens = o, m.loop.Now(), c.OutputTokens
	switch o {
	case pipeline.Cancelled:
		if m.silent { // a server does not count what is given up
			c.Record.PromptTokens, c.Record.OutputTokens = pipeline.UnknownCount, pipeline.UnknownCount
			for n := 1; n <= c.OutputTokens && m.at(x, n) <= m.loop.Now(); n++ {
				c.Record.Chunks = n
			}
			break
		}
		c.Record.OutputTokens = 0
		for n := 1; n <= c.OutputTokens && m.at(x, n) <= m.loop.Now(); n++ {
			c.Record.OutputTokens = n
		}
	case pipeline.Error:
		c.Record.Reason, c.Record.OutputTokens = "broken", 0
	}
	c.Done()
}

func (m *staged) Cancel(c *pipeline.Call) {
	x := c.State.(*run)
	if x.ended {
		return
	}
	x.ended = true
	x.timer.Stop()
	m.calls[x.number-1].cancelled = m.loop.Now()
	m.loop.After(0, pipeline.RankOutput, func() { m.end(c, x, pipeline.Cancelled) })
}

// teller is a real model that says what the mock would, token by token, at the instants of
// staged.
type teller struct {
	staged
}

func (m *teller) Start(c *pipeline.Call) {
	x := &run{sent: m.loop.Now()}
	c.State, c.Record.Sent = x, m.loop.Now()
	m.say(c, x, c.Answer(), 1)
}

func (m *teller) say(c *pipeline.Call, x *run, text string, n int) {
	x.timer = m.loop.At(m.at(x, n), pipeline.RankOutput, func() {
		part := text[:token.Next(text)]
		c.Record.FirstOutput = m.at(x, 1)
		c.Notify(pipeline.Progress{Tokens: n, Text: part})
		switch {
		case x.ended:
		case len(part) == len(text):
			m.end(c, x, pipeline.OK)
		default:
			m.say(c, x, text[len(part):], n+1)
		}
	})
}

func (m *teller) Cancel(c *pipeline.Call) {
	x := c.State.(*run)
	if x.ended {
		return
	}
	x.ended = true
	x.timer.Stop()
	m.loop.After(0, pipeline.RankOutput, func() { m.end(c, x, pipeline.Cancelled) })
}

// bench is a simulator with a staged model on a loop of its own: queue 20 ms, prefill
// 80 ms, and 10 ms a token.
type bench struct {
	loop  pipeline.Virtual
	model *staged
	sim   *Simulator
}

func newBench(k Stack) *bench {
	b := &bench{}
	b.model = &staged{loop: &b.loop, queue: 20 * ms, prefill: 80 * ms, next: 10 * ms}
	b.sim = New(Config{Loop: &b.loop, LLM: b.model, Stack: k, Seed: 1, NextRequest: counter()})
	return b
}

func counter() func() int64 {
	id := int64(0)
	return func() int64 { id++; return id }
}

// turn has a turn fall due at an instant, and returns its trace when all is run.
func (b *bench) turn(t *testing.T, at time.Duration, session, index int) *pipeline.Trace {
	t.Helper()
	var got *pipeline.Trace
	ended := 0
	b.loop.At(at, pipeline.RankInput, func() { b.sim.Begin(session, index, func(tr *pipeline.Trace) { got, ended = tr, ended+1 }) })
	if err := b.loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ended != 1 {
		t.Fatalf("the turn ended %d times, want once", ended)
	}
	return got
}

// heardAfter returns when the reply is heard, from due.
func heardAfter(tr *pipeline.Trace) time.Duration { return tr.Mark(pipeline.MarkReplyHeard) - tr.Due }

// plain is tuned without a queue of its own: the turn is committed at 287 ms, the first
// token comes at 387, the sentence is whole at 417, and the reply is heard at 795.
var plain = func() Stack {
	k := tuned
	k.Model.Modelled = true
	return k
}()

// the stages of plain up to the commit, and those behind the text.
const (
	ear    = "uplink 0-40 [], vad_wait 40-240 [0], end_of_turn 240-252 [1], stt_tail 40-287 [0], "
	answer = "queue 287-307 [2 3], prefill 307-387 [4], gathering 387-417 [5], "
)

func waits(d time.Duration) string { return fmt.Sprint(int(d / ms)) }
