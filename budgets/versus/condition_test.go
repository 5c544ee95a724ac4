package versus

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/price"
	"halfsecond/pipeline/trace"
)

// asked is a run whose header and traces were changed.
func asked(t testing.TB, change func(h *trace.Header, traces []pipeline.Trace)) *Run {
	h, traces := header(80, "p95(response) < 600ms"), constant(80, 100*ms, 500*ms)
	h.Endpoints = append(h.Endpoints, trace.Endpoint{Stage: "tts", URL: "wss://secret.example", Protocol: "deepgram-speak", Model: "v"})
	h.Endpoints[0].Limits = trace.Limits{Connect: time.Second, FirstByte: time.Second, Gap: time.Second, Whole: time.Second, Bytes: 1}
	for i := range traces {
		traces[i].Requests[0].Transport.Status, traces[i].Requests[0].Transport.HTTP = 200, "1.1"
	}
	change(&h, traces)
	return runOf(t, h, traces)
}

// TestConditions: each condition that differs is warned of by its name and both values, also
// against a baseline, and one that does not is not.
func TestConditions(t *testing.T) {
	same := func(*trace.Header, []pipeline.Trace) {}
	for _, c := range []struct {
		name   string
		change func(h *trace.Header, traces []pipeline.Trace)
		want   string
	}{
		{"cold", func(h *trace.Header, _ []pipeline.Trace) { h.Endpoints[0].Cold = true }, "connections to llm: A kept open, B one for each request (--cold)"},
		{"ignore-eos", func(h *trace.Header, _ []pipeline.Trace) { h.Endpoints[0].IgnoreEOS = true }, "answers of llm: A as long as the model makes them, B of full length (--ignore-eos)"},
		{"per-user", func(h *trace.Header, _ []pipeline.Trace) { h.Endpoints[0].PerUser = 8 }, "requests of a user in flight to llm: A 0, B 8"},
		{"limits", func(h *trace.Header, _ []pipeline.Trace) { h.Endpoints[0].Limits.Gap *= 2 }, "limits of llm: A 1s to connect, 1s to the first byte, 1s between reads, 1s in all, 1 bytes, B 1s to connect, 1s to the first byte, 2s between"},
		{"TLS", func(h *trace.Header, _ []pipeline.Trace) { h.Endpoints[0].URL = "http://secret.example/v1" }, "TLS to llm: A with, B without"},
		{"protocol", func(h *trace.Header, _ []pipeline.Trace) { h.Endpoints[0].Protocol = "gemini" }, "A asked m over openai-chat, B m over gemini"},
		{"model of another service", func(h *trace.Header, _ []pipeline.Trace) { h.Endpoints[1].Model = "w" }, "model of tts: A v over deepgram-speak, B w over deepgram-speak"},
		{"voice", func(h *trace.Header, _ []pipeline.Trace) { h.Endpoints[1].Voice = "alloy" }, "voice of tts: A nothing, B alloy"},
		{"language", func(h *trace.Header, _ []pipeline.Trace) { h.Endpoints[1].Language = "en" }, "language of tts: A nothing, B en"},
		{"recordings", func(h *trace.Header, _ []pipeline.Trace) {
			h.Endpoints[1].Recordings = "0123456789abcdef"
		}, "recordings to tts: A nothing, B 0123456789ab;"},
		{"services", func(h *trace.Header, _ []pipeline.Trace) { h.Endpoints[1].Stage = "stt" }, "services: A llm, tts, B llm, stt"},
		{"salt", func(h *trace.Header, _ []pipeline.Trace) { h.Load.Salt = 7 }, "prompts: A those of each run with this seed (--salt 0), B set apart"},
		{"texts", func(h *trace.Header, _ []pipeline.Trace) { h.TextsHashed = true }, "texts: A kept, B kept as hashes"},
		{"self test", func(h *trace.Header, _ []pipeline.Trace) { h.SelfTest.Streams = 1 }, "self test of the tester: A none, B made"},
		{"program", func(h *trace.Header, _ []pipeline.Trace) { h.Version = "v2" }, "A was measured by halfsecond v1, B by v2"},
		{"HTTP", func(_ *trace.Header, traces []pipeline.Trace) { traces[3].Requests[0].Transport.HTTP = "2" }, "HTTP version: A HTTP/1.1, B HTTP/1.1 and HTTP/2"},
		{"coding", func(_ *trace.Header, traces []pipeline.Trace) { traces[3].Requests[0].Transport.Encoding = "gzip" }, "content coding: A none, B gzip and none"},
		{"voice's HTTP", func(_ *trace.Header, traces []pipeline.Trace) {
			traces[3].Sayings = []pipeline.Speech{{Transport: pipeline.Transport{Status: 101, HTTP: "3"}}}
		}, "HTTP version: A HTTP/1.1, B HTTP/1.1 and HTTP/3"},
	} {
		a, b := asked(t, same), asked(t, c.change)
		read, err := Read(bytes.NewReader(written(t, b)))
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range []*Run{b, read} {
			got := compare(t, a, other, Settings{Anyway: true, resamples: 9}).Warnings
			got = slices.DeleteFunc(got, func(w string) bool { return strings.Contains(w, "the same one") })
			if !slices.ContainsFunc(got, func(w string) bool { return strings.HasPrefix(w, c.want) }) {
				t.Errorf("%s: warnings\n%q, want\n%q", c.name, got, c.want)
			}
			if c.name != "services" && len(got) != 1 {
				t.Errorf("%s: warnings %q, want one", c.name, got)
			}
		}
	}
}

// TestConditionsAreAll: what a header keeps of how an endpoint is asked is a condition, but
// for what changes no latency and which server it is.
func TestConditionsAreAll(t *testing.T) {
	none := []string{"URL", "MaxRequests", "MaxTokens", "MaxCost", "Price"}
	plain := asked(t, func(*trace.Header, []pipeline.Trace) {})
	for i := range reflect.TypeFor[trace.Endpoint]().NumField() {
		f := reflect.TypeFor[trace.Endpoint]().Field(i)
		other := asked(t, func(h *trace.Header, _ []pipeline.Trace) {
			switch v := reflect.ValueOf(&h.Endpoints[0]).Elem().Field(i); x := v.Addr().Interface().(type) {
			case *string:
				*x += "/other"
			case *int:
				*x++
			case *bool:
				*x = !*x
			case *price.Dollars:
				*x++
			case *price.Price:
				x.Input++
			case *trace.Limits:
				x.Gap++
			default:
				t.Fatalf("%s: the test knows no %s", f.Name, v.Type())
			}
		})
		differs := !reflect.DeepEqual(plain.Conditions, other.Conditions) || plain.Model != other.Model || plain.Protocol != other.Protocol
		if differs == slices.Contains(none, f.Name) {
			t.Errorf("another %s of an endpoint: a condition %v, want %v", f.Name, differs, !differs)
		}
	}
}

// TestEarlierBaseline: one that has no conditions is said to have none, and nothing is
// compared with it.
func TestEarlierBaseline(t *testing.T) {
	a, b := asked(t, func(*trace.Header, []pipeline.Trace) {}), asked(t, func(h *trace.Header, _ []pipeline.Trace) { h.Endpoints[0].Cold = true })
	a.Conditions = nil
	read, err := Read(bytes.NewReader(written(t, a)))
	if err != nil {
		t.Fatal(err)
	}
	got := compare(t, read, b, Settings{Anyway: true, resamples: 9}).Warnings
	got = slices.DeleteFunc(got, func(w string) bool { return strings.Contains(w, "the same one") })
	if len(got) != 1 || !strings.HasPrefix(got[0], "A is a baseline of an earlier program, which does not say how it was asked") {
		t.Errorf("warnings %q", got)
	}
}
