package prompt

import (
	"slices"
	"strings"

	"halfsecond/mockllm/server/text/fim"
	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
)

// Prompt is what a plugin sends. Its text is written only when somebody asks for it, and
// is what the document was when it was built.
type Prompt struct {
	plan   *plan
	source *source
	chain  *token.Chain // of the builder's prompts
	asked  document.Snapshot
	from   int // the prefix's first byte before the cursor
	line   int // its end, and the start of what is typed of the current line by itself
	end    int // of that
	suffix string
	tokens int
	marked *written // with the tokens of families as fim.Mark has them, once somebody asked for it
}

// Tokens returns how many tokens the mock counts in the prompt: those of mockllm/token, each
// token of a model family as one. A document that has such a token's name in it has more.
func (p *Prompt) Tokens() int { return p.tokens }

// Asked returns the document as it was.
func (p *Prompt) Asked() *document.Snapshot { return &p.asked }

// Window returns the byte before the cursor where the prefix begins, and the suffix.
func (p *Prompt) Window() (from int, suffix string) { return p.from, p.suffix }

// Parts returns the texts for a server that has a field for each, as llama.cpp's /infill
// has: the prefix without the current line where that stands by itself, the suffix, and
// what is typed of the line. Other files are not among them.
func (p *Prompt) Parts() (prefix, suffix, typed string) {
	b := p.asked.Before()
	return string(b[p.from:p.line]), p.suffix, string(b[p.line:p.end])
}

// Text returns the prompt as it is sent: as one text, or for a server that joins the
// texts itself as two.
func (p *Prompt) Text() pipeline.Prompt {
	if p.plan.shape.Family != "" {
		return pipeline.Prompt{Text: p.write(fim.Spell).String()}
	}
	b := p.asked.Before()
	return pipeline.Prompt{
		Text:   p.context(front) + string(b[p.from:p.end]),
		Suffix: p.suffix + p.context(behind),
		Typed:  string(b[p.line:p.end]),
	}
}

// Blocks appends the hashes of the prompt's blocks of so many tokens, and of the answer
// that follows it, for a cache of prefixes: see token.Blocks.
func (p *Prompt) Blocks(dst []uint64, size int, answer string) []uint64 {
	return p.chain.Blocks(dst, size, append(p.mark().texts, answer)...)
}

// context writes out what the source has at one of the two places.
func (p *Prompt) context(place section) string {
	w := written{names: fim.Spell}
	w.source(p, place)
	return w.String()
}

// mark returns the prompt written out once, for its blocks and for what it shares with others.
func (p *Prompt) mark() *written {
	if p.marked == nil {
		p.marked = p.write(marks)
		p.marked.texts = p.marked.split()
	}
	return p.marked
}

// written is a prompt written out.
type written struct {
	strings.Builder
	names func(string) string // how tokens of families are written: fim.Spell or marks
	spans []span
	texts []string // that a server is handed, as mark has them
}

// marks leaves the tokens of families as fim.Mark has them.
func marks(text string) string { return text }

// span is a section of what is written.
type span struct {
	section  section
	from, to int
}

// write writes the prompt out.
func (p *Prompt) write(names func(string) string) *written {
	w := &written{names: names, spans: make([]span, 0, len(p.plan.elements)+len(p.source.snippets)+1)}
	b := p.asked.Before()
	w.Grow(len(b) - p.from + len(p.suffix) + 64)
	for i := range p.plan.elements {
		e := &p.plan.elements[i]
		from := w.Len()
		switch e.section {
		case front, behind:
			w.source(p, e.section)
			continue
		case inPrefix:
			w.Write(b[p.from:p.line])
		case inSuffix:
			w.WriteString(p.suffix)
		case inTyped:
			w.Write(b[p.line:p.end])
		case inMarker:
			w.WriteString(names(e.text))
		}
		w.spans = append(w.spans, span{e.section, from, w.Len()})
	}
	return w
}

// source writes what the source of a prompt has at one of the two places.
func (w *written) source(p *Prompt, place section) {
	if p.plan.shape.Snippets.After == (place == behind) {
		for i := range p.source.snippets {
			from := w.Len()
			p.source.snippets[i].write(&w.Builder, w.names)
			w.spans = append(w.spans, span{inSnippet, from, w.Len()})
		}
	}
	if place == front {
		from := w.Len()
		w.WriteString(w.names(p.source.header))
		w.spans = append(w.spans, span{inHeader, from, w.Len()})
	}
}

// split returns what is written as the texts that a server is handed.
func (w *written) split() (all []string) {
	text, from := w.String(), 0
	for _, s := range w.spans {
		if s.section == newText {
			all = append(all, text[from:s.from])
			from = s.from
		}
	}
	return slices.Clip(append(all, text[from:]))
}
