package token

// Chain is Blocks for texts that come one after the other and mostly begin alike, such as
// the prompts of somebody who types: it reads the first text of a row only from where that
// differs from the last one. It keeps that text. The zero Chain has seen none; it is for one
// goroutine.
type Chain struct {
	text string
	size int
	ends []blockEnd // of the whole blocks of the text
}

// blockEnd is the end of a block.
type blockEnd struct {
	at   int    // bytes of the text up to there
	hash uint64 // of them, before it is mixed
}

// Blocks appends what token.Blocks does.
func (c *Chain) Blocks(dst []uint64, size int, texts ...string) []uint64 {
	if len(texts) == 0 {
		return dst
	}
	known := c.follow(texts[0], size)
	h := hasher{hash: seed, room: size, size: size, dst: dst}
	at := 0
	for _, e := range c.ends[:known] {
		h.dst = append(h.dst, mix(e.hash))
		h.hash, at = e.hash, e.at
	}
	c.ends = c.ends[:known]
	for text := texts[0]; at < len(text); {
		if at += h.token(text, at); h.room == size {
			c.ends = append(c.ends, blockEnd{at, h.hash})
		}
	}
	for _, text := range texts[1:] {
		h.text(text)
	}
	return h.dst
}

// follow takes a text in place of the last one, and returns how many blocks at its start are
// those of that: a token depends on what comes shortly behind it.
func (c *Chain) follow(text string, size int) (known int) {
	if size == c.size {
		same := sameBytes(c.text, text)
		for known < len(c.ends) && c.ends[known].at+Lookahead <= same {
			known++
		}
	}
	c.text, c.size = text, size
	return known
}

// hasher hashes the blocks of texts that follow each other.
type hasher struct {
	hash uint64
	room int // tokens to the end of the block
	size int
	dst  []uint64
}

// text hashes a whole text.
func (h *hasher) text(text string) {
	for at := 0; at < len(text); {
		at += h.token(text, at)
	}
}

// token hashes the token at a byte of a text, and returns its length.
func (h *hasher) token(text string, at int) int {
	n := Next(text[at:])
	sum := h.hash
	if at == 0 && spaced(text) {
		sum = (sum ^ ' ') * prime
	}
	for _, c := range []byte(text[at : at+n]) {
		sum = (sum ^ uint64(c)) * prime
	}
	h.hash = (sum ^ endOfToken) * prime
	if h.room--; h.room == 0 {
		h.dst, h.room = append(h.dst, mix(h.hash)), h.size
	}
	return n
}
