package answer

import (
	"slices"
	"strings"

	"halfsecond/pipeline/dist"
)

// Break returns a text that begins as the given one, with something to see, and whose
// syntax goes wrong later on, in one of the ways in which models go wrong: a bracket or
// quote is missing, or there is one too many; it ends in the middle of a word, with
// brackets open; or, in Python, a line is not indented as the one before wants it. Each
// way that the text allows is as likely as another. The language is that of package
// simulators/ide/syntax; where it is "", a text that has a block of Python
// in it counts as that.
func Break(text, language string, dice *dist.Rand) string {
	c := readCode(text, language)
	var ways [][]string // the texts that each gives
	for _, way := range []func(*code) []string{(*code).without, (*code).doubled, (*code).opened, (*code).cut, (*code).indented} {
		if texts := way(&c); len(texts) > 0 {
			ways = append(ways, texts)
		}
	}
	if len(ways) == 0 {
		return text + "("
	}
	way := ways[dice.IntN(len(ways))]
	return way[dice.IntN(len(way))]
}

// code is a text and what stands where in it.
type code struct {
	text   string
	python bool
	closes []int // the brackets and quotes that close something, in the order of the text
	words  []int // where words begin, outside of quotes and comments
	deep   []int // those of them that stand behind brackets that the text opens
}

// readCode finds brackets and words, those in quotes and comments aside.
func readCode(text, language string) code {
	c := code{text: text, python: language == "python" || language == "" && looksLikePython(text)}
	first := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	quote, depth := c.within(), 0
	for i := 0; i < len(text); i++ {
		sign := text[i]
		switch {
		case quote != 0 && sign == '\\' && quote != '`':
			i++
		case quote != 0 && sign == quote:
			quote = 0
			c.closes = append(c.closes, i)
		case quote != 0:
		case c.comment(i):
			i += lineLength(text[i:]) - 1
		case strings.IndexByte(quoteSigns, sign) >= 0:
			quote = sign
		case strings.IndexByte("([{", sign) >= 0:
			depth++
		case strings.IndexByte(")]}", sign) >= 0:
			depth = max(0, depth-1)
			c.closes = append(c.closes, i)
		case letter(sign) && i > first && !letter(text[i-1]):
			c.words = append(c.words, i)
			if depth > 0 {
				c.deep = append(c.deep, i)
			}
		}
	}
	return c
}

// within returns the quote in which the text begins, 0 for none: the one of which the first
// line has an odd number, since a line mostly ends outside of quotes.
func (c *code) within() byte {
	line := c.text[:lineLength(c.text)]
	for i := range line {
		if c.comment(i) {
			line = line[:i]
			break
		}
	}
	line = strings.NewReplacer(`\\`, "", `\"`, "", `\'`, "").Replace(line)
	for i := range len(quoteSigns) {
		if strings.Count(line, quoteSigns[i:i+1])%2 == 1 {
			return quoteSigns[i]
		}
	}
	return 0
}

// comment reports whether one begins there that ends with the line.
func (c *code) comment(at int) bool {
	return strings.HasPrefix(c.text[at:], "//") || strings.HasPrefix(c.text[at:], "# ") || c.python && c.text[at] == '#'
}

// lineLength returns the length of the first line without its end.
func lineLength(text string) int {
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		return end
	}
	return len(text)
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

// seen reports whether something stands before a place.
func (c *code) seen(at int) bool { return strings.TrimSpace(c.text[:at]) != "" }

// without takes one of the signs out that close something.
func (c *code) without() (texts []string) {
	for _, at := range c.closes {
		if c.seen(at) {
			texts = append(texts, c.text[:at]+c.text[at+1:])
		}
	}
	return texts
}

// doubled closes something twice, or what is not open.
func (c *code) doubled() (texts []string) {
	for _, at := range c.closes {
		if strings.IndexByte(quoteSigns, c.text[at]) < 0 {
			texts = append(texts, c.text[:at+1]+c.text[at:])
		}
	}
	if len(texts) == 0 && c.seen(len(c.text)) {
		texts = append(texts, c.text+")")
	}
	return texts
}

// opened opens a bracket or a quote before a word, and closes neither.
func (c *code) opened() (texts []string) {
	for _, at := range c.words {
		texts = append(texts, c.text[:at]+"("+c.text[at:], c.text[:at]+`"`+c.text[at:])
	}
	return texts
}

// leastWord is the length of a word that can be cut so that it still looks like one.
const leastWord = 4

// cut ends in the middle of a word, which is in brackets.
func (c *code) cut() (texts []string) {
	for _, at := range c.deep {
		n := 0
		for at+n < len(c.text) && letter(c.text[at+n]) {
			n++
		}
		if n >= leastWord {
			texts = append(texts, c.text[:at+(n+1)/2])
		}
	}
	return texts
}

// indented takes a blank more before a line of Python that is not the first, and none
// before one that has to be deeper.
func (c *code) indented() (texts []string) {
	if !c.python {
		return nil
	}
	for at := lineLength(c.text) + 1; at < len(c.text); at += lineLength(c.text[at:]) + 1 {
		line := c.text[at:]
		blanks := len(line) - len(strings.TrimLeft(line, " \t"))
		before := strings.TrimRight(c.text[:at], " \t\r\n")
		switch {
		case lineLength(line) == blanks || !c.seen(at):
		case strings.HasSuffix(before, ":"):
			texts = append(texts, c.text[:at]+line[blanks:])
		case blanks > 0 && !strings.ContainsAny(before[len(before)-1:], `,([{\`):
			texts = append(texts, c.text[:at]+" "+line)
		}
	}
	return texts
}

// pythonBlocks are the words that a block of Python begins with, where they begin none of
// other languages that a colon ends.
var pythonBlocks = []string{"def", "class", "if", "elif", "else", "for", "while", "try", "except", "finally", "with", "async"}

// looksLikePython reports whether a line begins a block of Python and the next one is
// deeper.
func looksLikePython(text string) bool {
	lines := strings.Split(text, "\n")
	for i, line := range lines[:len(lines)-1] {
		begin, next := strings.TrimLeft(line, " \t"), strings.TrimLeft(lines[i+1], " \t")
		word := begin[:len(begin)-len(strings.TrimLeft(begin, "abcdefghijklmnopqrstuvwxyz"))]
		if strings.HasSuffix(line, ":") && slices.Contains(pythonBlocks, word) && next != "" && len(lines[i+1])-len(next) > len(line)-len(begin) {
			return true
		}
	}
	return false
}
