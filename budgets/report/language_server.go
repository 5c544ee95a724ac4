package report

import (
	"fmt"
	"strings"

	"halfsecond/pipeline/trace"
)

// languageServerWords say what was counted of a language server; none where there was none.
func languageServerWords(n *trace.LanguageServer) (notes []string) {
	if n == nil {
		return nil
	}
	notes = append(notes, fmt.Sprintf("The language server was told of %s and asked %s.", counted(n.Edits, "edit"), counted(n.Requests, "time")))
	if n.Cancels > 0 {
		notes = append(notes, fmt.Sprintf("Given up: %s, each of which it must answer all the same: %s.", counted(n.Cancels, "request"), parts([]way{
			{n.CancelledAnswers, "as cancelled"}, {n.EmptyAnswersToCancelled, "with no completion"},
			{n.LateAnswersToCancelled, "late, with a completion or an error"}, {n.Unanswered, "never"},
		})))
	}
	if words := parts([]way{
		{n.Withdrawn, "as cancelled, though nobody had"}, {n.ContentModified, "that the document had changed"}, {n.ServerCancelled, "that it gave them up"},
		{n.Failed, "with another error"}, {n.Undisplayable, "with completions that no editor shows at the cursor"},
	}); words != "" {
		notes = append(notes, fmt.Sprintf("Of the others it answered %s.", words))
	}
	if n.ProtocolErrors > 0 {
		notes = append(notes, fmt.Sprintf("It broke the protocol %s; the first: %s.", counted(n.ProtocolErrors, "time"), n.ProtocolError))
	}
	if n.Killed {
		notes = append(notes, "It did not end when it was told to, and was killed.")
	}
	return notes
}

// way is how many of something were so.
type way struct {
	n   int
	how string
}

// parts lists those that there are.
func parts(all []way) string {
	var words []string
	for _, p := range all {
		if p.n > 0 {
			words = append(words, fmt.Sprintf("%d %s", p.n, p.how))
		}
	}
	return strings.Join(words, ", ")
}
