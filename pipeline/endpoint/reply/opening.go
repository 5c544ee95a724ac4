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
	if late, ok := r.lateReasoning(); o.Chunks == 1 && ok && r.opened != nil && r.opened.Completion > max(0, r.opened.Reasoning) {
		o.Tokens = r.opened.Completion + late
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

// lateReasoning returns how many tokens of reasoning that did not come were counted only after the first
// output, which they came before. ok is false where the count until then does not tell whether
// it has them: some servers count reasoning in the answer, others beside it.
func (r *Reply) lateReasoning() (n int, ok bool) {
	switch unsent := r.unsent(); {
	case unsent == 0 || r.opened == nil:
		return 0, true
	case r.opened.Reasoning == pipeline.UnknownCount || r.opened.Reasoning > unsent:
		return 0, false
	default:
		return unsent - r.opened.Reasoning, true
	}
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
