package dialect

import (
	"cmp"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/wire"
)

var openAIChat = &Dialect{
	Protocol: OpenAIChat, Base: "/v1", Path: wire.ChatPath, Models: wire.ModelsPath,
	Accept: "text/event-stream", KeyHeader: "Authorization", KeyPrefix: "Bearer ",
	ask: func(q *Question) any {
		return wire.ChatRequest{Model: q.Model, Messages: messages(q.Prompt), MaxTokens: limit(q.MaxTokens), Sampling: sampling(q)}
	},
	names: openAINames, decoder: func() reply.Decoder { return &openAIDecoder{} },
}

var openAICompletions = &Dialect{
	Protocol: OpenAICompletions, Base: "/v1", Path: wire.CompletionsPath, Models: wire.ModelsPath,
	Accept: "text/event-stream", KeyHeader: "Authorization", KeyPrefix: "Bearer ", Fills: true,
	ask: func(q *Question) any {
		return wire.CompletionRequest{
			Model: q.Model, Prompt: wire.Prompt(raw(q.Prompt)), Suffix: q.Prompt.Suffix,
			MaxTokens: limit(q.MaxTokens), Sampling: sampling(q),
		}
	},
	names: openAINames, decoder: func() reply.Decoder { return &openAIDecoder{completions: true} },
}

func sampling(q *Question) wire.Sampling {
	return wire.Sampling{
		Stream:        true,
		StreamOptions: &wire.StreamOptions{IncludeUsage: true},
		IgnoreEOS:     q.IgnoreEOS,
		Priority:      -q.Priority,
		Mock:          q.mock(),
	}
}

// messages returns a prompt as a conversation.
func messages(p pipeline.Prompt) []wire.Message {
	user := wire.Message{Role: "user", Content: wire.Content{Text: p.Text}}
	if p.System == "" {
		return []wire.Message{user}
	}
	return []wire.Message{{Role: "system", Content: wire.Content{Text: p.System}}, user}
}

func openAINames(list []byte) ([]string, error) {
	var l wire.ModelList
	if !parse(list, &l) || l.Data == nil {
		return nil, errNoList
	}
	var names []string
	for _, m := range l.Data {
		names = append(names, m.ID)
	}
	return names, nil
}

// openAIDecoder reads chunks of the chat or of the completions API.
type openAIDecoder struct {
	completions bool
	parser      wire.ChunkParser
}

// Event implements reply.Decoder.
func (d *openAIDecoder) Event(e wire.Event, s *reply.Step) {
	if e.Name != "" && e.Name != "message" {
		return
	}
	if c, err := d.parser.Parse(e.Data); err == nil {
		d.read(c, s, false)
	}
}

// Whole implements reply.Decoder.
func (d *openAIDecoder) Whole(text []byte, s *reply.Step) {
	if c, err := wire.ParseChunk(text); err == nil {
		d.read(&c, s, true)
	}
}

func (d *openAIDecoder) read(c *wire.Chunk, s *reply.Step, whole bool) {
	s.Failure = reply.MemberFailure(c.Error)
	s.Usage = statedUsage(c.Usage)
	s.Timings = timedUsage(c.Timings)
	if c.Timings != nil {
		s.Server = timedServer(c.Timings.PromptMS, c.Timings.PredictedMS)
	}
	for i := range c.Choices {
		choice := &c.Choices[i]
		if s.Failure == nil {
			s.Failure = reply.MemberFailure(choice.Error)
		}
		d.choice(choice, s, whole)
	}
}

func (d *openAIDecoder) choice(c *wire.Choice, s *reply.Step, whole bool) {
	p := s.Piece(c.Index)
	p.Finish = cmp.Or(c.FinishReason, p.Finish)
	switch {
	case d.completions:
		p.Text += c.Text
	case whole && c.Message != nil:
		number(c.Message.ToolCalls)
		addDelta(p, c.Message)
	case !whole:
		if c.Delta != nil {
			addDelta(p, c.Delta)
		}
		if c.Message != nil {
			number(c.Message.ToolCalls)
			addDelta(s.Snapshot(c.Index), c.Message)
		}
	}
}

// number gives the tool calls of a whole message, which need no index, one each.
func number(calls []wire.ToolCall) {
	for i := range calls {
		if calls[i].Index == nil {
			calls[i].Index = &i
		}
	}
}

// addDelta adds a piece of a message, or a whole one.
func addDelta(p *reply.Piece, d *wire.Delta) {
	p.Reasoning += cmp.Or(d.ReasoningContent, d.Reasoning) + d.Content.Thinking
	p.Text += d.Content.Text + d.Refusal
	if f := d.FunctionCall; f != nil {
		p.Tools = append(p.Tools, reply.ToolPiece{Index: new(int), Name: f.Name, Arguments: string(f.Arguments)})
	}
	for _, t := range d.ToolCalls {
		p.Tools = append(p.Tools, reply.ToolPiece{Index: t.Index, ID: t.ID, Name: t.Function.Name, Arguments: string(t.Function.Arguments)})
	}
}

// statedUsage reads a usage object.
func statedUsage(c *wire.UsageCounts) *reply.Counts {
	if c == nil {
		return nil
	}
	u := reply.NewCounts()
	u.Prompt, u.Cached = known(c.PromptTokens), known(c.PromptTokensDetails.CachedTokens)
	if u.Cached == pipeline.UnknownCount {
		u.Cached = known(c.PromptCacheHitTokens)
	}
	u.Answer, u.Reasoning = known(c.CompletionTokens), known(c.CompletionTokensDetails.ReasoningTokens)
	u.Total = known(c.TotalTokens)
	return u.Stated()
}

// timedUsage reads the timings of a llama.cpp server, which splits the prompt into
// what it found in its cache and what it evaluated.
func timedUsage(t *wire.Timings) *reply.Counts {
	if t == nil {
		return nil
	}
	u := reply.NewCounts()
	u.Prompt, u.Cached, u.CacheBeside = known(t.PromptN), known(t.CacheN), true
	u.Answer = known(t.PredictedN)
	return u.Stated()
}
