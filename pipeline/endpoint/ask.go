package endpoint

import (
	"encoding/json"
	"errors"

	"halfsecond/pipeline"
	"halfsecond/pipeline/wire"
)

// ask returns the body of the request that a call makes.
func (c *Config) ask(call *pipeline.Call) ([]byte, error) {
	if call.Prompt == nil {
		return nil, errors.New("the call has no prompt")
	}
	prompt := call.Prompt()
	if c.Protocol == OpenAIChat && prompt.Suffix != "" {
		return nil, errors.New("the prompt has a suffix, which openai-chat cannot carry; use openai-completions")
	}
	sampling := wire.Sampling{
		Stream:        true,
		StreamOptions: &wire.StreamOptions{IncludeUsage: true},
		IgnoreEOS:     c.IgnoreEOS,
		Priority:      -call.Priority,
	}
	if c.SendAnswer && call.Answer != nil {
		sampling.MockAnswer = call.Answer()
	}
	if c.Protocol == OpenAICompletions {
		return json.Marshal(wire.CompletionRequest{
			Model: c.Model, Prompt: wire.Prompt(rawPrompt(prompt)), Suffix: prompt.Suffix,
			MaxTokens: limit(call.MaxTokens), Sampling: sampling,
		})
	}
	return json.Marshal(wire.ChatRequest{
		Model: c.Model, Messages: messages(prompt),
		MaxTokens: limit(call.MaxTokens), Sampling: sampling,
	})
}

// messages returns a prompt as a conversation.
func messages(p pipeline.Prompt) []wire.Message {
	user := wire.Message{Role: "user", Content: wire.Content{Text: p.Text}}
	if p.System == "" {
		return []wire.Message{user}
	}
	return []wire.Message{{Role: "system", Content: wire.Content{Text: p.System}}, user}
}

// rawPrompt returns a prompt as one text.
func rawPrompt(p pipeline.Prompt) string {
	if p.System == "" {
		return p.Text
	}
	return p.System + "\n\n" + p.Text
}

// limit returns a limit as the API has it: none is a missing field.
func limit(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}
