package fim

import (
	"cmp"
	"slices"
	"strings"
)

// Part is a stretch of a prompt.
type Part struct {
	Kind PartKind
	Text string
}

// PartKind says what a part of a prompt is.
type PartKind uint8

const (
	Outside PartKind = iota // neither: special tokens, names, other files
	Before                  // text before the hole
	After                   // text after it
	Typed                   // text before the hole that stands behind the middle token
)

// Split returns the parts of a prompt in its order, which together are the prompt, and
// false for one that asks to fill no hole.
func Split(prompt string) ([]Part, bool) {
	for i := range families {
		if l, ok := families[i].layout(prompt); ok {
			return l.parts(prompt), true
		}
	}
	return nil, false
}

// layout says where the texts around a hole stand in a prompt.
type layout struct {
	before, after, typed stretch
	path                 string // of the document; "" when the prompt does not say
}

// stretch is the bytes of a prompt from one position to another.
type stretch struct{ from, to int }

func (s stretch) of(text string) string { return text[s.from:s.to] }

// layout finds the hole. The prefix or the suffix can come first.
func (f *family) layout(prompt string) (l layout, ok bool) {
	p, s := strings.Index(prompt, f.prefix), strings.Index(prompt, f.suffix)
	if p < 0 || s < 0 {
		return l, false
	}
	end := len(prompt)
	l.typed = stretch{end, end} // after the middle token: the answer continues it
	if f.middle != "" {
		if end = strings.LastIndex(prompt, f.middle); end < max(p, s) {
			return l, false
		}
		l.typed.from = end + len(f.middle)
	}
	l.before, l.after = stretch{p + len(f.prefix), end}, stretch{s + len(f.suffix), end}
	if p < s {
		l.before.to = s
	} else {
		l.after.to = p
	}
	if l.before.from > l.before.to || l.after.from > l.after.to {
		return l, false // one token is part of another
	}
	if f.spaced {
		l.unspace(prompt, p < s)
	}
	l.name(f, prompt, min(p, s))
	return l, true
}

// unspace takes away the spaces that separate tokens and texts. A prefix that comes
// last, after the middle token, has one before it.
func (l *layout) unspace(prompt string, prefixFirst bool) {
	l.before.trimLeft(prompt)
	if prefixFirst {
		l.before.trimRight(prompt)
	}
	if l.before.from == l.before.to {
		l.typed.trimLeft(prompt)
	}
	l.after.trimRight(prompt)
}

// trimLeft leaves out a space at the beginning.
func (s *stretch) trimLeft(text string) {
	if strings.HasPrefix(s.of(text), " ") {
		s.from++
	}
}

// trimRight leaves out a space at the end.
func (s *stretch) trimRight(text string) {
	if strings.HasSuffix(s.of(text), " ") {
		s.to--
	}
}

// name finds the path of the document: the last one before the hole, which begins at
// first. Where the text before the hole names files too, it begins after the last of them.
func (l *layout) name(f *family, prompt string, first int) {
	if f.file == "" {
		return
	}
	context, before := prompt[:first], l.before.of(prompt)
	if i := strings.LastIndex("\n"+before, "\n"+f.file); f.middle == "" && i >= 0 {
		context = before[i:]
		l.before.from = l.before.to
		if line := strings.IndexByte(context, '\n'); line >= 0 {
			l.before.from -= len(context) - line - 1
			context = context[:line+1]
		}
	}
	i := strings.LastIndex(context, f.file)
	if i < 0 {
		return
	}
	if name, _, ended := strings.Cut(context[i+len(f.file):], "\n"); ended {
		l.path = name
	}
}

// parts returns the parts of a prompt, none of them empty.
func (l *layout) parts(prompt string) (parts []Part) {
	type text struct {
		kind PartKind
		stretch
	}
	texts := []text{{Before, l.before}, {After, l.after}, {Typed, l.typed}}
	slices.SortStableFunc(texts, func(a, b text) int { return cmp.Compare(a.from, b.from) })
	at := 0
	add := func(kind PartKind, to int) {
		if to > at {
			parts = append(parts, Part{kind, prompt[at:to]})
			at = to
		}
	}
	for _, t := range texts {
		add(Outside, t.from)
		add(t.kind, t.to)
	}
	add(Outside, len(prompt))
	return parts
}
