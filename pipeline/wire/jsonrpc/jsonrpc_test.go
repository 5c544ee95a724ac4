package jsonrpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

func TestDecode(t *testing.T) {
	for _, c := range []struct {
		text string
		want Message
		back string // as it is written again; "" as it stands
	}{
		{`{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":1}}`, Message{ID: NumberID(7), Method: "m", Params: json.RawMessage(`{"a":1}`)}, ""},
		{`{"jsonrpc":"2.0","id":"7","method":"m","params":[]}`, Message{ID: TextID("7"), Method: "m", Params: json.RawMessage(`[]`)}, ""},
		{`{"jsonrpc":"2.0","method":"m"}`, Message{Method: "m"}, ""},
		{` {"jsonrpc":"2.0","method":"m","params":null,"more":1}`, Message{Method: "m"}, `{"jsonrpc":"2.0","method":"m"}`},
		{`{"jsonrpc":"2.0","id":-1,"result":null}`, Message{ID: NumberID(-1), Result: json.RawMessage(`null`)}, ""},
		{`{"jsonrpc":"2.0","id":1,"result":"<é>"}`, Message{ID: NumberID(1), Result: json.RawMessage(`"<é>"`)}, ""},
		{`{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":-32800,"message":"x"}}`, Message{ID: NumberID(1), Error: &Error{Code: RequestCancelled, Message: "x"}}, `{"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"x"}}`},
		{`{"jsonrpc":"2.0","id":1,"result":5,"error":null}`, Message{ID: NumberID(1), Result: json.RawMessage(`5`)}, `{"jsonrpc":"2.0","id":1,"result":5}`},
		{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x","data":[1]}}`, Message{ID: Null(), Error: &Error{ParseError, "x", json.RawMessage(`[1]`)}}, ""},
	} {
		m, err := Decode([]byte(c.text))
		if err != nil || !reflect.DeepEqual(m, c.want) {
			t.Errorf("Decode(%s) = %+v, %v; want %+v", c.text, m, err, c.want)
		}
		back, err := m.AppendJSON(nil)
		if c.back == "" {
			c.back = c.text
		}
		if err != nil || string(back) != c.back {
			t.Errorf("%s is written as %s, %v; want %s", c.text, back, err, c.back)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{``, "it is no JSON: unexpected end of JSON input, at byte 0"},
		{`{"jsonrpc":"2.0",}`, "it is no JSON: invalid character '}' looking for beginning of object key string, at byte 18"},
		{`[{"jsonrpc":"2.0","method":"m"}]`, ErrBatch.Error()},
		{`null`, "it is null, want an object"},
		{`5`, "it is no JSON object: json: cannot unmarshal number into Go value of type map[string]json.RawMessage"},
		{"{\"a\":\"\xff\"}", "it is not UTF-8"},
		{`{"method":"m"}`, `jsonrpc is not there, want "2.0"`},
		{`{"jsonrpc":"1.0","method":"m"}`, `jsonrpc is "\"1.0\"", want "2.0"`},
		{`{"jsonrpc":"2.0"}`, "it has neither a method nor an id"},
		{`{"jsonrpc":"2.0","ID":1,"result":1}`, "it has neither a method nor an id"},
		{`{"jsonrpc":"2.0","id":1.5,"result":1}`, `id is "1.5", want a string or a whole number of 64 bits`},
		{`{"jsonrpc":"2.0","id":{},"result":1}`, `id is "{}", want a string or a whole number of 64 bits`},
		{`{"jsonrpc":"2.0","id":1}`, "the answer to 1 has neither a result nor an error"},
		{`{"jsonrpc":"2.0","id":"a","result":1,"error":{"code":1,"message":"x"}}`, `the answer to "a" has both a result and an error`},
		{`{"jsonrpc":"2.0","id":1,"error":"x"}`, "the error of the answer to 1: json: cannot unmarshal string into Go value of type jsonrpc.Error"},
		{`{"jsonrpc":"2.0","id":null,"result":1}`, "the answer with a result has the id null"},
		{`{"jsonrpc":"2.0","id":null,"method":"m"}`, `id of the request "m" is null, want a string or a number`},
		{`{"jsonrpc":"2.0","method":""}`, `method is "\"\"", want a name`},
		{`{"jsonrpc":"2.0","method":"m","params":"a string that is rather long and is not shown whole"}`, `params is "\"a string that is rather long and is not"..., want an object or an array`},
	} {
		if _, err := Decode([]byte(c.text)); err == nil || err.Error() != c.want {
			t.Errorf("Decode(%s): %v, want %s", c.text, err, c.want)
		}
	}
}

// Messages are found whatever the reads are that they come in.
func TestReader(t *testing.T) {
	stream := "Content-Length: 2\r\n\r\n{}" +
		"content-length:3\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n[1]" +
		"Content-Type: application/vscode-jsonrpc; charset=\"utf8\"\r\nX-Other: a:b\r\nContent-Length: 0\r\n\r\n" +
		string(AppendFrame(nil, []byte("é")))
	for name, r := range map[string]io.Reader{
		"whole": strings.NewReader(stream), "bytes": iotest.OneByteReader(strings.NewReader(stream)), "data with the end": iotest.DataErrReader(strings.NewReader(stream)),
	} {
		reader := NewReader(r, Limits{})
		var got []string
		for {
			text, err := reader.Next()
			if err != nil {
				if err != io.EOF {
					t.Errorf("%s: ends with %v", name, err)
				}
				break
			}
			got = append(got, string(text))
		}
		if want := []string{"{}", "[1]", "", "é"}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestReaderRefuses(t *testing.T) {
	const first = "Content-Length: 2\r\n\r\n{}"
	for _, c := range []struct{ text, want string }{
		{"Listening on stdio\n", `message 2 (byte 23): a line of the header ends without a carriage return: "Listening on stdio\n"`},
		{"Listening on stdio\r\n\r\n", `message 2 (byte 23): a line of the header has no colon: "Listening on stdio"`},
		{"\r\n", "message 2 (byte 23): the header has no Content-Length"},
		{"Content-Length: 2\n\n{}", `message 2 (byte 23): a line of the header ends without a carriage return: "Content-Length: 2\n"`},
		{"Content-Length: 1\r\nContent-Length: 1\r\n\r\n", "message 2 (byte 23): the header has two Content-Lengths"},
		{"Content-Length: -1\r\n\r\n", `message 2 (byte 23): Content-Length is "-1", want a number of bytes`},
		{"Content-Length: 0x1\r\n\r\n", `message 2 (byte 23): Content-Length is "0x1", want a number of bytes`},
		{"Content-Length: 101\r\n\r\n", "message 2 (byte 23): it has 101 bytes, want at most 100"},
		{"Content-Length: 99999999999999999999\r\n\r\n", `message 2 (byte 23): Content-Length is "99999999999999999999", want a number of bytes`},
		{"Content-Type: a; charset=latin1\r\nContent-Length: 1\r\n\r\n1", `message 2 (byte 23): its charset is "latin1", want utf-8`},
		{strings.Repeat("A: b\r\n", 100) + "\r\n", `message 2 (byte 23): the header is longer than 64 bytes, it begins with "A: b\r"`},
		{strings.Repeat("A", 100), `message 2 (byte 23): the header is longer than 64 bytes, it begins with "` + strings.Repeat("A", 60) + `"`},
		{"Content-Length: 5\r\n\r\n123", "message 2 (byte 23): unexpected EOF"},
		{"Content-Le", "message 2 (byte 23): unexpected EOF"},
	} {
		r := NewReader(strings.NewReader(first+c.text), Limits{Header: 64, Message: 100})
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Next(); err == nil || err.Error() != c.want {
			t.Errorf("Next() of %q: %v, want %s", c.text, err, c.want)
		}
	}
}

// A length alone takes no memory.
func TestLengthTakesNoMemory(t *testing.T) {
	got := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			if _, err := NewReader(strings.NewReader("Content-Length: 16777216\r\n\r\n{}"), Limits{}).Next(); !errors.Is(err, io.ErrUnexpectedEOF) {
				b.Fatal(err)
			}
		}
	}).AllocedBytesPerOp()
	if got > 64<<10 {
		t.Errorf("16 MiB that were announced and did not come took %d bytes, want at most 64 KiB", got)
	}
}

// What was read is written so that it is read alike; nothing panics.
func FuzzReader(f *testing.F) {
	f.Add([]byte("Content-Length: 38\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}"))
	f.Add([]byte("Content-Type: a; charset=utf8\r\nContent-Length: 2\r\n\r\n{}Content-Length: 9\r\n\r\n[]"))
	f.Add([]byte("Content-Length: 58\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":1,\"message\":\"\"}}"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		r := NewReader(bytes.NewReader(stream), Limits{Header: 256, Message: 4096})
		for {
			text, err := r.Next()
			if err != nil {
				return
			}
			m, err := Decode(text)
			if err != nil {
				continue
			}
			frame, err := m.Append(nil)
			if err != nil {
				t.Fatalf("%q is read and cannot be written: %v", text, err)
			}
			text, err = NewReader(bytes.NewReader(frame), Limits{}).Next()
			if err != nil {
				t.Fatal(err)
			}
			again, err := Decode(text)
			second, _ := again.Append(nil)
			if err != nil || !bytes.Equal(frame, second) {
				t.Fatalf("%q becomes %q, then %q (%v)", text, frame, second, err)
			}
		}
	})
}

func ExampleMessage_Append() {
	m, err := NewRequest(NumberID(1), "shutdown", nil)
	if err != nil {
		panic(err)
	}
	frame, err := m.Append(nil)
	fmt.Printf("%q %v", frame, err)
	// Output: "Content-Length: 44\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"shutdown\"}" <nil>
}
