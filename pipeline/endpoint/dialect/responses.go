package dialect

import (
	"encoding/json"
	"strings"

	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/wire"
)

var openAIResponses = &Dialect{
	Protocol: OpenAIResponses, Base: "/v1", Path: wire.ResponsesPath, Models: wire.ModelsPath,
	Accept: "text/event-stream", KeyHeader: "Authorization", KeyPrefix: "Bearer ",
	ask: askResponses, names: openAINames, decoder: func() reply.Decoder { return responsesDecoder{} },
}

// responsesBody is the body of a request as a client writes it: the type in wire reads
// what others write.
type responsesBody struct {
	Model           string `json:"model"`
	Input           string `json:"input"`
	Instructions    string `json:"instructions,omitempty"`
	MaxOutputTokens *int   `json:"max_output_tokens,omitempty"`
	Stream          bool   `json:"stream"`
	Store           bool   `json:"store"` // false: nothing that is measured stays with the provider
	wire.Mock
}

func askResponses(q *Question) any {
	return responsesBody{
		Model: q.Model, Input: q.Prompt.Text, Instructions: q.Prompt.System, MaxOutputTokens: limit(q.MaxTokens),
		Stream: true, Mock: q.mock(),
	}
}

// responsesDecoder reads the events of the Responses API.
type responsesDecoder struct{}

// Event implements reply.Decoder. The type stands in the data; the event's name, where
// there is one, is the same.
func (responsesDecoder) Event(e wire.Event, s *reply.Step) {
	var v wire.ResponsesEvent
	if !parse(e.Data, &v) {
		return
	}
	switch v.Type {
	case "response.output_text.delta", "response.refusal.delta":
		s.Piece(0).Text = v.Delta
	case "response.reasoning_text.delta":
		s.Piece(0).Reasoning = v.Delta
	case "response.reasoning_summary_text.delta":
		p := s.Piece(0)
		p.Reasoning, p.Summary = v.Delta, true
	case "response.function_call_arguments.delta":
		addCall(s.Piece(0), v.OutputIndex, wire.ResponsesEventItem{Arguments: wire.Arguments(v.Delta)})
	case "response.output_item.added":
		if v.Item != nil && v.Item.Type == wire.ItemCall {
			addCall(s.Piece(0), v.OutputIndex, *v.Item)
		}
	case wire.EventCompleted, wire.EventIncomplete, wire.EventFailed:
		s.End = true
		readSnapshot(v.Response, s, true)
	case "error":
		s.Failure = responsesFailure(&v, e.Data)
	}
}

// Whole implements reply.Decoder.
func (responsesDecoder) Whole(text []byte, s *reply.Step) {
	var r wire.ResponsesSnapshot
	if parse(text, &r) {
		readSnapshot(&r, s, false)
	}
}

func addCall(p *reply.Piece, index int, i wire.ResponsesEventItem) {
	p.Tools = append(p.Tools, reply.ToolPiece{Index: &index, ID: i.CallID, Name: i.Name, Arguments: string(i.Arguments)})
}

// readSnapshot reads a Response that has ended. Where it was streamed, what it holds
// has come before in pieces.
func readSnapshot(r *wire.ResponsesSnapshot, s *reply.Step, streamed bool) {
	if r == nil {
		return
	}
	s.Usage = responsesUsage(r.Usage)
	s.Failure = reply.MemberFailure(r.Error)
	if r.Status == wire.StatusFailed && s.Failure == nil {
		s.Failure = &reply.Failure{Kind: reply.InBand}
	}
	if finish := responsesFinish(r); finish != "" {
		s.Piece(0).Finish = finish
	}
	if len(r.Output) == 0 {
		return
	}
	p := s.Piece(0)
	if streamed {
		p = s.Snapshot(0)
	}
	for i, item := range r.Output {
		addItem(p, i, item)
	}
}

func addItem(p *reply.Piece, index int, item wire.ResponsesEventItem) {
	var text strings.Builder
	for _, part := range append(item.Content, item.Summary...) {
		text.WriteString(part.Text + part.Refusal)
	}
	switch item.Type {
	case wire.ItemCall:
		addCall(p, index, item)
	case wire.ItemReasoning:
		p.Summary = len(item.Content) == 0 && (p.Summary || p.Reasoning == "")
		p.Reasoning += text.String()
	case wire.ItemMessage:
		p.Text += text.String()
	}
}

// responsesFinish returns why a Response ended, in the words of the chat API where it has
// them.
func responsesFinish(r *wire.ResponsesSnapshot) string {
	switch {
	case r.Status == wire.StatusCompleted:
		return wire.FinishStop
	case r.IncompleteDetails == nil:
		return ""
	case r.IncompleteDetails.Reason == wire.ReasonMaxOutput:
		return wire.FinishLength
	}
	return r.IncompleteDetails.Reason
}

func responsesUsage(c *wire.ResponsesCounts) *reply.Counts {
	if c == nil {
		return nil
	}
	u := reply.NewCounts()
	u.Prompt, u.Cached = known(c.InputTokens), known(c.InputTokensDetails.CachedTokens)
	u.Answer, u.Reasoning = known(c.OutputTokens), known(c.OutputTokensDetails.ReasoningTokens)
	u.Total = known(c.TotalTokens)
	return u.Stated()
}

// responsesFailure reads an error event, whose members stand in the event itself or, at
// some servers, in one of their own.
func responsesFailure(v *wire.ResponsesEvent, data json.RawMessage) *reply.Failure {
	if f := reply.MemberFailure(v.Error); f != nil {
		return f
	}
	f := reply.MemberFailure(data)
	if f != nil && v.Code == nil {
		f.Code = nil // "error" is the event's type, not the error's
	}
	return f
}
