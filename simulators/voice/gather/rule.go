package gather

import "fmt"

// By is what ends a piece.
type By uint8

const (
	Sentence   By = iota // a full stop, an exclamation or question mark, a line feed
	Clause               // those, a comma, a semicolon, a colon or a dash
	Characters           // so many characters, at the end of a word
	Token                // each token
)

var names = [...]string{"sentence", "clause", "characters", "token"}

// String returns the name, as scenario files have it.
func (b By) String() string {
	if int(b) < len(names) {
		return names[b]
	}
	return fmt.Sprintf("By(%d)", b)
}

// Rule says when a piece is whole.
type Rule struct {
	By By
	// Characters is how many a piece has at least, by Characters.
	Characters int
	// LookAhead has the end of a sentence or clause believed only once something follows
	// it: "3." may go on as "3.5". It costs a token. A text that is over has no doubt.
	LookAhead bool
}

// LooksAhead reports whether pieces wait for what follows them: LookAhead, of sentences and
// clauses.
func (r Rule) LooksAhead() bool { return r.LookAhead && r.By <= Clause }

// ends reports whether a character may end a piece.
func (r Rule) ends(c rune) bool {
	switch c {
	case '.', '!', '?', '\n', '。', '！', '？', '…':
		return true
	case ',', ';', ':', '—', '–', '、', '，', '；', '：':
		return r.By == Clause
	}
	return false
}
