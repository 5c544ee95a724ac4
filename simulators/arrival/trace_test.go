package arrival

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline/dist"
)

const s = time.Second

// four is requests at 0, 1, 3 and 6 seconds.
var four = &Trace{Name: "four", Requests: []Request{{0, 10, 1}, {s, 20, 2}, {3 * s, 30, 3}, {6 * s, 40, 4}}}

func TestReplay(t *testing.T) {
	for name, c := range map[string]struct {
		replay Replay
		want   []time.Duration
		rows   []int // the prompts
	}{
		"as it was":     {Replay{Trace: four, Speed: 1}, []time.Duration{0, s, 3 * s, 6 * s}, []int{10, 20, 30, 40}},
		"twice as fast": {Replay{Trace: four, Speed: 2}, []time.Duration{0, s / 2, 3 * s / 2, 3 * s}, []int{10, 20, 30, 40}},
		"half as fast":  {Replay{Trace: four, Speed: .5}, []time.Duration{0, 2 * s, 6 * s, 12 * s}, []int{10, 20, 30, 40}},
		"a window":      {Replay{Trace: four, Speed: 1, Skip: s / 2, Window: 5 * s / 2}, []time.Duration{s / 2}, []int{20}},
		"the rest":      {Replay{Trace: four, Speed: 1, Skip: s}, []time.Duration{0, 2 * s, 5 * s}, []int{20, 30, 40}},
		// The mean gap of the trace is 2 s, so that a round takes 8 s.
		"in a loop":          {Replay{Trace: four, Speed: 1, Loop: true}, []time.Duration{0, s, 3 * s, 6 * s, 8 * s, 9 * s}, []int{10, 20, 30, 40, 10, 20}},
		"a window in a loop": {Replay{Trace: four, Speed: 2, Window: 4 * s, Loop: true}, []time.Duration{0, s / 2, 3 * s / 2, 2 * s, 5 * s / 2, 7 * s / 2, 4 * s}, []int{10, 20, 30, 10, 20, 30, 10}},
	} {
		p, err := Replayed(c.replay)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		due := p.Due(dist.Stream(1, ""))
		for i, want := range c.want {
			if got := due.Next(); got != want {
				t.Errorf("%s: request %d is due at %s, want %s", name, i, got, want)
			}
			if got := p.Replay.Row(i).PromptTokens; got != c.rows[i] {
				t.Errorf("%s: request %d asks %d tokens, want %d", name, i, got, c.rows[i])
			}
		}
		if n, end := p.Requests(); end == c.replay.Loop || end && n != len(c.want) {
			t.Errorf("%s: %d requests, with an end %v", name, n, end)
		}
	}
}

func TestReplayRates(t *testing.T) {
	for _, c := range []struct {
		replay Replay
		want   float64
	}{
		{Replay{Trace: four, Speed: 1}, .5}, // 4 in 6 s and a mean gap of 2 s
		{Replay{Trace: four, Speed: 3}, 1.5},
		{Replay{Trace: four, Speed: 1, Window: 4 * s}, .75},
	} {
		if got := c.replay.Rate(); got != c.want {
			t.Errorf("rate of %+v = %g, want %g", c.replay, got, c.want)
		}
	}
}

func TestNothingToReplay(t *testing.T) {
	_, err := Replayed(Replay{Trace: four, Speed: 1, Skip: 7 * s})
	if err == nil || err.Error() != "no request of four is there: it has 4 from 0s to 6s" {
		t.Errorf("error %v", err)
	}
}

func TestBuiltinTraces(t *testing.T) {
	for _, c := range []struct {
		name        string
		n           int
		first, end  Request
		prompt, out int // medians
	}{
		{"azure-conv", 19366, Request{0, 374, 44}, Request{58*time.Minute + 21721937*time.Microsecond, 197, 183}, 1020, 129},
		{"azure-code", 8819, Request{0, 4808, 10}, Request{57*time.Minute + 15948056*time.Microsecond, 549, 173}, 1469, 13},
	} {
		got, ok := BuiltinTrace(c.name)
		if !ok || len(got.Requests) != c.n || got.Name != c.name {
			t.Fatalf("%s: %v, %d requests, want %d", c.name, ok, len(got.Requests), c.n)
		}
		if got.Requests[0] != c.first || got.Requests[c.n-1] != c.end {
			t.Errorf("%s: from %v to %v, want from %v to %v", c.name, got.Requests[0], got.Requests[c.n-1], c.first, c.end)
		}
		var prompts, outs []int
		for _, r := range got.Requests {
			prompts, outs = append(prompts, r.PromptTokens), append(outs, r.OutputTokens)
		}
		slices.Sort(prompts)
		slices.Sort(outs)
		if p, o := prompts[(c.n+1)/2-1], outs[(c.n+1)/2-1]; p != c.prompt || o != c.out {
			t.Errorf("%s: medians %d and %d, want %d and %d", c.name, p, o, c.prompt, c.out)
		}
	}
	if got := TraceNames(); !slices.Equal(got, []string{"azure-conv", "azure-code"}) {
		t.Errorf("names %v", got)
	}
	if _, ok := BuiltinTrace("azure"); ok {
		t.Error("there is a trace called azure")
	}
}

func TestReadCSV(t *testing.T) {
	const want = "[{0s 5 6} {1.5s 7 8}]"
	for name, text := range map[string]string{
		"ours":    "timestamp,prompt_tokens,output_tokens\n10,5,6\n11.5,7,8\n",
		"azure":   "\ufeffTIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 23:59:59.5000000,5,6\r\n2023-11-17 00:00:01.0,7,8\r\n",
		"rfc3339": "user,output_tokens,timestamp,prompt_tokens\nx,6,2024-02-29T23:59:59Z,5\ny,8,2024-03-01T00:00:00.5Z,7\n",
	} {
		got, err := ReadCSV(name, strings.NewReader(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		words := make([]string, len(got.Requests))
		for i, r := range got.Requests {
			words[i] = fmt.Sprint(r)
		}
		if text := "[" + strings.Join(words, " ") + "]"; text != want {
			t.Errorf("%s = %s, want %s", name, text, want)
		}
	}
}

func TestReadCSVFaults(t *testing.T) {
	const head = "timestamp,prompt_tokens,output_tokens\n"
	for text, want := range map[string]string{
		"":                         "f: want a line of column names: EOF",
		"when,prompt_tokens,n\n":   "f:1: no column timestamp; there are when, prompt_tokens, n\nno column output_tokens; there are when, prompt_tokens, n",
		head:                       "f: 0 requests: want two or more that came at different times",
		head + "1,1,1\n1,2,2\n":    "f: 2 requests: want two or more that came at different times",
		head + "1,1,1\nsoon,2,2\n": `f:3: "soon": want a time such as 2023-11-16 18:15:46.68, or a number of seconds`,
		head + "1,1,1\n-2,2,2\n":   `f:3: "-2": want a time such as 2023-11-16 18:15:46.68, or a number of seconds`,
		head + "1,1,1\n5m,2,2\n":   `f:3: "5m": want a time such as 2023-11-16 18:15:46.68, or a number of seconds`,
		head + "1,0,1\n2,1,x\n":    "f:2: \"0\": want prompt_tokens from 1 to 20000000\nf:3: \"x\": want output_tokens from 1 to 20000000",
		head + "2,1,1\n1,1,1\n":    "f:3: it came before the line above: want the order of time",
		head + "1,1,1\n2,1\n":      "f:3: record on line 3: wrong number of fields",
		head + "1,\"":              "f: parse error on line 2, column 4: extraneous or missing \" in quoted-field",
	} {
		if _, err := ReadCSV("f", strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("ReadCSV(%q) says\n%v\nwant\n%s", text, err, want)
		}
	}
}

func FuzzReadCSV(f *testing.F) {
	f.Add("timestamp,prompt_tokens,output_tokens\n1,2,3\n2,3,4\n")
	f.Add("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n2023-11-16 18:15:50.9951690,396,109\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ReadCSV("f", strings.NewReader(text))
		if err != nil {
			return
		}
		if len(got.Requests) < 2 || !(got.Rate() > 0) {
			t.Fatalf("%d requests at %g/s", len(got.Requests), got.Rate())
		}
		last := time.Duration(0)
		for _, r := range got.Requests {
			if r.At < last || r.PromptTokens < 1 || r.OutputTokens < 1 {
				t.Fatalf("%v after %s", r, last)
			}
			last = r.At
		}
	})
}
