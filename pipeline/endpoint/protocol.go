package endpoint

import (
	"fmt"

	"halfsecond/pipeline/wire"
)

// Protocol names the API that an endpoint speaks.
type Protocol string

const (
	OpenAIChat        Protocol = "openai-chat"        // POST /v1/chat/completions
	OpenAICompletions Protocol = "openai-completions" // POST /v1/completions
)

// path returns the protocol's path below the base of the API.
func (p Protocol) path() string {
	if p == OpenAICompletions {
		return wire.CompletionsPath
	}
	return wire.ChatPath
}

func (p Protocol) validate() error {
	if p != OpenAIChat && p != OpenAICompletions {
		return fmt.Errorf("protocol %q is not known; want %s or %s", string(p), OpenAIChat, OpenAICompletions)
	}
	return nil
}
