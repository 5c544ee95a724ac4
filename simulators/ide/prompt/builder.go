package prompt

import (
	"halfsecond/mockllm/token"
	"halfsecond/pipeline/document"
)

// Builder makes the prompts of one editor, one after the other. It remembers what it has
// counted of the document, and hashed of the last prompt: it and its prompts are for one
// goroutine.
type Builder struct {
	plan   *plan
	cutter cutter
	source *source
	chain  token.Chain
	built  int
}

// NewBuilder returns a builder that has seen no document. It is an error when the shape is
// not valid.
func NewBuilder(s Shape) (*Builder, error) {
	p, err := newPlan(s)
	if err != nil {
		return nil, err
	}
	b := &Builder{plan: p}
	b.Name("")
	return b, nil
}

// Name says what the path of the document is. Snippets stay as they are.
func (b *Builder) Name(path string) {
	named := newSource(&b.plan.shape, b.plan.file, path)
	if b.source != nil {
		named.snippets, named.turn = b.source.snippets, b.source.turn
		named.count(&b.plan.shape)
	}
	b.source = named
}

// Build returns the prompt for a document as it is, of which it writes nothing out. It must
// be asked about the same document each time.
func (b *Builder) Build(d *document.Document) Prompt {
	s := &b.plan.shape
	if n := s.Snippets; n.N > 0 && n.Every > 0 && b.built > 0 && b.built%n.Every == 0 {
		b.source = b.source.changed(s, b.plan.file)
	}
	b.built++
	return b.build(&b.cutter, d)
}

// Suppose returns the prompt for a document in which an edit at the cursor were made, as a
// plugin sends it that asks ahead for what comes after a suggestion. It leaves the builder
// and the document as they are, and costs what the document is long.
func (b *Builder) Suppose(d *document.Document, e document.Edit) Prompt {
	var then document.Document
	then.Open(string(d.Before())+e.Insert+d.After()[e.Delete:], e.Cursor)
	return b.build(&cutter{rest: b.cutter.rest}, &then)
}

// build makes the prompt for a document that a cutter knows.
func (b *Builder) build(c *cutter, d *document.Document) Prompt {
	s := &b.plan.shape
	c.follow(d)
	p := Prompt{plan: b.plan, source: b.source, chain: &b.chain, asked: d.Snapshot()}
	p.line, p.end = c.end(p.asked.Before(), s)
	p.from = min(c.from(p.asked.Before(), s), p.end)
	p.line = max(p.line, p.from)
	if s.Layout != PrefixOnly {
		p.suffix = c.suffix(p.asked.After(), s).text
	}
	p.tokens = c.count(&p)
	return p
}

// count returns the tokens of a prompt of the document as it is.
func (c *cutter) count(p *Prompt) (n int) {
	var j joint
	for i := range p.plan.elements {
		switch e := &p.plan.elements[i]; e.section {
		case newText:
			n += j.total()
			j = joint{}
		case front:
			j.add(&p.source.front)
		case behind:
			j.add(&p.source.behind)
		case inPrefix:
			c.add(&j, p.asked.Before(), p.from, p.line)
		case inSuffix:
			j.add(&c.rest.part)
		case inTyped:
			c.add(&j, p.asked.Before(), p.line, p.end)
		default:
			j.add(&e.part)
		}
	}
	return n + j.total()
}

// add counts text[a:b], a part of the text before the cursor.
func (c *cutter) add(j *joint, text []byte, a, b int) {
	p := part{bytes: text[a:b]}
	p.tokens, p.tail, p.tailTokens = c.tally.count(text, a, b)
	p.tail -= a
	j.add(&p)
}
