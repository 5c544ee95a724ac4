package reply

import "halfsecond/pipeline"

// opening returns what came with the first output of the answer, where that may be more than
// one token of several.
func (r *Reply) opening() (o pipeline.Opening) {
	a, tokens := r.Answer(), r.OutputTokens()
	if tokens < 2 || len(r.Choices) > 1 || a.FirstOutput() == a.LastOutput() {
		return o
	}
	o = a.opening()
	if o.Chunks == 1 && tokens < len(a.Outputs)+2 {
		return pipeline.Opening{}
	}
	o.Unsent = r.unsent()
	if o.Chunks == 1 && r.opened != nil && r.countsOn() && r.opened.Completion > r.opened.hidden(o.Unsent) {
		o.Tokens = r.opened.Completion
	}
	if tokens-o.Unsent > o.Of {
		o.Bytes, o.Of = 0, 0
	}
	return o
}

// unsent returns how many tokens of reasoning the server counts of which nothing came.
func (r *Reply) unsent() int {
	if r.Usage == nil || r.Answer().Reasoning != "" {
		return 0
	}
	return max(0, r.Usage.Reasoning)
}

// countsOn reports whether what the count has more at the end than with the first output
// came after that. It does not, or it cannot be told, where reasoning of which nothing came is
// counted beside the answer and later: it may have been before.
func (r *Reply) countsOn() bool {
	unsent := r.unsent()
	return unsent == 0 || r.opened == nil || !r.Usage.Apart || r.opened.Reasoning == unsent
}

// hidden returns how many tokens of the count may be reasoning of which nothing comes, where
// the whole answer has so many.
func (u *Usage) hidden(unsent int) int {
	if u.Reasoning == pipeline.UnknownCount {
		return unsent
	}
	return min(u.Reasoning, unsent)
}

// opening returns what the chunks tell of the first of them.
func (c Choice) opening() (o pipeline.Opening) {
	for i := range c.Outputs {
		out := &c.Outputs[i]
		o.Of += len(out.Text)
		if out.At != c.Outputs[0].At {
			continue
		}
		o.Chunks++
		o.Bytes += len(out.Text)
	}
	return o
}
