package runner

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/price"
	"halfsecond/pipeline/trace"
)

const fewTurns = `halfsecond: 1
kind: bench
name: few
arrivals: {process: constant, every: 10s}
warm_up: 2
bench: {prompt_tokens: 40, output_tokens: 8, llm: {ttft: 1ms, tokens_per_second: 1000}}
budgets: [p50(ttft) < 20s]
`

// askHandler runs fewTurns against a handler, in a bubble.
func askHandler(t *testing.T, n int, c endpoint.Config, h http.HandlerFunc) (run trace.Run) {
	t.Helper()
	s := parse(t, fewTurns)
	synctest.Test(t, func(t *testing.T) {
		net := memory()
		ln, err := net.listen()
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{Handler: h}
		ended := make(chan struct{})
		go func() { defer close(ended); _ = server.Serve(ln) }() // ends with Close
		c.URL, c.Protocol, c.Model, c.DialContext = "http://guard/v1", dialect.OpenAIChat, "m", net.dial
		run, err = Run(t.Context(), s, Settings{Target: Endpoint, Seed: 1, N: n, Endpoint: c, network: net})
		if err != nil {
			t.Error(err)
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		<-ended
	})
	return run
}

// TestInterruptedBeforeItBegan: what broke off then is said to be the user's doing, not the
// endpoint's.
func TestInterruptedBeforeItBegan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		mem := memory()
		dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
			cancel()
			<-ctx.Done()
			return nil, ctx.Err()
		}
		_, err := Run(ctx, parse(t, fewTurns), Settings{Target: Endpoint, Seed: 1, N: 1, network: mem, Endpoint: endpoint.Config{URL: "http://guard/v1", Protocol: dialect.OpenAIChat, Model: "m", DialContext: dial}})
		if !errors.Is(err, ErrInterrupted) || err.Error() != "run few on endpoint: interrupted" {
			t.Errorf("error %v, want that it was interrupted", err)
		}
	})
}

// words streams an answer of so many chunks, each a second after the other, with its usage;
// a negative number goes on for ever.
func words(n int, usage string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for i := 0; i != n; i++ {
			if _, err := fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" word\"}}]}\n\n"); err != nil {
				return
			}
			w.(http.Flusher).Flush()
			select {
			case <-time.After(time.Second):
			case <-r.Context().Done():
				return
			}
		}
		fmt.Fprintf(w, "data: {\"choices\":[],\"usage\":%s}\n\ndata: [DONE]\n\n", usage)
	}
}

// TestGuardOfRun: the header says what bounded a run, the footer what it used, warm-up
// included, and a request that there is no money for is not sent.
func TestGuardOfRun(t *testing.T) {
	p := price.Price{Input: 1000, Cached: price.Unpublished, Output: 10_000, Source: "a test"}
	// A call stands for 40 tokens of prompt and 8 of answer: 120,000. Each costs 30 and 3: 60,000.
	run := askHandler(t, 5, endpoint.Config{
		MaxRequests: 100, MaxTokens: 9000, MaxCost: 300_000, Price: p, MaxBytes: 1 << 20,
		Limits: endpoint.Limits{Connect: time.Second, FirstByte: 2 * time.Second, Gap: 3 * time.Second, Whole: 4 * time.Second},
	}, words(3, `{"prompt_tokens":30,"completion_tokens":3}`))
	want := trace.Endpoint{
		Stage: "llm", URL: "http://guard/v1", Protocol: "openai-chat", Model: "m", MaxRequests: 100, MaxTokens: 9000, MaxCost: 300_000, PerUser: 1,
		Limits: trace.Limits{Connect: time.Second, FirstByte: 2 * time.Second, Gap: 3 * time.Second, Whole: 4 * time.Second, Bytes: 1 << 20}, Price: p,
	}
	if len(run.Header.Endpoints) != 1 || run.Header.Endpoints[0] != want {
		t.Errorf("endpoints %+v\nwant %+v", run.Header.Endpoints, want)
	}
	// Of 7 requests 4 fit: after the fourth 240,000 are spent, and a fifth may take 120,000.
	if got := run.Footer.Used; len(got) != 1 || got[0] != (trace.Used{Model: "m", Tally: price.Tally{Requests: 4, Counted: price.Tokens{Prompt: 120, Output: 12}}}) {
		t.Errorf("used %+v", got)
	}
	for i := range run.Traces {
		if o := run.Traces[i].Outcome; o != pipeline.OK {
			t.Errorf("trace %d is %s: what the cap kept back says nothing of the server", i, o)
		}
	}
	if f := run.Footer; len(run.Traces) != 2 || f.N != 2 || f.Finished || f.Reason != "over the cap of 0.0000003 USD" {
		t.Errorf("%d traces, footer %+v; want the 2 that were sent after 2 of warm-up, and the cap", len(run.Traces), f)
	}
	if c := run.Cost(); !c.Known || c.Least != 240_000 || c.Most != 240_000 {
		t.Errorf("cost %+v, want 240000", c)
	}
}

// TestEndlessAnswers: a server that never stops ends a run all the same, at the limit of
// the whole or of the chunks, whichever comes first.
func TestEndlessAnswers(t *testing.T) {
	for _, c := range []struct {
		whole   time.Duration
		outcome pipeline.Outcome
		reason  string
		after   time.Duration
	}{
		{100 * time.Second, pipeline.Timeout, "no end within 1m40s (--limit-whole)", 100 * time.Second},
		{1000 * time.Second, pipeline.Error, "the answer went on past the tokens asked for: more than 8 chunks of output came for each of them and 256 beside", 320 * time.Second},
	} {
		run := askHandler(t, 3, endpoint.Config{Limits: endpoint.Limits{Whole: c.whole}}, words(-1, ""))
		if !run.Footer.Finished || len(run.Traces) != 3 {
			t.Fatalf("%d traces, footer %+v", len(run.Traces), run.Footer)
		}
		for i := range run.Traces {
			q := &run.Traces[i].Requests[0]
			if q.Outcome != c.outcome || q.Reason != c.reason || q.End-q.Sent != c.after {
				t.Errorf("%s, %q after %s; want %s, %q after %s", q.Outcome, q.Reason, q.End-q.Sent, c.outcome, c.reason, c.after)
			}
		}
	}
}
