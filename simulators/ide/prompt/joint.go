package prompt

import (
	"halfsecond/mockllm/token"
)

// part is a text that stands in a prompt, and what is known of its tokens when it stands
// alone. Neighbours share tokens where one ends and the other begins with white space or
// letters.
type part struct {
	bytes  []byte // the text, or
	text   string // this is it
	tokens int
	// tail is where the last tailTokens begin: a boundary that nothing behind can move.
	tail, tailTokens int
	// closed is a text that ends with a token of a model family, behind which tokens begin
	// anew.
	closed bool
	// opaque is a text of which only the start is at hand, and the end is last.
	opaque bool
	last   string
}

func (p *part) len() int { return max(len(p.bytes), len(p.text)) }

func (p *part) slice(i, j int) string {
	if p.bytes != nil {
		return string(p.bytes[i:j])
	}
	return p.text[i:j]
}

// end returns the text from its tail on.
func (p *part) end() string {
	if p.opaque {
		return p.last
	}
	return p.slice(p.tail, p.len())
}

// plain returns the part of a text, counted.
func plain(text string) part {
	p := part{text: text}
	for at := 0; at < len(text); p.tokens++ {
		if at+lookahead <= len(text) {
			p.tail, p.tailTokens = at, 0
		}
		at += token.Next(text[at:])
		p.tailTokens++
	}
	return p
}

// joint counts the tokens of parts that follow each other as one text.
type joint struct {
	tokens int    // of what is settled
	open   string // what stands behind it, which the next part may change
}

// add puts a part behind the others.
func (j *joint) add(p *part) {
	switch {
	case p.len() == 0:
		return
	case p.closed:
		j.tokens += token.Count(j.open + p.text)
		j.open = ""
	case j.open == "":
		j.follow(p, 0)
	default:
		j.meet(p)
	}
}

// follow settles a part but for its tail, of which the first tokens are counted already.
func (j *joint) follow(p *part, counted int) {
	j.tokens += p.tokens - counted - p.tailTokens
	j.open = p.end()
}

// meet looks for the first boundary in a part that is one both alone and behind what is
// open.
func (j *joint) meet(p *part) {
	for n := 64; ; n *= 8 {
		n = min(n, p.len())
		start := p.slice(0, n)
		together, alone, at := common(j.open, start)
		switch {
		case at >= 0 && (at <= p.tail || p.opaque):
			j.tokens += together
			j.follow(p, alone)
			return
		case n == p.len():
			j.open += start
			return
		}
	}
}

// common returns the first boundary of tokens in a text that is one also when the text
// stands behind another, and the tokens up to it with the other and without it; -1 when
// the text is too short to tell.
func common(open, text string) (together, alone, at int) {
	all := open + text
	i, at := 0, 0
	for i != len(open)+at {
		if at+lookahead > len(text) {
			return 0, 0, -1
		}
		if i < len(open)+at {
			i += token.Next(all[i:])
			together++
		} else {
			at += token.Next(text[at:])
			alone++
		}
	}
	if at+lookahead > len(text) {
		return 0, 0, -1
	}
	return together, alone, at
}

// total settles all that is open.
func (j *joint) total() int { return j.tokens + token.Count(j.open) }
