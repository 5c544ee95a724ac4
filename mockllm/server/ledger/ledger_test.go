package ledger

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
)

const ms = time.Millisecond

// chat is an entry of a language model.
func chat(model string, arrived time.Duration) Entry {
	return Entry{
		ID: "chatcmpl-1", Protocol: "openai", Path: "/v1/chat/completions", Model: model,
		Arrived: arrived, Started: arrived + 2*ms, First: arrived + 12*ms, Ended: arrived + 30*ms, Left: pipeline.Unknown,
		Prompt: 5, Cached: 4, Generated: 3, Outcome: pipeline.OK, Finish: "stop",
	}
}

// shown returns what the ledger answers to a query.
func shown(t *testing.T, l *Ledger, query string) (status int, text string) {
	t.Helper()
	w := httptest.NewRecorder()
	l.Show(w, httptest.NewRequest("GET", "/v1/halfsecond/requests"+query, nil))
	return w.Code, strings.TrimSpace(w.Body.String())
}

func TestShow(t *testing.T) {
	l := New(Config{Began: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)})
	l.Add(chat("m", 1000*ms))
	l.Add(Entry{
		Protocol: "openai speech", Path: "/v1/audio/speech", Model: "tts-1", Arrived: 1500 * ms, Started: 1500 * ms, First: pipeline.Unknown,
		Ended: 1600 * ms, Left: 1600 * ms, Characters: 38, Outcome: pipeline.Cancelled, Reason: "hung up", Fault: "stalled",
	})
	const (
		first = `{"id":"chatcmpl-1","protocol":"openai","path":"/v1/chat/completions","model":"m","at":"2026-01-01T00:00:01Z",` +
			`"arrived_ms":1000,"started_ms":1002,"first_ms":1012,"ended_ms":1030,"left_ms":null,"queue_ms":2,"prefill_ms":10,"decode_ms":18,` +
			`"prompt_tokens":5,"cached_tokens":4,"generated_tokens":3,"generated_after_left":0,"outcome":"ok","finish_reason":"stop"}`
		second = `{"protocol":"openai speech","path":"/v1/audio/speech","model":"tts-1","at":"2026-01-01T00:00:01.5Z",` +
			`"arrived_ms":1500,"started_ms":1500,"first_ms":null,"ended_ms":1600,"left_ms":1600,` +
			`"characters":38,"outcome":"cancelled","reason":"hung up","fault":"stalled"}`
		end = `],"dropped":0,"writes":{"n":0,"mean_ms":null,"p50_ms":null,"p99_ms":null,"max_ms":null,"limit_p99_ms":5,"fit":null}}`
	)
	for query, want := range map[string]string{
		"":             `{"requests":[` + first + "," + second + end,
		"?limit=1":     `{"requests":[` + second + end,
		"?model=m":     `{"requests":[` + first + end,
		"?model=other": `{"requests":[` + end,
		// the limit is of those that are shown
		"?model=m&limit=1": `{"requests":[` + first + end,
	} {
		if status, got := shown(t, l, query); status != 200 || got != want {
			t.Errorf("%q: status %d\n got %s\nwant %s", query, status, got, want)
		}
	}
	if status, got := shown(t, l, "?limit=x"); status != 400 || got != `{"error":{"message":"limit \"x\": want a whole number of at least 1","type":"invalid_request_error","param":null,"code":null}}` {
		t.Errorf("status %d, %s", status, got)
	}
}

// TestKept: the oldest go first, and are counted.
func TestKept(t *testing.T) {
	l := New(Config{Kept: 2})
	for i := range 5 {
		l.Add(chat("m", time.Duration(i)*time.Second))
	}
	got, dropped := l.Latest(10)
	if len(got) != 2 || got[0].Arrived != 3*time.Second || got[1].Arrived != 4*time.Second || dropped != 3 {
		t.Errorf("%d kept, %d dropped: %+v", len(got), dropped, got)
	}
	l.Clear()
	if got, dropped := l.Latest(10); len(got) != 0 || dropped != 0 {
		t.Errorf("after Clear: %+v, %d dropped", got, dropped)
	}
}

// TestForeignNames: what clients write where a model's name stands neither breaks the
// ledger nor fills it.
func TestForeignNames(t *testing.T) {
	l := New(Config{})
	l.Add(Entry{Model: "\xff", Path: "/v1/\xfe", Protocol: "deepgram", Outcome: pipeline.Refused})
	long := strings.Repeat("é", 1<<20)
	l.Add(Entry{Model: long, Path: long, Reason: long, Protocol: "deepgram", Outcome: pipeline.Refused})
	e, _ := l.Latest(10)
	if e[0].Model != "\ufffd" || e[0].Path != "/v1/\ufffd" {
		t.Errorf("kept %q at %q", e[0].Model, e[0].Path)
	}
	if n := [3]int{len(e[1].Model), len(e[1].Path), len(e[1].Reason)}; n != [3]int{mostModel, mostPath, mostReason} {
		t.Errorf("of long texts so many bytes are kept: %d", n)
	}
}

// TestMetricsOfModels: names that nobody serves share one time series when there are too
// many; one that is served keeps its own.
func TestMetricsOfModels(t *testing.T) {
	l := New(Config{})
	l.Gaps("served")
	for i := range 2 * mostModels {
		l.Add(Entry{Model: fmt.Sprint("m", i), Protocol: "openai", Outcome: pipeline.Refused})
	}
	l.Add(Entry{Model: "served", Protocol: "openai", Outcome: pipeline.Refused, Fault: "busy, late"})
	w := httptest.NewRecorder()
	l.Metrics().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	page := w.Body.String()
	for _, line := range []string{
		`mock_requests_total{model="(other)",outcome="refused",protocol="openai"} 501`,
		`mock_requests_total{model="m498",outcome="refused",protocol="openai"} 1`,
		`mock_requests_total{model="served",outcome="refused",protocol="openai"} 1`,
		`mock_faults_total{rule="busy"} 1`, `mock_faults_total{rule="late"} 1`,
	} {
		if !strings.Contains(page, line+"\n") {
			t.Errorf("not in the metrics: %s", line)
		}
	}
	if n := strings.Count(page, "mock_requests_total{"); n != mostModels+1 {
		t.Errorf("%d series, want %d", n, mostModels+1)
	}
}

func TestWrites(t *testing.T) {
	l := New(Config{Limit: 3 * ms})
	report := func() WriteReport { return l.Writes.Report() }
	if r := report(); r.String() != "no write of a stream was measured" || r.Fit() || r.Judged() || !math.IsNaN(r.gauge()) {
		t.Errorf("at first: %s, fit %t", r, r.Fit())
	}
	for range 99 {
		l.Writes.Add(ms)
	}
	if r := report(); r.String() != "99 writes, late by 1ms in the mean, 1ms at most: too few writes to judge by, 100 are needed" || r.Fit() || r.gauge() == 1 {
		t.Errorf("after 99: %s, fit %t", r, r.Fit())
	}
	l.Writes.Add(-ms) // a clock that goes back
	if r := report(); !r.Fit() || r.P99 != ms || r.gauge() != 1 {
		t.Errorf("after 100: %s", r)
	}
	for range 10 {
		l.Writes.Add(20 * ms)
	}
	r := report()
	if want := "110 writes, late by 2.718ms in the mean, 20ms at p99, 20ms at most: UNFIT, p99 is above 3ms"; r.String() != want || r.Fit() || r.gauge() != 0 {
		t.Errorf("after 110: %s, fit %t; want %s", r, r.Fit(), want)
	}
	if want := "n=110 mean_us=2718 p50_us=1000 p99_us=20000 max_us=20000 fit=false"; r.Header() != want {
		t.Errorf("header %q, want %q", r.Header(), want)
	}
	var rec map[string]any
	text, err := json.Marshal(r.record())
	if err != nil || json.Unmarshal(text, &rec) != nil || rec["fit"] != false || rec["max_ms"] != 20.0 {
		t.Errorf("record %s, %v", text, err)
	}
}
