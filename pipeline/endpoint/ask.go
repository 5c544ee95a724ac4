package endpoint

import (
	"errors"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/dialect"
)

// ask returns the body of the request that a call makes.
func (c *Client) ask(call *pipeline.Call) ([]byte, error) {
	if call.Prompt == nil {
		return nil, errors.New("the call has no prompt")
	}
	q := dialect.Question{
		Model: c.config.Model, Prompt: call.Prompt(), MaxTokens: call.MaxTokens,
		Priority: call.Priority, IgnoreEOS: c.config.IgnoreEOS,
	}
	if c.config.SendAnswer && call.Answer != nil {
		q.Answer, q.Draw = call.Answer(), call.Draw
		if call.Thought != nil {
			q.Thought = call.Thought()
		}
	}
	return c.dialect.Ask(q)
}
