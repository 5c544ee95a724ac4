package dialect

import (
	"strings"

	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/gemini"
)

var geminiContent = &Dialect{
	Protocol: Gemini, Base: "/v1beta", Path: gemini.Path + "/MODEL:" + gemini.Stream + "?alt=sse", Models: gemini.Path,
	Accept: "text/event-stream", KeyHeader: "X-Goog-Api-Key", Endless: true,
	ask: askGemini, names: geminiNames, decoder: func() reply.Decoder { return &geminiDecoder{} },
}

func askGemini(q *Question) any {
	turn := func(role, text string) gemini.Content {
		return gemini.Content{Role: role, Parts: []gemini.Part{{Text: &text}}}
	}
	r := gemini.GenerateRequest{Contents: []gemini.Content{turn("user", q.Prompt.Text)}, MockAnswer: q.Answer, MockThinking: q.Thought}
	if q.Prompt.System != "" {
		system := turn("", q.Prompt.System)
		r.SystemInstruction = &system
	}
	if q.MaxTokens > 0 {
		r.GenerationConfig = &gemini.GenerationConfig{MaxOutputTokens: &q.MaxTokens}
	}
	return r
}

func geminiNames(list []byte) ([]string, error) {
	var l gemini.ModelList
	if !parse(list, &l) || l.Models == nil {
		return nil, errNoList
	}
	var names []string
	for _, m := range l.Models {
		names = append(names, strings.TrimPrefix(m.Name, "models/"))
	}
	return names, nil
}

// geminiDecoder reads the pieces of streamGenerateContent. Calls come whole.
type geminiDecoder struct{ calls int }

// Event implements reply.Decoder.
func (d *geminiDecoder) Event(e wire.Event, s *reply.Step) {
	var c gemini.Chunk
	if parse(e.Data, &c) {
		d.read(&c, s)
	}
}

// Whole implements reply.Decoder. An answer is one object or, where events were not
// asked for, a list of pieces.
func (d *geminiDecoder) Whole(text []byte, s *reply.Step) {
	var one gemini.Chunk
	var list []gemini.Chunk
	if !strings.HasPrefix(strings.TrimSpace(string(text)), "[") {
		if parse(text, &one) {
			d.read(&one, s)
		}
		return
	}
	if parse(text, &list) {
		for i := range list {
			d.read(&list[i], s)
		}
	}
}

func (d *geminiDecoder) read(c *gemini.Chunk, s *reply.Step) {
	if f := reply.MemberFailure(c.Error); f != nil {
		s.Failure = f
	}
	if c.PromptFeedback != nil && c.PromptFeedback.BlockReason != "" {
		s.Failure = &reply.Failure{Kind: reply.InBand, Message: "the prompt was blocked", Code: c.PromptFeedback.BlockReason}
	}
	s.Count(geminiUsage(c.UsageMetadata))
	for i := range c.Candidates {
		k := &c.Candidates[i]
		p := s.Piece(k.Index)
		if k.FinishReason != "" {
			p.Finish = k.FinishReason
		}
		for _, part := range k.Content.Parts {
			d.part(p, part)
		}
	}
}

func (d *geminiDecoder) part(p *reply.Piece, part gemini.Part) {
	switch {
	case part.FunctionCall != nil:
		index := d.calls
		d.calls++
		p.Tools = append(p.Tools, reply.ToolPiece{Index: &index, ID: part.FunctionCall.ID, Name: part.FunctionCall.Name, Arguments: string(part.FunctionCall.Args)})
	case part.Text == nil:
	case part.Thought:
		p.Reasoning += *part.Text
		p.Summary = true
	default:
		p.Text += *part.Text
	}
}

// geminiUsage reads counts. The reasoning is counted apart from the answer, and what is
// zero is left out.
func geminiUsage(c *gemini.Counts) *reply.Counts {
	if c == nil {
		return nil
	}
	u := reply.NewCounts()
	u.Prompt, u.Cached = known(c.PromptTokenCount), known(c.CachedContentTokenCount)
	u.Answer, u.Reasoning, u.ReasoningBeside = known(c.CandidatesTokenCount), known(c.ThoughtsTokenCount), true
	return u.Stated()
}
