package serve

import (
	"cmp"
	"encoding/json"
	"net/http"
	"time"

	"halfsecond/mockllm/observe"
	"halfsecond/mockllm/server/text/fim"
	"halfsecond/mockllm/server/text/tokenid"
	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/llamacpp"
)

// Order is what a client asks for, whichever protocol it speaks.
type Order struct {
	Model   string
	Prompt  []string                                // its texts in order, such as the messages of a conversation
	Hole    *fim.Hole                               // to be filled, where the prompt's own text does not frame it
	Asked   *observe.Prompt                         // what the client sent of its document, where the prompt is not that
	In      string                                  // the parameter that holds the prompt
	TooLong func(tokens, context int) *wire.Failure // refuses a prompt beyond the context; nil in OpenAI's words
	IDs     bool                                    // the client wants the numbers of tokens

	Kind     string // KindChat, or "" for it, or KindCompletion
	Uncached bool   // it shall not be looked up in what is cached

	Limit     *int     // most tokens of the answer; nil for as many as the context holds
	LimitedBy string   // the parameter that holds the limit
	Clips     bool     // a limit beyond the context is cut to it, and not refused
	Stop      []string // texts that end the answer
	KeepStop  bool     // the one that does is part of it
	IgnoreEOS bool     // the answer is as long as its limit
	MinTokens int      // it has at least so many, and no stop string ends it before

	Seed     int64           // of the words, beside the prompt
	Priority int             // the larger goes first
	Draw     uint64          // names the random numbers of the model's latency; 0 for the next
	Answer   string          // what the mock shall say; "" leaves it to the mock
	Format   json.RawMessage // the answer is JSON of this schema, where it is the mock's own

	Tools     []Tool   // what may be called
	Choice    Choice   // whether it may or must be
	Named     []string // tools that shall be called
	NamedBy   string   // the parameter that names them
	Single    bool     // no more than one call in an answer
	AfterTool bool     // the prompt ends with the result of a call

	Thinks        bool   // the client asks for reasoning
	ThinkingLimit int    // most tokens of it; 0 for no limit of its own
	Thought       string // what the mock shall think; "" leaves it to the mock

	promptTokens int // of all texts, tools included; set by Generation
}

// KindCompletion and KindChat are the kinds of requests that pinned slots tell apart.
const (
	KindCompletion = pipeline.RequestCompletion
	KindChat       = pipeline.RequestChat
)

// Generation turns an order into a generation, or says why it cannot be had.
func (s *Service) Generation(p *Protocol, r *http.Request, arrived time.Duration, o Order) (*Generation, *wire.Failure) {
	o.Prompt = append(o.ToolTexts(), o.Prompt...)
	for _, text := range o.Prompt {
		o.promptTokens += token.Count(text)
	}
	m, fault := s.admit(o)
	if fault != nil {
		return nil, fault
	}
	served := s.models[m.Name]
	g := &Generation{
		protocol: p, path: r.URL.Path, Arrived: arrived, Created: s.unix(), wake: make(chan struct{}, 1),
		Model: m, engine: served.engine, gaps: served.gaps,
	}
	g.Request.Prompt, g.Request.Priority, g.Request.Kind, g.Request.Draw = max(1, o.promptTokens), o.Priority, cmp.Or(o.Kind, KindChat), o.Draw
	g.Request.Limit = m.Context - g.Request.Prompt
	if o.Limit != nil {
		g.Request.Limit = min(g.Request.Limit, *o.Limit)
	}
	if fault := s.compose(g, o); fault != nil {
		return nil, fault
	}
	if o.IDs {
		g.PromptIDs = tokenid.Append([]int{}, o.Prompt...)
	}
	if m.Shares && !o.Uncached {
		g.hash(o)
	}
	g.watched = s.observed(p, r, g, &o)
	return g, nil
}

// admit returns the model that an order is for, unless that cannot serve it.
func (s *Service) admit(o Order) (*Model, *wire.Failure) {
	m, fault := s.Find(o.Model)
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
func (o Order) fits(m *Model) *wire.Failure {
	if o.TooLong == nil && m.Software().LlamaCPP {
		o.TooLong = llamacpp.TooLong
	}
	if max(1, o.promptTokens) >= m.Context && o.TooLong != nil {
		return o.TooLong(o.promptTokens, m.Context)
	}
	if max(1, o.promptTokens) >= m.Context {
		return BadRequest(o.In, "context_length_exceeded", "This model's maximum context length is %d tokens. However, your %s resulted in %d tokens. Please reduce the length of the %s.", m.Context, o.In, o.promptTokens, o.In)
	}
	if o.Limit != nil && *o.Limit < 1 {
		return BadRequest(o.LimitedBy, "integer_below_min_value", "Invalid '%s': integer below minimum value. Expected a value >= 1, but got %d instead.", o.LimitedBy, *o.Limit)
	}
	if o.Limit != nil && !o.Clips && !m.Software().clips && *o.Limit > m.Context-o.promptTokens {
		return BadRequest(o.In, "context_length_exceeded", "This model's maximum context length is %d tokens. However, you requested %d in the %s and %d in the completion. Please reduce the length of the %s or completion.",
			m.Context, o.promptTokens, o.In, *o.Limit, o.In)
	}
	return nil
}

// Dictate copies what a client tells the mock to answer into an order.
func (o *Order) Dictate(m wire.Mock) {
	o.Answer, o.Thought, o.Draw = m.MockAnswer, m.MockThinking, m.MockDraw
	if len(m.MockTool) > 0 {
		o.Named, o.NamedBy = m.MockTool, "mock_tool"
	}
}

// CheckHeat reports a temperature outside 0 to most, and a top_p that is no share.
func CheckHeat(temperature, topP *float64, most float64) *wire.Failure {
	if t := temperature; t != nil && !(*t >= 0 && *t <= most) {
		return BadRequest("temperature", "decimal_out_of_range", "Invalid 'temperature': expected a value from 0 to %g, but got %g instead.", most, *t)
	}
	if p := topP; p != nil && !(*p >= 0 && *p <= 1) {
		return BadRequest("top_p", "decimal_out_of_range", "Invalid 'top_p': expected a value from 0 to 1, but got %g instead.", *p)
	}
	return nil
}

// Clip gives up a limit that the context does not hold: the answer ends with the
// context, as in all software that does not refuse such a limit.
func (o *Order) Clip(m *Model) {
	texts := append(o.ToolTexts(), o.Prompt...)
	bytes := 0
	for _, text := range texts {
		bytes += len(text)
	}
	if o.Limit == nil || *o.Limit <= m.Context-bytes { // a token has at least one byte
		return
	}
	if *o.Limit > m.Context-max(1, CountAll(texts)) {
		o.Limit = nil
	}
}

// CountAll returns the tokens of all texts.
func CountAll(texts []string) int {
	n := 0
	for _, text := range texts {
		n += token.Count(text)
	}
	return n
}
