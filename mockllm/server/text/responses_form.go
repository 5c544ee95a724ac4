package text

import (
	"encoding/json"
	"slices"

	"halfsecond/pipeline/wire"
)

// responsesForm writes one answer of the Responses API, whole or as events. Each part
// of the answer is one item of its output. A client that wants a summary of the
// reasoning is told all of it as one; another gets it as servers of open models send it.
type responsesForm struct {
	wire.ResponsesStream
	s        *Service
	g        *generation
	response wire.Response     // as it begins
	items    []wire.OutputItem // one a part, in its final state
	asked    []string          // the conversation up to the answer
}

func (s *Service) newResponsesForm(g *generation, q *wire.ResponsesRequest, asked []string) *responsesForm {
	f := &responsesForm{s: s, g: g, asked: asked, response: blankResponse(q)}
	f.response.ID, f.response.CreatedAt, f.response.Model = g.id, g.created, g.model.Name
	summarized := q.Reasoning != nil && q.Reasoning.Summary != nil
	for i := range g.parts {
		f.items = append(f.items, s.item(g, &g.parts[i], summarized))
	}
	if g.request.Finish() == wire.FinishLength {
		f.items[len(f.items)-1].Status = wire.StatusIncomplete
	}
	return f
}

// item returns a part as an item of the output.
func (s *Service) item(g *generation, p *part, summarized bool) wire.OutputItem {
	i := wire.OutputItem{Status: wire.StatusCompleted, Text: g.textOf(p)}
	switch p.kind {
	case content:
		i.Type, i.ID = wire.ItemMessage, s.newID("msg_")
	case thinking:
		i.Type, i.ID, i.Summarized = wire.ItemReasoning, s.newID("rs_"), summarized
	case toolCall:
		i.Type, i.ID = wire.ItemCall, s.newID("fc_")
		i.CallID, i.Name = p.call.id, p.call.name
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

func (f *responsesForm) contentType() string { return eventStream }

func (f *responsesForm) open(dst []byte, _ *generation) []byte {
	dst = f.AppendResponse(dst, wire.EventCreated, f.response)
	return f.AppendResponse(dst, wire.EventInProgress, f.response)
}

func (f *responsesForm) piece(dst []byte, p piece) []byte {
	item := f.items[p.index]
	if p.opens {
		dst = f.AppendOpen(dst, p.index, item)
	}
	if p.text != "" {
		dst = f.AppendDelta(dst, p.index, item, p.text)
	}
	if p.shuts {
		dst = f.AppendDone(dst, p.index, item)
	}
	return dst
}

func (f *responsesForm) end(dst []byte, _ *generation) []byte {
	r := f.finish()
	name := wire.EventCompleted
	if r.Status == wire.StatusIncomplete {
		name = wire.EventIncomplete
	}
	return f.AppendResponse(dst, name, r)
}

func (f *responsesForm) fail(dst []byte, e *apiError) []byte {
	dst = f.AppendError(dst, e.openAI().Error)
	r := f.response
	r.Status, r.Error = wire.StatusFailed, &wire.ResponseError{Code: serverError, Message: e.message}
	return f.AppendResponse(dst, wire.EventFailed, r)
}

// finish returns the answer as it ends, and keeps it for later requests unless the
// client does not want that.
func (f *responsesForm) finish() wire.Response {
	r := f.response
	r.Status, r.Output, r.Usage = wire.StatusCompleted, f.items, f.usage()
	if f.g.finish() == wire.FinishLength {
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
	u := f.g.openAIUsage()
	r := &wire.ResponsesUsage{InputTokens: u.PromptTokens, OutputTokens: u.CompletionTokens, TotalTokens: u.TotalTokens}
	if u.PromptTokensDetails != nil {
		r.InputTokensDetails = *u.PromptTokensDetails
	}
	r.OutputDetails.ReasoningTokens = f.g.thinkingTokens()
	return r
}
