package server

import (
	"hash/fnv"
	"slices"
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
	prompt       []string // its texts in order, such as the messages of a conversation
	promptTokens int      // of all of them; set by generation
	limit        *int
	limitedBy    string // the parameter that holds the limit
	sampling     wire.Sampling
	in           string // the parameter that holds the prompt
}

// generation turns an order into a generation, or says why it cannot be had.
func (s *Server) generation(o order) (*generation, *apiError) {
	for _, text := range o.prompt {
		o.promptTokens += token.Count(text)
	}
	m, fault := s.find(o.model)
	if fault == nil {
		fault = o.check(m)
	}
	if fault != nil {
		return nil, fault
	}
	g := &generation{model: m, wake: make(chan struct{}, 1)}
	g.usageAsked = o.sampling.StreamOptions != nil && o.sampling.StreamOptions.IncludeUsage
	g.request.Prompt, g.request.Priority = max(1, o.promptTokens), -o.sampling.Priority
	g.request.Limit = m.Context - g.request.Prompt
	if o.limit != nil {
		g.request.Limit = min(g.request.Limit, *o.limit)
	}
	text, more := s.words(o, g.request.Limit)
	if stopped := g.say(text, o.sampling.Stop); more && !stopped {
		g.request.Output = g.request.Limit + 1 // it does not end by itself
	}
	if m.Shares {
		g.hash(o)
	}
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
		return badRequest(o.limitedBy, "integer_below_min_value", "Invalid '%s': integer below minimum value. Expected a value >= 1, but got %d instead.", o.limitedBy, *o.limit)
	case p.Temperature != nil && !(*p.Temperature >= 0 && *p.Temperature <= 2):
		return badRequest("temperature", "decimal_out_of_range", "Invalid 'temperature': expected a value from 0 to 2, but got %g instead.", *p.Temperature)
	case p.TopP != nil && !(*p.TopP >= 0 && *p.TopP <= 1):
		return badRequest("top_p", "decimal_out_of_range", "Invalid 'top_p': expected a value from 0 to 1, but got %g instead.", *p.TopP)
	}
	return o.fits(m)
}

// fits reports a prompt, or a prompt with its limit, beyond the model's context.
func (o order) fits(m *model) *apiError {
	if max(1, o.promptTokens) >= m.Context {
		return badRequest(o.in, "context_length_exceeded", "This model's maximum context length is %d tokens. However, your %s resulted in %d tokens. Please reduce the length of the %s.", m.Context, o.in, o.promptTokens, o.in)
	}
	if o.limit != nil && *o.limit > m.Context-o.promptTokens {
		return badRequest(o.in, "context_length_exceeded", "This model's maximum context length is %d tokens. However, you requested %d in the %s and %d in the completion. Please reduce the length of the %s or completion.",
			m.Context, o.promptTokens, o.in, *o.limit, o.in)
	}
	return nil
}

// words returns what the mock answers: what it was told to say, else words whose
// number and choice follow from the prompt and the seeds. More says that it would
// go on without the limit.
func (s *Server) words(o order, limit int) (text string, more bool) {
	h := fnv.New64a()
	for _, part := range o.prompt {
		_, _ = h.Write([]byte(part)) // a hash never fails
	}
	seed := s.config.Seed ^ h.Sum64()
	if o.sampling.Seed != nil {
		seed += uint64(*o.sampling.Seed)
	}
	stream := dist.Stream(seed, "server/answer")
	text = o.sampling.MockAnswer
	if text == "" {
		n := s.config.ReplyTokens.Draw(&stream)
		more = n > limit
		n = min(n, limit)
		reply := token.Sentences(token.Name(seed, "server/reply"), token.Name(seed, "server/more"), n, sentenceTokens)
		text = token.Passage(reply[:]).Text()
	}
	if !o.sampling.IgnoreEOS {
		return text, more
	}
	if missing := limit - token.Count(text); missing > 0 {
		text += " " + token.Passage{{ID: token.Name(seed, "server/padding"), N: missing}}.Text()
	}
	return text, true
}

// sentenceTokens is the length of the first sentence of the mock's own answers.
const sentenceTokens = 12

// hash lets the engine find prompts and answers that begin alike. The work is done
// here, since the loop has no time for it, and token by token, since only the engine
// knows the size of its blocks.
func (g *generation) hash(o order) {
	prompt := o.prompt
	if o.promptTokens == 0 {
		prompt = []string{" "} // a prompt without text counts as one token
	}
	tokens := token.Blocks(nil, 1, append(slices.Clone(prompt), g.text)...)
	g.request.Blocks = func(dst []uint64, size int) []uint64 {
		for end := size; end <= len(tokens); end += size {
			dst = append(dst, tokens[end-1])
		}
		return dst
	}
}

// say sets the text of the answer and the tokens that it takes, as far as the
// limit lets it come. A stop string ends the answer with the token that completes
// it, and is not part of the text; say reports whether one does.
func (g *generation) say(text string, stop wire.Stop) (stopped bool) {
	for at := 0; at < len(text); {
		at += token.Next(text[at:])
		g.ends = append(g.ends, at)
	}
	g.request.Output = max(1, len(g.ends))
	if n := g.request.Limit; len(g.ends) > n {
		g.ends = g.ends[:n]
	}
	g.text = text[:g.ends[len(g.ends)-1]]
	start, end := firstStop(g.text, stop)
	if end > 0 {
		g.cut(start, end)
	}
	return end > 0
}

// firstStop returns where the stop string that is complete first begins and ends
// in a text; end is 0 when there is none. Of several that end at one place the
// longest counts.
func firstStop(text string, stop wire.Stop) (start, end int) {
	for _, word := range stop {
		i := strings.Index(text, word)
		if word == "" || i < 0 {
			continue
		}
		if to := i + len(word); end == 0 || to < end || to == end && i < start {
			start, end = i, to
		}
	}
	return start, end
}

// cut ends the answer with the token that reaches end; its text ends at start.
func (g *generation) cut(start, end int) {
	n := 1
	for g.ends[n-1] < end {
		n++
	}
	g.ends = g.ends[:n]
	for i := range g.ends {
		g.ends[i] = min(g.ends[i], start)
	}
	g.text = g.text[:start]
	g.request.Output = n
}

func (s *Server) newID(prefix string) string {
	return prefix + strconv.FormatInt(s.started.UnixNano(), 36) + strconv.FormatInt(s.nextID.Add(1), 36)
}

func (s *Server) unix() int64 { return time.Now().Unix() }
