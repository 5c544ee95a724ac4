// Package streamcase plays the stream cases: responses that made some measuring client
// report a wrong time, count or outcome. testdata/stream-cases/README.md describes their
// format and the numbers that each expects. It serves tests only.
//
// Read case.go for a case and how it is played, and figures.go for how a Reply is
// compared with what a case expects.
package streamcase

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
	"runtime"
	"testing"
	"time"

	"halfsecond/pipeline/endpoint/reply"
)

// Case is a manifest.json.
type Case struct {
	ID        string         `json:"id"`
	Protocol  string         `json:"protocol"`
	Exchanges []Exchange     `json:"exchanges"`
	Messages  string         `json:"messages"` // file of a WebSocket session
	Session   Session        `json:"session"`
	Request   Request        `json:"request"`
	Expect    map[string]any `json:"expect"`

	Frames []Frame `json:"-"` // of Messages, in order

	dir string
}

// Session is what is true of the audio of a WebSocket case.
type Session struct {
	SampleRate  int    `json:"sample_rate"` // Hz
	SpeechStart Millis `json:"speech_start_ms"`
	SpeechEnd   Millis `json:"speech_end_ms"`
}

// Request is what the client asked for.
type Request struct {
	Format string `json:"response_format"` // of audio
}

// Frame is one frame of a WebSocket session.
type Frame struct {
	At      Millis `json:"at_ms"`
	Dir     string `json:"dir"`    // "c2s" or "s2c"
	Opcode  string `json:"opcode"` // "text", "binary" or "close"
	Text    string `json:"text"`
	Silence int    `json:"silence_bytes"` // so many zero bytes
	Code    int    `json:"code"`          // of a close
}

// Exchange is one response.
type Exchange struct {
	Status  int         `json:"status"`
	Headers [][2]string `json:"headers"`
	Body    string      `json:"body"`
	Size    int         `json:"body_bytes"`
	SHA256  string      `json:"sha256"`
	Stored  string      `json:"stored"`
	Chunks  []Chunk     `json:"chunks"`
	End     End         `json:"end"`

	Bytes []byte `json:"-"`
}

// Chunk is one read.
type Chunk struct {
	At    Millis `json:"at_ms"`
	Bytes int    `json:"bytes"`
}

// End is how a response ends.
type End struct {
	At  Millis `json:"at_ms"`
	How string `json:"how"` // "eof", "reset" or "open"
}

// Millis is an instant in milliseconds.
type Millis float64

// Duration returns it as a Duration.
func (m Millis) Duration() time.Duration {
	return time.Duration(float64(m) * float64(time.Millisecond))
}

// Load reads the cases in the folders of dir, "" for those of this package.
func Load(t testing.TB, dir string) []*Case {
	t.Helper()
	if dir == "" {
		_, here, _, _ := runtime.Caller(0)
		dir = filepath.Join(filepath.Dir(here), "testdata", "stream-cases")
	}
	manifests, err := filepath.Glob(filepath.Join(dir, "*", "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(manifests) == 0 && !filepath.IsAbs(dir) { // as typed at the top of the repository
		manifests, err = filepath.Glob(filepath.Join("../../..", dir, "*", "manifest.json"))
	}
	if err != nil || len(manifests) == 0 {
		t.Fatalf("no */manifest.json in %q, error %v", dir, err)
	}
	var cases []*Case
	for _, m := range manifests {
		cases = append(cases, load(t, m))
	}
	return cases
}

func load(t testing.TB, manifest string) *Case {
	t.Helper()
	text, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	c := Case{dir: filepath.Dir(manifest)}
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatalf("%s: %v", manifest, err)
	}
	if len(c.Exchanges) == 0 && c.Messages == "" || len(c.Expect) == 0 {
		t.Fatalf("%s: no exchange or nothing expected", manifest)
	}
	if c.Messages != "" {
		c.Frames = loadFrames(t, filepath.Join(c.dir, c.Messages))
	}
	for i := range c.Exchanges {
		x := &c.Exchanges[i]
		x.Bytes = loadBody(t, filepath.Join(c.dir, x.Body), x.Stored)
		sum := sha256.Sum256(x.Bytes)
		if len(x.Bytes) != x.Size || hex.EncodeToString(sum[:]) != x.SHA256 {
			t.Fatalf("%s: the body is not the one that its manifest names", manifest)
		}
	}
	return &c
}

// loadFrames reads one frame a line.
func loadFrames(t testing.TB, path string) (frames []Frame) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var f Frame
		if err := d.Decode(&f); err == io.EOF {
			return frames
		} else if err != nil {
			t.Fatalf("%s: frame %d: %v", path, len(frames), err)
		}
		frames = append(frames, f)
	}
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

// Header returns the headers of the response.
func (x *Exchange) Header() http.Header {
	h := http.Header{}
	for _, kv := range x.Headers {
		h.Add(kv[0], kv[1])
	}
	return h
}

// Body plays the body of an exchange: one chunk a read, unless the buffer is
// smaller, on a clock that stands at the instant of the chunk.
type Body struct {
	rest   []byte
	chunks []Chunk
	end    End
	now    time.Duration
}

var (
	errReset = errors.New("connection reset")
	errOpen  = errors.New("read on although nothing comes any more")
)

// Play returns the body at its beginning.
func (x *Exchange) Play() *Body {
	return &Body{rest: x.Bytes, chunks: append([]Chunk(nil), x.Chunks...), end: x.End}
}

// Clock returns the instant of the last read.
func (b *Body) Clock() time.Duration { return b.now }

// Read implements io.Reader.
func (b *Body) Read(p []byte) (int, error) {
	for len(b.chunks) > 0 && b.chunks[0].Bytes == 0 {
		b.chunks = b.chunks[1:]
	}
	if len(b.chunks) == 0 {
		b.now = b.end.At.Duration()
		switch b.end.How {
		case "eof":
			return 0, io.EOF
		case "reset":
			return 0, errReset
		}
		return 0, errOpen
	}
	c := &b.chunks[0]
	b.now = c.At.Duration()
	n := copy(p, b.rest[:c.Bytes])
	b.rest = b.rest[n:]
	c.Bytes -= n
	return n, nil
}

// Read has a decoder read the first exchange; endless is as in reply.Response.
func (x *Exchange) Read(d reply.Decoder, endless bool) *reply.Reply {
	b := x.Play()
	return reply.Read(reply.Response{
		Decoder: d, Endless: endless, Status: x.Status, Header: x.Header(), Body: b, Clock: b.Clock,
	}, nil)
}

// ServeHTTP serves the exchange, each chunk at its instant counted from the arrival of
// the request.
func (x *Exchange) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	until := func(m Millis) { time.Sleep(m.Duration() - time.Since(start)) }
	for _, kv := range x.Headers {
		w.Header().Add(kv[0], kv[1])
	}
	w.WriteHeader(x.Status)
	rest := x.Bytes
	for _, c := range x.Chunks {
		until(c.At)
		if _, err := w.Write(rest[:c.Bytes]); err != nil {
			return
		}
		w.(http.Flusher).Flush()
		rest = rest[c.Bytes:]
	}
	until(x.End.At)
	switch x.End.How {
	case "reset":
		panic(http.ErrAbortHandler)
	case "open":
		<-r.Context().Done()
	}
}
