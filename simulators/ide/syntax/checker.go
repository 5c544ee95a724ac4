// Package syntax tells whether a completion leaves code that parses.
//
// Read checker.go first: what a checker says of a text. golang.go and json.go are the
// built-in ones, language.go finds the one for a file, and memory.go keeps what a slow
// one said. judge.go says what a completion did to a document, which is hardly ever
// whole while somebody types into it.
//
// A text that parses is not a program that works: names may be unknown, types may not
// fit, and the answer may be wrong. What breaks the syntax is the least that can be
// said against it, without its other files and libraries.
package syntax

// Result is what a checker says of a whole text. The zero Result says nothing.
type Result struct {
	Known bool // it could be told
	OK    bool // the text parses
	// At is where the first error is, in bytes from the start; negative where the
	// checker does not say.
	At int
	// Open says that nothing in the text is wrong but that it ends: some text that goes
	// on from it parses.
	Open    bool
	Message string // what is wrong, or why it could not be told
}

// Checker parses texts of one language.
type Checker interface {
	Check(text string) Result
}

// fits is the result for a text that parses.
func fits() Result { return Result{Known: true, OK: true, At: -1} }

// fine reports whether nothing in a text is wrong, though it may have to go on.
func (r Result) fine() bool { return r.Known && (r.OK || r.Open) }
