package exchange

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"halfsecond/pipeline"
)

func sample() *Exchange {
	x := &Exchange{
		Request: 7, Protocol: "openai-chat", Method: "POST", Path: "/v1/chat/completions", Due: 1, Sent: 2, Ask: []byte(`{"a":"\u00e9"}`),
		Status: 200, HTTP: "1.1", End: 9 * time.Millisecond, How: EOF,
	}
	x.SetHeaders(map[string][]string{"Via": {"a", "b"}, "Content-Type": {"text/event-stream"}, "Set-Cookie": {"secret"}, "X-Api-Key": {"secret"}})
	x.Add(3, []byte("data: {}\n"))
	x.Add(4, nil)
	x.Add(4, []byte("\n"))
	return x
}

func file(t *testing.T, h Header, all ...*Exchange) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, h)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range all {
		if err := w.Write(x); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if w.Write(sample()) == nil || w.Flush() == nil {
		t.Error("a closed Writer takes more")
	}
	return b.Bytes()
}

func readAll(t *testing.T, text []byte) (all []*Exchange, cut bool) {
	t.Helper()
	r, err := NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for {
		x, err := r.Next()
		if err == io.EOF {
			return all, r.Unfinished()
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, x)
	}
}

func TestRoundTrip(t *testing.T) {
	lost := &Exchange{Protocol: "tabby", Method: "POST", Path: "/", Due: 5, Sent: pipeline.Unknown, Ask: []byte{}, End: 6, How: None, Cause: "no such host", Body: []byte{}}
	binary := sample()
	binary.Ask, binary.Model, binary.Stop, binary.MaxBytes, binary.MaxOutputs, binary.Answered = []byte{0xfe}, "m", TimedOut, 7, 9, 2
	binary.Body, binary.Reads = []byte{0xff, 0, 0x80}, []Read{{3, 3}}
	want := []*Exchange{sample(), lost, binary}
	got, cut := readAll(t, file(t, Header{Scenario: "s", Target: "mock"}, want...))
	if cut || !reflect.DeepEqual(got, want) {
		t.Errorf("cut %t\n got %+v\nwant %+v", cut, got, want)
	}
	headers := [][2]string{{"Content-Type", "text/event-stream"}, {"Via", "a"}, {"Via", "b"}}
	if !reflect.DeepEqual(want[0].Headers, headers) {
		t.Errorf("headers %q, want %q", want[0].Headers, headers)
	}
}

func TestRedact(t *testing.T) {
	x := sample()
	x.Ask, x.Path, x.Cause = []byte(`{"key":"s3cret99"}`), "/s3cret99", "s3cret99?"
	x.Headers = [][2]string{{"X", "as3cret99b"}}
	x.Reads, x.Body = []Read{{1, 4}, {2, 6}}, []byte("xs3cret99!")
	x.Redact("")
	x.Redact("s3cret99")
	text := string(x.Ask) + x.Path + x.Cause + x.Headers[0][1] + string(x.Body)
	if want := `{"key":"********"}/********` + "********?a********bx********!"; text != want {
		t.Errorf("%q, want %q", text, want)
	}
}

// TestSecretHeaders: no header is kept that may open a door.
func TestSecretHeaders(t *testing.T) {
	x := &Exchange{}
	headers := map[string][]string{"X-Ratelimit-Remaining-Tokens": {"7"}, "X-Error-Code": {"9"}}
	for _, name := range []string{"Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "Set-Cookie2", "X-Api-Key", "Api-Key", "X-Goog-Api-Key",
		"X-Auth-Token", "X-Amz-Security-Token", "X-Session-Token", "Token", "x-client-secret"} {
		headers[name] = []string{"tok-SERVER"}
	}
	x.SetHeaders(headers)
	if want := [][2]string{{"X-Error-Code", "9"}, {"X-Ratelimit-Remaining-Tokens", "7"}}; !reflect.DeepEqual(x.Headers, want) {
		t.Errorf("kept %q, want %q", x.Headers, want)
	}
}

// unzipped returns the text of a file.
func unzipped(t *testing.T, b []byte) string {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestHashed: no word is in the file, and the instants, sizes and kinds are. Hashed
// again, it stays as it is.
func TestHashed(t *testing.T) {
	x := sample()
	x.Cause = "no sesame: here"
	x.Ask = []byte(`{"prompt":"sesame"}`)
	x.Reads, x.Body = nil, nil
	x.Add(3, []byte(`data: {"type":"delta","text":"sesame"}`+"\n\n"))
	b := file(t, Header{Hashed: true}, x)
	if text := unzipped(t, b); strings.Contains(text, "sesame") {
		t.Errorf("the file says %s", text)
	}
	got, _ := readAll(t, b)
	want := *x
	want.Ask, want.Cause = []byte{}, ""
	want.Body = []byte(`data: {"type":"delta","text":"xxxxxx"}` + "\n\n")
	if len(got) != 1 {
		t.Fatalf("read %+v", got)
	}
	want.AskSum, want.AskBytes, want.BodySum = Hash(x.Ask), len(x.Ask), Hash(x.Body)
	if !reflect.DeepEqual(*got[0], want) {
		t.Errorf("read\n%+v, want\n%+v", *got[0], want)
	}
	if again := unzipped(t, file(t, Header{Hashed: true}, got[0])); again != unzipped(t, b) {
		t.Errorf("hashed again it is\n%s, want\n%s", again, unzipped(t, b))
	}
	sound := sample()
	sound.SetHeaders(map[string][]string{"Content-Type": {"audio/mpeg"}})
	if got, _ := readAll(t, file(t, Header{Hashed: true}, sound)); got[0].Whole() || len(got[0].Reads) != 2 {
		t.Errorf("sound is kept as %+v, want its reads without bytes", got[0])
	}
}

func TestMasked(t *testing.T) {
	for _, c := range []struct{ name, kind, coding, body, want string }{
		{"event stream", "text/event-stream; charset=utf-8", "", "\ufeffevent: delta\r\ndata: {\"type\":\"text\",\r\ndata: \"a\":\"b c\"}\r\n\r\n: my words\n\ndata: [DONE]\n\n",
			"\ufeffevent: delta\r\ndata: {\"type\":\"text\",\r\ndata: \"a\":\"xxx\"}\r\n\r\n:xxxxxxxxx\n\ndata: [DONE]\n\n"},
		{"white space stays", "text/event-stream", "", `data: {"a":" \n\u00a0","b":"","c":" \""}`, `data: {"a":" \n\u00a0","b":"","c":"xxx"}`},
		{"arguments", "application/json", "", `{"name":"f","arguments":{"type":"pin","n":[1,-2.5e3],"k":true},"id":"call_1"}`,
			`{"name":"x","arguments":{"xxxx":"xxx","x":[1,-1.1e1],"x":true},"id":"call_1"}`},
		{"tokens", "application/json", "", `{"tokens":[9,10],"n":9,"ids":[77],"logprobs":{"a":4}}`, `{"tokens":[1,11],"n":9,"ids":[11],"logprobs":{"x":1}}`},
		{"lines", "application/x-ndjson", "", "{\"response\":\"hi\",\"done\":false}\n{\"done_reason\":\"stop\"}\n", "{\"response\":\"xx\",\"done\":false}\n{\"done_reason\":\"stop\"}\n"},
		{"a sentence in place of a word", "application/json", "", `{"code":"it was me","status":"ok"}`, `{"code":"xxxxxxxxx","status":"ok"}`},
		{"a finish reason of words", "application/json", "", `{"finish_reason":"max tokens, cut","text":"max tokens"}`, `{"finish_reason":"max tokens, cut","text":"xxxxxxxxxx"}`},
		{"cut", "application/json", "", `{"a":"bcd`, `{"a":"xxx`},
		{"no JSON", "text/event-stream", "", "data: oh no!\n\nwhat: ever\n\n", "data: xx xxx\n\nxxxxxxxxxx\n\n"},
		{"page", "text/html", "identity", "<p>oh no", "xxxxx xx"},
		{"zipped", "application/json", "gzip", "zzz", ""},
		{"sound", "audio/wav", "", "RIFF", ""},
	} {
		x := &Exchange{Body: []byte(c.body)}
		x.SetHeaders(map[string][]string{"Content-Type": {c.kind}, "Content-Encoding": {c.coding}})
		if got := string(masked(x)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if string(x.Body) != c.body {
			t.Errorf("%s: the exchange itself became %q", c.name, x.Body)
		}
	}
}

func FuzzMasked(f *testing.F) {
	f.Add("data: {\"a\":\"b\\\\\"}\n\n")
	f.Fuzz(func(t *testing.T, body string) {
		for _, kind := range []string{"text/event-stream", "application/json", "application/x-ndjson", "text/plain"} {
			x := &Exchange{Headers: [][2]string{{"Content-Type", kind}}, Body: []byte(body)}
			one := masked(x)
			x.Body = one
			if len(one) != len(body) || string(masked(x)) != string(one) {
				t.Errorf("%s: %q becomes %q and then %q", kind, body, one, masked(x))
			}
		}
	})
}

func TestMoved(t *testing.T) {
	x := sample()
	x.Sent = pipeline.Unknown
	y := x.Moved(time.Second)
	if y.Due != time.Second+1 || y.Sent != pipeline.Unknown || y.End != time.Second+9*time.Millisecond || y.Reads[1].At != time.Second+4 || x.Reads[1].At != 4 {
		t.Errorf("moved by a second it is %+v", y)
	}
}

// TestKilled: whatever is left of a file reads as so many whole exchanges.
func TestKilled(t *testing.T) {
	var b bytes.Buffer
	w, err := NewWriter(&b, Header{})
	for range 3 {
		err = errors.Join(err, w.Write(sample()), w.Flush())
	}
	if err != nil {
		t.Fatal(err)
	}
	if got, cut := readAll(t, b.Bytes()); len(got) != 3 || !cut {
		t.Errorf("%d exchanges, cut %t; want 3 of a file that was cut", len(got), cut)
	}
	if got, cut := readAll(t, b.Bytes()[:b.Len()-12]); len(got) != 2 || !cut {
		t.Errorf("%d exchanges of a torn line, cut %t; want 2", len(got), cut)
	}
}

func TestBadFiles(t *testing.T) {
	zipped := func(text string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, err := io.WriteString(z, text)
		if err = errors.Join(err, z.Close()); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	const head = `{"halfsecond_exchanges":1,"scenario":"","target":"","hashed":false}` + "\n"
	for text, want := range map[string]string{
		"":     "exchanges: line 1: it is empty",
		"{}\n": "exchanges: line 1: it has version 0 of the format, want 1",
		`{"halfsecond_exchanges":99,"new":1}` + "\n": "exchanges: line 1: it has version 99 of the format, want 1",
		"x\n": "exchanges: line 1: invalid character 'x' looking for beginning of value",
		head + `{"reads":[[1,1]],"end":"eof"}` + "\n":                   "exchanges: line 2: its reads are of 1 bytes, its body has 0",
		head + `{"reads":[[2,1],[1,1]],"body":"ab","end":"eof"}` + "\n": "exchanges: line 2: read 1: want at least 1 byte, no earlier than the read before",
		head + `{"end":"well"}` + "\n":                                  "exchanges: line 2: end: want eof, reset, open or none",
		head + `{"end":"eof","stop":"tired"}` + "\n":                    "exchanges: line 2: stop: want cancelled, timeout or nothing",
		head + `{"nonsense":1}` + "\n":                                  `exchanges: line 2: json: unknown field "nonsense"`,
		head + `{"body_base64":"!"}` + "\n":                             "exchanges: line 2: body_base64: illegal base64 data at input byte 0",
	} {
		r, err := NewReader(bytes.NewReader(zipped(text)))
		if err == nil {
			_, err = r.Next()
		}
		if err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
	r, err := NewReaderOf(bytes.NewReader(zipped(head+strings.Repeat("x", 2<<20))), 1<<20)
	if err == nil {
		_, err = r.Next()
	}
	if want := "exchanges: line 2 is longer than 1 MiB, the most that is read here"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if _, err := NewReader(strings.NewReader("plain")); err == nil || !strings.Contains(err.Error(), "want a gzip file") {
		t.Errorf("a file that is not packed: error %v", err)
	}
}

func TestPlayable(t *testing.T) {
	for want, change := range map[error]func(x *Exchange){
		nil:           func(*Exchange) {},
		ErrUnanswered: func(x *Exchange) { x.Status, x.How = 0, None },
		ErrNoHTTP:     func(x *Exchange) { x.Status = 101 },
		ErrGivenUp:    func(x *Exchange) { x.Stop = Cancelled },
		ErrTextless:   func(x *Exchange) { x.Body = nil },
	} {
		x := sample()
		if change(x); x.Playable() != want {
			t.Errorf("%v, want %v", x.Playable(), want)
		}
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte(`{"request":1,"reads":[[1,2]],"body":"ab","end_ns":3,"end":"eof"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, err := z.Write(append([]byte("{\"halfsecond_exchanges\":1}\n"), text...))
		if err = errors.Join(err, z.Close()); err != nil {
			t.Fatal(err)
		}
		r, err := NewReader(&b)
		for err == nil {
			_, err = r.Next()
		}
	})
}

// BenchmarkWrite writes the exchange of an answer of 128 tokens.
func BenchmarkWrite(b *testing.B) {
	x := sample()
	for i := range 128 {
		x.Add(time.Duration(5+i), []byte(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1730000000,"model":"m","choices":[{"index":0,"delta":{"content":" word"},"finish_reason":null}]}`+"\n\n"))
	}
	for _, hashed := range []bool{false, true} {
		b.Run(map[bool]string{false: "whole", true: "hashed"}[hashed], func(b *testing.B) {
			w, err := NewWriter(io.Discard, Header{Hashed: hashed})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.SetBytes(int64(len(x.Body)))
			for b.Loop() {
				if err := w.Write(x); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A line is what encoding/json makes of it, whatever its body holds and however long it is.
func TestLine(t *testing.T) {
	for _, body := range []string{
		"", "a", `"\` + "\x00\b\f\n\r\t\x7f<&>\u2028\u2029\ufffdé😀/", strings.Repeat("é😀\n", pieceBytes), strings.Repeat("x", pieceBytes-1) + "😀",
		"\xff", strings.Repeat("\xffab", pieceBytes),
	} {
		x := sample()
		x.Reads, x.Body = []Read{}, []byte{}
		for i := 0; i < len(body); i += 7 {
			x.Add(time.Duration(i), []byte(body[i:min(i+7, len(body))]))
		}
		l, _ := toLine(x, false)
		l.Reads = [][2]int64{}
		for _, r := range x.Reads {
			l.Reads = append(l.Reads, [2]int64{int64(r.At), int64(r.Bytes)})
		}
		l.Body, l.BodyBase64 = readable(x.Body)
		want, err := json.Marshal(&l)
		if err != nil {
			t.Fatal(err)
		}
		text := file(t, Header{}, x)
		_, got, _ := strings.Cut(unzipped(t, text), "\n")
		if got != string(want)+"\n" {
			t.Errorf("body %.20q: line\n%.300s, want\n%.300s", body, got, want)
		}
		if all, _ := readAll(t, text); len(x.Reads) > 0 && !reflect.DeepEqual(all, []*Exchange{x}) {
			t.Errorf("body %.20q: read back as another", body)
		}
	}
}

// The parts of a JSON string are read as encoding/json reads them.
func FuzzUnquoted(f *testing.F) {
	for _, s := range []string{`a\n\u00e9\ud83d\ude00\ud83dx\udc00\/`, `\ud83d\u0041`, `\u12`, `\`, "a\nb", `\x`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		quoted := []byte(`"` + s + `"`)
		if !utf8.ValidString(s) || stringEnd(quoted) != len(quoted) {
			return
		}
		var want string
		wantErr := json.Unmarshal(quoted, &want)
		got, err := unquoted([]byte(s))
		if (err == nil) != (wantErr == nil) || err == nil && string(got) != want {
			t.Errorf("%q: %q, %v; want %q, %v", s, got, err, want, wantErr)
		}
	})
}

// heapWriter notes the most memory that was in use when something was written.
type heapWriter struct {
	n    int
	most uint64
}

func (w *heapWriter) Write(p []byte) (int, error) {
	if w.n++; w.n%8 == 1 {
		runtime.GC()
		w.most = max(w.most, memory().HeapAlloc)
	}
	return len(p), nil
}

func memory() runtime.MemStats {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m
}

// A long body takes its own size while it is written; as much again while a key is hidden
// in it, or while there was no room for more of it; and what its line has when it is read.
func TestMemory(t *testing.T) {
	const size, beside = 16 << 20, 3 << 20
	runtime.GC()
	start := memory().HeapAlloc
	x := sample()
	x.Reads, x.Body, x.MaxBytes = nil, nil, size
	for letters := []byte(strings.Repeat("data: {\"a\":1}\n\n", 1<<11)); len(x.Body) <= size; {
		x.Add(1, letters)
	}
	if got := cap(x.Body); got > size+64<<10 {
		t.Errorf("room for %d bytes, the limit is %d", got, size)
	}
	before := memory().TotalAlloc
	x.Redact("s3cret99")
	if got := memory().TotalAlloc - before; got > size+beside {
		t.Errorf("%d bytes to hide a key in a body of %d", got, size)
	}
	var heap heapWriter
	w, err := NewWriter(&heap, Header{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(x); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	if got := heap.most - start; got > size+beside {
		t.Errorf("%d bytes to write a body of %d", got, size)
	}
	text := file(t, Header{}, x)
	before = memory().TotalAlloc
	if all, _ := readAll(t, text); len(all) != 1 || !bytes.Equal(all[0].Body, x.Body) {
		t.Error("it is read back as another")
	}
	if got := memory().TotalAlloc - before; got > 4*size+beside { // its line has signs of escape, and was outgrown
		t.Errorf("%d bytes to read a body of %d", got, size)
	}
}
