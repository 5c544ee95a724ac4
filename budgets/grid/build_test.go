package grid

import (
	"strconv"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

const ms = time.Millisecond

// made is a run under construction.
type made struct {
	traces []pipeline.Trace
	now    time.Duration
}

// ask adds one request that took ttft to its first token and tpot for each of 10
// more.
func (m *made) ask(model, variant string, prompt int, ttft, tpot time.Duration) *pipeline.Trace {
	r := pipeline.NewRequest(int64(len(m.traces)+1), m.now)
	r.Sent, r.FirstOutput, r.LastOutput = m.now, m.now+ttft, m.now+ttft+10*tpot
	r.End, r.PromptTokens, r.OutputTokens = r.LastOutput, prompt, 11
	t := pipeline.Trace{Kind: pipeline.KindBench, Session: len(m.traces), Due: m.now, End: r.End, Requests: []pipeline.Request{r}, Facts: facts(model, variant, prompt)}
	t.Append(pipeline.SpanLLMFirstToken, ttft, true)
	m.traces = append(m.traces, t)
	m.now = r.End
	return &m.traces[len(m.traces)-1]
}

// stall makes the newest request one with a stream beside, which stalls.
func (m *made) stall(length time.Duration) {
	t := &m.traces[len(m.traces)-1]
	t.Facts = append(t.Facts, pipeline.Fact{Name: pipeline.FactBeside, Value: pipeline.BesideStream})
	t.Add(pipeline.Span{Name: pipeline.SpanStall, Start: t.Due - ms, End: t.Due - ms + length})
}

func (m *made) skip(model, variant string, prompt int, why string) {
	m.traces = append(m.traces, pipeline.Trace{
		Kind: pipeline.KindBench, Session: len(m.traces), Outcome: pipeline.Dropped, Reason: why, Facts: facts(model, variant, prompt),
	})
}

func facts(model, variant string, prompt int) []pipeline.Fact {
	return []pipeline.Fact{
		{Name: pipeline.FactModel, Value: model}, {Name: pipeline.FactVariant, Value: variant},
		{Name: pipeline.FactPrompt, Value: strconv.Itoa(prompt)},
	}
}

func (m *made) grid(t *testing.T) *Grid {
	t.Helper()
	g, err := New(trace.Run{Header: trace.Header{Kind: pipeline.KindGrid, Seed: 1}, Traces: m.traces})
	if err != nil {
		t.Fatal(err)
	}
	return g
}
