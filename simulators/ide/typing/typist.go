package typing

import (
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"halfsecond/pipeline/document"
)

// Typist is a person who types a text again and again. It never changes and may
// be used by many goroutines.
type Typist struct {
	text    string
	profile Profile
	rhythms rhythms
	// paired marks the brackets that have their partner on the same line: editors
	// close those at once, and the closing one is typed over.
	paired []bool
	// starts are the places in the text where a line is typed from, behind its
	// indentation.
	starts []int
}

// NewTypist returns a person who types that text like that. Line ends may be
// CR LF. It is an error when the text has nothing to type or is not UTF-8, or
// when the profile is not valid.
func NewTypist(text string, p Profile) (*Typist, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if !utf8.ValidString(text) {
		return nil, errors.New("the text to type is not UTF-8")
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if !document.Visible(text) {
		return nil, errors.New("the text to type has no character that can be seen")
	}
	r, err := p.rhythms(text)
	if err != nil {
		return nil, err
	}
	return &Typist{text, p, r, pairs(text), lineStarts(text)}, nil
}

// rhythms returns the person's gaps: the habits at the person's pace in that text.
func (p *Profile) rhythms(text string) (rhythms, error) {
	habits := expert
	if p.Habits != nil {
		habits = *p.Habits
	}
	own, err := habits.rhythms(p.Shape, 1)
	if err != nil || p.WPM == 0 {
		return own, err
	}
	return habits.rhythms(p.Shape, float64(time.Minute)/(5*p.WPM)/float64(own.meanGap(text)))
}

// lineStarts returns the start of the text and the places behind its line breaks.
func lineStarts(text string) []int {
	starts := []int{0}
	for at := 0; at < len(text); {
		key := strokeAt(text, at)
		if at += len(key); key[0] == '\n' && at < len(text) {
			starts = append(starts, at)
		}
	}
	return starts
}

// meanGap returns the mean gap between the text's keys, pauses aside.
func (r *rhythms) meanGap(text string) time.Duration {
	var sum time.Duration
	keys, prev := 0, Enter
	for at := 0; at < len(text); keys++ {
		cur := classAt(text, at)
		sum += r.pairs[prev][cur].gap.Mean()
		at, prev = at+len(strokeAt(text, at)), cur
	}
	return sum / time.Duration(keys)
}

// classAt returns the class of the key that types what stands at that place.
func classAt(text string, at int) Class {
	c, _ := utf8.DecodeRuneInString(text[at:])
	return ClassOf(c)
}

// strokeAt returns what one key types at that place of the text: a character,
// or a line end with the indentation of the next line, which editors put there.
func strokeAt(text string, at int) string {
	if text[at] != '\n' {
		_, size := utf8.DecodeRuneInString(text[at:])
		return text[at : at+size]
	}
	end := at + 1
	for end < len(text) && (text[end] == ' ' || text[end] == '\t') {
		end++
	}
	if end < len(text) && text[end] == '\n' {
		end = at + 1 // blank lines are not indented
	}
	return text[at:end]
}

const (
	opening = "([{"
	closing = ")]}"
)

// bracketPairs are what an editor makes of each opening bracket.
var bracketPairs = [len(opening)]string{"()", "[]", "{}"}

// pairs marks the brackets whose partner is on the same line.
func pairs(text string) []bool {
	paired := make([]bool, len(text))
	var open []int
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\n':
			open = open[:0]
		case strings.IndexByte(opening, c) >= 0:
			open = append(open, i)
		case strings.IndexByte(closing, c) >= 0:
			last := len(open) - 1
			if last < 0 || strings.IndexByte(opening, text[open[last]]) != strings.IndexByte(closing, c) {
				open = open[:0]
				continue
			}
			paired[open[last]], paired[i] = true, true
			open = open[:last]
		}
	}
	return paired
}
