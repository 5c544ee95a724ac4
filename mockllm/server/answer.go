package server

import (
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/wire"
)

// order is what a client asks for, whichever endpoint it uses.
type order struct {
	model        string
	prompt       string
	promptTokens int
	limit        *int
	sampling     wire.Sampling
	in           string // the parameter that holds the prompt
}

// generation turns an order into a generation, or says why it cannot be had.
func (s *Server) generation(o order) (*generation, *apiError) {
	m, fault := s.find(o.model)
	if fault == nil {
		fault = o.check(m)
	}
	if fault != nil {
		return nil, fault
	}
	g := &generation{model: m, wake: make(chan struct{}, 1)}
	g.usageAsked = o.sampling.StreamOptions != nil && o.sampling.StreamOptions.IncludeUsage
	g.request.Prompt = max(1, o.promptTokens)
	g.request.Limit = m.Context - g.request.Prompt
	if o.limit != nil {
		g.request.Limit = min(g.request.Limit, *o.limit)
	}
	g.say(s.words(o, g.request.Limit), o.sampling.Stop)
	return g, nil
}

// check reports the first thing that is wrong with an order.
func (o order) check(m *model) *apiError {
	p := &o.sampling
	switch {
	case p.N != nil && *p.N != 1:
		return badRequest("n", "unsupported_value", "Unsupported value: 'n' is %d; this server gives one choice.", *p.N)
	case len(p.Stop) > 4:
		return badRequest("stop", "array_above_max_length", "Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length %d instead.", len(p.Stop))
	case p.StreamOptions != nil && !p.Stream:
		return badRequest("stream_options", "", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	case o.limit != nil && *o.limit < 1:
		return badRequest("max_tokens", "integer_below_min_value", "Invalid 'max_tokens': integer below minimum value. Expected a value >= 1, but got %d instead.", *o.limit)
	}
	return o.fits(m)
}

// fits reports a prompt, or a prompt with its limit, beyond the model's context.
func (o order) fits(m *model) *apiError {
	if o.promptTokens >= m.Context {
		return badRequest(o.in, "context_length_exceeded", "This model's maximum context length is %d tokens. However, your %s resulted in %d tokens. Please reduce the length of the %s.", m.Context, o.in, o.promptTokens, o.in)
	}
	if o.limit != nil && o.promptTokens+*o.limit > m.Context {
		return badRequest(o.in, "context_length_exceeded", "This model's maximum context length is %d tokens. However, you requested %d tokens (%d in the %s, %d in the completion). Please reduce the length of the %s or completion.",
			m.Context, o.promptTokens+*o.limit, o.promptTokens, o.in, *o.limit, o.in)
	}
	return nil
}

// words returns what the mock answers: what it was told to say, else words whose
// number and choice follow from the prompt and the seeds.
func (s *Server) words(o order, limit int) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(o.prompt)) // a hash never fails
	seed := s.config.Seed ^ h.Sum64()
	if o.sampling.Seed != nil {
		seed += uint64(*o.sampling.Seed)
	}
	stream := dist.Stream(seed, "server/answer")
	text := o.sampling.MockAnswer
	if text == "" {
		n := min(s.config.ReplyTokens.Draw(&stream), limit)
		text = token.Reply(rand.New(&stream), n, min(n, 12))
	}
	if !o.sampling.IgnoreEOS {
		return text
	}
	if missing := limit - token.Count(text); missing > 0 {
		text += " " + token.Words(rand.New(&stream), missing)
	}
	return text
}

// say sets the text of the answer and the tokens that it takes. A stop string
// ends the answer with the token that completes it, and is not part of the text.
func (g *generation) say(text string, stop wire.Stop) {
	end, cut := len(text), len(text)
	for _, word := range stop {
		if i := strings.Index(text, word); word != "" && i >= 0 && i+len(word) < end {
			end = i + len(word)
		}
	}
	for _, word := range stop {
		if i := strings.Index(text, word); word != "" && i >= 0 {
			cut = min(cut, i)
		}
	}
	for at := 0; at < end && (g.request.Limit == 0 || len(g.ends) < g.request.Limit); {
		at += token.Next(text[at:])
		g.ends = append(g.ends, min(at, cut))
	}
	g.text = text[:g.ends[len(g.ends)-1]]
	g.request.Output = max(1, token.Count(text[:end]))
}

func (s *Server) newID(prefix string) string {
	return prefix + strconv.FormatInt(s.started.UnixNano(), 36) + strconv.FormatInt(s.nextID.Add(1), 36)
}

func (s *Server) unix() int64 { return time.Now().Unix() }
