package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"halfsecond/pipeline"
)

// TestStageRecords: what a call's record says of an answer, of one that was given up
// and of one that was refused.
func TestStageRecords(t *testing.T) {
	var loop pipeline.Virtual
	s := NewStage(&loop, NewBatched(&loop, BatchedConfig{Steps: linear{10 * ms, 0}, MaxSequences: 2, TokenBudget: 100, KVBlocks: 10}))
	s.Caches = true
	var progress []int
	call := func(prompt, output, limit int) *pipeline.Call {
		c := &pipeline.Call{PromptTokens: prompt, OutputTokens: output, MaxTokens: limit, Counts: []int{2, 3}, Done: func() {}}
		c.Notify = func(p pipeline.Progress) { progress = append(progress, p.Tokens) }
		c.Record = pipeline.NewRequest(1, loop.Now())
		s.Start(c)
		return c
	}
	answered := call(20, 5, 3)
	givenUp := call(30, 9, 9)
	refused := call(500, 1, 1)
	loop.At(15*ms, pipeline.RankInput, func() { s.Cancel(givenUp) })
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	base := func(prompt int) pipeline.Request {
		r := pipeline.NewRequest(1, 0)
		r.Sent, r.Simulated, r.PromptTokens, r.TokenSource, r.CachedTokens, r.OutputTokens = 0, true, prompt, "engine", 0, 0
		return r
	}
	want := base(20)
	want.Scheduled, want.FirstOutput, want.FirstText, want.FirstSeen = 0, 10*ms, 10*ms, 10*ms
	want.LastOutput, want.End, want.OutputTokens, want.Chunks, want.Finish = 30*ms, 30*ms, 3, 3, "length"
	compareRecords(t, "answered", answered.Record, want)
	want = base(30)
	want.Scheduled, want.FirstOutput, want.FirstText, want.FirstSeen = 0, 10*ms, 10*ms, 10*ms
	want.LastOutput, want.End, want.OutputTokens, want.Chunks, want.Outcome = 10*ms, 20*ms, 1, 1, pipeline.Cancelled
	compareRecords(t, "given up", givenUp.Record, want)
	want = base(500)
	want.End, want.Outcome, want.Reason = 0, pipeline.Refused, "request is larger than the engine's context: prompt 500 and output 1 need 501 tokens, 161 fit"
	compareRecords(t, "refused", refused.Record, want)
	if !slices.Equal(progress, []int{2, 3}) {
		t.Errorf("told of %v tokens, want 2 and 3", progress)
	}
}

func compareRecords(t *testing.T, what string, got, want pipeline.Request) {
	t.Helper()
	if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
		t.Errorf("%s: record\n got %s\nwant %s", what, g, w)
	}
}

// plea is what is asked of an engine, by itself or through a stage.
type plea struct {
	at, patience          time.Duration // patience 0 never ends
	prompt, output, limit int
	text                  text
}

func pleas(seed uint64) (all []plea) {
	r := rand.New(rand.NewPCG(seed, 5))
	at := time.Duration(0)
	for i := range 120 {
		at += time.Duration(r.IntN(90)) * ms
		p := plea{at: at, prompt: 1 + r.IntN(200), output: 1 + r.IntN(60), limit: 1 + r.IntN(90)}
		if r.IntN(5) == 0 {
			p.patience = time.Duration(1+r.IntN(300)) * ms
		}
		p.text = text{family: 1 + r.Uint64N(3), own: uint64(i + 10), shared: r.IntN(250), tokens: p.prompt + p.output}
		all = append(all, p)
	}
	return all
}

// TestStageIsItsEngine: calls through a stage, which serves one after the other with
// the same requests, see what requests to the engine itself see.
func TestStageIsItsEngine(t *testing.T) {
	for _, subject := range subjects {
		direct, staged := askDirectly(t, subject, pleas(1)), askStage(t, subject, pleas(1))
		for i := range direct {
			if direct[i] != staged[i] {
				t.Errorf("%s, request %d: %s through a stage, %s without", subject.name, i, staged[i], direct[i])
				break
			}
		}
	}
}

func askDirectly(t *testing.T, s subject, pleas []plea) []string {
	var loop pipeline.Virtual
	e := s.make(&loop)
	ends := make([]string, len(pleas))
	for i, p := range pleas {
		r := &Request{Prompt: p.prompt, Output: p.output, Limit: p.limit, Blocks: p.text.blocks}
		r.Done = func(o pipeline.Outcome) {
			ends[i] = fmt.Sprintln(o, loop.Now(), r.Last, r.Generated(), r.CachedTokens)
		}
		loop.At(p.at, pipeline.RankTimer, func() { e.Submit(r) })
		if p.patience > 0 {
			loop.At(p.at+p.patience, pipeline.RankInput, func() { e.Cancel(r) })
		}
	}
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return ends
}

func askStage(t *testing.T, s subject, pleas []plea) []string {
	var loop pipeline.Virtual
	stage := NewStage(&loop, s.make(&loop))
	stage.Caches = true
	ends := make([]string, len(pleas))
	for i, p := range pleas {
		c := &pipeline.Call{PromptTokens: p.prompt, OutputTokens: p.output, MaxTokens: p.limit, Blocks: p.text.blocks}
		c.Done = func() {
			r := &c.Record
			ends[i] = fmt.Sprintln(r.Outcome, r.End, r.LastOutput, r.OutputTokens, r.CachedTokens)
		}
		loop.At(p.at, pipeline.RankTimer, func() { stage.Start(c) })
		if p.patience > 0 {
			loop.At(p.at+p.patience, pipeline.RankInput, func() { stage.Cancel(c) })
		}
	}
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(stage.idle) > len(pleas)/2 {
		t.Errorf("%s: %d jobs served %d calls: the test compares too little", s.name, len(stage.idle), len(pleas))
	}
	return ends
}

// TestStageReport: what is known of calls before they end.
func TestStageReport(t *testing.T) {
	var loop pipeline.Virtual
	s := NewStage(&loop, NewDetector(DetectorConfig{Detection: Never}, NewSlots(&loop, SlotsConfig{Service: Fixed{TTFT: 40 * ms, TPOT: 10 * ms}, Slots: 2, MaxContext: 100})))
	call := func() *pipeline.Call {
		c := &pipeline.Call{PromptTokens: 20, OutputTokens: 5, Done: func() {}, Record: pipeline.NewRequest(1, 0)}
		s.Start(c)
		return c
	}
	answering, closed, queued := call(), call(), call()
	loop.At(10*ms, pipeline.RankInput, func() {
		closed.Record.Closed = loop.Now()
		s.Cancel(closed)
	})
	loop.RunUntil(55 * ms)
	for _, c := range []*pipeline.Call{answering, closed, queued} {
		s.Report(c)
	}
	want := pipeline.NewRequest(1, 0)
	want.Sent, want.Simulated, want.PromptTokens, want.TokenSource = 0, true, 20, "engine"
	want.OutputTokens = 0
	compareRecords(t, "queued", queued.Record, want)
	want.Scheduled, want.FirstOutput, want.FirstText, want.FirstSeen = 0, 40*ms, 40*ms, 40*ms
	want.LastOutput, want.OutputTokens, want.Chunks = 50*ms, 2, 2
	compareRecords(t, "answering", answering.Record, want)
	want.Closed, want.AtClose, want.AtEnd = 10*ms, pipeline.Work{Prompt: 5}, pipeline.Work{Prompt: 20, Output: 2}
	compareRecords(t, "closed", closed.Record, want)
	loop.RunUntil(time.Second)
	before := answering.Record
	if s.Report(answering); answering.Record.End != 80*ms || answering.Record.End != before.End {
		t.Errorf("once it has ended the record is %+v", answering.Record)
	}
}
