package text

import "halfsecond/mockllm/token"

// order is what a client asks for, whichever protocol it speaks.
type order struct {
	model     string
	prompt    []string // its texts in order, such as the messages of a conversation
	in        string   // the parameter that holds the prompt
	limit     *int     // most tokens of the answer; nil for as many as the context holds
	limitedBy string   // the parameter that holds the limit

	stop      []string // texts that end the answer
	seed      int64    // of the words, beside the prompt
	priority  int      // the larger goes first
	ignoreEOS bool     // the answer is as long as its limit
	answer    string   // what the mock shall say; "" leaves it to the mock

	promptTokens int // of all texts; set by generation
}

// generation turns an order into a generation, or says why it cannot be had.
func (s *Service) generation(p *protocol, o order) (*generation, *apiError) {
	for _, text := range o.prompt {
		o.promptTokens += token.Count(text)
	}
	m, fault := s.find(o.model)
	if fault == nil {
		fault = o.fits(m)
	}
	if fault != nil {
		return nil, fault
	}
	g := &generation{protocol: p, model: m, created: s.unix(), wake: make(chan struct{}, 1)}
	g.request.Prompt, g.request.Priority = max(1, o.promptTokens), o.priority
	g.request.Limit = m.Context - g.request.Prompt
	if o.limit != nil {
		g.request.Limit = min(g.request.Limit, *o.limit)
	}
	s.compose(g, o)
	if m.Shares {
		g.hash(o)
	}
	return g, nil
}

// fits reports a limit that is none, and a prompt, or a prompt with its limit, beyond
// the model's context.
func (o order) fits(m *model) *apiError {
	if max(1, o.promptTokens) >= m.Context {
		return badRequest(o.in, "context_length_exceeded", "This model's maximum context length is %d tokens. However, your %s resulted in %d tokens. Please reduce the length of the %s.", m.Context, o.in, o.promptTokens, o.in)
	}
	if o.limit != nil && *o.limit < 1 {
		return badRequest(o.limitedBy, "integer_below_min_value", "Invalid '%s': integer below minimum value. Expected a value >= 1, but got %d instead.", o.limitedBy, *o.limit)
	}
	if o.limit != nil && *o.limit > m.Context-o.promptTokens {
		return badRequest(o.in, "context_length_exceeded", "This model's maximum context length is %d tokens. However, you requested %d in the %s and %d in the completion. Please reduce the length of the %s or completion.",
			m.Context, o.promptTokens, o.in, *o.limit, o.in)
	}
	return nil
}
