package wyoming

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

func TestAppend(t *testing.T) {
	e, err := New(AudioChunk, Audio{Rate: 16000, Width: 2, Channels: 1})
	if err != nil {
		t.Fatal(err)
	}
	e.Payload = []byte("abcd")
	got, err := e.Append([]byte(">"))
	const want = `>{"type":"audio-chunk","version":"1.7.2","data_length":54,"payload_length":4}` + "\n" + `{"rate":16000,"width":2,"channels":1,"timestamp":null}abcd`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
	e, err = New(Describe, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := e.Append(nil); err != nil || string(got) != `{"type":"describe","version":"1.7.2"}`+"\n" {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestRead(t *testing.T) {
	const text = `{"type":"ping"}` + "\n" +
		`{"type":"synthesize","data":{"text":"a","x":1},"data_length":12,"extra":true}` + "\n" + `{"text":"b"}` +
		`{"type":"audio-chunk","data":null,"payload_length":3,"data_length":-1}` + "\n" + "\n{}" +
		`{"type":"long","data":{"text":"` + "SPACE" + `"}}` + "\n"
	long := strings.Repeat("y", 10_000)
	for _, whole := range []bool{true, false} {
		var in io.Reader = strings.NewReader(strings.Replace(text, "SPACE", long, 1))
		if !whole {
			in = iotest.OneByteReader(in)
		}
		r := NewReader(in)
		for i, want := range []Event{
			{Type: "ping"}, {Type: "synthesize", Data: []byte(`{"text":"b","x":1}`)}, {Type: "audio-chunk", Payload: []byte("\n{}")},
			{Type: "long", Data: []byte(`{"text":"` + long + `"}`)},
		} {
			if got, err := r.Read(); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("event %d: got %s %s %q, %v, want %s %s %q", i, got.Type, got.Data, got.Payload, err, want.Type, want.Data, want.Payload)
			}
		}
		if _, err := r.Read(); !errors.Is(err, io.EOF) {
			t.Errorf("got %v, want the end", err)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"{\n", "the line of an event is not a JSON object of the right form: unexpected end of JSON input"},
		{"[]\n", "the line of an event is not a JSON object of the right form: json: cannot unmarshal array into Go value of type wyoming.header"},
		{"{}\n", "the line of an event has no type"},
		{`{"type":"x"}`, "unexpected EOF"},
		{`{"type":"x","data_length":"1"}` + "\n", "the line of an event is not a JSON object of the right form: json: cannot unmarshal string into Go struct field header.data_length of type int"},
		{`{"type":"x","data_length":9999999}` + "\n", "the data_length of an event is 9999999, want at most 1048576"},
		{`{"type":"x","payload_length":99999999}` + "\n", "the payload_length of an event is 99999999, want at most 8388608"},
		{`{"type":"x","payload_length":5}` + "\nabc", "unexpected EOF"},
		{`{"type":"x","data_length":2}` + "\n[]", "the data of x are not a JSON object: json: cannot unmarshal array into Go value of type map[string]json.RawMessage"},
		{`{"type":"x","data":7}` + "\n", "the data of x are not a JSON object: json: cannot unmarshal number into Go value of type map[string]json.RawMessage"},
		{strings.Repeat(" ", MaxLine+1), "the line of an event is longer than 1048576 bytes"},
	} {
		if _, err := NewReader(strings.NewReader(c.text)).Read(); err == nil || err.Error() != c.want {
			t.Errorf("%.60q: got %v, want %s", c.text, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("{\"type\":\"x\",\"data_length\":2,\"payload_length\":1}\n{}a"))
	f.Add([]byte("{\"type\":\"x\",\"data\":{\"a\":1}}\n{"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := NewReader(bytes.NewReader(b))
		for {
			e, err := r.Read()
			if err != nil {
				return
			}
			// What is written again reads the same.
			out, err := e.Append(nil)
			if err != nil {
				t.Fatal(err)
			}
			again, err := NewReader(bytes.NewReader(out)).Read()
			if err != nil || again.Type != e.Type || string(again.Data) != string(e.Data) || string(again.Payload) != string(e.Payload) {
				t.Errorf("%q became %q, %v", e, again, err)
			}
		}
	})
}
