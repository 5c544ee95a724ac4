package study

import (
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/simulators/runner"
	"halfsecond/simulators/scenario"
)

const ms = time.Millisecond

// chained is a model that gives one token every step, but lets everybody wait for
// each prompt: its n tokens take n * 100 us. It refuses a call at will.
type chained struct {
	loop   *pipeline.Virtual
	step   time.Duration
	queue  []*pipeline.Call // with a prompt to compute
	active []*pipeline.Call
	busy   bool
	refuse func(c *pipeline.Call) bool
	seen   []*pipeline.Call
}

func (m *chained) Cancel(*pipeline.Call) {}

func (m *chained) Start(c *pipeline.Call) {
	m.seen = append(m.seen, c)
	c.Record.Sent, c.Record.OutputTokens = m.loop.Now(), 0
	if m.refuse != nil && m.refuse(c) {
		m.loop.After(ms, pipeline.RankOutput, func() {
			c.Record.Outcome, c.Record.Reason, c.Record.End = pipeline.Refused, "no", m.loop.Now()
			c.Done()
		})
		return
	}
	m.queue = append(m.queue, c)
	m.wake()
}

func (m *chained) wake() {
	if !m.busy && len(m.queue)+len(m.active) > 0 {
		m.busy = true
		m.loop.After(0, pipeline.RankStart, m.plan)
	}
}

func (m *chained) plan() {
	length := m.step
	for _, c := range m.queue {
		length += time.Duration(c.PromptTokens) * 100 * time.Microsecond
	}
	m.active, m.queue = append(m.active, m.queue...), nil
	m.loop.After(length, pipeline.RankOutput, m.end)
}

func (m *chained) end() {
	m.busy = false
	var left []*pipeline.Call
	for _, c := range m.active {
		r := &c.Record
		r.OutputTokens++
		r.LastOutput, r.End = m.loop.Now(), m.loop.Now()
		if r.OutputTokens == 1 {
			r.FirstOutput = m.loop.Now()
		}
		for _, n := range c.Counts {
			if n == r.OutputTokens {
				c.Notify(pipeline.Progress{Tokens: n, Modelled: true})
			}
		}
		if r.OutputTokens < c.OutputTokens {
			left = append(left, c)
			continue
		}
		c.Done()
	}
	m.active = left
	m.wake()
}

func begin(t *testing.T, beside bool, refuse func(*pipeline.Call) bool) (*pipeline.Trace, *chained) {
	t.Helper()
	loop := &pipeline.Virtual{}
	m := &chained{loop: loop, step: 10 * ms, refuse: refuse}
	id := int64(0)
	s := &probes{
		Stand: runner.Stand{Loop: loop, LLM: m}, cell: &cell{model: "m", variant: scenario.Variant{Name: "v"}, prompt: 500},
		output: 40, beside: beside, seed: 1, nextID: func() int64 { id++; return id },
	}
	var done *pipeline.Trace
	s.Begin(3, 7, func(tr *pipeline.Trace) { done = tr })
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if done == nil {
		t.Fatal("the probe never ended")
	}
	return done, m
}

func TestAlone(t *testing.T) {
	tr, _ := begin(t, false, nil)
	if tr.Session != 3 || tr.Index != 7 || tr.Due != 0 || tr.Outcome != pipeline.OK || len(tr.Requests) != 1 {
		t.Errorf("trace %+v", tr)
	}
	// 10 ms and 500 tokens of 100 us, then 39 steps.
	if first := tr.Spans[0]; first.Name != pipeline.SpanLLMFirstToken || first.For() != 60*ms {
		t.Errorf("first token %+v, want 60 ms", first)
	}
	if decode := tr.Spans[1]; decode.Name != pipeline.SpanLLMDecode || decode.For() != 390*ms || len(tr.Spans) != 2 {
		t.Errorf("decode %+v, want 390 ms", decode)
	}
	if tr.Fact(pipeline.FactModel) != "m" || tr.Fact(pipeline.FactVariant) != "v" || tr.Fact(pipeline.FactPrompt) != "500" || tr.Fact(pipeline.FactBeside) != "" {
		t.Errorf("facts %v", tr.Facts)
	}
}

// The stream has its first token at 22.8 ms and its eighth at 92.8; the request
// comes in before the ninth, waits for it, and stops the stream for its 60 ms.
func TestBeside(t *testing.T) {
	tr, m := begin(t, true, nil)
	const eighth, ninth = 92800 * time.Microsecond, 102800 * time.Microsecond
	if tr.Due <= eighth || tr.Due >= ninth {
		t.Errorf("due at %s, want it between %s and %s", tr.Due, eighth, ninth)
	}
	stall := tr.Spans[len(tr.Spans)-1]
	if stall.Name != pipeline.SpanStall || stall.Start != ninth || stall.For() != 60*ms {
		t.Errorf("stall %+v, want 60 ms from %s", stall, ninth)
	}
	if first := tr.Spans[0]; first.End != ninth+60*ms || tr.Requests[0].FirstOutput != first.End {
		t.Errorf("first token %+v, want it at the end of the stall", first)
	}
	if len(tr.Requests) != 2 || tr.Requests[0].Due != tr.Due || tr.Requests[1].Due != 0 || m.seen[0].PromptTokens != besidePrompt || m.seen[1].PromptTokens != 500 {
		t.Errorf("requests %+v, want the probe's, then the stream's", tr.Requests)
	}
	if tr.Fact(pipeline.FactBeside) != pipeline.BesideStream {
		t.Errorf("facts %v do not say that it had company", tr.Facts)
	}
}

// Without a stream beside it the request is sent all the same, as one that was alone.
func TestBesideAStreamThatFails(t *testing.T) {
	tr, _ := begin(t, true, func(c *pipeline.Call) bool { return c.PromptTokens == besidePrompt })
	if tr.Outcome != pipeline.OK || tr.Due != ms || len(tr.Spans) != 2 || tr.Requests[1].Outcome != pipeline.Refused {
		t.Errorf("trace %+v, want the request at 1 ms and no stall", tr)
	}
	if got := tr.Fact(pipeline.FactBeside); got != "" {
		t.Errorf("a request without a stream has the company %q", got)
	}
	tr, _ = begin(t, true, func(c *pipeline.Call) bool { return c.PromptTokens == 500 })
	if tr.Outcome != pipeline.Refused || tr.Reason != "no" || len(tr.Requests) != 2 || tr.Requests[1].OutputTokens != 40 {
		t.Errorf("trace %+v, want it refused and the stream whole", tr)
	}
}

// Prompts differ from their first token on, but where the variant repeats them.
func TestPrompts(t *testing.T) {
	prompt := func(c cell, session, index int, salt uint64) string {
		s := &probes{cell: &c, seed: 1, salt: salt}
		p := &probe{probes: s, session: session, index: index}
		call := (&probe{probes: &probes{Stand: runner.Stand{Loop: &pipeline.Virtual{}}, cell: &c, seed: 1, nextID: func() int64 { return 1 }}}).newCall(p.prompt(), 5)
		return call.Prompt().Text
	}
	cold, warm := cell{prompt: 20}, cell{prompt: 20, variant: scenario.Variant{SamePrompt: true}}
	base := prompt(cold, 0, 0, 0)
	for name, other := range map[string]string{"session": prompt(cold, 1, 0, 0), "index": prompt(cold, 0, 1, 0), "salt": prompt(cold, 0, 0, 9)} {
		if other[:6] == base[:6] {
			t.Errorf("another %s begins alike: %q", name, other)
		}
	}
	if a, b := prompt(warm, 0, 0, 0), prompt(warm, 2, 3, 0); a != b {
		t.Errorf("the prompt that is repeated is %q, then %q", a, b)
	}
	a, b := (&cell{id: 4}).seed(1, false), (&cell{id: 4}).seed(1, true)
	if c := (&cell{id: 5}).seed(1, false); a == b || a == c || a == (&cell{id: 4}).seed(2, false) {
		t.Errorf("seeds %d, %d and %d of two cells are not their own", a, b, c)
	}
}
