package endpoint

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/wire"
)

// gatherer puts one choice together from the pieces that events bring.
type gatherer struct {
	index           int
	text, reasoning strings.Builder
	tools           []*toolGatherer
	finish          string
	outputs         []Output

	// What the event in hand has brought, by kind.
	reasoningPiece, textPiece, toolPiece string

	snapshot   *wire.Delta // the last message that was not empty
	snapshotAt time.Duration
}

type toolGatherer struct {
	index     int
	id        string
	name      strings.Builder
	arguments strings.Builder
}

// take adds a piece of a message to the event in hand.
func (g *gatherer) take(d wire.Delta) {
	g.reasoningPiece += cmp.Or(d.ReasoningContent, d.Reasoning) + d.Content.Thinking
	g.textPiece += d.Content.Text + d.Refusal
	if d.FunctionCall != nil {
		g.takeTool(wire.ToolCall{Index: new(int), Function: *d.FunctionCall})
	}
	for _, t := range d.ToolCalls {
		g.takeTool(t)
	}
}

func (g *gatherer) takeTool(t wire.ToolCall) {
	if t.ID == "" && t.Function == (wire.Function{}) {
		return
	}
	call := g.tool(t)
	call.id = cmp.Or(call.id, t.ID)
	call.name.WriteString(t.Function.Name)
	call.arguments.WriteString(string(t.Function.Arguments))
	g.toolPiece += t.Function.Name + string(t.Function.Arguments)
}

// tool returns the call that a piece belongs to: the one with its index. Some
// servers send none: then an ID that is new begins a call, and a piece without ID
// goes on with the last.
func (g *gatherer) tool(t wire.ToolCall) *toolGatherer {
	for i := len(g.tools) - 1; i >= 0; i-- {
		call := g.tools[i]
		if t.Index != nil && call.index == *t.Index {
			return call
		}
		if t.Index == nil && (t.ID == "" || call.id == t.ID) {
			return call
		}
	}
	call := &toolGatherer{index: len(g.tools)}
	if t.Index != nil {
		call.index = *t.Index
	}
	g.tools = append(g.tools, call)
	return call
}

// keepSnapshot remembers a message that a stream repeats whole. It counts only
// when no delta comes, and a message that stays the same counts from its first.
func (g *gatherer) keepSnapshot(m *wire.Delta, at time.Duration) {
	same := g.snapshot != nil && g.snapshot.Content == m.Content
	empty := m.Content == wire.Content{} && cmp.Or(m.Refusal, m.ReasoningContent, m.Reasoning) == "" &&
		len(m.ToolCalls) == 0 && m.FunctionCall == nil
	if !same && !empty {
		g.snapshot, g.snapshotAt = m, at
	}
}

// takeMessage takes a whole message, whose tool calls need no index.
func (g *gatherer) takeMessage(m wire.Delta) {
	for i := range m.ToolCalls {
		if m.ToolCalls[i].Index == nil {
			m.ToolCalls[i].Index = &i
		}
	}
	g.take(m)
}

// pieces returns how many output chunks the event in hand makes.
func (g *gatherer) pieces() (n int) {
	for _, p := range []string{g.reasoningPiece, g.textPiece, g.toolPiece} {
		if p != "" {
			n++
		}
	}
	return n
}

// endEvent makes output chunks of what the event brought, reasoning first, and
// hands each to emit. Tokens is what the event added to the server's count.
func (g *gatherer) endEvent(at time.Duration, tokens int, emit func(Output)) {
	for _, o := range []Output{
		{at, Reasoning, g.reasoningPiece, tokens},
		{at, Text, g.textPiece, tokens},
		{at, Tool, g.toolPiece, tokens},
	} {
		if o.Text != "" {
			g.outputs = append(g.outputs, o)
			emit(o)
		}
	}
	g.join()
}

// join adds the pieces in hand to the texts.
func (g *gatherer) join() {
	g.reasoning.WriteString(g.reasoningPiece)
	g.text.WriteString(g.textPiece)
	g.reasoningPiece, g.textPiece, g.toolPiece = "", "", ""
}

// useSnapshot takes the message that the stream repeated when no delta came.
func (g *gatherer) useSnapshot(emit func(Output)) {
	if g.snapshot != nil && len(g.outputs) == 0 {
		g.takeMessage(*g.snapshot)
		g.endEvent(g.snapshotAt, pipeline.UnknownCount, emit)
	}
}

func (g *gatherer) choice() Choice {
	slices.SortStableFunc(g.tools, func(a, b *toolGatherer) int { return cmp.Compare(a.index, b.index) })
	c := Choice{
		Index:     g.index,
		Text:      g.text.String(),
		Reasoning: g.reasoning.String(),
		Finish:    g.finish,
		Outputs:   g.outputs,
	}
	for _, t := range g.tools {
		c.ToolCalls = append(c.ToolCalls, ToolCall{t.id, t.name.String(), t.arguments.String()})
	}
	return c
}
