package text

import (
	"hash/fnv"
	"slices"
	"strings"

	"halfsecond/mockllm/answer"
	"halfsecond/mockllm/token"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/wire"
)

// compose sets the answer to an order: perhaps reasoning, then tool calls or words.
func (s *Service) compose(g *generation, o order) *apiError {
	seed := s.seed(o)
	g.say(thinking, s.thoughts(o, seed), nil)
	calls, fault := s.calls(g.protocol, o, seed)
	if fault != nil {
		return fault
	}
	for _, c := range calls {
		g.say(toolCall, c.arguments, c)
	}
	more := false
	if len(calls) == 0 {
		if more, fault = s.speak(g, o, seed); fault != nil {
			return fault
		}
	}
	if stopped := g.settle(o); more && !stopped {
		g.request.Output = g.request.Limit + 1 // it does not end by itself
	}
	return nil
}

// seed returns what the choice of words follows from.
func (s *Service) seed(o order) uint64 {
	h := fnv.New64a()
	for _, part := range o.prompt {
		_, _ = h.Write([]byte(part)) // a hash never fails
	}
	return (s.config.Seed ^ h.Sum64()) + uint64(o.seed)
}

// thoughts returns the reasoning before an answer, "" for none.
func (s *Service) thoughts(o order, seed uint64) string {
	if o.thought != "" {
		return o.thought
	}
	if !o.thinks || s.config.ThinkingTokens == (dist.Count{}) {
		return ""
	}
	stream := dist.Stream(seed, "server/thinking")
	n := s.config.ThinkingTokens.Draw(&stream)
	if o.thinkingLimit > 0 {
		n = min(n, o.thinkingLimit)
	}
	return token.Passage{{ID: token.Name(seed, "server/thoughts"), N: n}}.Text()
}

// speak adds the words of the answer. More says that they would go on without the
// limit.
func (s *Service) speak(g *generation, o order, seed uint64) (more bool, fault *apiError) {
	left := g.request.Limit - len(g.ends)
	if left < 1 {
		return true, nil
	}
	text, more, err := s.words(o, seed, left)
	if err != nil {
		return false, badRequest("response_format", "invalid_json_schema", "Invalid schema for response_format: %v.", err)
	}
	least := o.minTokens - len(g.ends)
	if o.ignoreEOS {
		least, more = left, true
	}
	g.say(content, pad(text, min(least, left), seed), nil)
	return more, nil
}

// words returns what the mock answers: what it was told to say, else JSON of the
// schema it was given, else words whose number and choice follow from the seed. More
// says that they would go on without the limit.
func (s *Service) words(o order, seed uint64, limit int) (text string, more bool, err error) {
	if text := s.told(o, seed); text != "" {
		return text, false, nil
	}
	if len(o.format) > 0 {
		text, err = Sample(o.format, dist.Stream(seed, "server/format"))
		return text, false, err
	}
	stream := dist.Stream(seed, "server/answer")
	n := s.config.ReplyTokens.Draw(&stream)
	reply := token.Sentences(token.Name(seed, "server/reply"), token.Name(seed, "server/more"), min(n, limit), sentenceTokens)
	return token.Passage(reply[:]).Text(), n > limit, nil
}

// told returns what the mock was told to say, by its source of answers or by the
// request itself; "" leaves it to the mock.
func (s *Service) told(o order, seed uint64) string {
	if s.config.Answers == nil {
		return o.answer
	}
	a := answer.Asked{Model: o.model, Given: o.answer, Seed: seed}
	for _, text := range o.prompt {
		a.Texts = append(a.Texts, specialNames.Replace(text))
	}
	h := o.hole
	if h == nil {
		if found, ok := findHole(strings.Join(a.Texts, "")); ok {
			h = &found
		}
	}
	if h != nil {
		a.Fill, a.Prefix, a.Suffix = true, h.before, h.after
	}
	if text, ok := s.config.Answers.Answer(&a); ok {
		return text
	}
	return o.answer
}

// pad makes a text at least so many tokens long.
func pad(text string, least int, seed uint64) string {
	if missing := least - token.Count(text); missing > 0 {
		text += " " + token.Passage{{ID: token.Name(seed, "server/padding"), N: missing}}.Text()
	}
	return text
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
	texts := slices.Clone(prompt)
	for i := range g.parts {
		texts = append(texts, g.textOf(&g.parts[i]))
	}
	tokens := token.Blocks(nil, 1, texts...)
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
// text unless the client wants it. Stopped reports that a stop string ends it.
func (g *generation) settle(o order) (stopped bool) {
	g.request.Output = max(1, len(g.ends))
	g.end(g.request.Limit)
	start, end := g.firstStop(o)
	if end == 0 {
		return false
	}
	g.stopped = g.text[start:end]
	if o.keepStop {
		start = end
	}
	g.cut(start, end)
	return true
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

// firstStop returns where the stop string that is complete first begins and ends,
// within what the client shows and beyond the least number of tokens; end is 0 when
// there is none. Of several that end at one place the longest counts.
func (g *generation) firstStop(o order) (start, end int) {
	shown, least := g.shown(), 0
	if n := min(o.minTokens, len(g.ends)); n > 0 {
		least = g.ends[n-1]
	}
	for _, word := range o.stop {
		from := max(shown, least-len(word)+1)
		i := strings.Index(g.text[min(from, len(g.text)):], word)
		if word == "" || i < 0 {
			continue
		}
		if to := from + i + len(word); end == 0 || to < end || to == end && from+i < start {
			start, end = from+i, to
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

// textOf returns the text of a part.
func (g *generation) textOf(p *part) string { return g.between(p.from, p.to) }

// textOfKind returns the text of all parts of one kind.
func (g *generation) textOfKind(k kind) string {
	var b strings.Builder
	for i := range g.parts {
		if p := &g.parts[i]; p.kind == k {
			b.WriteString(g.textOf(p))
		}
	}
	return b.String()
}

// thinkingTokens returns the number of tokens of reasoning.
func (g *generation) thinkingTokens() int {
	n := 0
	for _, p := range g.parts {
		if p.kind == thinking {
			n += p.to - p.from
		}
	}
	return n
}

// finish returns the reason why the answer ended, in OpenAI's words.
func (g *generation) finish() string {
	last := g.parts[len(g.parts)-1]
	if f := g.request.Finish(); f != wire.FinishStop || last.kind != toolCall {
		return f
	}
	return wire.FinishToolCalls
}
