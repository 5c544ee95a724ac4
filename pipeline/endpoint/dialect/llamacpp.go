package dialect

import (
	"encoding/json"
	"strings"

	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/llamacpp"
)

var llamaCompletion = &Dialect{
	Protocol: LlamaCompletion, Path: llamacpp.CompletionPath, Models: "/v1" + wire.ModelsPath,
	Accept: "text/event-stream", KeyHeader: "Authorization", KeyPrefix: "Bearer ",
	ask: func(q *Question) any {
		return struct {
			Prompt string `json:"prompt"`
			llamacpp.Options
		}{raw(q.Prompt), llamaOptions(q)}
	},
	names: openAINames, decoder: func() reply.Decoder { return llamaDecoder{} },
}

var llamaInfill = &Dialect{
	Protocol: LlamaInfill, Path: llamacpp.InfillPath, Models: "/v1" + wire.ModelsPath,
	Accept: "text/event-stream", KeyHeader: "Authorization", KeyPrefix: "Bearer ", Fills: true,
	ask: func(q *Question) any {
		prefix := strings.TrimSuffix(raw(q.Prompt), q.Prompt.Typed)
		return llamacpp.InfillRequest{Prefix: &prefix, Suffix: &q.Prompt.Suffix, Prompt: q.Prompt.Typed, Options: llamaOptions(q)}
	},
	names: openAINames, decoder: func() reply.Decoder { return llamaDecoder{} },
}

func llamaOptions(q *Question) llamacpp.Options {
	return llamacpp.Options{Model: q.Model, NPredict: limit(q.MaxTokens), Stream: true, IgnoreEOS: q.IgnoreEOS, MockAnswer: q.Answer}
}

// llamaEvent is an event of /completion or /infill as a client must be ready to find it.
type llamaEvent struct {
	Index           int             `json:"index"`
	Content         string          `json:"content"`
	Stop            bool            `json:"stop"`
	StopType        string          `json:"stop_type"`
	TokensPredicted *int            `json:"tokens_predicted"`
	TokensEvaluated *int            `json:"tokens_evaluated"`
	Timings         *wire.Timings   `json:"timings"`
	Error           json.RawMessage `json:"error"`
}

// llamaDecoder reads the events of llama.cpp's own API.
type llamaDecoder struct{}

// Event implements reply.Decoder.
func (llamaDecoder) Event(e wire.Event, s *reply.Step) { readLlama(e.Data, s) }

// Whole implements reply.Decoder.
func (llamaDecoder) Whole(text []byte, s *reply.Step) { readLlama(text, s) }

func readLlama(text []byte, s *reply.Step) {
	var v llamaEvent
	if !parse(text, &v) {
		return
	}
	if s.Failure = reply.MemberFailure(v.Error); s.Failure != nil {
		return
	}
	p := s.Piece(v.Index)
	p.Text = v.Content
	u := reply.NewCounts()
	u.Prompt, u.Answer = known(v.TokensEvaluated), known(v.TokensPredicted)
	s.Usage = u.Stated()
	if t := v.Timings; t != nil {
		s.Timings = timedUsage(t)
		s.Server = timedServer(t.PromptMS, t.PredictedMS)
		if s.Usage != nil {
			s.Usage.Cached = known(t.CacheN)
		}
	}
	if v.Stop {
		s.End, p.Finish = true, v.StopType
	}
}
