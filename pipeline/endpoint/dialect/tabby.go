package dialect

import (
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/tabby"
)

// tabbyCompletions answers whole, and picks the model and the limit itself.
var tabbyCompletions = &Dialect{
	Protocol: Tabby, Path: tabby.CompletionsPath,
	Accept: "application/json", KeyHeader: "Authorization", KeyPrefix: "Bearer ", Fills: true,
	ask: func(q *Question) any {
		return tabby.CompletionRequest{Segments: &tabby.Segments{Prefix: raw(q.Prompt), Suffix: some(q.Prompt.Suffix)}, MockAnswer: q.Answer}
	},
	names: openAINames, decoder: func() reply.Decoder { return tabbyDecoder{} },
}

// tabbyDecoder reads the one answer of a Tabby server, which has the shape of a
// completion of the OpenAI API without a finish reason.
type tabbyDecoder struct{}

// Event implements reply.Decoder: there are none.
func (tabbyDecoder) Event(wire.Event, *reply.Step) {}

// Whole implements reply.Decoder.
func (tabbyDecoder) Whole(text []byte, s *reply.Step) {
	(&openAIDecoder{completions: true}).Whole(text, s)
}
