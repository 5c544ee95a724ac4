package openai

import (
	"encoding/json"
	"slices"

	"halfsecond/mockllm/server/text/serve"
	"halfsecond/pipeline/wire"
)

// responsesForm writes one answer of the Responses API, whole or as events. Each part
// of the answer is one item of its output. A client that wants a summary of the
// reasoning is told all of it as one; another gets it as servers of open models send it.
type responsesForm struct {
	wire.ResponsesStream
	s        *Front
	g        *serve.Generation
	response wire.Response     // as it begins
	items    []wire.OutputItem // one a part, in its final state
	asked    []string          // the conversation up to the answer
}

func (s *Front) newResponsesForm(g *serve.Generation, q *wire.ResponsesRequest, asked []string) *responsesForm {
	f := &responsesForm{s: s, g: g, asked: asked, response: blankResponse(q)}
	f.response.ID, f.response.CreatedAt, f.response.Model = g.ID, g.Created, g.Model.Name
	summarized := q.Reasoning != nil && q.Reasoning.Summary != nil
	for i := range g.Parts {
		f.items = append(f.items, s.item(g, &g.Parts[i], summarized))
	}
	if g.Request.Finish() == wire.FinishLength {
		f.items[len(f.items)-1].Status = wire.StatusIncomplete
	}
	return f
}

// item returns a part as an item of the output.
func (s *Front) item(g *serve.Generation, p *serve.Part, summarized bool) wire.OutputItem {
	i := wire.OutputItem{Status: wire.StatusCompleted, Text: g.TextOf(p)}
	switch p.Kind {
	case serve.Content:
		i.Type, i.ID = wire.ItemMessage, s.NewID("msg_")
	case serve.Thinking:
		i.Type, i.ID, i.Summarized = wire.ItemReasoning, s.NewID("rs_"), summarized
	case serve.ToolCall:
		i.Type, i.ID = wire.ItemCall, s.NewID("fc_")
		i.CallID, i.Name = p.Call.ID, p.Call.Name
	}
	return i
}

// blankResponse returns what an answer repeats of its request, with the API's own
// values for what that leaves out.
func blankResponse(q *wire.ResponsesRequest) wire.Response {
	r := wire.Response{
		Object: wire.ResponseObject, Status: wire.StatusInProgress, Output: []wire.OutputItem{},
		Instructions: q.Instructions, MaxOutputTokens: q.MaxOutputTokens, PreviousResponseID: q.PreviousResponseID,
		ParallelToolCalls: q.ParallelToolCalls == nil || *q.ParallelToolCalls, Store: q.Store == nil || *q.Store,
		Temperature: 1, TopP: 1, Truncation: "disabled", Tools: q.Tools,
		Text: q.Text, ToolChoice: q.ToolChoice, Metadata: q.Metadata,
	}
	if q.Temperature != nil {
		r.Temperature = *q.Temperature
	}
	if q.TopP != nil {
		r.TopP = *q.TopP
	}
	if q.Reasoning != nil {
		r.Reasoning = *q.Reasoning
	}
	if r.Tools == nil {
		r.Tools = []json.RawMessage{}
	}
	for member, blank := range map[*json.RawMessage]string{
		&r.Text: `{"format":{"type":"text"}}`, &r.ToolChoice: `"auto"`, &r.Metadata: `{}`,
	} {
		if len(*member) == 0 || string(*member) == "null" {
			*member = json.RawMessage(blank)
		}
	}
	return r
}

func (f *responsesForm) ContentType() string { return serve.EventStream }

func (f *responsesForm) Open(dst []byte, _ *serve.Generation) []byte {
	dst = f.AppendResponse(dst, wire.EventCreated, f.response)
	return f.AppendResponse(dst, wire.EventInProgress, f.response)
}

func (f *responsesForm) Piece(dst []byte, p serve.Piece) []byte {
	item := f.items[p.Index]
	if p.Opens {
		dst = f.AppendOpen(dst, p.Index, item)
	}
	if p.Text != "" {
		dst = f.AppendDelta(dst, p.Index, item, p.Text)
	}
	if p.Shuts {
		dst = f.AppendDone(dst, p.Index, item)
	}
	return dst
}

func (f *responsesForm) End(dst []byte, _ *serve.Generation) []byte {
	r := f.finish()
	name := wire.EventCompleted
	if r.Status == wire.StatusIncomplete {
		name = wire.EventIncomplete
	}
	return f.AppendResponse(dst, name, r)
}

func (f *responsesForm) Fail(dst []byte, e *wire.Failure) []byte {
	dst = f.AppendError(dst, wire.NewError(e).Error)
	r := f.response
	r.Status, r.Error = wire.StatusFailed, &wire.ResponseError{Code: wire.ErrServer, Message: e.Message}
	return f.AppendResponse(dst, wire.EventFailed, r)
}

// finish returns the answer as it ends, and keeps it for later requests unless the
// client does not want that.
func (f *responsesForm) finish() wire.Response {
	r := f.response
	r.Status, r.Output, r.Usage = wire.StatusCompleted, f.items, f.usage()
	if f.g.Finish() == wire.FinishLength {
		r.Status, r.IncompleteDetails = wire.StatusIncomplete, &wire.IncompleteDetails{Reason: wire.ReasonMaxOutput}
	}
	if r.Store {
		f.s.kept.put(&keptResponse{r, append(slices.Clip(f.asked), f.answered()...)})
	}
	return r
}

// answered returns what the conversation keeps of the answer: all but the reasoning.
func (f *responsesForm) answered() []string {
	var texts []string
	for _, i := range f.items {
		if i.Type != wire.ItemReasoning {
			texts = append(texts, i.Text)
		}
	}
	return texts
}

func (f *responsesForm) usage() *wire.ResponsesUsage {
	u := f.g.Usage()
	r := &wire.ResponsesUsage{InputTokens: u.PromptTokens, OutputTokens: u.CompletionTokens, TotalTokens: u.TotalTokens}
	if u.PromptTokensDetails != nil {
		r.InputTokensDetails = *u.PromptTokensDetails
	}
	r.OutputDetails.ReasoningTokens = f.g.ThinkingTokens()
	return r
}
