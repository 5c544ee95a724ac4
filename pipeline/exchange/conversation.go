package exchange

import (
	"bytes"
	"encoding/base64"
	"errors"
	"slices"
	"time"
	"unicode/utf8"
)

// Who said a Message.
const (
	Client = "client"
	Server = "server"
)

// What a Message is.
const (
	Text   = "text"
	Binary = "binary"
	Close  = "close" // says that no more comes
)

// Message is a message of a conversation over a WebSocket.
type Message struct {
	From string        // Client or Server
	Kind string        // Text, Binary or Close
	At   time.Duration // when it went out, or when the read returned that brought its last byte
	Due  time.Duration // when audio or text should have gone out; pipeline.Unknown for all else
	Code int           // of a Close
	Data []byte        // of a Close its words
	// Bytes is the size of Data, and Sum its SHA-256 in hexadecimal where that alone is kept.
	Bytes int
	Sum   string
}

// Note is what the client of a conversation did or decided that its messages do not show.
type Note struct {
	Name string
	At   time.Duration
	N    int64 // a count, or of a span nanoseconds
}

// Noted returns the first note of a name.
func (x *Exchange) Noted(name string) (Note, bool) {
	i := slices.IndexFunc(x.Notes, func(n Note) bool { return n.Name == name })
	if i < 0 {
		return Note{}, false
	}
	return x.Notes[i], true
}

// silent reports whether a message is here by its size alone.
func (m Message) silent() bool { return m.Sum != "" }

// hashed returns the message without its data.
func (m Message) hashed() Message {
	if !m.silent() {
		m.Sum = Hash(m.Data)
	}
	m.Data = nil
	return m
}

// messageLine is a Message as it is written.
type messageLine struct {
	From   string `json:"from"`
	Kind   string `json:"kind"`
	At     *int64 `json:"at_ns"`
	Due    *int64 `json:"due_ns,omitempty"`
	Code   int    `json:"code,omitempty"`
	Bytes  int    `json:"bytes"`
	Text   string `json:"text,omitempty"`
	Base64 string `json:"base64,omitempty"`
	Sum    string `json:"sha256,omitempty"`
}

// noteLine is a Note as it is written.
type noteLine struct {
	Name string `json:"name"`
	At   *int64 `json:"at_ns"`
	N    int64  `json:"n,omitempty"`
}

// MostMessages is how many bytes the messages of one exchange may have in a file, as Written counts
// them: the whole of it can then be read again.
const MostMessages = maxLine - 32<<20

// Written returns how many bytes a message has in a file, and rather too many.
func (m *Message) Written() int64 {
	const beside = 200 // its names and figures
	if m.Kind == Binary || !utf8.Valid(m.Data) {
		return beside + int64(base64.StdEncoding.EncodedLen(len(m.Data)))
	}
	n := int64(beside)
	for _, b := range m.Data {
		switch {
		case b < ' ', b == '<', b == '>', b == '&':
			n += 6
		case b == '"', b == '\\', b >= utf8.RuneSelf:
			n += 2
		default:
			n++
		}
	}
	return n
}

func messageLines(messages []Message) []messageLine {
	var all []messageLine
	for _, m := range messages {
		l := messageLine{From: m.From, Kind: m.Kind, At: nanos(m.At), Due: nanos(m.Due), Code: m.Code, Bytes: m.Bytes, Sum: m.Sum}
		if m.Kind == Binary {
			l.Base64 = base64.StdEncoding.EncodeToString(m.Data)
		} else {
			l.Text, l.Base64 = readable(m.Data)
		}
		all = append(all, l)
	}
	return all
}

func noteLines(notes []Note) []noteLine {
	var all []noteLine
	for _, n := range notes {
		all = append(all, noteLine{n.Name, nanos(n.At), n.N})
	}
	return all
}

// message returns what a line says.
func (l *messageLine) message() (Message, error) {
	m := Message{From: l.From, Kind: l.Kind, At: duration(l.At), Due: duration(l.Due), Code: l.Code, Bytes: l.Bytes, Sum: l.Sum}
	var err error
	if m.Data, err = unread(l.Text, l.Base64); err != nil {
		return m, err
	}
	switch {
	case l.From != Client && l.From != Server:
		return m, errors.New("from: want client or server")
	case l.Kind != Text && l.Kind != Binary && l.Kind != Close:
		return m, errors.New("kind: want text, binary or close")
	case m.Bytes < 0:
		return m, errors.New("bytes: want 0 or more")
	case !m.silent() && len(m.Data) != m.Bytes:
		return m, errors.New("bytes: it has others")
	}
	return m, nil
}

// kind returns a media type for what a message says: none in particular, or sound.
func (m *Message) kind() string {
	if m.Kind == Binary && !utf8.Valid(m.Data) {
		return noText
	}
	return ""
}

// redact takes a secret out of what was said, be it text in a binary message.
func (m *Message) redact(secret string) {
	m.Data = bytes.Clone(m.Data) // it may still be under way
	hide(m.Data, m.kind(), secret, m.Kind == Close)
}
