package recording

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// editKinds tells of each kind of edit whether it is a key.
var editKinds = map[string]bool{
	"char": true, "pair": true, "enter": true, "backspace": true, "overtype": true,
	"delete": false, "insert": false, "replace": false, "multi": false,
}

// pairs are what editors make of an opening bracket or quote.
var pairs = []string{"()", "[]", "{}", `""`, "''", "``"}

// kindOf returns which kind of edit the parts make, where the recording does not say:
// what one key does is a key, and anything else is none. A single character that is
// deleted is a backspace: the key that deletes forward counts as one, as in the built-in
// recording, where 16 of 217 were.
func (d *recording) kindOf(parts []part) (string, error) {
	if len(parts) != 1 {
		return "multi", nil
	}
	start, err := d.offset(parts[0].start)
	if err != nil {
		return "", err
	}
	end, err := d.offset(parts[0].end)
	if err != nil || end < start {
		return "replace", err // which reading it refuses, with its reason
	}
	old, text := d.between(start, end), parts[0].text
	switch {
	case old == "":
		return inserted(text), nil
	case text == "":
		return deleted(old), nil
	case old == text && one(text), outdents(old, text):
		return "overtype", nil
	}
	return "replace", nil
}

func inserted(text string) string {
	switch {
	case strings.HasPrefix(text, "\n") || strings.HasPrefix(text, "\r\n"):
		if strings.Trim(text, " \t\r\n") == "" {
			return "enter"
		}
	case one(text):
		return "char"
	case slices.Contains(pairs, text):
		return "pair"
	}
	return "insert"
}

func deleted(old string) string {
	if one(old) {
		return "backspace"
	}
	return "delete"
}

// outdents reports whether a closing bracket takes the place of all the indentation,
// as editors have it when it is the first on its line. With some indentation left it is
// a replacement like others, as in the built-in recording.
func outdents(old, text string) bool {
	return strings.Trim(old, " \t") == "" && len(text) == 1 && strings.Contains(")]}", text)
}

// one reports whether a text is one character, or a line end.
func one(text string) bool { return text == "\r\n" || utf8.RuneCountInString(text) == 1 }
