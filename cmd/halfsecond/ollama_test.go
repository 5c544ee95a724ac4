//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"halfsecond/budgets/report"
	"halfsecond/pipeline/realpart"
)

// fewCells compares a prompt that is new each time with one that is sent again.
const fewCells = `halfsecond: 1
kind: grid
name: few cells
arrivals: {process: closed, users: 1}
warm_up: 1
grid:
  models: [TinyLlama-1.1B]
  hardware: L4
  prompts: [64]
  output_tokens: 48
  stream_beside: false
  variants: [{name: new}, {name: again, same_prompt: true}]
run: {n: 3, seed: 1}
`

// TestOllama measures a real engine. On a machine with other work every figure of it may be
// several times what it is alone, so that bounds are wide and between figures of
// the same requests.
func TestOllama(t *testing.T) {
	url := startOllama(t, 4)
	t.Run("beside its own durations", func(t *testing.T) { besideOwnDurations(t, url) })
	t.Run("every protocol", func(t *testing.T) { everyProtocol(t, url) })
	t.Run("doctor", func(t *testing.T) { doctorOfOllama(t, url) })
}

// TestOllamaQueue: of four that ask an engine with one slot, three wait, in the words
// of the engine too.
func TestOllamaQueue(t *testing.T) {
	url := startOllama(t, 1)
	dir := t.TempDir()
	var d struct {
		Levels []struct {
			P50 *float64 `json:"p50"`
		}
	}
	command(t, &d, "sweep", "streams", "--endpoint", "llm="+url+"/api/chat", "--model", "m15", "--rates", "1,4", "--repeats", "1", "--n", "20", "--out", dir)
	if len(d.Levels) != 2 || d.Levels[0].P50 == nil || d.Levels[1].P50 == nil {
		t.Fatalf("levels %+v, want two with medians", d.Levels)
	}
	if one, four := *d.Levels[0].P50, *d.Levels[1].P50; four < 2*one {
		t.Errorf("the first token comes after %.1f ms where one asks, and after %.1f ms where four do: nobody waits", one, four)
	}
	var r ofRun
	command(t, &r, "report", filepath.Join(dir, "4-1"))
	ttft, prefill := r.Metrics["service_ttft"].P50, r.Metrics["server_prefill"].P50
	if ttft == nil || prefill == nil {
		t.Fatalf("metrics %v, want service_ttft and server_prefill among them", r.Metrics)
	}
	if *prefill > *ttft/2 {
		t.Errorf("service_ttft %.1f ms, server_prefill %.1f ms: want most of the time to be no prefill", *ttft, *prefill)
	}
}

// ofRun is of a run's document what is looked at here.
type ofRun struct {
	N        int
	Outcomes map[string]int `json:"request_outcomes"`
	Network  report.Network
	Metrics  map[string]report.Metric
}

// besideOwnDurations: what Ollama counts is inside of what is measured, its pace is
// ours, and a prompt that it has seen costs it next to nothing.
func besideOwnDurations(t *testing.T, url string) {
	file := filepath.Join(t.TempDir(), "few.yaml")
	writeText(t, file, fewCells)
	var b struct {
		Notes []string
		Cells []struct {
			Variant      string
			OutputTokens [2]int `json:"output_tokens"`
			TPOT         report.BenchSample
			Server       *report.BenchServer
		}
	}
	command(t, &b, "run", file, "--endpoint", "llm="+url+"/api/chat", "--endpoint-model", "m150")
	if len(b.Cells) != 2 {
		t.Fatalf("%d cells, want 2: %v", len(b.Cells), b.Notes)
	}
	for _, c := range b.Cells {
		s := c.Server
		if s == nil || s.Load == nil || s.Prefill == nil || s.Pace == nil {
			t.Fatalf("%s: server %+v, want all that Ollama says; %v", c.Variant, s, b.Notes)
		}
		t.Logf("%s: service_ttft %.1f ms, of which load %.1f, prefill %.1f, rest %.1f; tpot %.2f ms, its decode %.2f", c.Variant,
			s.TTFT.P50, s.Load.P50, s.Prefill.P50, s.Rest.P50, c.TPOT.P50, s.Pace.P50)
		if s.Rest.Min < 0 {
			t.Errorf("%s: Ollama counts %.1f ms more than passed until the first token", c.Variant, -s.Rest.Min)
		}
		if ratio := c.TPOT.P50 / s.Pace.P50; ratio < .8 || ratio > 1.2 {
			t.Errorf("%s: tpot %.2f ms, and %.2f ms by Ollama's clock", c.Variant, c.TPOT.P50, s.Pace.P50)
		}
		if c.OutputTokens != [2]int{48, 48} {
			t.Errorf("%s: answers of %v tokens, want 48 in each", c.Variant, c.OutputTokens)
		}
	}
	if fresh, again := b.Cells[0].Server.Prefill.P50, b.Cells[1].Server.Prefill.P50; again > fresh/2 {
		t.Errorf("prefill of a prompt takes %.1f ms, and %.1f ms where it was seen before", fresh, again)
	}
}

// everyProtocol: whatever it is asked by, answers end ok and have its count of tokens, and
// prompts have as many of its tokens as the scenario says.
func everyProtocol(t *testing.T, url string) {
	for _, path := range []string{"/v1/chat/completions", "/v1/completions", "/api/chat", "/api/generate"} {
		var r ofRun
		command(t, &r, "run", "streams", "--endpoint", "llm="+url+path, "--model", "m15", "--n", "4")
		if r.N != 4 || r.Outcomes["ok"] != 4 || r.Network.TokenSources["usage"] != 4 {
			t.Errorf("%s: %d interactions, outcomes %v, network %+v: want 4 that ended ok, with the server's count of tokens", path, r.N, r.Outcomes, r.Network)
		}
		own := r.Metrics["server_prefill"].N
		if says := strings.HasPrefix(path, "/api/"); says != (own == 4) {
			t.Errorf("%s: the server says its own times of %d requests", path, own)
		}
	}
}

// doctorOfOllama: it keeps prompts, and nothing stands between.
func doctorOfOllama(t *testing.T, url string) {
	for _, at := range []string{url + "/api/chat", url + "/v1"} {
		_, d := doctorJSON(t, at, "--model", "m15", "--requests", "3", "--answer", "32")
		var found []string
		for _, f := range d.Findings {
			found = append(found, f.ID)
		}
		t.Logf("%s: %v", at, found)
		if !slices.Contains(found, "prefix_cache") {
			t.Errorf("%s: findings %v, want prefix_cache among them", at, found)
		}
		for _, f := range d.Findings {
			if slices.Contains([]string{"held_whole", "held_buffer", "clumps", "gzip_held", "compressed", "no_usage"}, f.ID) || f.Severity == "broken" {
				t.Errorf("%s: %s: %s: %v", at, f.ID, f.Title, f.Evidence)
			}
		}
	}
}

// command runs a command and reads the document that it prints, whatever its verdict is.
func command(t *testing.T, document any, args ...string) {
	t.Helper()
	var out, errs bytes.Buffer
	run(append(args, "--format", "json"), &program{out: &out, err: &errs})
	if err := json.Unmarshal(out.Bytes(), document); err != nil {
		t.Fatalf("%v: %v: %s", args, err, &errs)
	}
}

// startOllama starts the engine that make real builds, with so many slots, until the test
// ends, and returns its URL.
func startOllama(t *testing.T, slots int) string {
	t.Helper()
	real, err := filepath.Abs("../../bin/real")
	if err != nil {
		t.Fatal(err)
	}
	const how = "make real (optional; it takes some minutes)"
	realpart.WantFile(t, filepath.Join(real, "ollama"), how)
	realpart.WantFile(t, filepath.Join(real, "models/manifests/registry.ollama.ai/library/m150/latest"), how)
	address := freeAddress(t)
	var said bytes.Buffer
	p := exec.Command(filepath.Join(real, "ollama"), "serve")
	p.Env = append(os.Environ(), "HOME="+real, "OLLAMA_MODELS="+filepath.Join(real, "models"), "OLLAMA_HOST="+address,
		fmt.Sprintf("OLLAMA_NUM_PARALLEL=%d", slots), "OLLAMA_CONTEXT_LENGTH=2048", "OLLAMA_MAX_LOADED_MODELS=1")
	p.Stdout, p.Stderr = &said, &said
	p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // its runners are processes of their own
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = p.Wait() // by a signal
		close(ended)
	}()
	t.Cleanup(func() { endOllama(p, ended) })
	awaitListener(t, "Ollama", address, ended, &said)
	return "http://" + address
}

// endOllama asks it to end, with its runners, and ends them all where it does not.
func endOllama(p *exec.Cmd, ended chan struct{}) {
	_ = p.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
	}
	_ = syscall.Kill(-p.Process.Pid, syscall.SIGKILL)
	<-ended
}
