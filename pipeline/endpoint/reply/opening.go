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
	if o.Chunks == 1 && unsent == 0 && tokens < len(a.Outputs)+2 {
		return pipeline.Opening{}
	}
	o.Unsent = unsent
	if o.Chunks == 1 {
		o.Tokens = r.opened()
	}
	if leastBytes*(tokens-unsent) > o.Of {
		o.Bytes, o.Of = 0, 0
	}
	return o
}

// unsent returns how many tokens of reasoning the server counts and did not send. It sent a
// summary, if anything, where what came of reasoning is too short for so many tokens: by itself,
// or beside what came of the rest.
func (r *Reply) unsent() int {
	if r.Usage == nil || r.Usage.Reasoning <= 0 {
		return 0
	}
	all, text := r.Answer().opening(false).Of, r.Answer().opening(true).Of
	tokens, came, others := r.Usage.Reasoning, all-text, r.Usage.Completion-r.Usage.Reasoning
	if came < leastBytes*tokens || spread*came*others < text*tokens {
		return tokens
	}
	return 0
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
