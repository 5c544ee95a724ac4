package endpoint

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// streamCase is a manifest.json of the stream cases; their README.md describes it.
type streamCase struct {
	ID        string         `json:"id"`
	Protocol  Protocol       `json:"protocol"`
	Exchanges []caseExchange `json:"exchanges"`
	Expect    map[string]any `json:"expect"`
}

type caseExchange struct {
	Status  int         `json:"status"`
	Headers [][2]string `json:"headers"`
	Body    string      `json:"body"`
	Size    int         `json:"body_bytes"`
	SHA256  string      `json:"sha256"`
	Stored  string      `json:"stored"`
	Chunks  []caseChunk `json:"chunks"`
	End     caseEnd     `json:"end"`

	bytes []byte
}

type caseChunk struct {
	At    millis `json:"at_ms"`
	Bytes int    `json:"bytes"`
}

type caseEnd struct {
	At  millis `json:"at_ms"`
	How string `json:"how"` // "eof", "reset" or "open"
}

// millis is an instant in milliseconds.
type millis float64

func (m millis) duration() time.Duration {
	return time.Duration(float64(m) * float64(time.Millisecond))
}

// openAI reports whether the case is for the client of this package.
func (c *streamCase) openAI() bool { return c.Protocol.validate() == nil }

// loadCases reads the cases in the folders of dir.
func loadCases(t testing.TB, dir string) []*streamCase {
	t.Helper()
	manifests, err := filepath.Glob(filepath.Join(dir, "*", "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(manifests) == 0 && !filepath.IsAbs(dir) { // as typed at the top of the repository
		manifests, err = filepath.Glob(filepath.Join("../..", dir, "*", "manifest.json"))
	}
	if err != nil || len(manifests) == 0 {
		t.Fatalf("no */manifest.json in %q, error %v", dir, err)
	}
	var cases []*streamCase
	for _, m := range manifests {
		cases = append(cases, loadCase(t, m))
	}
	return cases
}

func loadCase(t testing.TB, manifest string) *streamCase {
	t.Helper()
	text, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	var c streamCase
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatalf("%s: %v", manifest, err)
	}
	if !c.openAI() {
		return &c
	}
	if len(c.Exchanges) == 0 || len(c.Expect) == 0 {
		t.Fatalf("%s: no exchange or nothing expected", manifest)
	}
	x := &c.Exchanges[0]
	x.bytes = loadBody(t, filepath.Join(filepath.Dir(manifest), x.Body), x.Stored)
	sum := sha256.Sum256(x.bytes)
	if len(x.bytes) != x.Size || hex.EncodeToString(sum[:]) != x.SHA256 {
		t.Fatalf("%s: the body is not the one that its manifest names", manifest)
	}
	return &c
}

func loadBody(t testing.TB, path, stored string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if stored != "gzip" {
		return b
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if b, err = io.ReadAll(z); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return b
}

func (x *caseExchange) header() http.Header {
	h := http.Header{}
	for _, kv := range x.Headers {
		h.Add(kv[0], kv[1])
	}
	return h
}

// caseBody plays the body of an exchange: one chunk a read, unless the buffer is
// smaller, on a clock that stands at the instant of the chunk.
type caseBody struct {
	rest   []byte
	chunks []caseChunk
	end    caseEnd
	now    time.Duration
}

var (
	errReset = errors.New("connection reset")
	errOpen  = errors.New("read on although nothing comes any more")
)

func (x *caseExchange) play() *caseBody {
	return &caseBody{rest: x.bytes, chunks: append([]caseChunk(nil), x.Chunks...), end: x.End}
}

func (b *caseBody) clock() time.Duration { return b.now }

func (b *caseBody) Read(p []byte) (int, error) {
	for len(b.chunks) > 0 && b.chunks[0].Bytes == 0 {
		b.chunks = b.chunks[1:]
	}
	if len(b.chunks) == 0 {
		b.now = b.end.At.duration()
		switch b.end.How {
		case "eof":
			return 0, io.EOF
		case "reset":
			return 0, errReset
		}
		return 0, errOpen
	}
	c := &b.chunks[0]
	b.now = c.At.duration()
	n := copy(p, b.rest[:c.Bytes])
	b.rest = b.rest[n:]
	c.Bytes -= n
	return n, nil
}

// read has ReadReply read the first exchange of the case.
func (c *streamCase) read() *Reply {
	x := &c.Exchanges[0]
	b := x.play()
	return ReadReply(Response{
		Protocol: c.Protocol,
		Status:   x.Status,
		Header:   x.header(),
		Body:     b,
		Clock:    b.clock,
	}, nil)
}
