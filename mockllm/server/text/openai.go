package text

import (
	"net/http"

	"halfsecond/pipeline/wire"
)

// openAI is the protocol of the OpenAI API and of all that imitate it.
var openAI = &protocol{name: "openai", refuse: func(w http.ResponseWriter, e *apiError) { writeJSON(w, e.status, e.openAI()) }}

// openAI returns the body of an error of the OpenAI API.
func (e *apiError) openAI() wire.ErrorBody {
	optional := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	return wire.ErrorBody{Error: wire.APIError{
		Message: e.message, Type: e.kind, Param: optional(e.param), Code: optional(e.code),
	}}
}

// openAIUsage returns the counts of an answer that has ended.
func (g *generation) openAIUsage() wire.Usage {
	n := g.request.Generated()
	u := wire.Usage{PromptTokens: g.request.Prompt, CompletionTokens: n, TotalTokens: g.request.Prompt + n}
	if g.model.Shares {
		u.PromptTokensDetails = &wire.PromptTokensDetail{CachedTokens: g.request.CachedTokens}
	}
	return u
}

// openAIForm writes the events of the two older endpoints of the OpenAI API.
type openAIForm struct {
	*wire.Stream
	chat  bool
	usage bool // the client wants it
}

func (f openAIForm) contentType() string { return eventStream }

func (f openAIForm) open(dst []byte, _ *generation) []byte {
	if f.chat {
		return f.AppendRole(dst)
	}
	return dst
}

func (f openAIForm) piece(dst []byte, p piece) []byte {
	if p.text == "" {
		return dst
	}
	return f.AppendText(dst, p.text)
}

func (f openAIForm) end(dst []byte, g *generation) []byte {
	dst = f.AppendFinish(dst, g.finish())
	if f.usage {
		dst = f.AppendUsage(dst, g.openAIUsage())
	}
	return wire.AppendDone(dst)
}

func (f openAIForm) fail(dst []byte, e *apiError) []byte { return wire.AppendError(dst, e.openAI()) }

// eventStream is the content type of an event stream.
const eventStream = "text/event-stream; charset=utf-8"

// sample copies what a request says of sampling into an order.
func (o *order) sample(p *wire.Sampling) {
	o.stop, o.priority, o.ignoreEOS, o.answer = p.Stop, -p.Priority, p.IgnoreEOS, p.MockAnswer
	if p.Seed != nil {
		o.seed = *p.Seed
	}
}

// wantsUsage reports whether a stream shall end with the counts.
func wantsUsage(p *wire.Sampling) bool { return p.StreamOptions != nil && p.StreamOptions.IncludeUsage }

// checkSampling reports the first thing that is wrong with it.
func checkSampling(p *wire.Sampling) *apiError {
	switch {
	case p.N != nil && *p.N != 1:
		return badRequest("n", "unsupported_value", "Unsupported value: 'n' is %d; this server gives one choice.", *p.N)
	case len(p.Stop) > 4:
		return badRequest("stop", "array_above_max_length", "Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length %d instead.", len(p.Stop))
	case p.StreamOptions != nil && !p.Stream:
		return badRequest("stream_options", "", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	case p.Temperature != nil && !(*p.Temperature >= 0 && *p.Temperature <= 2):
		return badRequest("temperature", "decimal_out_of_range", "Invalid 'temperature': expected a value from 0 to 2, but got %g instead.", *p.Temperature)
	case p.TopP != nil && !(*p.TopP >= 0 && *p.TopP <= 1):
		return badRequest("top_p", "decimal_out_of_range", "Invalid 'top_p': expected a value from 0 to 1, but got %g instead.", *p.TopP)
	}
	return nil
}
