package trace

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline/price"
)

// TestGuardRoundTrip: limits, caps and prices of endpoints come back as they were, and
// what was used of them.
func TestGuardRoundTrip(t *testing.T) {
	listed := price.Price{Input: 2_500_000, Cached: 3_625, Output: 10_000_000, Model: "m", Source: "a list", Date: "2026-08-21"}
	want := header
	want.Endpoints = []Endpoint{
		{Stage: "llm", URL: "http://a/v1", Protocol: "openai-chat", Model: "m", MaxRequests: 3, MaxTokens: 4, PerUser: 1},
		{
			Stage: "llm", URL: "http://b/v1", Protocol: "gemini", Model: "m", MaxCost: price.Dollar / 200, PerUser: 2, Cold: true, IgnoreEOS: true,
			Limits: Limits{5 * time.Second, 30 * time.Second, 31 * time.Second, 2 * time.Minute, 4 << 20}, Price: listed,
		},
		{Stage: "llm", Price: price.Price{Cached: price.Unpublished, Output: 1, Source: "as typed"}},
		{Stage: "stt", Voice: "alloy", Language: "en", Recordings: "c0ffee"},
	}
	used := []Used{{"m", price.Tally{Requests: 7, Counted: price.Tokens{Prompt: 100, Cached: 40, Output: 20}, Uncounted: 2, Assumed: price.Tokens{Prompt: 30, Output: 120}}}}
	file := write(t, want, nil, Footer{Lateness: lateness(), Finished: true, Used: used})
	for _, text := range []string{
		`"max_cost_usd":0.005`, `"limits":{"connect_ns":5000000000,"first_byte_ns":30000000000,"gap_ns":31000000000,"whole_ns":120000000000,"bytes":4194304}`,
		`"price":{"input_usd_per_m":2.5,"cached_input_usd_per_m":0.003625,"output_usd_per_m":10,"model":"m","source":"a list","date":"2026-08-21"}`,
		`"price":{"input_usd_per_m":0,"cached_input_usd_per_m":null,"output_usd_per_m":0.000001,"source":"as typed"}`,
	} {
		if !bytes.Contains(file, []byte(text)) {
			t.Errorf("the header lacks %s:\n%s", text, file)
		}
	}
	got, err := Read(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Header, want) {
		t.Errorf("header\n got %+v\nwant %+v", got.Header, want)
	}
	if !reflect.DeepEqual(got.Footer.Used, used) {
		t.Errorf("used %+v, want %+v", got.Footer.Used, used)
	}
}

// TestGuardRefused: money that is none is an error that names the line.
func TestGuardRefused(t *testing.T) {
	h := header
	h.Endpoints = []Endpoint{{Stage: "llm", MaxCost: 5 * price.Dollar, Price: price.Price{Input: 1, Source: "as typed"}}}
	file := string(write(t, h, nil, Footer{Lateness: lateness()}))
	for from, to := range map[string]string{
		`"max_cost_usd":5`:           `"max_cost_usd":-5`,
		`"input_usd_per_m":0.000001`: `"input_usd_per_m":1e-7`,
	} {
		changed := strings.Replace(file, from, to, 1)
		if changed == file {
			t.Fatalf("the header lacks %s:\n%s", from, file)
		}
		if _, err := Read(strings.NewReader(changed)); err == nil || !strings.Contains(err.Error(), "US dollars") {
			t.Errorf("%s: %v, want an error about US dollars", to, err)
		}
	}
}
