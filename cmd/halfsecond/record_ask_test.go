package main

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"halfsecond/mockllm/token"
)

// TestQuestions: each request has its prompt, and together they have as many tokens as was
// said before.
func TestQuestions(t *testing.T) {
	for name, q := range map[string]questions{
		"a file":          {lines: []string{"One.", "How are you today?", "Tell me more about that."}},
		"without meaning": {tokens: 30, salt: 7},
	} {
		for n := range 8 {
			want := 0
			for i := range n {
				want += token.Count(q.text(i))
			}
			if got := q.count(n); got != want {
				t.Errorf("%s: %d tokens in %d prompts, want %d", name, got, n, want)
			}
		}
		if q.text(0) == q.text(1) || (q.text(0) == q.text(3)) != (len(q.lines) > 0) {
			t.Errorf("%s: %q, %q, %q, %q", name, q.text(0), q.text(1), q.text(2), q.text(3))
		}
	}
}

// TestTooMuchIsAsked: what is over a cap is said at once, however much it is.
func TestTooMuchIsAsked(t *testing.T) {
	most := recordAsking{}
	most.addGuard(pflag.NewFlagSet("", pflag.ContinueOnError)) // its defaults
	most.requests, most.prompt, most.answer, most.maxTokens = mostAsked, mostAsked, mostAsked, mostAsked
	q, err := most.questions()
	if err := errors.Join(err, most.validate()); err != nil {
		t.Fatal(err)
	}
	if e := most.estimate(q); e.Tokens() != 2*mostAsked*mostAsked || most.over(priced{Estimate: e}) == nil {
		t.Errorf("%+v, want it over the cap", e)
	}
	most.requests = math.MaxInt
	if err := most.validate(); err == nil || !strings.Contains(err.Error(), "--requests 9223372036854775807: want at most 1000000000") {
		t.Errorf("error %v", err)
	}
}

// greedy is a server that counts 160 tokens in every prompt.
func greedy() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" word\"},\"finish_reason\":\"stop\"}]}\n\n"+
			"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":160,\"completion_tokens\":8}}\n\ndata: [DONE]\n\n")
	}))
}

// TestRecordingEndsAtACap: nothing more would be sent, so that no pause is waited for. What
// the server counted of the first prompt the next ones stand for, so that the cap holds.
func TestRecordingEndsAtACap(t *testing.T) {
	server := greedy()
	defer server.Close()
	start := time.Now()
	code, out, errs := halfsecond(t, "record", server.URL+"/v1", "--model", "m", "--out", filepath.Join(t.TempDir(), "x.gz"),
		"--requests", "20", "--prompt-tokens", "16", "--answer", "8", "--pause", "400ms", "--max-tokens", "500")
	if code != exitUnmeasured || !strings.Contains(errs, "the recording did not finish (over the cap of 500 tokens): it has 2 of 20 requests") {
		t.Errorf("exit code %d, %s", code, errs)
	}
	if want := "left out 18 requests: over the cap of 500 tokens\n"; !strings.Contains(out, want) {
		t.Errorf("%s; want %s", out, want)
	}
	if took := time.Since(start); took > 4*time.Second {
		t.Errorf("it took %s", took)
	}
}
