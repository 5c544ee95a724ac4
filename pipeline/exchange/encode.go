package exchange

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"strconv"
	"unicode/utf8"
)

// encoder writes the line of an exchange. Its reads and its body, which make all of the size
// of a long one, go out piece by piece, so that they are held once, as they came.
type encoder struct {
	before, after []byte // the rest of the line, on both sides of them
	reads         []Read
	body          []byte
}

// pieceBytes is how much of a body is escaped at a time.
const pieceBytes = 32 << 10

// unset is the place of the reads in a line without them. Before it are numbers and strings,
// in which a quotation mark has a sign of escape before it.
var unset = []byte(`"reads":null`)

func newEncoder(x *Exchange, hashed bool) (*encoder, error) {
	l, body := toLine(x, hashed)
	text, err := json.Marshal(&l)
	if err != nil {
		return nil, err
	}
	e := &encoder{reads: x.Reads, body: body}
	e.before, e.after, _ = bytes.Cut(text, unset)
	return e, nil
}

// short reports whether all of the line fits into a piece or two.
func (e *encoder) short() bool { return len(e.body)+len(e.reads)*16 < pieceBytes }

// writeTo writes the line, with its end.
func (e *encoder) writeTo(w io.Writer) error {
	for _, step := range []func(io.Writer) error{e.writeBefore, e.writeReads, e.writeBody, e.writeAfter} {
		if err := step(w); err != nil {
			return err
		}
	}
	return nil
}

func (e *encoder) writeBefore(w io.Writer) error {
	_, err := w.Write(e.before)
	return err
}

func (e *encoder) writeAfter(w io.Writer) error {
	_, err := w.Write(append(e.after, '\n'))
	return err
}

func (e *encoder) writeReads(w io.Writer) error {
	piece := append(make([]byte, 0, pieceBytes), `"reads":[`...)
	for i, r := range e.reads {
		if i > 0 {
			piece = append(piece, ',')
		}
		piece = strconv.AppendInt(append(piece, '['), int64(r.At), 10)
		piece = append(strconv.AppendInt(append(piece, ','), int64(r.Bytes), 10), ']')
		if len(piece) > pieceBytes-64 {
			if _, err := w.Write(piece); err != nil {
				return err
			}
			piece = piece[:0]
		}
	}
	_, err := w.Write(append(piece, ']'))
	return err
}

// writeBody writes the body as text, or in base64 when it is none.
func (e *encoder) writeBody(w io.Writer) error {
	switch {
	case len(e.body) == 0:
		return nil
	case utf8.Valid(e.body):
		return quoted(w, `,"body":"`, func() error { return writeText(w, e.body) })
	}
	return quoted(w, `,"body_base64":"`, func() error {
		b := base64.NewEncoder(base64.StdEncoding, w)
		if _, err := b.Write(e.body); err != nil {
			return err
		}
		return b.Close()
	})
}

// quoted writes a member of a JSON object up to its value, the value, and the quotation mark
// that ends it.
func quoted(w io.Writer, name string, value func() error) error {
	if _, err := io.WriteString(w, name); err != nil {
		return err
	}
	if err := value(); err != nil {
		return err
	}
	_, err := io.WriteString(w, `"`)
	return err
}

// writeText writes what stands between the quotation marks of a JSON string.
func writeText(w io.Writer, text []byte) error {
	for len(text) > 0 {
		n := min(len(text), pieceBytes)
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		piece, err := json.Marshal(string(text[:n]))
		if err == nil {
			_, err = w.Write(piece[1 : len(piece)-1])
		}
		if err != nil {
			return err
		}
		text = text[n:]
	}
	return nil
}
