package reply

import (
	"bytes"
	"fmt"
	"time"
)

// limitError says that a response goes over a limit of its reader.
type limitError struct{ words string }

func (e *limitError) Error() string { return e.words }

func tooManyBytes(limit int64) error {
	return &limitError{fmt.Sprintf("the reply is longer than %d bytes", limit)}
}

func tooManyOutputs(came, limit int) error {
	return &limitError{fmt.Sprintf("the answer has too many output chunks: %d came, the limit is %d", came, limit)}
}

// What a stream may say without output: silentBeside messages and comments, silentPerOutput
// more for each output chunk, and one more for each silentEvery of its time. That is room
// for a role, a filter and a count of tokens in every event, for comments that keep a
// connection alive a few milliseconds apart for as long as it lasts, and for an empty chunk
// in place of each token that a server hides. What goes on beyond it tells nothing and never
// ends.
const (
	silentBeside    = 65_536
	silentPerOutput = 8
	silentEvery     = time.Millisecond
)

// ErrSilent is the cause of a failure for a reply that goes over that. It has the same words
// for every reply, so that a report counts them together. No setting moves this limit.
var ErrSilent = fmt.Errorf("the answer went on without output: more than %d messages and comments came that hold none, beside %d for each chunk of output and one for each millisecond",
	silentBeside, silentPerOutput)

// tooSilent reports whether so many messages without output are too many, of a stream that
// brought so many output chunks in that time.
func tooSilent(silent, outputs int, passed time.Duration) bool {
	return silent-silentBeside > silentPerOutput*outputs+int(passed/silentEvery)
}

// How many reads of a response are taken: readsBeside, and one for each bytesPerRead of the
// limit of its bytes. What is kept of a read takes as much memory as that.
const (
	readsBeside  = 65_536
	bytesPerRead = 16
)

func mostReads(limit int64) int64 { return readsBeside + limit/bytesPerRead }

func tooManyReads(most int64) error {
	return &limitError{fmt.Sprintf("the reply came in more than %d reads", most)}
}

// maxParts limits the choices and tool calls of a reply, together, and the pieces of one
// message. They take much more room than the few bytes that make one, and each piece is
// sought among them. The OpenAI API has at most 128 choices (n in openai/openai-openapi
// openapi.yaml, commit f85dbe2, 2026-08-21, read 2026-11-29).
const maxParts = 1024

// ErrTooManyParts is the cause of a failure for a reply of more choices and tool calls
// than anybody asks for. No setting moves this limit.
var ErrTooManyParts = fmt.Errorf("the reply has more than %d choices and tool calls", maxParts)

// maxValues limits the values of one message: empty ones take up to a hundred times as much
// memory as the few bytes that make them, before anybody can tell what they are. Nobody says
// so many in an answer of text.
const maxValues = 1 << 20

// ErrTooManyValues is the cause of a failure for a message of more than that. No setting
// moves this limit.
var ErrTooManyValues = fmt.Errorf("the reply has a message of more than %d values", maxValues)

// crowded reports whether a JSON text has more values than the limit, by the signs that
// begin or part them outside of strings.
func crowded(text []byte) bool {
	if len(text) <= maxValues { // each has a sign
		return false
	}
	n := 0
	for len(text) > 0 && n <= maxValues {
		end := bytes.IndexByte(text, '"')
		if end < 0 {
			end = len(text)
		}
		for _, c := range text[:end] {
			if c == ',' || c == '{' || c == '[' {
				n++
			}
		}
		text = text[end:]
		text = text[stringEnd(text):]
	}
	return n > maxValues
}

// stringEnd returns where the string ends that a JSON text begins with.
func stringEnd(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return len(text)
}

// parts counts choices and tool calls.
type parts int

// more counts one more, and reports whether there may be so many.
func (p *parts) more() bool { *p++; return *p <= maxParts }

func (p parts) tooMany() bool { return p > maxParts }
