package exchange

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxLine is the longest line that is read: a body of the most bytes that a client takes,
// escaped or in base64.
const maxLine = 512 << 20

// Reader reads the exchanges of a file.
type Reader struct {
	Header Header
	lines  *bufio.Reader
	most   int // bytes of a line
	number int // of the line in hand, from 1
	cut    bool
}

// NewReader reads a file's header.
func NewReader(r io.Reader) (*Reader, error) { return NewReaderOf(r, maxLine) }

// NewReaderOf is NewReader of a file whose lines have so many bytes at most.
func NewReaderOf(r io.Reader, most int) (*Reader, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("exchanges: want a gzip file: %w", err)
	}
	f := &Reader{lines: bufio.NewReaderSize(z, 64<<10), most: most}
	text, err := f.line()
	if err == nil {
		err = f.header(text)
	}
	if errors.Is(err, io.EOF) {
		err = errors.New("it is empty")
	}
	if err != nil {
		return nil, fmt.Errorf("exchanges: line 1: %w", err)
	}
	return f, nil
}

// header reads the first line. Another version may have what this one does not know, so that
// comes first.
func (f *Reader) header(text []byte) error {
	var v struct {
		Version int `json:"halfsecond_exchanges"`
	}
	if json.Unmarshal(text, &v) == nil && v.Version != 0 && v.Version != Version {
		return fmt.Errorf("it has version %d of the format, want %d", v.Version, Version)
	}
	if err := decode(text, &f.Header); err != nil {
		return err
	}
	if f.Header.Version != Version {
		return fmt.Errorf("it has version %d of the format, want %d", f.Header.Version, Version)
	}
	return nil
}

// Next returns the next exchange, io.EOF after the last. Unfinished tells then whether the
// file was cut.
func (f *Reader) Next() (*Exchange, error) {
	text, err := f.line()
	if err != nil {
		return nil, err
	}
	x, err := decodeLine(text, f.Header.Hashed)
	if err != nil {
		return nil, fmt.Errorf("exchanges: line %d: %w", f.number, err)
	}
	return x, nil
}

// Unfinished reports whether the file ended in mid-air, as that of a program does which
// was killed. What Next returned is whole.
func (f *Reader) Unfinished() bool { return f.cut }

// line returns the next whole line. Its parts are put together once all are there, so that no
// more memory than the longest line takes is used before one that is too long is refused.
func (f *Reader) line() ([]byte, error) {
	f.number++
	var parts [][]byte
	size := 0
	for {
		part, err := f.lines.ReadSlice('\n')
		if size += len(part); size <= f.most {
			parts = append(parts, bytes.Clone(part))
		}
		switch {
		case size > f.most:
			return nil, fmt.Errorf("exchanges: line %d is longer than %d MiB, the most that is read here", f.number, f.most>>20)
		case err == nil && len(parts) == 1:
			return parts[0], nil
		case err == nil:
			return bytes.Join(parts, nil), nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.ErrUnexpectedEOF), err == io.EOF && size > 0:
			f.cut = true
			return nil, io.EOF
		case err == io.EOF:
			return nil, io.EOF
		default:
			return nil, fmt.Errorf("exchanges: line %d: %w", f.number, err)
		}
	}
}
