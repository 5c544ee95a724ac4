package answer

import (
	"cmp"
	"strings"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline/dist"
)

// Code answers with the true continuation of the document: the one that the request
// dictates, else what stands in one of the documents at the place where the request
// is; a line's end when nothing does, since a model that has nothing to add says no more.
// Some answers are wrong, and some do not compile, as with a model that is fast and not
// good.
type Code struct {
	Documents Documents
	Accuracy  float64 // share of answers that are the truth, 0 to 1
	Broken    float64 // share of answers whose syntax is broken, as Break does it, 0 to 1
}

// Answer implements Source.
func (c *Code) Answer(a *Asked) (text string, ok bool) {
	text = a.Given
	if text == "" {
		text, a.Unsaid = c.truth(a)
	}
	if text == "" {
		return "", false
	}
	dice := dist.Stream(a.Seed, "answer/code")
	right, whole := dice.Float64() < c.Accuracy, dice.Float64() >= c.Broken
	if !right {
		text = diverge(text, &dice)
	}
	if !whole {
		text = Break(text, "", &dice)
	}
	return text, true
}

// truth returns what the documents have at the place of a request, or why that is not
// known. A prompt without a mark for the place is before it.
func (c *Code) truth(a *Asked) (text, unknown string) {
	prefix := a.Prefix
	if !a.Fill && a.Completion {
		prefix = strings.Join(a.Texts, "")
	}
	switch {
	case !a.Fill && !a.Completion:
		return "", "the request is a conversation and has no place to fill in"
	case len(c.Documents) == 0:
		return "", "there are no documents, and the request dictates no answer"
	case strings.TrimSpace(prefix) == "":
		return "", "no text stands before the cursor by which its place could be found"
	}
	text, found := c.Documents.Continuation(prefix, a.Suffix)
	if !found {
		return "", "no document has the text before the cursor"
	}
	return cmp.Or(text, "\n"), ""
}

// diverge keeps less than the first half of a text and goes on with other words, for
// about as many tokens as the text has. It closes and opens what the text does, so that
// being wrong does not break the syntax.
func diverge(text string, dice *dist.Rand) string {
	n := token.Count(text)
	kept := token.Prefix(text, dice.IntN(n/2+1))
	signs := outline(text[len(kept):])
	words := max(1, n-token.Count(kept)-token.Count(signs))
	rest := token.Passage{{ID: token.ID(dice.Uint64()), N: words}}.Text()
	if strings.HasPrefix(text[len(kept):], rest) {
		rest += "_" // the truth by chance
	}
	return kept + rest + signs
}

// outline returns what is left of the end of a text when all that is opened and closed in
// it is taken out: a quote of each kind that stands in it an odd number of times, the
// brackets that close, and those that open.
func outline(end string) string {
	var quotes string
	for _, quote := range quoteSigns {
		if strings.Count(end, string(quote))%2 == 1 {
			quotes += string(quote)
		}
	}
	var brackets []byte
	for i := range len(end) {
		switch last := len(brackets) - 1; {
		case strings.IndexByte("([{", end[i]) >= 0:
			brackets = append(brackets, end[i])
		case strings.IndexByte(")]}", end[i]) < 0:
		case last >= 0 && strings.IndexByte("([{", brackets[last]) == strings.IndexByte(")]}", end[i]):
			brackets = brackets[:last]
		default:
			brackets = append(brackets, end[i])
		}
	}
	return quotes + string(brackets)
}

// quoteSigns are those that stand at both ends of a text.
const quoteSigns = "\"'`"
