package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/observe"
	sessions "halfsecond/simulators/ide/recording"
)

// overheard is output that may be looked at while it is written.
type overheard struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (h *overheard) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(b)
}

func (h *overheard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}

// mocked runs the command mock until the test stops it, and returns its URL.
func mocked(t *testing.T, args ...string) (url string, out *overheard, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out = &overheard{}
	root := newRootCmd(&program{out: out, err: out})
	root.SetArgs(append([]string{"mock", "--addr", "127.0.0.1:0"}, args...))
	ended := make(chan error, 1)
	go func() { ended <- root.ExecuteContext(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("mock: %v\n%s", err, out)
		}
	})
	t.Cleanup(stop)
	for range 1000 {
		if m := regexp.MustCompile(`http://[0-9.:]+`).FindString(out.String()); m != "" && strings.Contains(out.String(), "Ctrl-C") {
			return m, out, stop
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("no URL in %s", out)
	return "", nil, nil
}

// plugged is a scenario of one person who types fast, and a plugin.
const plugged = `halfsecond: 1
kind: ide
name: observed
arrivals: {process: closed, users: 1}
ide:
  typist: {profile: average, wpm: 250, text: go-handler, lines: 20, max_pause: 300ms}
  plugin: {PLUGIN}
  llm: {ttft: 1ms, tokens_per_second: 50}
budgets: [share(ttfc < 150ms) >= 1%]
run: {n: 60, seed: 1}
`

// TestObservedHabits: a plugin of known habits types against the mock over real sockets, and
// each habit is named; one without is not told anything.
func TestObservedHabits(t *testing.T) {
	for _, c := range []struct {
		name, plugin string
		flags        []string
		want         []string
	}{
		{
			"bad", "debounce: 0ms, cancel: none, reuse: none, prefix_tokens: 400, suffix_tokens: 800, max_tokens: 256", []string{"--per-user", "64", "--cold"},
			[]string{"flood", "max_tokens_unused", "never_cancelled", "new_connections", "prefix_drift", "stale_requests", "suffix_too_long"},
		},
		{"good", "debounce: 150ms, cancel: wire, reuse: typed_as_suggested, prefix_tokens: 4000, suffix_tokens: 120, max_tokens: 48", []string{"--per-user", "4"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			in := func(name, text string) string {
				name = filepath.Join(dir, name)
				if text != "" {
					if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				return name
			}
			served := in("case.json", `{"slots": 64, "ttft_ms": 120, "tpot_ms": 20, "n": 20, "prompt_cache": "prefix"}`)
			report, keys := in("report.json", ""), in("keys.jsonl", "")
			url, said, stop := mocked(t, "--server", served, "--observe", "--observe-report", report, "--observe-keys", keys)
			var out bytes.Buffer
			p := &program{out: &out, err: &out}
			root := newRootCmd(p)
			root.SetArgs(append([]string{"run", in("plugin.yaml", strings.Replace(plugged, "PLUGIN", c.plugin, 1)), "--endpoint", "llm=" + url + "/v1", "--no-self-test"}, c.flags...))
			if err := root.ExecuteContext(t.Context()); p.finish(root, err) == exitUsage {
				t.Fatalf("%v\n%s", err, &out)
			}
			live := observedOver(t, url)
			stop()
			r := observedIn(t, report)
			var ids []string
			for _, f := range r.Findings {
				ids = append(ids, f.ID)
			}
			if slices.Sort(ids); !slices.Equal(ids, c.want) {
				t.Errorf("found %q, want %q\n%s", ids, c.want, said)
			}
			if live.Requests != r.Requests || len(r.Documents) != 1 {
				t.Errorf("%d requests over the wire, %d in the file; %d documents, want 1", live.Requests, r.Requests, len(r.Documents))
			}
			// On a busy machine requests overtake one another: that looks like a key taken back.
			if d := r.Documents[0]; c.name == "bad" && (d.Requests < 50 || d.Typed+d.Erased < d.Requests-1) {
				t.Errorf("%d requests, %d keys and %d taken back; want nearly 60 requests, and a key for each", d.Requests, d.Typed, d.Erased)
			}
			if c.name == "good" && r.GivenUp == 0 {
				t.Error("it never gave up a request")
			}
			replayable(t, keys)
			if !strings.Contains(said.String(), "observed ") {
				t.Errorf("nothing was said of it:\n%s", said)
			}
		})
	}
}

// observedOver returns what the mock says of the plugin while it runs.
func observedOver(t *testing.T, url string) (r observe.Report) {
	t.Helper()
	answer, err := http.Get(url + "/v1/halfsecond/observe")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || json.Unmarshal(body, &r) != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return r
}

func observedIn(t *testing.T, name string) (r observe.Report) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// replayable checks that a file is a recording of document 1.
func replayable(t *testing.T, name string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s, err := sessions.Read("keys", f)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Replay(1); err != nil {
		t.Error(err)
	}
}

// TestObserveFiles: where a file cannot be written is told before anything is served.
func TestObserveFiles(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--observe-report", dir}, "is a folder: want the name of a file"},
		{[]string{"--observe-keys", filepath.Join(dir, "none", "keys.jsonl")}, "--observe-keys: stat "},
		{[]string{"--observe-keys", filepath.Join(dir, "a"), "--observe-report", filepath.Join(dir, "a")}, "want two files"},
	} {
		var out bytes.Buffer
		root := newRootCmd(&program{out: &out, err: &out})
		root.SetArgs(append([]string{"mock", "--addr", "127.0.0.1:0"}, c.args...))
		if err := root.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) || out.Len() > 0 {
			t.Errorf("%q: %v, want %q\n%s", c.args, err, c.want, &out)
		}
	}
}

// TestObserveProgress: a terminal is told how much was seen, in one line that is taken away
// at the end; anything else is told nothing.
func TestObserveProgress(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*observeEvery+time.Second)
			defer cancel()
			o := mockObserve{observer: observe.New(observe.Config{})}
			o.observer.Begin(observe.Request{Prompt: observe.Plain("x")})
			var out bytes.Buffer
			o.watch(ctx, &program{err: &out, progress: terminal})
			want := ""
			if terminal {
				want = strings.Repeat("\r\x1b[Kobserved 1 completion, 0 given up", 2) + "\r\x1b[K"
			}
			if out.String() != want {
				t.Errorf("a terminal %v is told %q, want %q", terminal, &out, want)
			}
		})
	}
}
