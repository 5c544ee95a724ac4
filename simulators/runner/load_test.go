package runner

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/arrival"
)

const replayed = `halfsecond: 1
kind: bench
name: replayed
arrivals: {process: trace, file: azure-code, speed: 4, skip: 10s}
warm_up: 3
bench: {lengths: trace, llm: {ttft: 10ms, tokens_per_second: 1000}}
`

// Every request of a trace is due when its row says and has its row's tokens, on the
// simulator and over a socket.
func TestReplayedTrace(t *testing.T) {
	conv, _ := arrival.BuiltinTrace("azure-code")
	first := 0
	for conv.Requests[first].At < 10*time.Second {
		first++
	}
	sim, mock := onBoth(t, replayed, 40)
	for target, run := range map[string]trace.Run{Sim: sim, Mock: mock} {
		for _, tr := range run.Traces {
			row := conv.Requests[first+tr.Session]
			r := tr.Requests[0]
			due := time.Duration(math.Round(float64(row.At-10*time.Second) / 4))
			if tr.Due != due || r.PromptTokens != row.PromptTokens || r.OutputTokens != row.OutputTokens || tr.Session < 3 {
				t.Fatalf("%s: request %d is due at %s with %d and %d tokens, want %s, %d and %d", target, tr.Session,
					tr.Due, r.PromptTokens, r.OutputTokens, due, row.PromptTokens, row.OutputTokens)
			}
		}
	}
}

func TestTraceTooShort(t *testing.T) {
	_, err := Run(t.Context(), parse(t, replayed), Settings{Target: Sim, Seed: 1, N: 9000})
	want := "run replayed: the trace azure-code has 8807 requests in what is played of it, and the run takes 9003: ask for fewer with n or warm_up, or loop: true plays it again"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// Users who come over 10 s begin 2.5 s apart, and what the report needs to find the
// start-up is in the header.
func TestUsersJoin(t *testing.T) {
	run := judged(t, `halfsecond: 1
kind: bench
name: joining
arrivals: {process: closed, users: 4, think: 1s, joining: 10s}
warm_up: auto
bench: {output_tokens: 1, llm: {ttft: 10ms, tokens_per_second: 1000}}
`, 40)
	for _, tr := range run.Traces {
		// An answer takes 10 ms, and the next question comes 1 s after it.
		want := time.Duration(tr.Session)*2500*ms + time.Second + time.Duration(tr.Index)*1010*ms
		if tr.Due != want {
			t.Errorf("user %d asks for the %d. time at %s, want %s", tr.Session, tr.Index+1, tr.Due, want)
		}
	}
	if got, want := run.Header.Load, (trace.Load{FindStartUp: true, Users: 4, Settling: 7500 * ms}); got != want {
		t.Errorf("load %+v, want %+v", got, want)
	}
}

// counter is a server that counts so many tokens for one of ours, and so many more a
// prompt, and says what it was asked.
type counter struct {
	perWord, extra float64
	silent         bool     // about usage
	prompts        []string // of all requests
}

func (c *counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		fmt.Fprint(w, `{"data":[{"id":"m"}]}`)
		return
	}
	var asked struct{ Messages []struct{ Content string } }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	text := asked.Messages[len(asked.Messages)-1].Content
	c.prompts = append(c.prompts, text)
	time.Sleep(20 * ms)
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"yes\"},\"finish_reason\":\"stop\"}]}\n\n")
	if !c.silent {
		fmt.Fprintf(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":1}}\n\n", c.count(text))
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func (c *counter) count(text string) int {
	return int(math.Round(c.perWord*float64(token.Count(text)) + c.extra))
}

const sized = `halfsecond: 1
kind: bench
name: sized
arrivals: {process: constant, every: 100ms}
bench: {prompt_tokens: %s, output_tokens: 1, shared_prefix: %s, llm: {ttft: 10ms, tokens_per_second: 1000}}
`

// asks runs a scenario against a counter over a network in memory.
func asks(t *testing.T, c *counter, text string, set Settings) (run trace.Run) {
	t.Helper()
	s := parse(t, text)
	synctest.Test(t, func(t *testing.T) {
		n := memory()
		ln, err := n.listen()
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{Handler: c}
		ended := make(chan error, 1)
		go func() { ended <- server.Serve(ln) }()
		set.Target, set.Seed, set.network = Endpoint, 1, n
		set.Endpoint = endpoint.Config{URL: "http://counter/v1", Protocol: dialect.OpenAIChat, Model: "m", DialContext: n.dial}
		if run, err = Run(t.Context(), s, set); err != nil || !run.Footer.Finished {
			t.Errorf("footer %+v, error %v", run.Footer, err)
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		<-ended
	})
	return run
}

// The first prompt has as many of our tokens as were asked of the server's; from the
// third on the line is known and every prompt has the right count, or the nearest that
// whole tokens of ours make.
func TestPromptsAreCalibrated(t *testing.T) {
	for _, c := range []struct {
		name           string
		perWord, extra float64
		asked          string
	}{
		{"as we count", 1, 0, "300"},
		{"a template", 1, 29, "300"},
		{"finer", 1.4, 20, "{uniform: [200, 900]}"},
	} {
		server := &counter{perWord: c.perWord, extra: c.extra}
		plain := asks(t, &counter{perWord: 1}, fmt.Sprintf(sized, c.asked, "0"), Settings{N: 30})
		run := asks(t, server, fmt.Sprintf(sized, c.asked, "0"), Settings{N: 30, Salt: 5})
		for i, tr := range run.Traces {
			want := plain.Traces[i].Requests[0].PromptTokens // what was asked for
			got := tr.Requests[0].PromptTokens
			if limit := int(math.Ceil(c.perWord / 2)); i >= 10 && (got < want-limit || got > want+limit) {
				t.Errorf("%s: prompt %d has %d tokens, want %d", c.name, i, got, want)
			}
		}
		p := run.Footer.Prompts
		if p.Learned != 8 || p.Blind != 1 || math.Abs(p.PerWord-c.perWord) > .02 || math.Abs(p.Extra-c.extra) > 6 || run.Header.Load.Salt != 5 {
			t.Errorf("%s: %+v, %+v", c.name, p, run.Header.Load)
		}
	}
}

// A server that says nothing of its tokens gets prompts of ours, and the run says so.
func TestNothingToCalibrateBy(t *testing.T) {
	server := &counter{silent: true}
	run := asks(t, server, fmt.Sprintf(sized, "300", "0"), Settings{N: 5})
	if p := run.Footer.Prompts; p != (trace.Prompts{Blind: 5}) {
		t.Errorf("prompts %+v, want 5 made blind", p)
	}
	for _, text := range server.prompts {
		if n := token.Count(text); n != 300 {
			t.Errorf("a prompt of %d tokens, want 300", n)
		}
	}
}

// Two runs with one seed send the same prompts without a salt, and share no beginning
// with one; the same salt makes the same again.
func TestSaltedRuns(t *testing.T) {
	prompts := func(salt uint64, shared string) []string {
		server := &counter{perWord: 1}
		asks(t, server, fmt.Sprintf(sized, "50", shared), Settings{N: 10, Salt: salt})
		return server.prompts
	}
	plain, again, salted := prompts(0, "0"), prompts(0, "0"), prompts(9, "0")
	beginnings := map[string]int{}
	for i := range plain {
		if plain[i] != again[i] {
			t.Errorf("prompt %d differs without a salt", i)
		}
		beginnings[token.Prefix(plain[i], 1)]++
		beginnings[token.Prefix(salted[i], 1)]++
	}
	if len(beginnings) != 20 {
		t.Errorf("20 prompts begin in %d ways", len(beginnings))
	}
	if same := prompts(9, "0"); same[3] != salted[3] {
		t.Error("one salt makes different prompts")
	}
	shared := prompts(9, "40%")
	for _, text := range shared {
		if token.Prefix(text, 20) != token.Prefix(shared[0], 20) || token.Prefix(text, 21) == token.Prefix(shared[0], 21) && text != shared[0] {
			t.Errorf("%q and %q share other than 20 tokens", text, shared[0])
		}
	}
}
