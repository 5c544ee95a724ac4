package scenario

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline/dist"
	"halfsecond/simulators/arrival"
	"halfsecond/simulators/bench"
)

const (
	loadHead = "halfsecond: 1\nkind: bench\nname: n\n"
	loadTail = "bench: {lengths: stated, llm: {ttft: 1ms, tokens_per_second: 50}}\n"
)

// again parses a text and its canonical form, which must agree.
func again(t *testing.T, text string) *Scenario {
	t.Helper()
	s := parse(t, text)
	c := parse(t, s.Canonical())
	if !reflect.DeepEqual(s, c) || s.Hash() != c.Hash() {
		t.Errorf("%s\nreads differently in full:\n%s", text, s.Canonical())
	}
	return s
}

func TestArrivals(t *testing.T) {
	conv, _ := arrival.BuiltinTrace("azure-conv")
	replay := func(r arrival.Replay) arrival.Process {
		r.Trace = conv
		p, err := arrival.Replayed(r)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	joining := arrival.Closed(3, dist.Constant(time.Second))
	joining.Joining = 9 * time.Second
	for text, want := range map[string]arrival.Process{
		"{process: gamma, rate: 20/s, burstiness: 0.5}":                                     arrival.Gamma(20, .5),
		"{process: ramp, from_rate: 0/s, to_rate: 600/min, over: 30s}":                      arrival.Ramp(arrival.Slope{To: 10, Over: 30 * time.Second}),
		"{process: ramp, from_rate: 8/s, to_rate: 2/s, over: 1m, even: true}":               arrival.Ramp(arrival.Slope{From: 8, To: 2, Over: time.Minute, Even: true}),
		"{process: trace, file: azure-conv}":                                                replay(arrival.Replay{Speed: 1}),
		"{process: trace, file: azure-conv, speed: 2.5, skip: 10m, window: 5m, loop: true}": replay(arrival.Replay{Speed: 2.5, Skip: 10 * time.Minute, Window: 5 * time.Minute, Loop: true}),
		"{process: closed, users: 3, think: 1s, joining: 9s}":                               joining,
	} {
		if got := again(t, loadHead+"arrivals: "+text+"\n"+loadTail).Arrivals; got != want {
			t.Errorf("%s = %+v, want %+v", text, got, want)
		}
	}
}

func TestWarmUpWords(t *testing.T) {
	for text, want := range map[string][2]any{"": {0, false}, "warm_up: 7\n": {7, false}, "warm_up: auto\n": {0, true}} {
		if s := again(t, loadHead+text+loadTail); s.WarmUp != want[0] || s.FindStartUp != want[1] {
			t.Errorf("%q: %d, %v", text, s.WarmUp, s.FindStartUp)
		}
	}
}

func TestSharedPrefixes(t *testing.T) {
	for text, want := range map[string]bench.Shared{
		"":                                       {By: 1},
		"shared_prefix: 100, ":                   {Tokens: 100, By: 1},
		"shared_prefix: 50%, shared_by: 80%, ":   {Part: .5, By: .8},
		"shared_prefix: 7.25%, shared_by: 0.1, ": {Part: .0725, By: .1},
		"shared_prefix: 0%, ":                    {By: 1},
	} {
		if got := again(t, loadHead+"bench: {"+text+"llm: {ttft: 1ms, tokens_per_second: 50}}\n").Bench.Shared; got != want {
			t.Errorf("%q = %+v, want %+v", text, got, want)
		}
	}
}

func TestLoadProblems(t *testing.T) {
	traced := func(lengths string) string {
		return loadHead + "arrivals: {process: trace, file: azure-code}\nbench: {" + lengths + "llm: {ttft: 1ms, tokens_per_second: 50}}\n"
	}
	for _, c := range [][2]string{
		{loadHead + "arrivals: {process: gamma, rate: 1/s, burstiness: 0}\n" + loadTail, "f:4:51: arrivals.burstiness: 0 is not possible: it must be from 0.01 to 10000"},
		{loadHead + "arrivals: {process: poisson, rate: 1/s, burstiness: 1}\n" + loadTail, "f:4:41: arrivals.burstiness: goes with process: gamma, and process is poisson"},
		{loadHead + "arrivals: {process: ramp, from_rate: 1/s, to_rate: 0/s, over: 1s}\n" + loadTail, "f:4:52: arrivals.to_rate: 0/s is not possible: it must be from 0.36/h to 1000000/s"},
		{loadHead + "arrivals: {process: ramp, from_rate: -1/s, to_rate: 1/s, over: 1s}\n" + loadTail, "f:4:38: arrivals.from_rate: -1/s is not possible: it must be 0/s, or from 0.36/h to 1000000/s"},
		{loadHead + "arrivals: {process: trace, file: azure-cov}\n" + loadTail, `f:4:34: arrivals.file: no built-in trace "azure-cov"; nearest: azure-conv`},
		{loadHead + "arrivals: {process: trace, file: azure-conv, skip: 2h}\n" + loadTail, "f:4:34: arrivals.file: no request of azure-conv is there: it has 19366 from 0s to 58m21.721937s"},
		{traced(""), "f:5:1: bench: lengths is missing: want trace, so that each request is as long as it was, or stated"},
		{traced("lengths: trace, prompt_tokens: 5, "), "f:5:25: bench.prompt_tokens: goes with lengths: stated, and lengths is trace"},
		{loadHead + "bench: {lengths: trace, llm: {ttft: 1ms, tokens_per_second: 50}}\n", "f:4:18: bench.lengths: found trace, which goes with arrivals of process: trace"},
		{loadHead + "warm_up: sometimes\n" + loadTail, `f:4:10: warm_up: want a whole number, or auto; found "sometimes"`},
		{loadHead + "bench: {shared_prefix: 120%, llm: {ttft: 1ms, tokens_per_second: 50}}\n", "f:4:24: bench.shared_prefix: 120% is not possible: it must be from 0 to 1"},
		{loadHead + "bench: {shared_prefix: .5, llm: {ttft: 1ms, tokens_per_second: 50}}\n", "f:4:24: bench.shared_prefix: want a whole number, or a share such as 60%; found .5"},
		{strings.Replace(gridHead, "name:", "warm_up: auto\nname:", 1) + "grid: {models: [TinyLlama-1.1B], hardware: RTX-4090}\n", "f:3:10: warm_up: auto is not for a grid: want a whole number"},
	} {
		if _, err := Parse("f", []byte(c[0]), nil); err == nil || err.Error() != c[1] {
			t.Errorf("%s\nsays %v\nwant %s", c[0], err, c[1])
		}
	}
}

// A trace in a file counts by its content, and what is wrong in it is told with its line.
func TestTraceFiles(t *testing.T) {
	const text = loadHead + "arrivals: {process: trace, file: mine.csv}\nbench: {lengths: trace, llm: {ttft: 1ms, tokens_per_second: 50}}\n"
	file := "timestamp,prompt_tokens,output_tokens\n0,5,6\n2.5,7,8\n"
	open := func(string) ([]byte, error) { return []byte(file), nil }
	s, err := Parse("f", []byte(text), open)
	if err != nil {
		t.Fatal(err)
	}
	if n, end := s.Arrivals.Requests(); n != 2 || !end || !s.Bench.Traced() {
		t.Errorf("%d requests, with an end %v", n, end)
	}
	if !strings.Contains(s.Canonical(), "  file: mine.csv # sha256 ") {
		t.Errorf("in full\n%s", s.Canonical())
	}
	before := s.Hash()
	file = strings.Replace(file, "7", "9", 1)
	if s, err = Parse("f", []byte(text), open); err != nil || s.Hash() == before {
		t.Errorf("another file has the same hash (%v)", err)
	}
	file = strings.Replace(file, "9", "none", 1)
	want := `f:4:34: arrivals.file: mine.csv:3: "none": want prompt_tokens from 1 to 20000000`
	if _, err = Parse("f", []byte(text), open); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	want = "f:4:34: arrivals.file: no built-in trace and no file to read: gone; want one of azure-conv, azure-code"
	if _, err = Parse("f", []byte(text), func(string) ([]byte, error) { return nil, errors.New("gone") }); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
