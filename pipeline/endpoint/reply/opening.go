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
	if n := r.Usage.Reasoning; n > 0 && a.Reasoning == "" {
		o.Unsent = n
	}
	if o.Tokens <= o.Unsent {
		o.Tokens = 0 // text came, so it counts the reasoning without the text, or the text without the reasoning
	}
	if tokens-o.Unsent > o.Of {
		o.Bytes, o.Of = 0, 0
	}
	return o
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
		if o.Tokens = 0; o.Chunks == 1 {
			o.Tokens = max(0, out.Tokens) // of several pieces of one message each has the count of all
		}
	}
	return o
}
