package mistral

import "halfsecond/pipeline/wire"

// Response is the whole answer to a FIMRequest that does not stream. Its object is that
// of a chat completion.
type Response struct {
	ID      string            `json:"id"`
	Object  string            `json:"object"` // wire.ChatObject
	Model   string            `json:"model"`
	Usage   wire.Usage        `json:"usage"`
	Created int64             `json:"created"` // Unix time in seconds
	Choices []wire.ChatChoice `json:"choices"`
}
