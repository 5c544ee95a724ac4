package lsp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Item is a completion.
type Item struct {
	Insert Insert `json:"insertText"`
	Filter string `json:"filterText,omitempty"` // stands for the inserted text where it is compared; "" for itself
	Range  *Range `json:"range,omitempty"`      // what is replaced; nil inserts at the cursor
}

// Insert is the text of a completion: a string, or a template as a StringValue.
type Insert struct {
	Text    string
	Snippet bool // the text is a template
}

// UnmarshalJSON implements json.Unmarshaler.
func (i *Insert) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		return json.Unmarshal(text, &i.Text)
	}
	var v struct {
		Kind  string  `json:"kind"`
		Value *string `json:"value"`
	}
	if err := json.Unmarshal(text, &v); err != nil {
		return fmt.Errorf("insertText: %w", err)
	}
	if v.Kind != "snippet" || v.Value == nil {
		return errors.New(`insertText is neither a string nor {"kind": "snippet", "value": "..."}`)
	}
	i.Text, i.Snippet = *v.Value, true
	return nil
}

// MarshalJSON implements json.Marshaler.
func (i Insert) MarshalJSON() ([]byte, error) {
	if !i.Snippet {
		return json.Marshal(i.Text)
	}
	return json.Marshal(map[string]string{"kind": "snippet", "value": i.Text})
}

// Line is the line of the cursor when a completion was asked for.
type Line struct {
	Number        int
	Before, After string // the cursor, without the end of the line
	Encoding      Encoding
}

// Why a completion cannot be shown.
var (
	ErrLines     = errors.New("its range is not on the line of the cursor alone")
	ErrCursor    = errors.New("its range does not hold the cursor")
	ErrCharacter = errors.New("its range begins or ends inside of a character")
	ErrPrefix    = errors.New("the text before the cursor that it replaces is not its beginning")
	ErrSuffix    = errors.New("the text behind the cursor that it replaces is not in it")
)

// At returns the text that a completion puts at the cursor: what it inserts, placeholders
// filled, without the text before the cursor that it replaces, which must be its beginning.
// Text behind the cursor that it replaces must be in it, its characters in their order; where
// it ends with that text it ends before it, and otherwise it is all there, as a person would
// type it over what stands there. Other completions an editor does not show: the error says
// why.
//
// Sources: LSP 3.18, InlineCompletionItem (the text to be replaced must be a prefix of
// filterText or insertText, on one line); Visual Studio Code shows no item whose replaced
// suffix is not contained in it in order: the display rules in sourcegraph/cody
// vscode/src/completions/is-completion-visible.ts (dced3c1), read 2026-11-30.
func (i *Item) At(l Line) (string, error) {
	text := i.Insert.Text
	if i.Insert.Snippet {
		text = Fill(text)
	}
	if i.Range == nil {
		return text, nil
	}
	from, to, err := l.replaced(*i.Range)
	if err != nil {
		return "", err
	}
	before, after := l.Before[from:], l.After[:to]
	rest, ok := strings.CutPrefix(text, before)
	if !ok || i.Filter != "" && !strings.HasPrefix(i.Filter, before) {
		return "", ErrPrefix
	}
	if cut, ok := strings.CutSuffix(rest, after); ok {
		return cut, nil
	}
	if !inOrder(after, rest) {
		return "", ErrSuffix
	}
	return rest, nil
}

// replaced returns from which byte before the cursor, and to which behind it, a range goes.
func (l Line) replaced(r Range) (from, to int, err error) {
	if r.Start.Line != l.Number || r.End.Line != l.Number {
		return 0, 0, ErrLines
	}
	text := l.Before + l.After
	from, ok := l.Encoding.Bytes(text, r.Start.Character)
	end, also := l.Encoding.Bytes(text, r.End.Character)
	if !ok || !also {
		return 0, 0, ErrCharacter
	}
	if from > len(l.Before) || end < len(l.Before) {
		return 0, 0, ErrCursor
	}
	return from, end - len(l.Before), nil
}

// inOrder reports whether the characters of a text are in another in their order.
func inOrder(text, in string) bool {
	for _, r := range text {
		at := strings.IndexRune(in, r)
		if at < 0 {
			return false
		}
		in = in[at+len(string(r)):]
	}
	return true
}
