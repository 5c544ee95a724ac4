package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"halfsecond/budgets/report"
	"halfsecond/mockllm/mock"
)

// halfsecond runs a command line and returns its exit code and what it printed.
func halfsecond(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(args, &program{out: &o, err: &e})
	return code, o.String(), e.String()
}

// TestGuardUsage: what was typed wrong is said, with what would be right, before anything
// is asked.
func TestGuardUsage(t *testing.T) {
	at := []string{"--endpoint", "llm=http://127.0.0.1:9/v1"}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no sum":             {append(at, "--max-cost", "a lot"), "--max-cost a lot: want a sum in US dollars such as 5 or 0.075"},
		"nothing to spend":   {append(at, "--max-cost", "0"), "--max-cost 0: want more than 0"},
		"no name":            {append(at, "--max-cost", "5"), "--max-cost 5 takes the price of a model: name the model with --model, or type --price-input and --price-output"},
		"no price":           {append(at, "--max-cost", "5", "--model", "gpt-oss-120b"), "--max-cost 5 takes a price, and 'halfsecond catalog prices' has none of gpt-oss-120b: name one of its nearest with --price-of (gpt-oss-120b on Groq, gpt-oss-120b on Cerebras, gpt-oss-120b on Fireworks), or type --price-input and --price-output"},
		"half a price":       {append(at, "--price-input", "2"), "a price has two parts: want --price-input and --price-output"},
		"two prices":         {append(at, "--price-input", "2", "--price-output", "3", "--price-of", "gpt-4o"), "--price-of and typed prices: want one or the other"},
		"unlisted":           {append(at, "--price-of", "gpt-4oo"), `--price-of gpt-4oo: unknown price "gpt-4oo"; nearest: gpt-4o, `},
		"too exact":          {append(at, "--price-input", "0.0000001", "--price-output", "3"), "--price-input 0.0000001: want a price in US dollars for a million tokens, with at most 6 digits behind the point"},
		"no time":            {append(at, "--limit-gap", "0s"), "--limit-gap 0s: want a time above 0, such as 30s"},
		"no size":            {append(at, "--limit-bytes", "4MB"), `invalid argument "4MB" for "--limit-bytes" flag: want a number of bytes such as 1000000, 512KiB or 4MiB`},
		"too much":           {append(at, "--limit-bytes", "65MiB"), "--limit-bytes 65MiB: want 64MiB at most, or the raw log could not be read again"},
		"of the simulator":   {[]string{"--max-cost", "5", "--limit-whole", "5s"}, "--max-cost, --limit-whole: for --target endpoint, not for sim"},
		"recordings of none": {[]string{"--wav", "x.wav"}, "--wav is for --target endpoint, not for sim: there users say the recordings of the scenario"},
		"model of none":      {[]string{"--model", "m"}, "--model is for --target endpoint, not for sim"},
		"models of no grid":  {append(at, "--endpoint-model", "a"), "--endpoint-model is for comparisons of models, such as 'halfsecond run bench': here --model names the one that is asked"},
		"too dear":           {append(at, "--max-cost", "0.01", "--model", "gpt-4o", "--check"), "the run would cost about 0.743 USD, more than --max-cost 0.01: lower --n or raise it"},
	} {
		for _, command := range []string{"run", "sweep"} {
			scenario := "voice"
			if command == "sweep" {
				if scenario = "load"; name == "too dear" {
					continue // it sends something else
				}
			}
			code, _, errs := halfsecond(t, append([]string{command, scenario}, c.args...)...)
			if code != exitUsage || !strings.Contains(errs, c.want) {
				t.Errorf("%s, %s: exit code %d, %q; want %q", command, name, code, errs, c.want)
			}
		}
	}
	code, _, errs := halfsecond(t, "run", "bench", "--endpoint", "llm=http://127.0.0.1:9/v1", "--model", "m")
	if want := "--model is for a scenario that asks one model: name those to compare with --endpoint-model"; code != exitUsage || !strings.Contains(errs, want) {
		t.Errorf("a grid: exit code %d, %q; want %q", code, errs, want)
	}
}

// TestGuardCheck: --check says what a run would cost and what bounds it, and asks nobody.
func TestGuardCheck(t *testing.T) {
	args := []string{"run", "voice", "--endpoint", "llm=http://127.0.0.1:9/v1", "--n", "2", "--model", "gpt-4o", "--check", "--max-cost", "1", "--limit-whole", "45s", "--limit-bytes", "4MiB"}
	code, out, errs := halfsecond(t, args...)
	for _, want := range []string{
		"would cost  about 0.00684 USD, at 2.5 USD a million tokens of prompts (1.25 USD of those cached), 10 USD of answers; gpt-4o, github:pydantic/genai-prices prices/data.json (openai) @47df840, 2026-08-21\n",
		"caps        1000 requests, 1000000 tokens, 1.00 USD\n",
		"limits      5s for a connection, 30s to the first byte, 30s between reads, 45s for all of it, 4MiB an answer\n",
	} {
		if code != exitPassed || !strings.Contains(out, want) {
			t.Errorf("exit code %d, %s%s; want %q", code, out, errs, want)
		}
	}
	_, out, _ = halfsecond(t, append(args, "--format", "json")...)
	var c checked
	if err := json.Unmarshal([]byte(out), &c); err != nil {
		t.Fatal(err)
	}
	if c.CostUSD == nil || *c.CostUSD != 0.00684 || *c.MaxCostUSD != 1 || *c.Limits != (limitsDocument{5000, 30_000, 30_000, 45_000, 4 << 20}) {
		t.Errorf("document %s", out)
	}
	code, out, _ = halfsecond(t, "run", "voice", "--endpoint", "llm=http://127.0.0.1:9/v1", "--n", "2", "--check")
	if want := "would cost  unknown: no price is known; see --price-of, --price-input and --price-output\n"; code != exitPassed || !strings.Contains(out, want) {
		t.Errorf("exit code %d, %s; want %q", code, out, want)
	}
}

const chat = `halfsecond: 1
kind: bench
name: chat
arrivals: {process: closed, users: 1, think: 0s}
bench: {prompt_tokens: 40, output_tokens: 8, llm: {ttft: 1ms, tokens_per_second: 1000}}
run: {n: 3}
budgets: [p50(ttft) < 20s]
`

func scenarioFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestCostOfRun runs against the mock at a typed price, a cent a token.
func TestCostOfRun(t *testing.T) {
	m := mock.Start(t, mock.Fixed(time.Millisecond, time.Millisecond), mock.Tokens(8))
	dir := filepath.Join(t.TempDir(), "out")
	args := []string{"run", scenarioFile(t, chat), "--endpoint", "llm=" + m.URL, "--ignore-eos", "--out", dir, "--no-self-test", "--format", "json",
		"--price-input", "10000", "--price-output", "10000", "--max-cost", "1.5"}
	_, out, errs := halfsecond(t, args...)
	var r struct {
		Endpoints []report.Endpoint
		Cost      *report.Cost
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v: %s%s", err, out, errs)
	}
	c := r.Cost
	if c == nil || c.Requests != 3 || c.Prompt != 120 || c.Output != 24 || c.USD != 1.44 || c.MostUSD != 1.44 || *r.Endpoints[0].MaxCost != 1.5 {
		t.Fatalf("cost %+v, endpoints %+v", c, r.Endpoints)
	}
	if !strings.Contains(errs, "asking "+m.URL+" about 3 times: about 120 tokens of prompts, 24 of answers, about 1.44 USD, at 10000 USD a million tokens") {
		t.Errorf("stderr %q", errs)
	}
	_, again, _ := halfsecond(t, "report", dir)
	if want := "Cost: 1.44 USD for 120 tokens of prompts and 24 of answers in 3 requests; "; !strings.Contains(again, want) {
		t.Errorf("the report of the folder lacks %q:\n%s", want, again)
	}
}

// TestEndlessServer: a server that never stops is cut, says so in the report, and costs the
// tester no time to speak of.
func TestEndlessServer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			fmt.Fprint(w, `{"object":"list","data":[{"id":"a"},{"id":"b"}]}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil {
			if _, err := fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" word\"}}]}\n\n"); err != nil {
				return
			}
		}
	}))
	defer server.Close()
	args := []string{"run", scenarioFile(t, chat), "--endpoint", "llm=" + server.URL, "--no-self-test"}
	code, _, errs := halfsecond(t, args...)
	if want := "has several models; name one with --model: a, b"; code != exitUnmeasured || !strings.Contains(errs, want) {
		t.Errorf("exit code %d, %q; want %q", code, errs, want)
	}
	start := time.Now()
	code, out, errs := halfsecond(t, append(args, "--model", "a")...)
	if want := "the answer went on past the tokens asked for: more than 8 chunks of output came for each of them and 256 beside"; code == exitPassed || !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
		t.Errorf("exit code %d, %s%s; want %q", code, out, errs, want)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("three answers of 320 chunks took %s", took)
	}
}

func TestByteSize(t *testing.T) {
	for text, want := range map[string]int64{"1": 1, "1000000": 1_000_000, "512KiB": 512 << 10, "4MiB": 4 << 20, "2GiB": 2 << 30} {
		var b byteSize
		if err := b.Set(text); err != nil || int64(b) != want || b.String() != text {
			t.Errorf("%s is %d, written as %s, error %v; want %d", text, b, b.String(), err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "4MB", "4 MiB", "1.5MiB", "MiB", "9999999999GiB", "99999999999999999999"} {
		b := byteSize(7)
		if err := b.Set(text); err == nil || b != 7 {
			t.Errorf("%q was read as %d", text, b)
		}
	}
}
