package observe

import (
	"strings"

	"halfsecond/mockllm/server/text/fim"
)

// Prompt is what a request says of the document that it wants to be completed.
type Prompt struct {
	Before, After string // the text around the cursor, as far as it was sent
	// Sections is everything that the model reads, in its order.
	Sections []Section
	bytes    int // of all sections
}

// Section is a stretch of a prompt.
type Section struct {
	Name string
	Text string
}

// Names of sections.
const (
	Context = "context" // instructions, names, other files
	Prefix  = "prefix"  // text before the cursor
	Suffix  = "suffix"  // text after the cursor
	// Line is what of the text before the cursor stands after all else, behind the token
	// that the answer follows.
	Line = "line"
)

// Made returns the prompt of such sections.
func Made(sections ...Section) Prompt {
	p := Prompt{Sections: sections}
	line := ""
	for _, s := range sections {
		p.bytes += len(s.Text)
		switch s.Name {
		case Prefix:
			p.Before += s.Text
		case Line:
			line += s.Text
		case Suffix:
			p.After += s.Text
		}
	}
	p.Before += line
	return p
}

// Split returns the prompt of a text as a model reads it: with the fill-in-the-middle
// tokens of a family, or with the marks that plugins put into a conversation. It reports
// false for a text that has neither.
func Split(text string) (Prompt, bool) {
	if parts, ok := fim.Split(text); ok {
		return Made(sections(parts)...), true
	}
	if s, ok := chat(text); ok {
		return Made(s...), true
	}
	return Prompt{}, false
}

// Plain returns the prompt of a text without a hole, which an answer continues.
func Plain(text string) Prompt { return Made(Section{Prefix, text}) }

// sections gives the parts of a prompt their names.
func sections(parts []fim.Part) []Section {
	all := make([]Section, 0, len(parts))
	for _, p := range parts {
		name := Context
		switch p.Kind {
		case fim.Before:
			name = Prefix
		case fim.After:
			name = Suffix
		case fim.Typed:
			name = Line
		}
		if p.Text != "" {
			all = append(all, Section{name, p.Text})
		}
	}
	return all
}

// Marks that plugins put into a conversation. Sources, read 2026-11-30: minuet's chat
// input, with the text after the cursor first or last, milanglacier/minuet-ai.nvim
// lua/minuet/config.lua (commit 008e4a4); Continue's hole filler,
// continuedev/continue core/autocomplete/templating/AutocompleteTemplate.ts (commit
// d0a3c0b).
const (
	minuetBefore = "<contextBeforeCursor>\n"
	minuetAfter  = "<contextAfterCursor>\n"
	minuetCursor = "<cursorPosition>"

	holeOpen  = "<QUERY>\n"
	holeMark  = "{{FILL_HERE}}"
	holeClose = "\n</QUERY>"
)

// chat finds the hole of a conversation. What went before is taken for examples: the last
// hole counts.
func chat(text string) ([]Section, bool) {
	if s, ok := minuet(text); ok {
		return s, true
	}
	return holeFiller(text)
}

func minuet(text string) ([]Section, bool) {
	before, after := strings.LastIndex(text, minuetBefore), strings.LastIndex(text, minuetAfter)
	cursor := strings.LastIndex(text, minuetCursor)
	if before < 0 || after < 0 || cursor < before+len(minuetBefore) {
		return nil, false
	}
	prefix := Section{Prefix, text[before+len(minuetBefore) : cursor]}
	rest := text[cursor+len(minuetCursor):]
	if after < before {
		suffix := strings.TrimSuffix(text[after+len(minuetAfter):before], "\n")
		return []Section{{Context, text[:after]}, {Suffix, suffix}, prefix, {Context, rest}}, true
	}
	if after < cursor {
		return nil, false // it is part of the document
	}
	return []Section{{Context, text[:before]}, prefix, {Suffix, text[after+len(minuetAfter):]}}, true
}

func holeFiller(text string) ([]Section, bool) {
	open, end := strings.LastIndex(text, holeOpen), strings.LastIndex(text, holeClose)
	from := open + len(holeOpen)
	if open < 0 || end < from {
		return nil, false
	}
	hole := strings.Index(text[from:end], holeMark)
	if hole < 0 {
		return nil, false
	}
	hole += from
	return []Section{{Context, text[:from]}, {Prefix, text[from:hole]}, {Suffix, text[hole+len(holeMark) : end]}, {Context, text[end:]}}, true
}
