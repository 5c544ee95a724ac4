package runner

import (
	"regexp"
	"strings"

	"halfsecond/pipeline"
	"halfsecond/pipeline/exchange"
)

// hideTexts puts the SHA-256 of a text in its place, of all in a finished trace that
// somebody said, or that a speech service said of a failure, which may repeat it. Of
// language models no record has any: their client leaves them out.
func hideTexts(t *pipeline.Trace) {
	for i := range t.Hearings {
		r := &t.Hearings[i]
		r.Text = sum(r.Text)
		hideReason(t, &r.Reason)
		hideNames(r.Events)
	}
	for i := range t.Sayings {
		hideReason(t, &t.Sayings[i].Reason)
	}
	for i := range t.Answers {
		r := &t.Answers[i]
		r.Heard, r.Text = sum(r.Heard), sum(r.Text)
		hideReason(t, &r.Reason)
		hideName(&r.Status)
		hideNames(r.Events)
	}
	for i := range t.Facts {
		if f := &t.Facts[i]; f.Name == pipeline.FactWords {
			f.Value = sum(f.Value)
		}
	}
}

// sum stands for a text that is not kept; "" for none.
func sum(text string) string {
	if text == "" {
		return ""
	}
	return "[sha256 " + exchange.Hash([]byte(text))[:32] + "]"
}

// hideNames hides what the names of events say that are no names.
func hideNames(events []pipeline.Mark) {
	for i := range events {
		hideName(&events[i].Name)
	}
}

// plainName matches a name or a code, which is no sentence.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_.:/+-]{0,80}$`)

func hideName(name *string) {
	if !plainName.MatchString(*name) {
		*name = sum(*name)
	}
}

// hideReason hides a server's words in the reason of a record, and in that of its trace, which
// repeats it.
func hideReason(t *pipeline.Trace, reason *string) {
	if *reason == "" {
		return
	}
	before, same := strings.CutSuffix(t.Reason, *reason)
	*reason = withoutWords(*reason)
	if same {
		t.Reason = before + *reason
	}
}

// quoted matches what a reason repeats of what it is about.
var quoted = regexp.MustCompile(`"(\\.|[^"\\])*"?`)

// serverCodes begin reasons that go on with a code that the server chose.
var serverCodes = []string{"the server reports error ", "the answer is "}

// ownWords match what follows a colon in a reason and is no server's: an address, and what
// the system says of a connection.
var ownWords = regexp.MustCompile(`^(\[sha256 [0-9a-f]+\]|HTTP \d+|the server (reports an error|closed with code \d+|did not open a WebSocket)|it broke off|` +
	`(read|write|dial) [a-z]{2,4}[46]?( [0-9a-f.:\[\]>-]+)?|connect|tls|connection (refused|reset by peer)|broken pipe|i/o timeout|(unexpected )?EOF)$`)

// withoutWords returns a reason of a speech service's client without what the server said. It
// begins with words of our own; from the first piece behind a colon on that is not known to be
// ours, all of it may be the server's.
func withoutWords(reason string) string {
	head, rest, more := strings.Cut(quoted.ReplaceAllStringFunc(reason, sum), ": ")
	for _, s := range serverCodes {
		if code, found := strings.CutPrefix(head, s); found && !plainName.MatchString(code) {
			head = s + sum(code)
		}
	}
	kept := head
	for more {
		var piece string
		before := rest
		if piece, rest, more = strings.Cut(rest, ": "); !ownWords.MatchString(piece) {
			return kept + ": " + sum(before)
		}
		kept += ": " + piece
	}
	return kept
}
