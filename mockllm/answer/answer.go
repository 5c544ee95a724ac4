// Package answer is what a mock language model says, where that is more than words
// of a seed: an echo, texts of a file, or the true continuation of a document, as
// often right as the user wants it.
//
// Read answer.go for what a source is asked and for the echo, fixture.go for texts of a
// file, and code.go with document.go and folder.go for code; break.go has the mistakes.
package answer

import "strings"

// Asked is a request, as far as its answer may depend on it.
type Asked struct {
	Model string
	Texts []string // of the prompt, in order, such as those of messages
	// Prefix and Suffix are the text before and after the place to be filled in, when
	// the request has one.
	Prefix, Suffix string
	Fill           bool
	Completion     bool // the prompt is a text to go on with, and no conversation
	// Given is the answer that the request dictates; "" for none.
	Given string
	Seed  uint64 // of everything that is drawn for this request
	Draw  uint64 // the name that its client has for what is drawn; 0 for none

	// Ends is set by a source that states where the tokens of its answer end: how many bytes
	// of it are there with each of them, the last all of it. nil leaves that to the mock's
	// tokenizer.
	Ends []int
	// Unsaid is set by a source that has nothing to say, and says why.
	Unsaid string
}

// Source answers requests. It may be asked from any goroutine, and answers the same to the
// same, unless it goes by the order in which requests come. Ok is false where it has
// nothing to say: the mock then finds its own words.
type Source interface {
	Answer(a *Asked) (text string, ok bool)
}

// Echo repeats the last text of the prompt, unless the request dictates its answer.
type Echo struct{}

// Answer implements Source.
func (Echo) Answer(a *Asked) (text string, ok bool) {
	if a.Given != "" {
		return a.Given, true
	}
	for i := len(a.Texts) - 1; i >= 0; i-- {
		if strings.TrimSpace(a.Texts[i]) != "" {
			return a.Texts[i], true
		}
	}
	a.Unsaid = "the prompt has no text to echo"
	return "", false
}
