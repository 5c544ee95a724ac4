package strict

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Problem is one thing that is wrong with a file.
type Problem struct {
	File         string
	Line, Column int    // from 1; the column counts characters
	Path         string // of the key, such as "voice.llm.hardware"; empty for the file as a whole
	Message      string // what was found and what would be right
	Unfit        bool   // each value is one that the key may have, and together they cannot be
}

func (p Problem) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Words())
}

// Words returns the problem without its place in the file.
func (p Problem) Words() string {
	if p.Path == "" {
		return p.Message
	}
	return p.Path + ": " + p.Message
}

// Join returns all problems as one error in the order of the file, or nil.
func Join(problems []Problem) error {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	errs := make([]error, len(problems))
	for i, p := range problems {
		errs[i] = p
	}
	return errors.Join(errs...)
}
