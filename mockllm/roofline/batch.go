package roofline

// Batch describes the work of one step by its sums. Plan.Batch gives an empty one to
// build with Add; the zero Batch is one for a model without a sliding window.
type Batch struct {
	Tokens         int     // tokens in the step: prefill chunks, and one a decoding sequence
	Sequences      int     // sequences in the step
	Logits         int     // tokens that need the output head: those after which a token is chosen
	Longest        int     // tokens of the sequence that has most of them
	ContextTokens  int64   // cached tokens read: the sum over sequences of tokens before and in the step
	AttentionPairs float64 // the sum over sequences of q * (before + q/2), with q tokens in the step

	// Latent attention multiplies in one way while a sequence decodes, that is, has at
	// most DecodeTokens tokens in the step, and in another for a chunk of a prompt.
	DecodePairs float64 // the part of AttentionPairs that belongs to sequences which decode
	Recalled    int64   // the sum of before over the other sequences

	// ContextTokens and AttentionPairs of the layers with a sliding window, in which
	// a token attends to itself and to the Window-1 tokens before it; all 0 when
	// Window is.
	Window        int
	WindowContext int64
	WindowPairs   float64
}

// DecodeTokens is the most tokens that a sequence has in a step while it decodes:
// more than one when it verifies drafted tokens.
const DecodeTokens = 16

// Add adds one sequence that has before tokens in the cache and tokens, at least 1,
// in this step. Logits is how many of them need the output head: 1 to sample the
// next token, as many as there are when they verify a draft, 0 for a chunk that is
// not a prompt's last.
func (b *Batch) Add(tokens, before, logits int) {
	if b.Window > 0 || tokens > DecodeTokens {
		b.AddAlike(1, tokens, before, logits)
		return
	}
	pairs := attentionPairs(tokens, before) // the same as AddAlike, for the most frequent case
	b.Tokens += tokens
	b.Sequences++
	b.Logits += logits
	b.Longest = max(b.Longest, tokens)
	b.ContextTokens += int64(before + tokens)
	b.AttentionPairs += pairs
	b.DecodePairs += pairs
}

// AddAlike adds n sequences of which Add would add each.
func (b *Batch) AddAlike(n, tokens, before, logits int) {
	b.Tokens += n * tokens
	b.Sequences += n
	b.Logits += n * logits
	b.Longest = max(b.Longest, tokens)
	pairs := float64(n) * attentionPairs(tokens, before)
	b.ContextTokens += int64(n) * (int64(before) + int64(tokens))
	b.AttentionPairs += pairs
	if tokens <= DecodeTokens {
		b.DecodePairs += pairs
	} else {
		b.Recalled += int64(n) * int64(before)
	}
	if b.Window > 0 {
		b.addWindow(n, tokens, before)
	}
}

// addWindow adds n sequences to the sums of the layers with a sliding window. The
// first tokens see all that came before, the others Window tokens each.
func (b *Batch) addWindow(n, tokens, before int) {
	growing := min(tokens, max(0, b.Window-before))
	full := float64(tokens-growing) * (float64(b.Window) - .5)
	b.WindowContext += int64(n) * min(int64(before)+int64(tokens), int64(tokens)+int64(b.Window)-1)
	b.WindowPairs += float64(n) * (attentionPairs(growing, before) + full)
}

// attentionPairs returns q * (before + q/2).
func attentionPairs(q, before int) float64 { return float64(q) * (float64(before) + float64(q)/2) }

// Batch returns an empty batch to add sequences to.
func (p *Plan) Batch() Batch { return Batch{Window: p.d.Model.Window} }

// Logits returns how many tokens of a prompt the engine computes the output head for.
func (p *Plan) Logits(prompt int) int {
	if p.d.Engine.AllLogits {
		return prompt
	}
	return 1
}

// PrefillBatch is the step that takes in a whole prompt of at least one token,
// alone, and samples its first token.
func (p *Plan) PrefillBatch(prompt int) Batch {
	b := p.Batch()
	b.Add(prompt, 0, p.Logits(prompt))
	return b
}

// DecodeBatch is the step that adds a token to each of n sequences, after which
// each has context tokens, at least 1.
func (p *Plan) DecodeBatch(n, context int) Batch {
	b := p.Batch()
	b.AddAlike(n, 1, context-1, 1)
	return b
}
