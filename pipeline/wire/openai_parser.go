package wire

// ChunkParser reads the chunks of one stream. Those of the common shape, one choice with
// a piece of text, cost it little; it leaves all others to ParseChunk. The zero value is
// ready.
type ChunkParser struct {
	chunk  Chunk
	choice [1]Choice
	delta  Delta
}

// Parse reads one JSON text as ParseChunk does. The Chunk is valid until the next call.
func (p *ChunkParser) Parse(text []byte) (*Chunk, error) {
	if p.scan(text) {
		return &p.chunk, nil
	}
	var err error
	p.chunk, err = ParseChunk(text)
	return &p.chunk, err
}

// scan reads a text of the common shape. A key that it does not know may be one that
// encoding/json takes for a field all the same, and one that comes twice changes what
// came first.
func (p *ChunkParser) scan(text []byte) bool {
	p.chunk = Chunk{}
	s := scan{text: text}
	return s.object(func(key []byte) bool {
		switch string(key) {
		case "choices":
			return p.chunk.Choices == nil && p.scanChoices(&s)
		case "usage", "timings":
			return s.word("null")
		case "id", "object", "created", "model", "system_fingerprint", "service_tier", "provider", "obfuscation":
			return s.skip()
		}
		return false
	}) && s.end()
}

// scanChoices takes a list of at most one choice.
func (p *ChunkParser) scanChoices(s *scan) bool {
	if !s.take('[') {
		return false
	}
	if s.take(']') {
		p.chunk.Choices = p.choice[:0]
		return true
	}
	p.chunk.Choices = p.choice[:]
	return p.scanChoice(s) && s.take(']')
}

func (p *ChunkParser) scanChoice(s *scan) bool {
	p.choice[0] = Choice{}
	c, seen := &p.choice[0], once(0)
	return s.object(func(key []byte) bool {
		switch string(key) {
		case "index":
			return seen.first(0) && s.count(&c.Index)
		case "delta":
			return seen.first(1) && p.scanDelta(s)
		case "text":
			return seen.first(2) && s.string(&c.Text)
		case "finish_reason":
			return seen.first(3) && s.string(&c.FinishReason)
		case "logprobs", "stop_reason", "matched_stop", "native_finish_reason", "token_ids", "prompt_token_ids":
			return s.skip()
		}
		return false
	})
}

func (p *ChunkParser) scanDelta(s *scan) bool {
	if s.next() == 'n' {
		return s.word("null")
	}
	p.delta = Delta{}
	d, seen := &p.delta, once(0)
	p.choice[0].Delta = d
	return s.object(func(key []byte) bool {
		switch string(key) {
		case "content":
			return seen.first(0) && s.string(&d.Content.Text)
		case "refusal":
			return seen.first(1) && s.string(&d.Refusal)
		case "reasoning_content":
			return seen.first(2) && s.string(&d.ReasoningContent)
		case "reasoning":
			return seen.first(3) && s.string(&d.Reasoning)
		case "tool_calls", "function_call":
			return s.word("null")
		case "role":
			return s.skip()
		}
		return false
	})
}

// once tells of keys whether they came before.
type once uint8

// first reports whether the key with that number is new.
func (o *once) first(key uint) bool {
	was := *o
	*o |= 1 << key
	return *o != was
}
