package prompt

import "halfsecond/mockllm/server/text/fim"

// section is what a part of a prompt is of.
type section uint8

const (
	inMarker  section = iota // a token of a model family
	inHeader                 // lines that name the document
	inSnippet                // a text of another file
	inPrefix                 // text before the cursor
	inSuffix                 // text after it
	inTyped                  // what is typed of the current line, where it stands by itself
	newText                  // where the next text begins, for a server that is handed several
)

// element is a part of each prompt of a shape.
type element struct {
	section section
	part    // of a marker
}

// front and behind stand for all that a source has at the front of a prompt, and behind
// the suffix.
const (
	front  = inHeader
	behind = inSnippet
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
		p.sections(front, inPrefix)
	case PSM:
		p.sections(front, inPrefix, newText, inSuffix, behind)
	case LineAfterMiddle:
		p.sections(front, inPrefix, newText, inSuffix, behind, newText, inTyped)
	default:
		p.sections(inSuffix, behind, newText, front, inPrefix)
	}
}

// framed orders the texts between the tokens of a family.
func (p *plan) framed(t *fim.Template) {
	f := frame{p, t, ""}
	if t.Spaced {
		f.space = " "
	}
	if p.shape.Layout == PrefixOnly || !f.within() {
		p.sections(front)
	}
	switch p.shape.Layout {
	case PrefixOnly:
		p.sections(inPrefix)
	case SPM:
		f.suffixFirst()
	case SPMMiddle:
		f.suffix()
		f.prefix()
		f.middle()
	default:
		f.prefix()
		f.suffix()
		f.middle()
	}
	if p.shape.Layout == LineAfterMiddle {
		p.text(f.space)
		p.sections(inTyped)
	}
}

// frame writes the tokens of a family around the texts.
type frame struct {
	*plan
	*fim.Template
	space string // between tokens and texts
}

// within reports whether other files stand in front of the document in the prefix itself:
// where the answer follows it at once.
func (f *frame) within() bool { return f.Middle == "" }

func (f *frame) prefix() {
	f.marker(f.Prefix)
	f.text(f.space)
	if f.within() {
		f.sections(front)
	}
	f.sections(inPrefix)
}

func (f *frame) suffix() {
	f.marker(f.space + f.Suffix)
	f.sections(inSuffix, behind)
}

func (f *frame) middle() {
	if f.Middle != "" {
		f.marker(f.space + f.Middle)
	}
}

// suffixFirst orders the texts without a token behind them. A family with spaces has its
// middle token before the prefix, as CodeLlama: <PRE> <SUF>suffix <MID> prefix.
func (f *frame) suffixFirst() {
	if !f.Spaced {
		f.suffix()
		f.prefix()
		return
	}
	f.marker(f.Prefix)
	f.suffix()
	f.middle()
	f.text(f.space)
	f.sections(inPrefix)
}

func (p *plan) sections(all ...section) {
	for _, s := range all {
		p.elements = append(p.elements, element{section: s})
	}
}

// marker adds a token of a family, with a space before it or none.
func (p *plan) marker(text string) {
	p.elements = append(p.elements, element{inMarker, part{text: fim.Mark(text), closed: true}})
}

// text adds a text that is no token.
func (p *plan) text(text string) {
	if text != "" {
		p.elements = append(p.elements, element{inMarker, plain(text)})
	}
}
