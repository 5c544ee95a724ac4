package dialect

import (
	"cmp"

	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/anthropic"
)

var anthropicMessages = &Dialect{
	Protocol: Anthropic, Base: "/v1", Path: anthropic.MessagesPath, Models: wire.ModelsPath,
	Accept: "text/event-stream", KeyHeader: "X-Api-Key", Headers: [][2]string{{"Anthropic-Version", "2023-06-01"}},
	ask: askAnthropic, names: openAINames, decoder: func() reply.Decoder { return anthropicDecoder{} },
}

// anthropicLimit is the limit of an answer where none is asked for, since the API wants
// one: as its examples have it (docs.anthropic.com, "Streaming Messages", read
// 2026-11-29, and its older models' most).
const anthropicLimit = 4096

func askAnthropic(q *Question) any {
	most := cmp.Or(q.MaxTokens, anthropicLimit)
	text := func(s string) anthropic.Blocks {
		if s == "" {
			return nil
		}
		return anthropic.Blocks{{Type: anthropic.BlockText, Text: s}}
	}
	return anthropic.Request{
		Model: q.Model, MaxTokens: &most, System: text(q.Prompt.System),
		Messages: []anthropic.Message{{Role: "user", Content: text(q.Prompt.Text)}},
		Stream:   true, Mock: q.mock(),
	}
}

// anthropicDecoder reads the events of the Messages API.
type anthropicDecoder struct{}

// Event implements reply.Decoder. The type stands in the data too.
func (anthropicDecoder) Event(e wire.Event, s *reply.Step) {
	var v anthropic.Event
	if !parse(e.Data, &v) {
		return
	}
	switch v.Type {
	case anthropic.EventStart:
		if v.Message != nil {
			s.Usage = anthropicUsage(v.Message.Usage)
		}
	case anthropic.EventBlockStart:
		if v.Block != nil {
			addOpened(s.Piece(0), v.Index, v.Block)
		}
	case anthropic.EventDelta:
		if v.Delta != nil {
			addChange(s.Piece(0), v.Index, v.Delta)
		}
	case anthropic.EventEnd:
		s.Usage = anthropicUsage(v.Usage)
		if v.Delta != nil && v.Delta.StopReason != "" {
			s.Piece(0).Finish = v.Delta.StopReason
		}
	case anthropic.EventStop:
		s.End = true
	case anthropic.TypeError:
		s.Failure = cmp.Or(reply.MemberFailure(v.Error), &reply.Failure{Kind: reply.InBand})
	}
}

// Whole implements reply.Decoder.
func (anthropicDecoder) Whole(text []byte, s *reply.Step) {
	var r anthropic.Reply
	if !parse(text, &r) {
		return
	}
	if s.Failure = reply.MemberFailure(r.Error); s.Failure != nil {
		return
	}
	s.Usage = anthropicUsage(r.Usage)
	if r.Content == nil {
		return
	}
	p := s.Piece(0)
	p.Finish = r.StopReason
	for i := range r.Content {
		addOpened(p, i, &r.Content[i])
		if len(p.Tools) > 0 && r.Content[i].Type == anthropic.BlockToolUse {
			p.Tools[len(p.Tools)-1].Arguments = string(r.Content[i].Input)
		}
	}
}

// addOpened adds what a block holds when it begins. The input of a tool follows in
// pieces.
func addOpened(p *reply.Piece, index int, b *anthropic.EventBlock) {
	p.Text += b.Text
	p.Reasoning += b.Thinking
	if b.Type == anthropic.BlockToolUse {
		p.Tools = append(p.Tools, reply.ToolPiece{Index: &index, ID: b.ID, Name: b.Name})
	}
}

func addChange(p *reply.Piece, index int, d *anthropic.EventChange) {
	p.Text += d.Text
	p.Reasoning += d.Thinking
	if d.PartialJSON != "" {
		p.Tools = append(p.Tools, reply.ToolPiece{Index: &index, Arguments: d.PartialJSON})
	}
}

// anthropicUsage reads counts. The API counts what it read from its cache, and what it
// wrote there, apart from the rest of the prompt.
func anthropicUsage(c *anthropic.Counts) *reply.Counts {
	if c == nil {
		return nil
	}
	u := reply.NewCounts()
	u.Prompt, u.Written, u.Cached, u.CacheBeside = known(c.InputTokens), known(c.CacheCreationTokens), known(c.CacheReadTokens), true
	u.Answer, u.Reasoning = known(c.OutputTokens), known(c.OutputDetails.ThinkingTokens)
	return u.Stated()
}
