package prompt

import "halfsecond/mockllm/server/text/fim"

// Section is what a part of a prompt is of.
type Section uint8

const (
	Marker  Section = iota // a token of a model family
	Header                 // lines that name the document
	Snippet                // a text of another file
	Prefix                 // text before the cursor
	Suffix                 // text after it
	Typed                  // what is typed of the current line, where it stands by itself
	newText                // where the next text begins, for a server that is handed several
)

// element is a part of each prompt of a shape.
type element struct {
	section Section
	part    // of a marker
}

// front and behind stand for all that a source has at the front of a prompt, and behind
// the suffix.
const (
	front  = Header
	behind = Snippet
)

// plan is the order of the parts of a shape's prompts.
type plan struct {
	shape    Shape
	elements []element
	file     string // begins the line that names a snippet
}

func newPlan(s Shape) (*plan, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	p := &plan{shape: s, file: "// "}
	if s.Family == "" {
		p.handed()
		return p, nil
	}
	t, err := fim.TemplateNamed(s.Family)
	if err != nil {
		return nil, err
	}
	if t.File != "" {
		p.file = fim.Mark(t.File)
	}
	p.framed(&t)
	return p, nil
}

// handed orders the texts for a server that joins them itself, and is taken to put them
// in the order of the layout.
func (p *plan) handed() {
	switch p.shape.Layout {
	case PrefixOnly:
		p.sections(front, Prefix)
	case PSM:
		p.sections(front, Prefix, newText, Suffix, behind)
	case LineAfterMiddle:
		p.sections(front, Prefix, newText, Suffix, behind, newText, Typed)
	default:
		p.sections(Suffix, behind, newText, front, Prefix)
	}
}

// framed orders the texts between the tokens of a family. Where the answer follows the
// prefix at once, other files stand in front of the document in the prefix itself.
func (p *plan) framed(t *fim.Template) {
	if p.shape.Layout == PrefixOnly {
		p.sections(front, Prefix)
		return
	}
	within := t.Middle == ""
	if !within {
		p.sections(front)
	}
	prefix := func() {
		p.marker(t.Prefix)
		if t.Spaced {
			p.text(" ")
		}
		if within {
			p.sections(front)
		}
		p.sections(Prefix)
	}
	suffix := func(space string) {
		p.marker(space + t.Suffix)
		p.sections(Suffix, behind)
	}
	space := ""
	if t.Spaced {
		space = " "
	}
	switch p.shape.Layout {
	case SPM:
		if t.Spaced { // <PRE> <SUF>suffix <MID> prefix
			p.marker(t.Prefix)
			suffix(space)
			p.marker(space + t.Middle)
			p.text(space)
			p.sections(Prefix)
			return
		}
		suffix("")
		prefix()
		return
	case SPMMiddle:
		suffix("")
		prefix()
	default:
		prefix()
		suffix(space)
	}
	if t.Middle != "" {
		p.marker(space + t.Middle)
	}
	if p.shape.Layout == LineAfterMiddle {
		p.text(space)
		p.sections(Typed)
	}
}

func (p *plan) sections(all ...Section) {
	for _, s := range all {
		p.elements = append(p.elements, element{section: s})
	}
}

// marker adds a token of a family, with a space before it or none.
func (p *plan) marker(text string) {
	p.elements = append(p.elements, element{Marker, part{text: fim.Mark(text), closed: true}})
}

// text adds a text that is no token.
func (p *plan) text(text string) {
	if text != "" {
		p.elements = append(p.elements, element{Marker, plain(text)})
	}
}
