package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// The most bytes that are read of files of the user's: what is longer is no such file, and
// some files, such as /dev/zero, never end.
const (
	mostSmallFile = 16 << 20  // certificates, catalogues, profiles: they have some kilobytes
	mostTextFile  = 64 << 20  // tables of measurements, prompts, answers
	mostRunFile   = 1 << 30   // traces, where all of them are needed at once
	mostTraceLine = 256 << 20 // a line of traces or of a baseline
)

// readFile returns a file of so many bytes at most.
func readFile(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readMost(f, name, most)
}

// readMost returns what is in a file of that name, of so many bytes at most.
func readMost(from io.Reader, name string, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(from, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, fmt.Errorf("%s is longer than %d MiB, the most that is read of such a file", name, most>>20)
	}
	return data, err
}

// inLines reads a file whose lines have so many bytes at most.
type inLines struct {
	from io.Reader
	most int
	n    int // bytes of the line in hand
}

// Read implements io.Reader.
func (l *inLines) Read(p []byte) (int, error) {
	n, err := l.from.Read(p)
	if i := bytes.LastIndexByte(p[:n], '\n'); i >= 0 {
		l.n = n - i - 1
	} else if l.n += n; l.n > l.most {
		return n, fmt.Errorf("a line is longer than %d MiB, the most that is read of one", l.most>>20)
	}
	return n, err
}
