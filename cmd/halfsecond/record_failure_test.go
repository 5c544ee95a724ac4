package main

import (
	"strings"
	"testing"

	"halfsecond/pipeline/exchange"
)

// answered returns an exchange with this body in one read.
func answered(status int, how, cause, body string) *exchange.Exchange {
	x := &exchange.Exchange{
		Protocol: "openai-chat", Status: status, Sent: 1, Answered: 2, How: how, Cause: cause, End: 4,
		Headers: [][2]string{{"Content-Type", "text/event-stream"}},
	}
	x.Add(3, []byte(body))
	return x
}

// TestRecordFailures: whatever did not end ok is counted by its outcome and reason, in one
// printable line; nothing else is.
func TestRecordFailures(t *testing.T) {
	const chunk = `data: {"choices":[{"index":0,"delta":{"content":"a"}}]}` + "\n\n"
	limited := answered(429, exchange.EOF, "", `{"error":{"message":"slow \u001b[31mdown"}}`)
	limited.Headers[0][1] = "application/json"
	endless := answered(200, exchange.Open, "", strings.Repeat(chunk, 9))
	endless.MaxOutputs = 4
	all := []*exchange.Exchange{
		answered(200, exchange.EOF, "", chunk+`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n"),
		limited, limited, endless,
		answered(200, exchange.EOF, "", chunk),
		answered(200, exchange.Reset, "unexpected EOF", chunk),
	}
	for _, test := range []struct {
		hashed bool
		words  string
	}{{false, `slow \x1b[31mdown`}, {true, unkeptWords}} {
		fs := recordFailures{}
		for _, x := range all {
			if err := fs.add(x, test.hashed); err != nil {
				t.Fatal(err)
			}
		}
		fs.sort()
		n := map[string]int{}
		for _, f := range fs {
			n[f.Outcome] += f.N
		}
		text := fs.words()
		if n["refused"] != 2 || n["truncated"] != 2 || n["error"] != 1 || len(n) != 3 || strings.ContainsRune(text, 27) {
			t.Errorf("hashed %v: %v\n%s", test.hashed, n, text)
		}
		for _, want := range []string{"of them 2 ended refused: HTTP 429", test.words, "of them 1 ended truncated: the answer ended without an end event"} {
			if !strings.Contains(text, want) {
				t.Errorf("hashed %v: no %q in\n%s", test.hashed, want, text)
			}
		}
	}
}

// TestRecordFailuresOfManyReasons: the page names the first, and counts the others.
func TestRecordFailuresOfManyReasons(t *testing.T) {
	fs := recordFailures{}
	for i := range mostFailures + 2 {
		if err := fs.add(answered(500+i, exchange.EOF, "", ""), false); err != nil {
			t.Fatal(err)
		}
	}
	if text := fs.words(); strings.Count(text, "\n") != mostFailures+1 || !strings.HasSuffix(text, "of them 2 more did not end ok, for 2 other reasons\n") {
		t.Error(text)
	}
}
