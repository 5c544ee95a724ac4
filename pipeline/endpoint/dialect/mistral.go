package dialect

import (
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/mistral"
)

// mistralFIM answers as the chat API of OpenAI does.
var mistralFIM = &Dialect{
	Protocol: MistralFIM, Base: "/v1", Path: mistral.FIMPath, Models: wire.ModelsPath,
	Accept: "text/event-stream", KeyHeader: "Authorization", KeyPrefix: "Bearer ", Fills: true,
	ask: func(q *Question) any {
		prompt, stream := raw(q.Prompt), true
		return mistral.FIMRequest{Model: q.Model, Prompt: &prompt, Suffix: some(q.Prompt.Suffix), MaxTokens: limit(q.MaxTokens), Stream: &stream, MockAnswer: q.Answer}
	},
	names: openAINames, decoder: func() reply.Decoder { return &openAIDecoder{} },
}

// some returns a text that may be missing.
func some(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
