package syntax

import "strings"

// Verdict is what a completion does to a document.
type Verdict string

const (
	// Parses: the document parses with the completion in it, now or once the typing goes
	// on from it; or the first error moves away from it.
	Parses Verdict = "parses"
	// Breaks: nothing that is typed behind the completion mends it; or an answer that was
	// complete leaves an error that was not there, or not so near, before.
	Breaks Verdict = "breaks"
	// Unfinished: nothing in it is wrong, but it was cut, or the document ends with it.
	Unfinished Verdict = "unfinished"
	// Unknown: the document is wrong elsewhere, or the checker cannot tell.
	Unknown Verdict = "unknown"
)

// Place is where a completion goes.
type Place struct {
	Before, After string // the document on either side of the cursor
	// Closed is how many bytes at the start of After the editor added by itself, such as
	// the closing bracket of a pair: an answer may bring them along, or leave them.
	Closed int
	// Will is the text that will follow at the cursor, and behind which After without its
	// Closed bytes goes on; empty when that is not known.
	Will string
}

// Judgement is a verdict, and what the checker had against the text.
type Judgement struct {
	Verdict Verdict
	Reason  string // empty for Parses
}

// Judge says what a completion does at a place. Cut is whether the answer ended because
// it had to (a limit on its length, a request that was closed) and not because the model
// had no more to say.
//
// Code that is being typed hardly ever parses, so the completion alone is asked about:
//
//  1. The document parses with it: it parses.
//  2. It is known what will be typed, and the document parses with that. Then the
//     completion is put in the place of the first line of it, of the first two, and so on,
//     up to as many as it has itself: if one of these documents parses, so does the
//     completion.
//  3. Else errors are compared. One inside the completion, up to which all was right,
//     breaks it, and so does one that was not there without it. Where the document was
//     wrong before, further on, it counts whether the first error behind the cursor came
//     nearer or went away, and a complete answer must fit what follows it.
//
// A checker that only says yes or no can tell the first two, and the third where the
// document parses without the completion.
func Judge(c Checker, p Place, completion string, cut bool) Judgement {
	j := judging{c, p, completion, cut}
	if strings.TrimSpace(completion) == "" {
		return Judgement{Unknown, "nothing in it"}
	}
	whole := c.Check(p.Before + completion + p.After)
	switch {
	case !whole.Known:
		return Judgement{Unknown, whole.Message}
	case whole.OK, p.Closed > 0 && c.Check(p.Before+completion+p.rest()).OK:
		return Judgement{Verdict: Parses}
	case p.Will != "" && c.Check(p.Before+p.Will+p.rest()).OK:
		return j.againstWill()
	}
	return j.againstBefore(whole)
}

// rest returns what follows the cursor without what the editor added.
func (p Place) rest() string { return p.After[p.Closed:] }

// judging is one completion at its place.
type judging struct {
	Checker
	Place
	text string
	cut  bool
}

// againstWill judges by the text that will be typed, which parses.
func (j judging) againstWill() Judgement {
	if j.cut && strings.HasPrefix(j.Will, j.text) {
		return Judgement{Verdict: Parses}
	}
	var first Result
	for i, from := range lineEnds(j.Will, lines(j.text)) {
		r := j.Check(j.Before + j.text + j.Will[from:] + j.rest())
		if r.OK {
			return Judgement{Verdict: Parses}
		}
		if i == 0 {
			first = r
		}
	}
	return j.wrong(first.Message)
}

// againstBefore judges by the document without the completion. With it there is an error.
func (j judging) againstBefore(whole Result) Judgement {
	without := j.Check(j.Before + j.After)
	if !without.OK && whole.At < 0 {
		return Judgement{Unknown, "the document did not parse before"}
	}
	if whole.At >= 0 {
		if !j.Check(j.Before).fine() {
			return Judgement{Unknown, "wrong before the cursor: " + whole.Message}
		}
		if r := j.Check(j.Before + j.text); !r.fine() {
			return Judgement{Breaks, r.Message}
		}
		if whole.Open && strings.TrimSpace(j.After) == "" {
			return Judgement{Unfinished, "the document ends with it"}
		}
	}
	if without.OK || j.cut {
		return j.wrong(whole.Message)
	}
	return j.nearer(without.At-len(j.Before), whole.At-len(j.Before)-len(j.text), whole.Message)
}

// wrong is the judgement of a completion behind which something does not fit.
func (j judging) wrong(message string) Judgement {
	if !j.cut {
		return Judgement{Breaks, message}
	}
	switch r := j.Check(j.Before + j.text); {
	case r.fine():
		return Judgement{Unfinished, "it was cut: " + message}
	case r.At < 0:
		return Judgement{Unknown, "it was cut: " + message}
	}
	return Judgement{Breaks, message}
}

// nearer judges a complete answer by how far behind the cursor the first error was and is.
// At the first thing that follows, it says that the answer ended too early.
func (j judging) nearer(was, is int, message string) Judgement {
	switch {
	case is > was:
		return Judgement{Verdict: Parses}
	case is < was, strings.TrimSpace(j.After[:max(0, is)]) == "":
		return Judgement{Breaks, message}
	}
	return Judgement{Unknown, "wrong behind the cursor, with it and without it: " + message}
}

// lines returns how many lines of a text have something in them.
func lines(text string) int { return len(lineEnds(strings.TrimRight(text, " \t\r\n"), len(text))) }

// lineEnds returns where the first lines of a text end that have something in them, at
// most n of them. The last one ends where the text does.
func lineEnds(text string, n int) (ends []int) {
	from := 0
	for len(ends) < n {
		length := strings.IndexByte(text[from:], '\n')
		if length < 0 {
			return append(ends, len(text))
		}
		if strings.TrimSpace(text[from:from+length]) != "" {
			ends = append(ends, from+length)
		}
		from += length + 1
	}
	return ends
}
