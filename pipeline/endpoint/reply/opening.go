package reply

import "halfsecond/pipeline"

// leastBytes is how many bytes a token of a text has at least, at its mean, and spread how many
// times as many it may have as one of another text. Assumed: English prose, code and Chinese in
// UTF-8 have between two and five.
const leastBytes, spread = 2, 2

// opening returns what came with the first output of the answer, where that may be more than
// one token of several.
func (r *Reply) opening() (o pipeline.Opening) {
	a, tokens, unsent := r.Answer(), r.OutputTokens(), r.unsent()
	if tokens < 2 || len(r.Choices) > 1 || a.FirstOutput() == a.LastOutput() {
		return o
	}
	o = a.opening(unsent > 0)
	sure := r.sure()
	if o.Chunks == 1 && unsent == 0 && sure == 0 && tokens < len(a.Outputs)+2 {
		return pipeline.Opening{}
	}
	o.Unsent = unsent
	if o.Chunks == 1 {
		o.Tokens = r.opened()
	}
	if o.Tokens == 0 {
		o.Sure = sure
	}
	if leastBytes*(tokens-unsent) > o.Of {
		o.Bytes, o.Of = 0, 0
	}
	return o
}

// unsent returns how many tokens of reasoning the server counts and did not send. It sent a
// summary, if anything, where the protocol says so, and where no running count proves otherwise
// and what came of reasoning is too short for so many tokens: by itself, or beside what came of
// the rest.
func (r *Reply) unsent() int {
	if r.Usage == nil || r.Usage.Reasoning <= 0 {
		return 0
	}
	switch {
	case r.Answer().Summary:
		return r.Usage.Reasoning
	case r.thought:
		return 0
	}
	all, text := r.Answer().opening(false).Of, r.Answer().opening(true).Of
	tokens, came, others := r.Usage.Reasoning, all-text, r.Usage.Completion-r.Usage.Reasoning
	if came < leastBytes*tokens || spread*came*others < text*tokens {
		return tokens
	}
	return 0
}

// sure returns how many tokens at most followed the first output for certain, where some
// reasoning came; 0 where that is no bound. All of it came where a running count proves that, or
// where it has a chunk for each of its tokens. Else it may be a summary, of any length, of what
// was thought before: sure is then the text that followed, by its count where all of it did. Of
// what is too short to be all, it is what a running count grew by.
func (r *Reply) sure() int {
	p, u := r.Answer().chunkKinds(), r.Usage
	switch {
	case p.thoughts == 0 || r.thought:
		return 0
	case r.unsent() > 0:
		return r.grew()
	case u.Reasoning > 0 && u.Reasoning < p.thoughts+2, u.Reasoning <= 0 && u.Completion < p.thoughts+p.texts+2:
		return 0
	}
	sure := p.later
	if text := u.Completion - u.Reasoning; u.Reasoning > 0 && p.later == p.texts {
		sure = text
	} else if u.Reasoning > 0 && text < p.texts {
		sure = 0
	}
	if n := r.grew(); n > 0 {
		sure = min(sure, n)
	}
	return max(1, sure)
}

// grew returns how many tokens a running count grew by after the first output; 0 where there is
// none.
func (r *Reply) grew() int {
	if r.run == nil {
		return 0
	}
	return r.run.last - r.run.first
}

// chunkKinds are how many chunks of an answer are reasoning, how many are not, and how many of these
// came after its first output.
type chunkKinds struct{ thoughts, texts, later int }

func (c Choice) chunkKinds() (p chunkKinds) {
	for i := range c.Outputs {
		switch out := &c.Outputs[i]; {
		case out.Kind == Reasoning:
			p.thoughts++
			continue
		case out.At != c.Outputs[0].At:
			p.later++
		}
		p.texts++
	}
	return p
}

// opening returns what the chunks tell of the first of them: of their text alone, and not of
// reasoning, where that is asked for.
func (c Choice) opening(text bool) (o pipeline.Opening) {
	for i := range c.Outputs {
		out, n := &c.Outputs[i], 0
		if !text || out.Kind != Reasoning {
			n = len(out.Text)
		}
		o.Of += n
		if out.At != c.Outputs[0].At {
			continue
		}
		o.Chunks++
		o.Bytes += n
	}
	return o
}
