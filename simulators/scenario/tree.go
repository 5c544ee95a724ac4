package scenario

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// tree is a value as it is written in a file: a text in one line, a list of
// such, or a block of keys. An empty tree is no value, and its key is left out.
type tree struct {
	text  string
	note  string // a comment: what a name in the text stands for
	items []string
	lines []line
}

type line struct {
	key, doc string
	tree     tree
	usual    func() bool // reports whether the value is what the key stands for when it is left out; nil is no
}

func (t tree) empty() bool {
	return t.text == "" && t.items == nil && !slices.ContainsFunc(t.lines, func(l line) bool { return !l.tree.empty() })
}

// keep returns the tree with only some of its keys.
func (t tree) keep(wanted func(key string) bool) tree {
	t.lines = slices.DeleteFunc(slices.Clone(t.lines), func(l line) bool { return !wanted(l.key) })
	return t
}

// docColumn is where a key's explanation begins, in characters from the margin.
const docColumn = 44

// render returns the lines of a block, with the explanations of the keys when docs
// is true. The notes are always there.
func (t tree) render(docs bool) string {
	var b strings.Builder
	t.renderAt(&b, "", docs)
	return b.String()
}

func (t tree) renderAt(b *strings.Builder, indent string, docs bool) {
	for _, l := range t.lines {
		if l.tree.empty() {
			continue
		}
		head, comment := indent+l.key+":", l.tree.note
		if l.tree.text != "" {
			head += " " + l.tree.text
		}
		if docs {
			head = fmt.Sprintf("%-*s", docColumn-1, head)
			comment = strings.TrimSuffix(l.doc+"; "+comment, "; ")
		}
		if comment != "" {
			head += " # " + comment
		}
		b.WriteString(head + "\n")
		for _, item := range l.tree.items {
			b.WriteString(indent + "  - " + item + "\n")
		}
		l.tree.renderAt(b, indent+"  ", docs)
	}
}

// simple matches texts that mean themselves without quotes.
var simple = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9 ._/()<>=%-]*$`)

// quoted returns a printable text as a YAML scalar.
func quoted(s string) string {
	switch strings.ToLower(s) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n":
		return strconv.Quote(s)
	}
	if !simple.MatchString(s) || strings.HasSuffix(s, " ") {
		return strconv.Quote(s)
	}
	return s
}
