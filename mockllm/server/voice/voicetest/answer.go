package voicetest

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Answer is an answer to an HTTP request.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	Pieces string   // "at:bytes" of what came at each instant, in ms since the start
	Parts  []string // "at text" of every stretch
}

// Post sends a body and hears the answer out.
func (r *Rig) Post(path, contentType, body string) Answer {
	r.T.Helper()
	client := &http.Client{Transport: &http.Transport{DialContext: r.DialContext, DisableKeepAlives: true}}
	answer, err := client.Post("http://mock"+path, contentType, strings.NewReader(body))
	if err != nil {
		r.T.Fatal(err)
	}
	defer answer.Body.Close()
	a := Answer{Status: answer.StatusCode, Header: answer.Header}
	a.hear(r, answer.Body)
	synctest.Wait()
	return a
}

// hear reads the body.
func (a *Answer) hear(r *Rig, body io.Reader) {
	var pieces []string
	size := 0
	var at time.Duration
	settle := func() {
		if size > 0 {
			pieces = append(pieces, fmt.Sprintf("%d:%d", at.Milliseconds(), size))
		}
		size = 0
	}
	var err error
	for buffer := make([]byte, 1<<16); err == nil; {
		var n int
		n, err = body.Read(buffer)
		if now := time.Since(r.From); n > 0 && now != at {
			settle()
			at = now
		}
		if size += n; n > 0 {
			a.Parts = append(a.Parts, fmt.Sprintf("%d %s", r.Now(), buffer[:n]))
		}
		a.Body = append(a.Body, buffer[:n]...)
	}
	if err != io.EOF {
		r.T.Errorf("the answer ended with %v", err)
	}
	settle()
	a.Pieces = strings.Join(pieces, " ")
}

// Refused checks an answer that refuses a request.
func (a Answer) Refused(t testing.TB, status int, body string) {
	t.Helper()
	if got := strings.TrimSpace(string(a.Body)); a.Status != status || got != body {
		t.Errorf("got %d %s, want %d %s", a.Status, got, status, body)
	}
	if got := a.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("the refusal is %q, want JSON", got)
	}
}
