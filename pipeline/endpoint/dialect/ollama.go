package dialect

import (
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/ollama"
)

var ollamaChat = &Dialect{
	Protocol: OllamaChat, Path: ollama.ChatPath, Models: ollama.TagsPath,
	Accept: ollama.ContentType, KeyHeader: "Authorization", KeyPrefix: "Bearer ",
	ask: func(q *Question) any {
		var turns []ollama.Message
		for _, m := range messages(q.Prompt) {
			turns = append(turns, ollama.Message{Role: m.Role, Content: m.Content.Text})
		}
		return ollama.ChatRequest{Model: q.Model, Messages: turns, Common: ollamaCommon(q)}
	},
	names: ollamaNames, decoder: func() reply.Decoder { return &ollamaDecoder{} },
}

var ollamaGenerate = &Dialect{
	Protocol: OllamaGenerate, Path: ollama.GeneratePath, Models: ollama.TagsPath,
	Accept: ollama.ContentType, KeyHeader: "Authorization", KeyPrefix: "Bearer ", Fills: true,
	ask: func(q *Question) any {
		return ollama.GenerateRequest{Model: q.Model, Prompt: q.Prompt.Text, System: q.Prompt.System, Suffix: q.Prompt.Suffix, Common: ollamaCommon(q)}
	},
	names: ollamaNames, decoder: func() reply.Decoder { return &ollamaDecoder{} },
}

func ollamaCommon(q *Question) ollama.Common {
	return ollama.Common{Options: ollama.Options{NumPredict: limit(q.MaxTokens)}, Mock: q.mock()}
}

func ollamaNames(list []byte) ([]string, error) {
	var l ollama.Tags
	if !parse(list, &l) || l.Models == nil {
		return nil, errNoList
	}
	var names []string
	for _, m := range l.Models {
		names = append(names, m.Name)
	}
	return names, nil
}

// ollamaDecoder reads the lines of either request. Calls come whole.
type ollamaDecoder struct{ calls int }

// Event implements reply.Decoder.
func (d *ollamaDecoder) Event(e wire.Event, s *reply.Step) {
	var l ollama.Line
	if parse(e.Data, &l) {
		d.read(&l, s)
	}
}

// Whole implements reply.Decoder: an answer that is not streamed is one line.
func (d *ollamaDecoder) Whole(text []byte, s *reply.Step) {
	var l ollama.Line
	if parse(text, &l) {
		d.read(&l, s)
	}
}

func (d *ollamaDecoder) read(l *ollama.Line, s *reply.Step) {
	if s.Failure = reply.MemberFailure(l.Error); s.Failure != nil {
		return
	}
	p := s.Piece(0)
	p.Text, p.Reasoning, p.Finish = l.Response, l.Thinking, l.DoneReason
	if m := l.Message; m != nil {
		p.Text += m.Content
		p.Reasoning += m.Thinking
		for _, c := range m.ToolCalls {
			index := d.calls
			d.calls++
			p.Tools = append(p.Tools, reply.ToolPiece{Index: &index, ID: c.ID, Name: c.Function.Name, Arguments: string(c.Function.Arguments)})
		}
	}
	s.End = l.Done || l.DoneReason != ""
	u := reply.NewCounts()
	u.Prompt, u.Answer = known(l.PromptEvalCount), known(l.EvalCount)
	s.Usage = u.Stated()
	s.Server.Load, s.Server.Prefill = whole(l.LoadDuration), whole(l.PromptEvalDuration)
	s.Server.Decode, s.Server.Total = whole(l.EvalDuration), whole(l.TotalDuration)
}

// whole returns a span of whole nanoseconds that may be missing.
func whole(ns *int64) time.Duration {
	if ns == nil || *ns < 0 || time.Duration(*ns) > longest {
		return pipeline.Unknown
	}
	return time.Duration(*ns)
}
