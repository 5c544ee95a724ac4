package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
	"halfsecond/pipeline/realpart"
)

const fromDebian = "apt-get install prometheus"

// listening runs a server of a model "m" on a real socket until the test ends, and
// returns its address.
func listening(t *testing.T, c Config) string {
	t.Helper()
	c.Models = []Model{{Name: "m", Context: 10_000, Shares: true, Build: func(l pipeline.Scheduler) engine.Engine {
		return engine.NewSlots(l, engine.SlotsConfig{Service: engine.Fixed{TTFT: 20 * ms, TPOT: 5 * ms}, Slots: 8, MaxContext: 10_000})
	}}}
	_, addr, stop := on(t, c)
	t.Cleanup(stop)
	return addr
}

// complete asks for a completion and reads it.
func complete(t *testing.T, addr string) {
	t.Helper()
	answer, err := http.Post("http://"+addr+"/v1/completions", "application/json", strings.NewReader(`{"model":"m","prompt":"a b","mock_answer":"one two three"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatal(answer.Status, err)
	}
}

// TestPromtool: Prometheus's own checker takes our metrics, rules and configuration.
func TestPromtool(t *testing.T) {
	promtool := realpart.Need(t, "promtool", fromDebian)
	addr := listening(t, Config{})
	complete(t, addr)
	answer, err := http.Get("http://" + addr + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	metrics := exec.Command(promtool, "check", "metrics")
	metrics.Stdin = answer.Body
	out, err := metrics.CombinedOutput()
	// Exit 3 is its taste: vLLM's names have colons, which it keeps for rules.
	if code := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &code) || code.ExitCode() != 3) {
		t.Errorf("promtool check metrics: %v\n%s", err, out)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if line != "" && !strings.Contains(line, "vllm:") {
			t.Errorf("promtool check metrics: %s", line)
		}
	}
	out, err = exec.Command(promtool, "check", "config", "../../docs/deploy/prometheus.yml").CombinedOutput()
	if err != nil {
		t.Errorf("promtool check config: %v\n%s", err, out)
	}
}

// TestPrometheus: a real Prometheus scrapes the mock, loads our rules, and finds
// something for every query of the dashboard.
func TestPrometheus(t *testing.T) {
	prometheus := realpart.Need(t, "prometheus", fromDebian)
	addr := listening(t, Config{})
	complete(t, addr)
	api := scrape(t, prometheus, addr)
	queries := append(dashboard(t), "model:ttft_within_150ms:ratio5m", "model:ttft_within_500ms:ratio5m", "model_name:prefix_cache_hits:ratio5m", `up{job="halfsecond"} == 1`)
	for deadline := time.Now().Add(2 * time.Minute); len(queries) > 0; time.Sleep(500 * ms) {
		complete(t, addr)
		var open []string
		for _, q := range queries {
			if n, err := results(api, q); err != nil {
				t.Fatalf("%s: %v", q, err)
			} else if n == 0 {
				open = append(open, q)
			}
		}
		if queries = open; len(queries) > 0 && time.Now().After(deadline) {
			t.Fatalf("nothing found for\n%s", strings.Join(queries, "\n"))
		}
	}
}

// scrape runs a Prometheus that scrapes addr, and returns the address of its API.
func scrape(t *testing.T, prometheus, addr string) string {
	t.Helper()
	dir := t.TempDir()
	config, err := os.ReadFile("../../docs/deploy/prometheus.yml")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := os.ReadFile("../../docs/deploy/rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(strings.ReplaceAll(string(config), "127.0.0.1:8090", addr), ": 5s", ": 1s")
	for name, data := range map[string][]byte{"prometheus.yml": []byte(text), "rules.yml": rules} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	api := freeAddr(t)
	cmd := exec.Command(prometheus, "--config.file="+filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path="+filepath.Join(dir, "data"),
		"--web.listen-address="+api, "--log.level=error")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt) // it may have ended already
		_ = cmd.Wait()
	})
	for range 120 {
		if _, err = results(api, "1"); err == nil {
			return api
		}
		time.Sleep(500 * ms)
	}
	t.Fatalf("prometheus does not answer: %v", err)
	return ""
}

// freeAddr returns a loopback address that was free a moment ago.
func freeAddr(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// results returns how many series a query finds.
func results(api, query string) (n int, err error) {
	answer, err := http.Get("http://" + api + "/api/v1/query?query=" + url.QueryEscape(query))
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	var got struct {
		Status, Error string
		Data          struct {
			ResultType string
			Result     json.RawMessage
		}
	}
	if err := json.NewDecoder(answer.Body).Decode(&got); err != nil {
		return 0, err
	}
	if got.Status != "success" {
		return 0, fmt.Errorf("%s", got.Error)
	}
	if got.Data.ResultType != "vector" {
		return 1, nil
	}
	var series []struct{ Value [2]any }
	err = json.Unmarshal(got.Data.Result, &series)
	return len(series), err
}

// dashboard returns the queries of the Grafana dashboard.
func dashboard(t *testing.T) (queries []string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/deploy/grafana-dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			queries = append(queries, strings.ReplaceAll(target.Expr, "$__rate_interval", "1m"))
		}
	}
	if len(queries) < 20 {
		t.Fatalf("%d queries in the dashboard, want all of them", len(queries))
	}
	return queries
}
