package exchange

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"halfsecond/pipeline"
)

// Version is the version of the format that this package writes and reads.
const Version = 1

// Header says what the exchanges of a file are of.
type Header struct {
	Version  int    `json:"halfsecond_exchanges"`
	Scenario string `json:"scenario"`
	Target   string `json:"target"`
	Hashed   bool   `json:"hashed"`             // texts are not kept
	Cassette bool   `json:"cassette,omitempty"` // it is kept to be served again
	// Subject is an object: what its maker knew of what was to be asked; nil for none.
	Subject json.RawMessage `json:"subject,omitempty"`
}

// line is an Exchange as it is written.
type line struct {
	Request    int64       `json:"request"`
	Protocol   string      `json:"protocol"`
	Model      string      `json:"model,omitempty"`
	Method     string      `json:"method"`
	Path       string      `json:"path"`
	Due        *int64      `json:"due_ns"`
	Sent       *int64      `json:"sent_ns"`
	Ask        string      `json:"ask,omitempty"`
	AskBase64  string      `json:"ask_base64,omitempty"`
	AskSum     string      `json:"ask_sha256,omitempty"`
	AskBytes   int         `json:"ask_bytes,omitempty"`
	Status     int         `json:"status"`
	HTTP       string      `json:"http"`
	Headers    [][2]string `json:"headers"`
	Answered   *int64      `json:"answered_ns"`
	Reads      [][2]int64  `json:"reads"`
	Body       string      `json:"body,omitempty"`
	BodyBase64 string      `json:"body_base64,omitempty"`
	BodySum    string      `json:"body_sha256,omitempty"`
	MaxBytes   int64       `json:"max_bytes,omitempty"`
	MaxOutputs int         `json:"max_outputs,omitempty"`
	End        *int64      `json:"end_ns"`
	How        string      `json:"end"`
	Stop       string      `json:"stop,omitempty"`
	Cause      string      `json:"cause,omitempty"`

	Setting  json.RawMessage `json:"setting,omitempty"`
	Messages []messageLine   `json:"messages,omitempty"`
	Notes    []noteLine      `json:"notes,omitempty"`
}

// toLine returns the line of an exchange without its reads and its body, and the body that
// belongs there.
func toLine(x *Exchange, hashed bool) (line, []byte) {
	if hashed {
		x = x.hashed()
	}
	l := line{
		Request: x.Request, Protocol: x.Protocol, Model: x.Model, Method: x.Method, Path: x.Path, Due: nanos(x.Due), Sent: nanos(x.Sent),
		Status: x.Status, HTTP: x.HTTP, Headers: x.Headers, Answered: nanos(x.Answered), MaxBytes: x.MaxBytes, MaxOutputs: x.MaxOutputs,
		End: nanos(x.End), How: x.How, Stop: x.Stop, Cause: x.Cause, AskSum: x.AskSum, AskBytes: x.AskBytes, BodySum: x.BodySum,
	}
	l.Setting, l.Messages, l.Notes = json.RawMessage(x.Setting), messageLines(x.Messages), noteLines(x.Notes)
	l.Ask, l.AskBase64 = readable(x.Ask)
	if x.telling && len(x.Body) > 0 {
		l.BodySum = Hash(x.Body)
		return l, nil
	}
	return l, x.Body
}

// hashed returns the exchange without its texts.
func (x *Exchange) hashed() *Exchange {
	y := *x
	if x.AskSum == "" {
		y.AskSum, y.AskBytes = Hash(x.Ask), len(x.Ask)
	}
	if x.BodySum == "" {
		y.BodySum = Hash(x.Body)
	}
	y.Ask, y.Body, y.Cause = nil, masked(x), ""
	y.Messages = slices.Clone(x.Messages)
	for i := range y.Messages {
		y.Messages[i] = y.Messages[i].hashed()
	}
	return &y
}

// readable returns bytes as text, or in base64 when they are none.
func readable(p []byte) (text, base string) {
	if utf8.Valid(p) {
		return string(p), ""
	}
	return "", base64.StdEncoding.EncodeToString(p)
}

// AskHash returns the SHA-256 of the body of the request, in hexadecimal; "" for none.
func (x *Exchange) AskHash() string {
	if x.AskSum != "" {
		return x.AskSum
	}
	return Hash(x.Ask)
}

// Hash returns the SHA-256 of bytes, in hexadecimal; "" for none.
func Hash(p []byte) string {
	if len(p) == 0 {
		return ""
	}
	s := sha256.Sum256(p)
	return hex.EncodeToString(s[:])
}

// exchange returns what a line says whose body, if it is text, is that. The sizes of its
// reads must add up to its body.
func (l *line) exchange(hashed bool, text []byte) (*Exchange, error) {
	x := &Exchange{
		Request: l.Request, Protocol: l.Protocol, Model: l.Model, Method: l.Method, Path: l.Path, Due: duration(l.Due), Sent: duration(l.Sent),
		Status: l.Status, HTTP: l.HTTP, Headers: l.Headers, Answered: duration(l.Answered), MaxBytes: l.MaxBytes, MaxOutputs: l.MaxOutputs,
		End: duration(l.End), How: l.How, Stop: l.Stop, Cause: l.Cause, AskSum: l.AskSum, AskBytes: max(0, l.AskBytes), BodySum: l.BodySum,
	}
	var err error
	if x.Ask, err = unread(l.Ask, l.AskBase64); err != nil {
		return nil, fmt.Errorf("ask_base64: %w", err)
	}
	if x.Body = text; l.BodyBase64 != "" {
		if x.Body, err = unread("", l.BodyBase64); err != nil {
			return nil, fmt.Errorf("body_base64: %w", err)
		}
	}
	x.Setting = string(l.Setting)
	for i := range l.Messages {
		m, err := l.Messages[i].message()
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		x.Messages = append(x.Messages, m)
	}
	for _, n := range l.Notes {
		x.Notes = append(x.Notes, Note{n.Name, duration(n.At), n.N})
	}
	total, last := int64(0), int64(-1<<63)
	x.Reads = slices.Grow(x.Reads, len(l.Reads))
	for i, r := range l.Reads {
		if r[1] < 1 || r[1] > maxLine || r[0] < last {
			return nil, fmt.Errorf("read %d: want at least 1 byte, no earlier than the read before", i)
		}
		last, total = r[0], total+r[1]
		x.Reads = append(x.Reads, Read{time.Duration(r[0]), int(r[1])})
	}
	if left := (hashed || x.BodySum != "") && len(x.Body) == 0; !left && total != int64(len(x.Body)) {
		return nil, fmt.Errorf("its reads are of %d bytes, its body has %d", total, len(x.Body))
	}
	return x, x.check()
}

// check reports a word that is none of those that its place has.
func (x *Exchange) check() error {
	switch x.How {
	case EOF, Reset, Open, None:
	default:
		return errors.New("end: want eof, reset, open or none")
	}
	switch x.Stop {
	case "", Cancelled, TimedOut:
		return nil
	}
	return errors.New("stop: want cancelled, timeout or nothing")
}

// unread is the opposite of readable.
func unread(text, base string) ([]byte, error) {
	if base == "" {
		return []byte(text), nil
	}
	return base64.StdEncoding.DecodeString(base)
}

func nanos(d time.Duration) *int64 {
	if d == pipeline.Unknown {
		return nil
	}
	n := int64(d)
	return &n
}

func duration(n *int64) time.Duration {
	if n == nil {
		return pipeline.Unknown
	}
	return time.Duration(*n)
}

// later returns an instant on a clock whose zero is so much earlier.
func later(at, by time.Duration) time.Duration {
	if at == pipeline.Unknown {
		return at
	}
	return at + by
}
