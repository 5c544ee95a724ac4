package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
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

// TestAbandonedWork: what is computed for a client that has left is in the ledger.
func TestAbandonedWork(t *testing.T) {
	for detection, want := range map[engine.Detection]int{engine.AtOnce: 0, engine.AtNextToken: 1, engine.Never: 7} {
		synctest.Test(t, func(t *testing.T) {
			r := startWith(t, oneSlot(detection))
			defer r.stop()
			ctx, leave := context.WithCancel(t.Context())
			answer, err := r.post(ctx, "/v1/completions", `{"model":"m","prompt":"x","stream":true,"ignore_eos":true,"max_tokens":10}`)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(25 * ms) // three tokens are out, at 100, 110 and 120 ms
			leave()
			answer.Body.Close()
			time.Sleep(time.Second)
			e, _ := r.server.Ledger.Latest(10)
			if len(e) != 1 || e[0].AfterLeft != want || e[0].Generated != 3+want || e[0].Left != 125*ms {
				t.Errorf("detection %s: %+v, want 3 tokens, then %d after the client left at 125 ms", detection, e, want)
			}
		})
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

// TestNoLeaks: a thousand requests that their clients abort leave nothing behind.
func TestNoLeaks(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	s, addr, stop := on(t, Config{Models: []Model{oneSlot(engine.AtOnce)}})
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 50}}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			for n := range 50 {
				abort(t, client, addr, time.Duration((i*7+n)%20)*ms)
			}
		})
	}
	all.Wait()
	client.CloseIdleConnections()
	if entries, _ := s.Ledger.Latest(2000); len(entries) > 1000 {
		t.Errorf("%d requests in the ledger, of 1000", len(entries))
	}
	stop()
	goleak.VerifyNone(t, ignore)
}

// abort asks for an answer and leaves after a while.
func abort(t *testing.T, client *http.Client, addr string, after time.Duration) {
	ctx, cancel := context.WithTimeout(t.Context(), after)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "POST", "http://"+addr+"/v1/chat/completions", strings.NewReader(`{"model":"m","stream":true,"messages":[{"role":"user","content":"x"}]}`))
	if err != nil {
		t.Error(err)
		return
	}
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
