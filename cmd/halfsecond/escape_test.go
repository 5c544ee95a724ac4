package main

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

// obeyedWords have what terminals obey and JSON does not escape, beside what it does and
// letters of two and of four bytes.
const obeyedWords = "a\x1b[31m \u009b31m \u0085 \x7f \u202eabc\u202c \u2066\u200f\u061c é 😀"

// TestEscaped: JSON shows no such character raw, however it is written, and means the same.
func TestEscaped(t *testing.T) {
	plain, err := json.Marshal(obeyedWords)
	if err != nil {
		t.Fatal(err)
	}
	var whole, single bytes.Buffer
	if _, err := escaped(&whole).Write(plain); err != nil {
		t.Fatal(err)
	}
	one := escaped(&single)
	for i := range plain {
		if n, err := one.Write(plain[i : i+1]); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	for _, b := range []*bytes.Buffer{&whole, &single} {
		var got string
		if err := json.Unmarshal(b.Bytes(), &got); err != nil || got != obeyedWords {
			t.Errorf("%s is %q, %v", b, got, err)
		}
		if strings.ContainsFunc(b.String(), obeyed) || !strings.Contains(b.String(), `\u009b31m \u0085 \u007f \u202eabc\u202c`) || !strings.Contains(b.String(), "é 😀") {
			t.Errorf("%q", b)
		}
	}
	if _, err := escaped(broken{}).Write(plain); err != io.ErrShortWrite {
		t.Errorf("error %v, want that of the writer", err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// TestDocumentsAreEscaped: what a command prints as JSON has none, be it a report or why
// there is none.
func TestDocumentsAreEscaped(t *testing.T) {
	_, out, _ := halfsecond(t, "run", "no\u009b31m\u202eone", "--format", "json")
	if out == "" || strings.ContainsFunc(out, obeyed) || !strings.Contains(out, `no\u009b31m\u202eone`) && !strings.Contains(out, `no\\u009b31m\\u202eone`) {
		t.Errorf("%q", out)
	}
}
