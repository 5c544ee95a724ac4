package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/fault"
	"halfsecond/mockllm/given"
	"halfsecond/mockllm/server/ledger"
)

// mockFiles are what the examples of mock name.
var mockFiles = map[string]string{
	"my.yaml":    "halfsecond: 1\nkind: bench\nname: mine\nbench:\n  llm: {model: TinyLlama-1.1B, hardware: L40S}\n",
	"case.json":  `{"server": {"slots": 2, "ttft_ms": 50}}`,
	"cases.json": string(given.Example()),
	"calls.txt":  "hello\n",
	"rules.yaml": "rules:\n  - stall: {at: 3, for: 1s}\n",
	"src/a.go":   "package a\n",
}

var shellWord = regexp.MustCompile(`'[^']*'|[^ ]+`)

// TestMockExamples: every command line of the help and of the page serves something.
func TestMockExamples(t *testing.T) {
	page, err := os.ReadFile("../../docs/mock.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", ".") // for certificates
	if err := os.Mkdir("src", 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range mockFiles {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	n := 0
	for line := range strings.Lines(newMockCmd(&program{}).Example + "\n" + string(page)) {
		line, _, _ = strings.Cut(line, " #")
		words, isExample := strings.CutPrefix(strings.TrimSpace(line), "halfsecond mock")
		if !isExample || !strings.HasPrefix(line, "  ") {
			continue
		}
		args := append([]string{"mock"}, shellWord.FindAllString(words, -1)...)
		for i := range args {
			args[i] = strings.Trim(args[i], "'")
		}
		var out bytes.Buffer
		root := newRootCmd(&program{out: &out, err: &out})
		root.SetArgs(append(args, "--addr", "127.0.0.1:0"))
		if err := root.ExecuteContext(ended); err != nil || !strings.HasPrefix(out.String(), "serving ") {
			t.Errorf("%s: %v\n%s", strings.TrimSpace(line), err, &out)
		}
		n++
	}
	if n < 13 {
		t.Errorf("%d examples were found, want 13 or more", n)
	}
}

// TestMockPageIsComplete: the page names every rule that is built in, and every kind.
func TestMockPageIsComplete(t *testing.T) {
	page, err := os.ReadFile("../../docs/mock.md")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := fault.Parse("builtin", fault.BuiltinFile())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rules {
		if !regexp.MustCompile(`[ \n(` + "`" + `]` + r.Name + `[,.` + "`" + `\n]`).Match(page) {
			t.Errorf("the page does not name %s", r.Name)
		}
		text, err := json.Marshal(r)
		var keys map[string]any
		if err != nil || json.Unmarshal(text, &keys) != nil {
			t.Fatal(string(text), err)
		}
		for key := range keys {
			if !slices.Contains([]string{"name", "about", "match", "times"}, key) && !bytes.Contains(page, []byte("`"+key+": ")) {
				t.Errorf("the page has no example of %s", key)
			}
		}
	}
}

// TestMockVerdict: who must not believe what was measured is told what to do.
func TestMockVerdict(t *testing.T) {
	r := ledger.WriteReport{N: 100, Mean: time.Millisecond, P50: time.Millisecond, P99: 6 * time.Millisecond, Max: 6 * time.Millisecond, Limit: 5 * time.Millisecond}
	if got := verdict(r); !strings.Contains(got, "UNFIT, p99 is above 5ms\n") || !strings.Contains(got, "--fit-limit") {
		t.Error(got)
	}
	if r.P99 = time.Millisecond; strings.Contains(verdict(r), "\n") {
		t.Error(verdict(r))
	}
}

// TestMockLooksUpNobody: by its flags alone the mock listens on the loopback, and it asks no
// name server for anything.
func TestMockLooksUpNobody(t *testing.T) {
	if host, _, err := net.SplitHostPort(newMockCmd(&program{}).Flag("addr").DefValue); err != nil || !net.ParseIP(host).IsLoopback() {
		t.Errorf("it listens on %s: %v", host, err)
	}
	usual := net.DefaultResolver
	defer func() { net.DefaultResolver = usual }()
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(_ context.Context, _, addr string) (net.Conn, error) {
		t.Errorf("it asks %s", addr)
		return nil, errors.New("no network")
	}}
	ended, end := context.WithCancel(t.Context())
	end()
	for _, args := range []string{"", "--tls --tls-dir " + t.TempDir(), "--wyoming 127.0.0.1:0", "--hosted a=llm-gpt-4o-aiewf-eval@90"} {
		var out bytes.Buffer
		root := newRootCmd(&program{out: &out, err: &out})
		root.SetArgs(append([]string{"mock", "--addr", "127.0.0.1:0"}, strings.Fields(args)...))
		if err := root.ExecuteContext(ended); err != nil {
			t.Errorf("%s: %v\n%s", args, err, &out)
		}
	}
}
