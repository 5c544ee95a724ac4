package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/fault"
	"halfsecond/pipeline"
)

// oneSlot is a model "m" that serves one request at a time: first token after 100 ms,
// then one every 10 ms.
func oneSlot(d engine.Detection) Model {
	return Model{Name: "m", Context: 10_000, Build: func(l pipeline.Scheduler) engine.Engine {
		return engine.NewDetector(engine.DetectorConfig{Detection: d},
			engine.NewSlots(l, engine.SlotsConfig{Service: engine.Fixed{TTFT: 100 * ms, TPOT: 10 * ms}, Slots: 1, MaxContext: 10_000}))
	}}
}

// on runs a server on a real socket, and returns its address and what ends it.
func on(t *testing.T, c Config) (s *Server, addr string, stop func()) {
	t.Helper()
	c.Loop = pipeline.NewPreciseWall()
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		if err := s.Run(ctx, ln); err != nil {
			t.Error(err)
		}
	})
	return s, ln.Addr().String(), func() { cancel(); done.Wait() }
}

// begin asks for a long answer over a connection of its own and returns when its first
// token is there, with the time that took and what hangs up.
func begin(t *testing.T, addr string) (first time.Duration, hangUp func()) {
	t.Helper()
	from := time.Now()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	body := `{"model":"m","prompt":"x","stream":true,"ignore_eos":true,"max_tokens":5000}`
	if _, err := fmt.Fprintf(conn, "POST /v1/completions HTTP/1.1\r\nHost: mock\r\nContent-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewReader(conn); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(line, "data: ") {
			return time.Since(from), func() { conn.Close() }
		}
	}
}

// TestSlotIsFreed: who comes after a client that hung up in the middle of its answer
// waits no longer than at an idle server, over a real socket.
func TestSlotIsFreed(t *testing.T) {
	_, addr, stop := on(t, Config{Models: []Model{oneSlot(engine.AtOnce)}})
	defer stop()
	idle, hangUp := begin(t, addr)
	time.Sleep(50 * ms)
	hangUp()
	next, hangUp := begin(t, addr)
	hangUp()
	if next > 2*idle {
		t.Errorf("first token after %s, at an idle server after %s", next, idle)
	}
}

// TestAbandonedWork: a hang-up in the prompt and one in the answer are noticed as late as
// the setting says, and what is computed for a client that has left is in the ledger and
// in the metrics. The setting that is used when none is made is the first.
func TestAbandonedWork(t *testing.T) {
	if new(engine.DetectorConfig).Detection != engine.AtOnce {
		t.Error("hang-ups are not noticed at once by default")
	}
	for _, c := range []struct {
		detection engine.Detection
		left      time.Duration
		out, more int           // tokens when the client leaves, and after that
		ended     time.Duration // when the engine is free again
	}{
		{engine.AtOnce, 50 * ms, 0, 0, 50 * ms},
		{engine.AtOnce, 125 * ms, 3, 0, 125 * ms},
		{engine.AtNextToken, 50 * ms, 0, 1, 100 * ms},
		{engine.AtNextToken, 125 * ms, 3, 1, 130 * ms},
		{engine.AtPrefillEnd, 50 * ms, 0, 1, 100 * ms},
		{engine.AtPrefillEnd, 125 * ms, 3, 0, 125 * ms},
		{engine.Never, 50 * ms, 0, 10, 190 * ms},
		{engine.Never, 125 * ms, 3, 7, 190 * ms},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := startWith(t, oneSlot(c.detection))
			defer r.stop()
			ctx, leave := context.WithTimeout(t.Context(), c.left)
			defer leave()
			answer, err := r.post(ctx, "/v1/completions", `{"model":"m","prompt":"x","stream":true,"ignore_eos":true,"max_tokens":10}`)
			if err == nil {
				_, _ = io.Copy(io.Discard, answer.Body) // until the client leaves
				answer.Body.Close()
			}
			time.Sleep(time.Second)
			e, _ := r.server.Ledger.Latest(10)
			if len(e) != 1 || e[0].AfterLeft != c.more || e[0].Generated != c.out+c.more || e[0].Left != c.left || e[0].Ended != c.ended {
				t.Errorf("detection %s: %+v, want %d tokens, then %d until %s, after the client left at %s", c.detection, e, c.out, c.more, c.ended, c.left)
			}
			if got := metric(t, r, `mock_abandoned_tokens_total{model="m"}`); got != strconv.Itoa(c.more) {
				t.Errorf("detection %s: %s tokens in the metrics, want %d", c.detection, got, c.more)
			}
			r.free(c.ended)
		})
	}
}

// free checks that the one request in the log of /v1/halfsecond/requests ended then.
func (r *rig) free(at time.Duration) {
	r.t.Helper()
	answer, err := r.client.Get("http://mock/v1/halfsecond/requests")
	if err != nil {
		r.t.Fatal(err)
	}
	defer answer.Body.Close()
	var page struct {
		Requests []struct {
			Ended float64 `json:"ended_ms"`
			Path  string
			Left  *float64 `json:"left_ms"`
		}
	}
	if err := json.NewDecoder(answer.Body).Decode(&page); err != nil {
		r.t.Fatal(err)
	}
	if p := page.Requests; len(p) != 1 || p[0].Ended != float64(at)/1e6 || p[0].Left == nil || p[0].Path != "/v1/completions" {
		r.t.Errorf("the log says %+v, want one that ended at %s", page, at)
	}
}

// TestStopWhileHeldUp: an answer that a fault holds up when the server ends is broken off,
// and does not look as if it were whole.
func TestStopWhileHeldUp(t *testing.T) {
	for _, rule := range []string{"stall at 1 for 1h", "stall at 3 for 1h", "slow_headers 1h", "drip bytes 1 every 1h", "cold_start 1h"} {
		synctest.Test(t, func(t *testing.T) {
			r := start(t)
			list, err := fault.ParsePhrase(rule)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.server.Faults.Replace(list); err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(10*time.Second, r.stop)
			answer, err := r.post(t.Context(), "/v1/completions", `{"model":"m","prompt":"x","stream":true,"ignore_eos":true,"max_tokens":10}`)
			if err == nil {
				_, err = io.ReadAll(answer.Body)
				answer.Body.Close()
			}
			if err == nil {
				t.Errorf("%s: the answer looks whole", rule)
			}
			time.Sleep(time.Second)
		})
	}
}

// TestLeftWhileLoading: who hangs up while a model is loaded is in the ledger.
func TestLeftWhileLoading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		defer r.stop()
		if err := r.server.Faults.Replace(fault.Rule{Effects: fault.Effects{ColdStart: &fault.ColdStart{Load: time.Hour}}}); err != nil {
			t.Fatal(err)
		}
		ctx, leave := context.WithTimeout(t.Context(), 3*time.Second)
		defer leave()
		if _, err := r.post(ctx, "/v1/completions", `{"model":"m","prompt":"x"}`); err == nil {
			t.Error("there was an answer")
		}
		synctest.Wait()
		e, _ := r.server.Ledger.Latest(10)
		if len(e) != 1 || e[0].Outcome != pipeline.Cancelled || e[0].Left != 3*time.Second || e[0].Model != "m" || e[0].Fault != "cold_start" {
			t.Errorf("%+v, want one that was given up after 3 s", e)
		}
	})
}

// TestNoLeaks: a thousand requests that their clients abort, while they wait, in the
// prompt, in the middle of an answer or of a fault, leave nothing behind.
func TestNoLeaks(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	s, addr, stop := on(t, Config{Models: []Model{{Name: "m", Context: 10_000, Build: func(l pipeline.Scheduler) engine.Engine {
		return engine.NewSlots(l, engine.SlotsConfig{Service: engine.Fixed{TTFT: 2 * ms, TPOT: 2 * ms}, Slots: 8, MaxContext: 10_000})
	}}}})
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 50}}
	phrases := []string{"", "", "", "stall at 2 for 1h", "slow_headers 1h", "buffer whole", "drip bytes 1 every 1h"}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			for n := range 50 {
				abort(t, client, addr, phrases[n%len(phrases)], time.Duration(1+(i*7+n)%20)*ms)
			}
		})
	}
	all.Wait()
	client.CloseIdleConnections()
	stop()
	goleak.VerifyNone(t, ignore)
	entries, _ := s.Ledger.Latest(2000)
	waited, begun := 0, 0
	for _, e := range entries {
		switch {
		case e.Outcome != pipeline.Cancelled:
			t.Fatalf("one was not aborted: %+v", e)
		case e.Generated == 0:
			waited++
		default:
			begun++
		}
	}
	if len(entries) > 1000 || waited < 50 || begun < 50 {
		t.Errorf("%d of 1000 requests in the ledger, %d before their first token and %d after it: want some of each", len(entries), waited, begun)
	}
}

// abort asks for a long answer, with something that goes wrong, and leaves after a while.
func abort(t *testing.T, client *http.Client, addr, phrase string, after time.Duration) {
	ctx, cancel := context.WithTimeout(t.Context(), after)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "POST", "http://"+addr+"/v1/chat/completions", strings.NewReader(`{"model":"m","stream":true,"ignore_eos":true,"max_tokens":5000,"messages":[{"role":"user","content":"x"}]}`))
	if err != nil {
		t.Error(err)
		return
	}
	r.Header.Set(fault.Header, phrase)
	if answer, err := client.Do(r); err == nil {
		_, _ = io.Copy(io.Discard, answer.Body) // until the time is over
		answer.Body.Close()
	}
}

// TestFaultsInStreams: rules go wrong at their token, at its instant, in the streams of
// the server.
func TestFaultsInStreams(t *testing.T) {
	for _, c := range []struct{ name, fault, want string }{
		{"stall", "stall at 2 for 50ms", `100 "one" | 160 " two" | 160 " three" | 160 "" stop | 160 [DONE]`},
		{"early end", "end at 3", `100 "one" | 110 " two"`},
		{"error in a 200", "error at 2", `100 "one" | 110 {"error":`},
		{"slow headers", "slow_headers 30ms", `130 "one" | 130 " two" | 130 " three" | 130 "" stop | 130 [DONE]`},
		{"a proxy that holds all back", "buffer whole", `120 "one" | 120 " two" | 120 " three" | 120 "" stop | 120 [DONE]`},
		{"cured by the header", "buffer whole honours_header=true", `100 "one" | 110 " two" | 120 " three" | 120 "" stop | 120 [DONE]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := start(t)
				defer r.stop()
				from := time.Now()
				q, err := http.NewRequestWithContext(t.Context(), "POST", "http://mock/v1/completions", strings.NewReader(`{"model":"m","prompt":"x","stream":true,"mock_answer":"one two three"}`))
				if err != nil {
					t.Fatal(err)
				}
				q.Header.Set("Halfsecond-Fault", c.fault)
				answer, err := r.client.Do(q)
				if err != nil {
					t.Fatal(err)
				}
				defer answer.Body.Close()
				got := strings.Join(events(t, answer.Body, from), " | ")
				if !strings.HasPrefix(got, c.want) || c.name != "error in a 200" && got != c.want {
					t.Errorf("\n got %s\nwant %s", got, c.want)
				}
				if e, _ := r.server.Ledger.Latest(1); len(e) != 1 || e[0].Fault == "" {
					t.Errorf("the ledger does not tell of the fault: %+v", e)
				}
			})
		})
	}
}

// TestNoKey: without a key of the user's, any or none will do, however it is sent.
func TestNoKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		defer r.stop()
		for _, c := range []struct{ header, value string }{
			{"", ""}, {"Authorization", "Bearer sk-any"}, {"X-Api-Key", "any"}, {"Authorization", "nonsense"}, {"Authorization", ""},
		} {
			for _, path := range []string{"/v1/models", "/v1beta/models", "/v1/halfsecond/faults"} {
				q, err := http.NewRequestWithContext(t.Context(), "GET", "http://mock"+path, nil)
				if err != nil {
					t.Fatal(err)
				}
				if c.header != "" {
					q.Header.Set(c.header, c.value)
				}
				answer, err := r.client.Do(q)
				if err != nil {
					t.Fatal(err)
				}
				answer.Body.Close()
				if answer.StatusCode != http.StatusOK {
					t.Errorf("%s with %s %q: status %d", path, c.header, c.value, answer.StatusCode)
				}
			}
		}
	})
}

// TestKey: who has no key is turned away in the words of the protocol, whatever way the
// others send theirs.
func TestKey(t *testing.T) {
	_, addr, stop := on(t, Config{Models: []Model{oneSlot(engine.AtOnce)}, Key: "sk-1"})
	defer stop()
	get := func(path, header, value string) (int, string) {
		q, err := http.NewRequest("GET", "http://"+addr+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if header != "" {
			q.Header.Set(header, value)
		}
		answer, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(body)
	}
	for _, c := range []struct {
		path, header, value string
		status              int
	}{
		{"/v1/models", "", "", 401},
		{"/v1/models", "Authorization", "Bearer sk-2", 401},
		{"/v1/models", "Authorization", "Bearer sk-1", 200},
		{"/v1/models", "Authorization", "Token sk-1", 200},
		{"/v1/models", "Authorization", "sk-1", 200},
		{"/v1/models", "X-Api-Key", "sk-1", 200},
		{"/v1/models", "Xi-Api-Key", "sk-1", 200},
		{"/v1beta/models", "X-Goog-Api-Key", "sk-1", 200},
		{"/v1beta/models?key=sk-1", "", "", 200},
		{"/v1/halfsecond/requests", "", "", 401},
		{"/v1/halfsecond/faults", "X-Api-Key", "sk-2", 401},
		{"/v1/halfsecond/faults/x", "", "", 401},
		{"/v1/halfsecond/faults", "X-Api-Key", "sk-1", 200},
		{"/health", "", "", 200},
		{"/metrics", "", "", 200},
	} {
		status, body := get(c.path, c.header, c.value)
		if status != c.status || strings.Contains(body, "sk-1") {
			t.Errorf("%s with %s %q: status %d, want %d; %s", c.path, c.header, c.value, status, c.status, body)
		}
	}
	if _, body := get("/v1beta/models", "", ""); !strings.Contains(body, `"status":"UNAUTHENTICATED"`) {
		t.Errorf("Gemini's refusal: %s", body)
	}
}
