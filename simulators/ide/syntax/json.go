package syntax

import (
	"encoding/json"
	"errors"
	"strings"
)

// JSON checks texts that are one JSON value, with encoding/json: no comments, no commas
// before a closing bracket.
type JSON struct{}

// Check implements Checker.
func (JSON) Check(text string) Result {
	var value json.RawMessage
	err := json.Unmarshal([]byte(text), &value)
	if err == nil {
		return fits()
	}
	var wrong *json.SyntaxError
	if !errors.As(err, &wrong) {
		return Result{At: -1, Message: err.Error()}
	}
	if jsonEndsEarly(text, wrong) {
		return Result{Known: true, At: len(text), Open: true, Message: wrong.Error()}
	}
	// Offset counts the bytes read, with the one that is wrong.
	return Result{Known: true, At: max(0, int(wrong.Offset)-1), Message: wrong.Error()}
}

// jsonEndsEarly reports whether the end of the text is what is wrong. The package looks at
// it as if a space followed, which is wrong in the middle of a word or a number.
func jsonEndsEarly(text string, wrong *json.SyntaxError) bool {
	return wrong.Error() == "unexpected end of JSON input" ||
		int(wrong.Offset) == len(text) && strings.HasPrefix(wrong.Error(), "invalid character ' '") && !strings.HasSuffix(text, " ")
}
