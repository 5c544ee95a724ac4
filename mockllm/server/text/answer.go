package text

import (
	"hash/fnv"
	"slices"
	"strings"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/wire"
)

// compose sets the answer to an order.
func (s *Service) compose(g *generation, o order) {
	text, more := s.words(o, g.request.Limit)
	g.say(content, text, nil)
	if stopped := g.settle(o.stop); more && !stopped {
		g.request.Output = g.request.Limit + 1 // it does not end by itself
	}
}

// words returns what the mock answers: what it was told to say, else words whose
// number and choice follow from the prompt and the seeds. More says that it would
// go on without the limit.
func (s *Service) words(o order, limit int) (text string, more bool) {
	h := fnv.New64a()
	for _, part := range o.prompt {
		_, _ = h.Write([]byte(part)) // a hash never fails
	}
	seed := (s.config.Seed ^ h.Sum64()) + uint64(o.seed)
	stream := dist.Stream(seed, "server/answer")
	text = o.answer
	if text == "" {
		n := s.config.ReplyTokens.Draw(&stream)
		more = n > limit
		n = min(n, limit)
		reply := token.Sentences(token.Name(seed, "server/reply"), token.Name(seed, "server/more"), n, sentenceTokens)
		text = token.Passage(reply[:]).Text()
	}
	if !o.ignoreEOS {
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

// say adds a part with a text to the answer.
func (g *generation) say(k kind, text string, c *call) {
	p := part{kind: k, call: c, from: len(g.ends)}
	base := len(g.text)
	for at := 0; at < len(text); {
		at += token.Next(text[at:])
		g.ends = append(g.ends, base+at)
	}
	if p.to = len(g.ends); p.to > p.from {
		g.text += text
		g.parts = append(g.parts, p)
	}
}

// settle fixes how long the answer is: as far as the limit lets it come, and no
// further than the token that completes a stop string, which is not part of the
// text. Stopped reports that a stop string ends it.
func (g *generation) settle(stop []string) (stopped bool) {
	g.request.Output = max(1, len(g.ends))
	g.end(g.request.Limit)
	shown := g.shown()
	start, end := firstStop(g.text[shown:], stop)
	if end > 0 {
		g.cut(shown+start, shown+end)
	}
	return end > 0
}

// end drops what lies beyond the first n tokens.
func (g *generation) end(n int) {
	if n >= len(g.ends) {
		return
	}
	g.ends = g.ends[:n]
	g.text = g.text[:g.ends[n-1]]
	for g.parts[len(g.parts)-1].from >= n {
		g.parts = g.parts[:len(g.parts)-1]
	}
	g.parts[len(g.parts)-1].to = n
}

// shown returns where the text that the client shows begins; stop strings are not
// looked for before.
func (g *generation) shown() int {
	for _, p := range g.parts {
		if p.kind == content && p.from > 0 {
			return g.ends[p.from-1]
		}
		if p.kind == content {
			return 0
		}
	}
	return len(g.text)
}

// firstStop returns where the stop string that is complete first begins and ends
// in a text; end is 0 when there is none. Of several that end at one place the
// longest counts.
func firstStop(text string, stop []string) (start, end int) {
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
	g.end(n)
	for i := range g.ends {
		g.ends[i] = min(g.ends[i], start)
	}
	g.text = g.text[:start]
	g.request.Output = n
}

// finish returns the reason why the answer ended, in OpenAI's words.
func (g *generation) finish() string {
	last := g.parts[len(g.parts)-1]
	if f := g.request.Finish(); f != wire.FinishStop || last.kind != toolCall {
		return f
	}
	return wire.FinishToolCalls
}
