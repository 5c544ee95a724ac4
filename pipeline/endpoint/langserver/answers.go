package langserver

import (
	"encoding/json"
	"slices"

	"halfsecond/pipeline/wire/jsonrpc"
	"halfsecond/pipeline/wire/lsp"
)

// answer answers what the server asks.
func (c *Client) answer(m *jsonrpc.Message) {
	reply, err := c.reply(m)
	if err == nil {
		err = c.send(&reply, nil)
	}
	if err != nil {
		c.breaks(err)
	}
}

// reply returns the answer to what the server asks: nothing is configured, and of what it
// registers inline completion alone matters.
func (c *Client) reply(m *jsonrpc.Message) (jsonrpc.Message, error) {
	var bad error
	var result any
	switch m.Method {
	case lsp.Configuration:
		var p lsp.ConfigurationParams
		bad = json.Unmarshal(m.Params, &p)
		result = make([]any, len(p.Items))
	case lsp.Register, lsp.Unregister:
		var p lsp.RegisterParams
		bad = json.Unmarshal(m.Params, &p)
		c.registered(slices.Concat(p.Registrations, p.Unregistrations), m.Method == lsp.Register)
	case lsp.CreateProgress:
	default:
		return jsonrpc.NewFailure(m.ID, jsonrpc.MethodNotFound, "this client does no "+m.Method), nil
	}
	if bad != nil {
		return jsonrpc.NewFailure(m.ID, jsonrpc.InvalidParams, bad.Error()), nil
	}
	return jsonrpc.NewAnswer(m.ID, result)
}

func (c *Client) registered(all []lsp.Registration, on bool) {
	for _, r := range all {
		if r.Method == lsp.InlineCompletion {
			c.offer(on)
		}
	}
}
