package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/mock"
	"halfsecond/pipeline/endpoint/probe/seen"
)

// endless is a server that says a word each so often, whatever limit it is given.
func endless(t *testing.T, every time.Duration) string {
	t.Helper()
	return endlessTo(t, every, func(int) {})
}

// endlessTo is endless that tells how many words it has said.
func endlessTo(t *testing.T, every time.Duration, said func(words int)) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		switch {
		case err != nil:
			return
		case r.Method == http.MethodGet:
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"m","object":"model"}]}`)
			return
		case len(body) <= 2:
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for words := 1; r.Context().Err() == nil; words++ {
			_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":" word"}}]}`+"\n\n")
			w.(http.Flusher).Flush()
			time.Sleep(every)
			said(words)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestDoctorEndless: an answer without end is named as that, at any pace, and costs no more
// than one request.
func TestDoctorEndless(t *testing.T) {
	for _, every := range []time.Duration{0, time.Millisecond} {
		code, out, _ := doctor(t, endless(t, every), "--answer", "20")
		if code != exitFailed || strings.Count(out, ". broken: ") != 1 || !strings.Contains(out, "1. broken: the server ignores the limit of the answer") ||
			!strings.Contains(out, "request 1: 417 chunks and no end") || !strings.Contains(out, "1 of 4 were sent: one more would go on as long") {
			t.Errorf("every %s: exit code %d\n%s", every, code, out)
		}
	}
	code, d := doctorJSON(t, endless(t, 100*time.Millisecond), "--limit-whole", "1s")
	if code != exitFailed || *d.Stopped != "timeout" || d.Requests[0].Outcome != "timeout" || d.Findings[0].ID != "timeout" || len(d.Untold) == 0 {
		t.Errorf("with a limit on time: exit code %d, stopped %v, findings %+v", code, d.Stopped, d.Findings)
	}
}

// TestDoctorInterrupted: what had come is reported.
func TestDoctorInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out, errs bytes.Buffer
	url := endlessTo(t, 20*time.Millisecond, func(words int) {
		if words == 10 { // in the middle of the answer, however long it took to get there
			cancel()
		}
	})
	opts := &doctorOptions{url: url, requests: 4, answer: 1000, tokens: 100_000, given: func(string) bool { return false }}
	opts.limits.Connect, opts.limits.FirstByte, opts.limits.Gap, opts.limits.Whole = time.Minute, time.Minute, time.Minute, time.Minute
	err := runDoctor(ctx, &program{out: &out, err: &errs}, opts)
	if exit, ok := err.(*exitError); !ok || exit.code != exitUnmeasured {
		t.Errorf("error %v, want exit code %d", err, exitUnmeasured)
	}
	for _, want := range []string{
		"request 1, event by event", "ttft ", "when the answer was given up, without an end", "interrupted in request 1 of 4",
		"interrupted: nothing to fix in what had come by then", "not told: tokens, finish reason and end event",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}

// TestDoctorLimitFlags: limits on time and size are checked, and told in its help.
func TestDoctorLimitFlags(t *testing.T) {
	for _, args := range [][]string{{"--limit-whole", "0s"}, {"--limit-gap", "-1s"}, {"--limit-bytes", "0"}} {
		if code, out, errs := doctor(t, append([]string{"http://127.0.0.1:1"}, args...)...); code != exitUsage || out != "" || !strings.Contains(errs, args[0]) {
			t.Errorf("doctor %q: exit code %d, %s%s", args, code, out, errs)
		}
	}
	_, out, _ := doctor(t, "--help")
	for _, want := range []string{"(default 1m0s)", "(default 45s)", "(default 4MiB)"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// TestDoctorWrongURL: the finding is longer than the list of what was asked.
func TestDoctorWrongURL(t *testing.T) {
	m := mock.Start(t, mock.Fixed(time.Millisecond, time.Millisecond))
	code, out, _ := doctor(t, m.URL+"/nope")
	asked, finding, ok := strings.Cut(out, "\n\n")
	if code != exitFailed || !ok || strings.Count(asked, "\n") > 4 || !strings.Contains(finding, "did you mean "+m.URL+"/v1,") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// TestLookLines: what was answered alike, not only by the same status, takes one line.
func TestLookLines(t *testing.T) {
	got := strings.Join(lookLines([]seen.Look{
		{Method: "GET", URL: "http://h/a", Status: 404, Message: "no a"},
		{Method: "GET", URL: "http://h/b", Status: 200, Type: "application/json"},
		{Method: "POST", URL: "http://h/s", Status: 200, Type: "text/event-stream"},
		{Method: "POST", URL: "http://h/c", Status: 404, Message: "no c"},
		{Method: "GET", URL: "http://h/d", Status: 301, To: "https://h/d"},
		{Method: "GET", URL: "http://h/e", Status: 500, Message: "broken"},
		{Method: "GET", URL: "http://h/f", Failed: "connection refused"},
	}), "\n")
	want := `GET http://h/a and 1 other place: HTTP 404
GET http://h/b: HTTP 200, application/json
POST http://h/s: HTTP 200, text/event-stream
GET http://h/d: HTTP 301 to https://h/d
GET http://h/e: HTTP 500, broken
GET http://h/f: connection refused`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestDoctorKeyParts: the key shows in no part that anybody could use.
func TestDoctorKeyParts(t *testing.T) {
	const key = "sk-proj-Abcdefgh12345678"
	t.Setenv("DOCTOR_TEST_KEY", key)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error":{"message":"Incorrect API key: sk-proj-Ab***gh12345678, sk-...5678"}}`)
	}))
	defer s.Close()
	for _, args := range [][]string{{"--model", "m"}, nil} {
		_, out, _ := doctor(t, append(args, s.URL, "--key-env", "DOCTOR_TEST_KEY")...)
		out = strings.Join(strings.Fields(out), " ")
		if strings.Contains(out, "sk-proj-") || strings.Contains(out, "12345678") || !strings.Contains(out, "Incorrect API key: ***********************, sk-...5678") {
			t.Errorf("the key shows, or the server's words do not\n%s", out)
		}
	}
}
