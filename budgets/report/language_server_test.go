package report

import (
	"slices"
	"testing"

	"halfsecond/pipeline/trace"
)

func TestLanguageServerWords(t *testing.T) {
	for _, c := range []struct {
		counts *trace.LanguageServer
		want   []string
	}{
		{nil, nil},
		{&trace.LanguageServer{Requests: 1, Edits: 2}, []string{"The language server was told of 2 edits and asked 1 time."}},
		{
			&trace.LanguageServer{Requests: 9, Edits: 20, Cancels: 6, CancelledAnswers: 1, EmptyAnswersToCancelled: 2, LateAnswersToCancelled: 2, Unanswered: 1, Failed: 1, ContentModified: 2, ProtocolErrors: 3, ProtocolError: "a message cannot be read", Killed: true},
			[]string{
				"The language server was told of 20 edits and asked 9 times.",
				"Given up: 6 requests, each of which it must answer all the same: 1 as cancelled, 2 with no completion, 2 late, with a completion or an error, 1 never.",
				"Of the others it answered 2 that the document had changed, 1 with another error.",
				"It broke the protocol 3 times; the first: a message cannot be read.",
				"It did not end when it was told to, and was killed.",
			},
		},
	} {
		if got := languageServerWords(c.counts); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.counts, got, c.want)
		}
	}
}
