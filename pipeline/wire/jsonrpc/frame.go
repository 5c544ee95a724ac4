package jsonrpc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Limits are the largest header and message that a Reader takes, in bytes. 0 is the default.
type Limits struct {
	Header  int // with all its lines; DefaultMaxHeader
	Message int // without the header; DefaultMaxMessage
}

// What a Reader takes by default.
const (
	DefaultMaxHeader  = 8 << 10
	DefaultMaxMessage = 16 << 20
)

// Reader reads messages off a stream, such as the output of a language server.
type Reader struct {
	r      *bufio.Reader
	limits Limits
	n      int   // messages begun, from 1 with the first
	at     int64 // bytes read
}

// NewReader returns a reader of what r reads.
func NewReader(r io.Reader, l Limits) *Reader {
	if l.Header == 0 {
		l.Header = DefaultMaxHeader
	}
	if l.Message == 0 {
		l.Message = DefaultMaxMessage
	}
	return &Reader{r: bufio.NewReader(r), limits: l}
}

// FrameError says which message of a stream has no readable header, or is too large. Nothing
// can be read after it.
type FrameError struct {
	Message int   // its number, from 1
	At      int64 // the byte of the stream at which it begins
	Err     error
}

// Error implements error.
func (e *FrameError) Error() string {
	return fmt.Sprintf("message %d (byte %d): %v", e.Message, e.At, e.Err)
}

// Unwrap returns the cause.
func (e *FrameError) Unwrap() error { return e.Err }

// Wait returns when the first byte of the next message is there: nil, or why none will come,
// io.EOF at the end of the stream.
func (r *Reader) Wait() error {
	_, err := r.r.Peek(1)
	return err
}

// Next returns the text of the next message without its header, which belongs to the caller.
// It returns io.EOF when there is none, io.ErrUnexpectedEOF in a FrameError when the stream
// ends inside of one.
func (r *Reader) Next() ([]byte, error) {
	if err := r.Wait(); err != nil {
		return nil, err
	}
	r.n++
	began := r.at
	length, err := r.header()
	if err == nil {
		var text []byte
		if text, err = r.body(length); err == nil {
			return text, nil
		}
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return nil, &FrameError{r.n, began, err}
}

// header reads to the empty line, and returns how long the message is.
func (r *Reader) header() (length int, err error) {
	length = -1
	for left := r.limits.Header; ; {
		line, err := r.line(left)
		if err != nil {
			return 0, err
		}
		left -= len(line) + 2
		if line == "" {
			break
		}
		if err := r.field(line, &length); err != nil {
			return 0, err
		}
	}
	if length < 0 {
		return 0, errors.New("the header has no Content-Length")
	}
	return length, nil
}

// line returns a line of the header, of at most so many bytes, without its end.
func (r *Reader) line(most int) (string, error) {
	var line []byte
	for {
		b, err := r.r.ReadByte()
		if err != nil {
			return "", err
		}
		r.at++
		if line = append(line, b); len(line) > most {
			return "", fmt.Errorf("the header is longer than %d bytes, it begins with %q", r.limits.Header, line[:min(len(line), 60)])
		}
		if b != '\n' {
			continue
		}
		text, ok := strings.CutSuffix(string(line), "\r\n")
		if !ok {
			return "", fmt.Errorf("a line of the header ends without a carriage return: %q", line[:min(len(line), 200)])
		}
		return text, nil
	}
}

// charsets are the names of the only encoding there is.
var charsets = []string{"utf-8", "utf8"}

// field reads a field of the header. One that the protocol does not have is passed over.
func (r *Reader) field(line string, length *int) error {
	name, value, ok := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	switch {
	case !ok:
		return fmt.Errorf("a line of the header has no colon: %q", line[:min(len(line), 200)])
	case strings.EqualFold(name, "Content-Type"):
		_, charset, given := strings.Cut(strings.ToLower(value), "charset=")
		if charset = strings.Trim(charset, `" `); given && charset != charsets[0] && charset != charsets[1] {
			return fmt.Errorf("its charset is %q, want utf-8", charset)
		}
		return nil
	case !strings.EqualFold(name, "Content-Length"):
		return nil
	case *length >= 0:
		return errors.New("the header has two Content-Lengths")
	}
	n, err := strconv.ParseUint(value, 10, 63)
	if err != nil {
		return fmt.Errorf("Content-Length is %q, want a number of bytes", value[:min(len(value), 40)])
	}
	if n > uint64(r.limits.Message) {
		return fmt.Errorf("it has %d bytes, want at most %d", n, r.limits.Message)
	}
	*length = int(n)
	return nil
}

// body reads so many bytes. A length costs its sender nothing: memory is taken as bytes come.
func (r *Reader) body(length int) ([]byte, error) {
	var b bytes.Buffer
	n, err := io.CopyN(&b, r.r, int64(length))
	r.at += n
	return b.Bytes(), err
}

// Append appends the message with its header.
func (m *Message) Append(dst []byte) ([]byte, error) {
	text, err := m.AppendJSON(nil)
	if err != nil {
		return dst, err
	}
	return AppendFrame(dst, text), nil
}

// AppendFrame appends the text of a message with its header.
func AppendFrame(dst, text []byte) []byte {
	dst = append(dst, "Content-Length: "...)
	dst = strconv.AppendInt(dst, int64(len(text)), 10)
	return append(append(dst, "\r\n\r\n"...), text...)
}
