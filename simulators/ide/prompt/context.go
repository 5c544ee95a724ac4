package prompt

import (
	"strconv"
	"strings"

	"halfsecond/mockllm/server/text/fim"
	"halfsecond/mockllm/token"
)

// source is the snippets of a prompt, and which file the document is. It never changes:
// another one takes its place.
type source struct {
	snippets []snippet
	header   string // tokens of families as fim.Mark has them
	turn     int    // snippets changed so far
	// front and behind are what stands at the front and behind the suffix.
	front, behind part
}

// snippet is a text of another file: the line that names it, and its words.
type snippet struct {
	line  string
	words token.Segment
}

// newSnippet returns the i-th of all snippets of a shape.
func newSnippet(s *Shape, file string, i int) snippet {
	return snippet{file + "snippets/" + strconv.Itoa(i) + "\n", token.Segment{ID: token.Name(0, "ide/snippet", i), N: s.Snippets.Tokens}}
}

// tokens returns how many tokens it has: those of its line and words, and a line break.
// None of them reaches into another, since the words begin with a letter and end with one.
func (s *snippet) tokens() int { return token.Count(s.line) + s.words.N + 1 }

func (s *snippet) write(b *strings.Builder, names func(string) string) {
	b.WriteString(names(s.line))
	b.WriteString(token.Passage{s.words}.Text())
	b.WriteByte('\n')
}

// newSource returns the first snippets, and the header of a document at a path.
func newSource(s *Shape, file, path string) *source {
	c := &source{header: fim.Mark(strings.ReplaceAll(s.Header, "{path}", path))}
	for i := range s.Snippets.N {
		c.snippets = append(c.snippets, newSnippet(s, file, i))
	}
	c.count(s)
	return c
}

// changed returns a source with one more snippet changed.
func (c *source) changed(s *Shape, file string) *source {
	n := len(c.snippets)
	changed := &source{header: c.header, turn: c.turn + 1}
	fresh := newSnippet(s, file, n+c.turn)
	if s.Snippets.Ring {
		changed.snippets = append(append(changed.snippets, c.snippets[1:]...), fresh)
	} else {
		changed.snippets = append(changed.snippets, c.snippets...)
		changed.snippets[c.turn%n] = fresh
	}
	changed.count(s)
	return changed
}

// count finds the tokens of the parts.
func (c *source) count(s *Shape) {
	c.front, c.behind = plain(c.header), part{}
	if len(c.snippets) == 0 {
		return
	}
	snippets := part{text: c.snippets[0].line, opaque: true, tailTokens: 1, last: "\n"}
	for i := range c.snippets {
		snippets.tokens += c.snippets[i].tokens()
	}
	if s.Snippets.After {
		c.behind = snippets
		return
	}
	if c.header != "" {
		header := plain("\n" + c.header)
		snippets.tokens += header.tokens - 1
		snippets.last, snippets.tailTokens = "\n"+c.header, header.tokens
	}
	c.front = snippets
}
