package ledger

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/fault"
	"halfsecond/pipeline"
)

// TestRunning: a request is told of from its arrival, once.
func TestRunning(t *testing.T) {
	l := New(Config{})
	first := l.Begin(nil, Entry{Protocol: "openai", Path: "/v1/completions", Model: "m", Arrived: 5 * ms, Prompt: 3})
	second := l.Begin(nil, Entry{Model: strings.Repeat("x", 1000), Arrived: 6 * ms})
	_, got := l.Arrived()
	if len(got) != 2 || got[0].Model != "m" || !got[0].Running() || got[0].First != pipeline.Unknown || len(got[1].Model) != mostModel {
		t.Fatalf("under way are %+v", got)
	}
	if _, page := shown(t, l, "?running&model=m"); !strings.Contains(page, `"arrived_ms":5,"started_ms":null,"first_ms":null,"ended_ms":null,`) || !strings.Contains(page, `"outcome":"running"`) {
		t.Errorf("the page has %s", page)
	}
	if _, page := shown(t, l, ""); !strings.Contains(page, `"requests":[]`) {
		t.Errorf("without ?running the page has %s", page)
	}
	second.Forget()
	first.End(chat("m", 5*ms))
	if ended, running := l.Arrived(); len(running) != 0 || len(ended) != 1 || ended[0].Running() {
		t.Errorf("under way are %+v, ended %+v", running, ended)
	}
}

// TestWait: who waits for requests to end waits no longer than that, nor than it may.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Config{Kept: 1})
		began := time.Now()
		for i := range 3 {
			time.AfterFunc(time.Duration(i+1)*time.Second, func() { l.Add(chat("m", 0)) })
		}
		if !l.Wait(t.Context(), 3) || time.Since(began) != 3*time.Second {
			t.Errorf("waited %s, want 3s", time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if l.Wait(ctx, 4) || time.Since(began) != 4*time.Second {
			t.Errorf("waited %s, want 4s in vain", time.Since(began))
		}
	})
}

// TestSee: what an entry becomes when its client saw something else.
func TestSee(t *testing.T) {
	const never = pipeline.Unknown
	whole := Entry{Arrived: 10 * ms, Started: 10 * ms, First: 60 * ms, Ended: 80 * ms, Left: never, Finish: "stop"}
	for _, c := range []struct {
		name string
		saw  fault.Delivery
		want Entry
	}{
		{"nothing else", fault.Delivery{Streamed: true, First: 61 * ms, Last: 82 * ms, Left: never}, whole},
		{"a stream that was held back", fault.Delivery{Held: true, Streamed: true, First: 61 * ms, Wait: ms, Last: 90 * ms, Left: never}, Entry{Arrived: 10 * ms, Started: 10 * ms, First: 61 * ms, Ended: 90 * ms, Left: never, Finish: "stop"}},
		{"an answer that was held back", fault.Delivery{Held: true, First: 280 * ms, Wait: 200 * ms, Last: 280 * ms, Left: never}, Entry{Arrived: 10 * ms, Started: 10 * ms, First: 260 * ms, Ended: 280 * ms, Left: never, Finish: "stop"}},
		{"a load", fault.Delivery{Loaded: 7 * ms, First: 60 * ms, Last: 80 * ms, Left: never}, Entry{Arrived: 3 * ms, Started: 10 * ms, First: 60 * ms, Ended: 80 * ms, Left: never, Finish: "stop"}},
		{"nothing of it", fault.Delivery{Held: true, First: never, Last: never, Left: 500 * ms}, Entry{Arrived: 10 * ms, Started: 10 * ms, First: never, Ended: 500 * ms, Left: 500 * ms, Outcome: pipeline.Cancelled}},
		{"an end of a rule's", fault.Delivery{Streamed: true, First: 60 * ms, Last: 70 * ms, Left: never, Broken: pipeline.Truncated}, Entry{Arrived: 10 * ms, Started: 10 * ms, First: 60 * ms, Ended: 80 * ms, Left: never, Outcome: pipeline.Truncated, Reason: "a rule ended the answer"}},
	} {
		got := whole
		if got.see(c.saw); got != c.want {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, got, c.want)
		}
	}
}
