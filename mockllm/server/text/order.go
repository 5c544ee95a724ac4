package text

import (
	"encoding/json"

	"halfsecond/mockllm/token"
)

// order is what a client asks for, whichever protocol it speaks.
type order struct {
	model   string
	prompt  []string                            // its texts in order, such as the messages of a conversation
	hole    *hole                               // to be filled, where the prompt's own text does not frame it
	in      string                              // the parameter that holds the prompt
	tooLong func(tokens, context int) *apiError // refuses a prompt beyond the context; nil in OpenAI's words
	ids     bool                                // the client wants the numbers of tokens

	limit     *int     // most tokens of the answer; nil for as many as the context holds
	limitedBy string   // the parameter that holds the limit
	clips     bool     // a limit beyond the context is cut to it, and not refused
	stop      []string // texts that end the answer
	keepStop  bool     // the one that does is part of it
	ignoreEOS bool     // the answer is as long as its limit
	minTokens int      // it has at least so many, and no stop string ends it before

	seed     int64           // of the words, beside the prompt
	priority int             // the larger goes first
	answer   string          // what the mock shall say; "" leaves it to the mock
	format   json.RawMessage // the answer is JSON of this schema, where it is the mock's own

	tools     []tool   // what may be called
	choice    choice   // whether it may or must be
	named     []string // tools that shall be called
	namedBy   string   // the parameter that names them
	single    bool     // no more than one call in an answer
	afterTool bool     // the prompt ends with the result of a call

	thinks        bool   // the client asks for reasoning
	thinkingLimit int    // most tokens of it; 0 for no limit of its own
	thought       string // what the mock shall think; "" leaves it to the mock

	promptTokens int // of all texts, tools included; set by generation
}

// kindCompletion and kindChat are the kinds of requests that pinned slots tell apart.
const (
	kindCompletion = "completion"
	kindChat       = "chat"
)

// generation turns an order into a generation, or says why it cannot be had.
func (s *Service) generation(p *protocol, o order) (*generation, *apiError) {
	o.prompt = append(o.toolTexts(), o.prompt...)
	for _, text := range o.prompt {
		o.promptTokens += token.Count(text)
	}
	m, fault := s.admit(o)
	if fault != nil {
		return nil, fault
	}
	g := &generation{protocol: p, model: m, gaps: m.gaps, created: s.unix(), wake: make(chan struct{}, 1)}
	g.request.Prompt, g.request.Priority, g.request.Kind = max(1, o.promptTokens), o.priority, kindChat
	g.request.Limit = m.Context - g.request.Prompt
	if o.limit != nil {
		g.request.Limit = min(g.request.Limit, *o.limit)
	}
	if fault := s.compose(g, o); fault != nil {
		return nil, fault
	}
	if o.ids {
		g.promptIDs = numbers([]int{}, o.prompt...)
	}
	if m.Shares {
		g.hash(o)
	}
	return g, nil
}

// admit returns the model that an order is for, unless that cannot serve it.
func (s *Service) admit(o order) (*model, *apiError) {
	m, fault := s.find(o.model)
	if fault == nil {
		fault = o.fits(m)
	}
	if fault == nil {
		fault = o.checkTools()
	}
	return m, fault
}

// fits reports a limit that is none, and a prompt, or a prompt with its limit, beyond
// the model's context.
func (o order) fits(m *model) *apiError {
	if max(1, o.promptTokens) >= m.Context && o.tooLong != nil {
		return o.tooLong(o.promptTokens, m.Context)
	}
	if max(1, o.promptTokens) >= m.Context {
		return badRequest(o.in, "context_length_exceeded", "This model's maximum context length is %d tokens. However, your %s resulted in %d tokens. Please reduce the length of the %s.", m.Context, o.in, o.promptTokens, o.in)
	}
	if o.limit != nil && *o.limit < 1 {
		return badRequest(o.limitedBy, "integer_below_min_value", "Invalid '%s': integer below minimum value. Expected a value >= 1, but got %d instead.", o.limitedBy, *o.limit)
	}
	if o.limit != nil && !o.clips && !m.software().clips && *o.limit > m.Context-o.promptTokens {
		return badRequest(o.in, "context_length_exceeded", "This model's maximum context length is %d tokens. However, you requested %d in the %s and %d in the completion. Please reduce the length of the %s or completion.",
			m.Context, o.promptTokens, o.in, *o.limit, o.in)
	}
	return nil
}
