package plugin

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"halfsecond/pipeline/document"
)

// Triggers is where and after what a plugin asks. The zero Triggers ask after every key,
// wherever the cursor is.
type Triggers struct {
	Moves   bool   // after a move of the cursor as well, unless it selects text
	Nearby  Nearby // which of those moves
	Changes bool   // after edits that are no keys as well, such as a paste
	// Empty asks as well where nothing stands before the cursor, and nothing after it that the
	// prompt has.
	Empty bool
	// NotInWord does not ask where a letter, a digit or an underscore follows.
	NotInWord bool
	After     After
	// Comment is the sign that begins a comment to the end of the line, such as //:
	// behind one nothing is asked for. "" asks there too.
	Comment string
	// LeastLine is how many characters the line must have before the cursor, blanks
	// aside.
	LeastLine int
}

// After is what may follow the cursor on its line.
type After uint8

const (
	AfterAny     After = iota
	AfterClosing       // blanks, closing brackets, quotes and signs that end a statement
	AfterNothing       // blanks
)

var afterNames = []string{"any", "closing", "nothing"}

// String returns the name that scenario files use.
func (a After) String() string { return afterNames[a] }

// closing are the signs that may follow where only those are allowed that an editor adds
// or that end what stands before: those that llama.vim and Continue look for differ by a
// few; these are what they have in common.
const closing = ")]}>\"'`;:,"

// Refuse returns the name of the rule by which a plugin does not ask at the cursor: "in_word",
// "text_after", "comment" or "short_line"; "" where it asks.
func (t *Triggers) Refuse(d *document.Document) string {
	if *t == (Triggers{Moves: t.Moves, Nearby: t.Nearby, Changes: t.Changes, Empty: t.Empty}) {
		return ""
	}
	after, _, _ := strings.Cut(d.After(), "\n")
	switch before := lineBefore(d); {
	case t.NotInWord && wordFollows(after):
		return "in_word"
	case !t.After.Allows(after):
		return "text_after"
	case t.Comment != "" && comments(before, t.Comment):
		return "comment"
	case t.LeastLine > 0 && utf8.RuneCountInString(strings.TrimSpace(before)) < t.LeastLine:
		return "short_line"
	}
	return ""
}

// lineBefore returns the line's text before the cursor.
func lineBefore(d *document.Document) string {
	before := d.Before()
	start := len(before)
	for start > 0 && before[start-1] != '\n' {
		start--
	}
	return string(before[start:])
}

func wordFollows(after string) bool {
	c, _ := utf8.DecodeRuneInString(after)
	return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c)
}

// Allows reports whether that may follow the cursor on its line.
func (a After) Allows(after string) bool {
	switch a {
	case AfterClosing:
		return strings.Trim(after, closing+" \t\r") == ""
	case AfterNothing:
		return strings.TrimSpace(after) == ""
	}
	return true
}

// comments reports whether a comment begins in a line, outside of quotes.
func comments(line, sign string) bool {
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote != 0 && c == '\\' && quote != '`':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case strings.HasPrefix(line[i:], sign):
			return true
		case c == '"' || c == '\'' || c == '`':
			quote = c
		}
	}
	return false
}
