package checker

import (
	"errors"
	"fmt"
	"strings"
)

// words splits a command line as a shell does: at white space, with '...' and "..." for
// what belongs together, and a backslash before a single sign. There is no shell, so signs
// that would ask one to do something are an error where they are not quoted.
func words(line string) (all []string, err error) {
	var word strings.Builder
	within, begun := rune(0), false // the quote that is open; there is a word, though it may be empty
	escaped := false
	for at, c := range line {
		switch {
		case escaped:
			word.WriteRune(c)
			escaped = false
		case c == '\\' && within != '\'':
			escaped, begun = true, true
		case c == within:
			within = 0
		case within == 0 && (c == '\'' || c == '"'):
			within, begun = c, true
		case within == 0 && strings.ContainsRune(" \t\r\n", c):
			if begun {
				all = append(all, word.String())
			}
			word.Reset()
			begun = false
		case within == 0 && strings.ContainsRune("|&;<>()$`", c), within == '"' && (c == '$' || c == '`'):
			return nil, fmt.Errorf("%q at %d is for a shell, and there is none: quote it by '...', or put the line into a script and name that", c, at+1)
		default:
			word.WriteRune(c)
			begun = true
		}
	}
	switch {
	case within != 0:
		return nil, fmt.Errorf("a quote %c is not closed", within)
	case escaped:
		return nil, errors.New("it ends with a backslash")
	case begun:
		all = append(all, word.String())
	}
	if len(all) == 0 || all[0] == "" {
		return nil, errors.New("it names no program")
	}
	return all, nil
}
