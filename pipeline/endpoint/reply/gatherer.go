package reply

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// gatherer puts one choice together from the pieces that messages bring.
type gatherer struct {
	index           int
	text, reasoning string // of a whole answer
	tools           []*toolGatherer
	finish          string
	summary, full   bool     // reasoning came as a summary, by the protocol, and otherwise
	outputs         []Output // of a stream
	emit            func(Output)
	parts           *parts // of the whole reply

	snapshot   *Piece // the last one that was not empty
	snapshotAt time.Duration
}

type toolGatherer struct {
	index     int
	id        string
	name      strings.Builder
	arguments strings.Builder
}

// take adds a piece that came at that instant. It makes output chunks of what the piece
// brought, reasoning first, and emits each. Added is what its message added to the
// server's counts; of reasoning beside the answer it is told at the end.
func (g *gatherer) take(p *Piece, at time.Duration, added growth) {
	g.finish = cmp.Or(p.Finish, g.finish)
	if p.Snapshot {
		g.keepSnapshot(p, at)
		return
	}
	if p.Reasoning != "" {
		g.summary, g.full = g.summary || p.Summary, g.full || !p.Summary
	}
	for _, o := range [...]Output{
		{at, Reasoning, p.Reasoning, added.answer, added.reasoning},
		{at, Text, p.Text, added.answer, added.reasoning},
		{at, Tool, g.joinTools(p.Tools), added.answer, added.reasoning},
	} {
		if o.Text != "" {
			g.outputs = append(g.outputs, o)
			g.emit(o)
		}
	}
}

// takeWhole takes the piece that is all of a whole answer.
func (g *gatherer) takeWhole(p *Piece) {
	g.finish = p.Finish
	g.text += p.Text
	g.reasoning += p.Reasoning
	g.joinTools(p.Tools)
}

// joinTools adds pieces to the tool calls, and returns what they brought.
func (g *gatherer) joinTools(pieces []ToolPiece) string {
	if len(pieces) == 1 {
		return g.joinTool(pieces[0])
	}
	var said strings.Builder
	for _, t := range pieces {
		if !g.parts.tooMany() {
			said.WriteString(g.joinTool(t))
		}
	}
	return said.String()
}

func (g *gatherer) joinTool(t ToolPiece) string {
	if t.ID == "" && t.Name == "" && t.Arguments == "" {
		return ""
	}
	call := g.tool(t)
	call.id = cmp.Or(call.id, t.ID)
	call.name.WriteString(t.Name)
	call.arguments.WriteString(t.Arguments)
	return t.Name + t.Arguments
}

// tool returns the call that a piece belongs to.
func (g *gatherer) tool(t ToolPiece) *toolGatherer {
	for _, call := range slices.Backward(g.tools) {
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
	if g.parts.more() {
		g.tools = append(g.tools, call)
	}
	return call
}

// keepSnapshot remembers what a stream repeats whole. One that stays the same counts
// from its first.
func (g *gatherer) keepSnapshot(p *Piece, at time.Duration) {
	same := g.snapshot != nil && g.snapshot.Text == p.Text && g.snapshot.Reasoning == p.Reasoning
	if !same && !p.empty() {
		copied := *p
		g.snapshot, g.snapshotAt = &copied, at
	}
}

// useSnapshot takes what the stream repeated when no other piece came.
func (g *gatherer) useSnapshot() {
	if g.snapshot == nil || len(g.outputs) > 0 {
		return
	}
	p := *g.snapshot
	p.Snapshot = false
	g.take(&p, g.snapshotAt, unknownGrowth)
}

func (g *gatherer) choice() Choice {
	slices.SortStableFunc(g.tools, func(a, b *toolGatherer) int { return cmp.Compare(a.index, b.index) })
	c := Choice{
		Index:     g.index,
		Text:      g.text + g.joined(Text),
		Reasoning: g.reasoning + g.joined(Reasoning),
		Finish:    g.finish,
		Outputs:   g.outputs,
		Summary:   g.summary && !g.full,
	}
	for _, t := range g.tools {
		c.ToolCalls = append(c.ToolCalls, ToolCall{t.id, t.name.String(), t.arguments.String()})
	}
	return c
}

// joined returns the output chunks of a kind as one text.
func (g *gatherer) joined(k Kind) string {
	size := 0
	for _, o := range g.outputs {
		if o.Kind == k {
			size += len(o.Text)
		}
	}
	var b strings.Builder
	b.Grow(size)
	for _, o := range g.outputs {
		if o.Kind == k {
			b.WriteString(o.Text)
		}
	}
	return b.String()
}
