package serve

import (
	"hash/fnv"
	"slices"
	"strings"

	"halfsecond/mockllm/answer"
	"halfsecond/mockllm/server/text/fim"
	"halfsecond/mockllm/server/text/sample"
	"halfsecond/mockllm/token"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/wire"
)

// compose sets the answer to an order: perhaps reasoning, then tool calls or words.
func (s *Service) compose(g *Generation, o Order) *wire.Failure {
	seed := s.seed(o)
	g.say(Thinking, tokenized(s.thoughts(o, seed)), nil)
	calls, fault := s.calls(g.protocol, o, seed)
	if fault != nil {
		return fault
	}
	for _, c := range calls {
		g.say(ToolCall, tokenized(c.Arguments), c)
	}
	more := false
	if len(calls) == 0 {
		if more, fault = s.speak(g, o, seed); fault != nil {
			return fault
		}
	}
	if stopped := g.settle(o); more && !stopped {
		g.Request.Output = g.Request.Limit + 1 // it does not end by itself
	}
	return nil
}

// seed returns what the choice of words follows from.
func (s *Service) seed(o Order) uint64 {
	h := fnv.New64a()
	for _, part := range o.Prompt {
		_, _ = h.Write([]byte(part)) // a hash never fails
	}
	return (s.Config.Seed ^ h.Sum64()) + uint64(o.Seed)
}

// thoughts returns the reasoning before an answer, "" for none.
func (s *Service) thoughts(o Order, seed uint64) string {
	if o.Thought != "" {
		return o.Thought
	}
	if !o.Thinks || s.Config.ThinkingTokens == (dist.Count{}) {
		return ""
	}
	stream := dist.Stream(seed, "server/thinking")
	n := s.Config.ThinkingTokens.Draw(&stream)
	if o.ThinkingLimit > 0 {
		n = min(n, o.ThinkingLimit)
	}
	return token.Passage{{ID: token.Name(seed, "server/thoughts"), N: n}}.Text()
}

// speak adds the words of the answer. More says that they would go on without the
// limit.
func (s *Service) speak(g *Generation, o Order, seed uint64) (more bool, fault *wire.Failure) {
	left := g.Request.Limit - len(g.ends)
	if left < 1 {
		return true, nil
	}
	said, more, err := s.words(g, o, seed, left)
	if err != nil {
		return false, BadRequest("response_format", "invalid_json_schema", "Invalid schema for response_format: %v.", err)
	}
	least := o.MinTokens - len(g.ends)
	if o.IgnoreEOS {
		least, more = left, true
	}
	g.say(Content, said.pad(min(least, left), seed), nil)
	return more, nil
}

// words returns what the mock answers: what it was told to say, else JSON of the
// schema it was given, else words whose number and choice follow from the seed. More
// says that they would go on without the limit.
func (s *Service) words(g *Generation, o Order, seed uint64, limit int) (said words, more bool, err error) {
	if said, ok := s.told(g, o, seed); ok {
		return said, false, nil
	}
	if len(o.Format) > 0 {
		text, err := sample.Value(o.Format, dist.Stream(seed, "server/format"))
		return tokenized(text), false, err
	}
	stream := dist.Stream(seed, "server/answer")
	n := s.Config.ReplyTokens.Draw(&stream)
	reply := token.Sentences(token.Name(seed, "server/reply"), token.Name(seed, "server/more"), min(n, limit), sentenceTokens)
	return tokenized(token.Passage(reply[:]).Text()), n > limit, nil
}

// told returns what the mock was told to say, by its source of answers or by the
// request itself; not ok leaves it to the mock, and the generation keeps why.
func (s *Service) told(g *Generation, o Order, seed uint64) (said words, ok bool) {
	if s.Config.Answers == nil {
		return tokenized(o.Answer), o.Answer != ""
	}
	a := answer.Asked{Model: o.Model, Given: o.Answer, Seed: seed, Draw: o.Draw, Completion: o.Kind == KindCompletion}
	for _, text := range o.Prompt {
		a.Texts = append(a.Texts, fim.Spell(text))
	}
	h := o.Hole
	if h == nil {
		if found, ok := fim.Find(strings.Join(a.Texts, "")); ok {
			h = &found
		}
	}
	if h != nil {
		a.Fill, a.Prefix, a.Suffix = true, h.Before, h.After
	}
	text, ok := s.Config.Answers.Answer(&a)
	switch g.unsaid = a.Unsaid; {
	case ok && a.Ends != nil:
		return words{text, a.Ends}, true
	case ok && text != "":
		return tokenized(text), true
	}
	return tokenized(o.Answer), o.Answer != ""
}

// sentenceTokens is the length of the first sentence of the mock's own answers.
const sentenceTokens = 12

// hash lets the engine find prompts and answers that begin alike. The work is done
// here, since the loop has no time for it, and token by token, since only the engine
// knows the size of its blocks.
func (g *Generation) hash(o Order) {
	prompt := o.Prompt
	if o.promptTokens == 0 {
		prompt = []string{" "} // a prompt without text counts as one token
	}
	texts := slices.Clone(prompt)
	for i := range g.Parts {
		texts = append(texts, g.TextOf(&g.Parts[i]))
	}
	tokens := token.Blocks(nil, 1, texts...)
	g.Request.Blocks = func(dst []uint64, size int) []uint64 {
		for end := size; end <= len(tokens); end += size {
			dst = append(dst, tokens[end-1])
		}
		return dst
	}
}

// say adds a part with some words to the answer.
func (g *Generation) say(k Kind, w words, c *Call) {
	p := Part{Kind: k, Call: c, from: len(g.ends)}
	base := len(g.Text)
	for _, end := range w.ends {
		g.ends = append(g.ends, base+end)
	}
	if p.to = len(g.ends); p.to > p.from {
		g.Text += w.text
		g.Parts = append(g.Parts, p)
	}
}

// settle fixes how long the answer is: as far as the limit lets it come, and no
// further than the token that completes a stop string, which is not part of the
// text unless the client wants it. Stopped reports that a stop string ends it.
func (g *Generation) settle(o Order) (stopped bool) {
	g.Request.Output = max(1, len(g.ends))
	g.End(g.Request.Limit)
	start, end := g.firstStop(o)
	if end == 0 {
		return false
	}
	g.Stopped = g.Text[start:end]
	if o.KeepStop {
		start = end
	}
	g.Cut(start, end)
	return true
}

// End drops what lies beyond the first n tokens.
func (g *Generation) End(n int) {
	if n >= len(g.ends) {
		return
	}
	g.ends = g.ends[:n]
	g.Text = g.Text[:g.ends[n-1]]
	for g.Parts[len(g.Parts)-1].from >= n {
		g.Parts = g.Parts[:len(g.Parts)-1]
	}
	g.Parts[len(g.Parts)-1].to = n
}

// shown returns where the text that the client shows begins; stop strings are not
// looked for before.
func (g *Generation) shown() int {
	for _, p := range g.Parts {
		if p.Kind == Content && p.from > 0 {
			return g.ends[p.from-1]
		}
		if p.Kind == Content {
			return 0
		}
	}
	return len(g.Text)
}

// firstStop returns where the stop string that is complete first begins and ends,
// within what the client shows and beyond the least number of tokens; end is 0 when
// there is none. Of several that end at one place the longest counts.
func (g *Generation) firstStop(o Order) (start, end int) {
	shown, least := g.shown(), 0
	if n := min(o.MinTokens, len(g.ends)); n > 0 {
		least = g.ends[n-1]
	}
	for _, word := range o.Stop {
		from := max(shown, least-len(word)+1)
		i := strings.Index(g.Text[min(from, len(g.Text)):], word)
		if word == "" || i < 0 {
			continue
		}
		if to := from + i + len(word); end == 0 || to < end || to == end && from+i < start {
			start, end = from+i, to
		}
	}
	return start, end
}

// Cut ends the answer with the token that reaches end; its text ends at start.
func (g *Generation) Cut(start, end int) {
	n := 1
	for g.ends[n-1] < end {
		n++
	}
	g.End(n)
	for i := range g.ends {
		g.ends[i] = min(g.ends[i], start)
	}
	g.Text = g.Text[:start]
	g.Request.Output = n
}

// TextOf returns the text of a part.
func (g *Generation) TextOf(p *Part) string { return g.Between(p.from, p.to) }

// TextOfKind returns the text of all parts of one kind.
func (g *Generation) TextOfKind(k Kind) string {
	var b strings.Builder
	for i := range g.Parts {
		if p := &g.Parts[i]; p.Kind == k {
			b.WriteString(g.TextOf(p))
		}
	}
	return b.String()
}

// ThinkingTokens returns the number of tokens of reasoning.
func (g *Generation) ThinkingTokens() int {
	n := 0
	for _, p := range g.Parts {
		if p.Kind == Thinking {
			n += p.to - p.from
		}
	}
	return n
}

// Finish returns the reason why the answer ended, in OpenAI's words.
func (g *Generation) Finish() string {
	last := g.Parts[len(g.Parts)-1]
	if f := g.Request.Finish(); f != wire.FinishStop || last.Kind != ToolCall {
		return f
	}
	return wire.FinishToolCalls
}
