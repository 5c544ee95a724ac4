package fit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline"
)

// recorded is a run of a real vLLM server; testdata/README.md says where it is from.
type recorded struct {
	file, hardware      string
	kvTokens, sequences int
}

var recordings = []recorded{
	{"testdata/e2e/vllm-rtx4090-llama-3.1-8b.csv", "RTX-4090", 41_408, 256},
	{"testdata/e2e/vllm-rtxpro6000-llama-3.1-8b.csv", "RTX-PRO-6000-Blackwell", 0, 128},
}

func (r recorded) read(t testing.TB) []Timed {
	t.Helper()
	data, err := os.ReadFile(r.file)
	if err != nil {
		t.Fatal(err)
	}
	run, err := ReadTimed(r.file, bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func (r recorded) replica(t testing.TB, c roofline.Constants) engine.Replica {
	t.Helper()
	return engine.Replica{Plan: plan(t, "Llama-3.1-8B", r.hardware, r.kvTokens, c), MaxSequences: r.sequences, TokenBudget: 2048}
}

func plan(t testing.TB, name, hardware string, kvTokens int, c roofline.Constants) *roofline.Plan {
	t.Helper()
	p, err := roofline.New(roofline.Deployment{Model: model(t, name), Hardware: device(t, hardware), KVTokens: kvTokens, Constants: c})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Blind: the constants are those of the built-in table, which no run was used for.
// Only what the run logged of its own set-up is given: its limits, and on the first
// machine the blocks of its cache.
func TestBlind(t *testing.T) {
	limits := map[string]float64{"ttft": .30, "tpot": .15, "latency": .15}
	for _, r := range recordings {
		run := r.read(t)
		got, err := Replay(t.Context(), r.replica(t, roofline.Constants{}), run)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d preemptions, %d tokens found in the cache", r.file, got.Stats.Preemptions, got.Stats.PrefixHits)
		for _, c := range Compare(run, got.Run) {
			logCompared(t, c)
			if e := c.MeanError(); !(e > -limits[c.Name] && e < limits[c.Name]) {
				t.Errorf("%s: mean %s is off by %+.1f %%, want within %.0f %%", r.file, c.Name, 100*e, 100*limits[c.Name])
			}
		}
	}
}

func logCompared(t *testing.T, c Compared) {
	t.Helper()
	mean, median, worst := c.Errors()
	t.Logf("%-8s measured %s, simulated %s: %+.1f %%; of single requests mean %.1f, median %.1f, p90 %.1f %%",
		c.Name, c.Measured.Mean, c.Simulated.Mean, 100*c.MeanError(), 100*mean, 100*median, 100*worst)
}

// csvOf writes a run as ReadTimed reads it.
func csvOf(run []Timed) string {
	var b strings.Builder
	b.WriteString("arrival_s,queued_s,first_token_s,last_token_s,input_tokens,output_tokens\n")
	for _, t := range run {
		queued := ""
		if t.Queued != pipeline.Unknown {
			queued = fmt.Sprintf("%.9f", t.Queued.Seconds())
		}
		fmt.Fprintf(&b, "%.9f,%s,%.9f,%.9f,%d,%d\n", t.Arrival.Seconds(), queued, t.First.Seconds(), t.Last.Seconds(), t.Prompt, t.Output)
	}
	return b.String()
}

// A run that the engine made is replayed to the nanosecond, through a file.
func TestReplayOwn(t *testing.T) {
	run, _ := served(t, poisson(3, 60, 80*time.Millisecond), truth)
	read, err := ReadTimed("own.csv", strings.NewReader(csvOf(run)))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(read, run) {
		t.Fatal("the file does not hold the run")
	}
	again, r := served(t, read, truth)
	if !slices.Equal(again, run) {
		t.Error("the replay of a run that the engine made differs from it")
	}
	if got, err := Replay(t.Context(), r, run); err != nil || slices.Equal(got.Run, run) {
		t.Errorf("%v; with other constants it is still the same", err)
	}
	for _, c := range Compare(run, again) {
		mean, median, worst := c.Errors()
		if e := c.MeanError(); e != 0 || mean != 0 || median != 0 || worst != 0 {
			t.Errorf("%s: errors %g, %g, %g, %g, want none", c.Name, e, mean, median, worst)
		}
	}
}

const ms = time.Millisecond

// Two requests come while the first is computed, are noticed when that step ends and,
// since the next one is planned by then, join the one after it.
func TestReplayQueued(t *testing.T) {
	r := recordings[0].replica(t, roofline.Constants{})
	run := []Timed{
		{Line: 2, Arrival: 10 * ms, Queued: 10 * ms, Prompt: 100, Output: 3},
		{Line: 3, Arrival: 11 * ms, Queued: 99 * ms, Prompt: 50, Output: 1},
		{Line: 4, Arrival: 12 * ms, Queued: pipeline.Unknown, Prompt: 30, Output: 2},
	}
	got, err := Replay(t.Context(), r, run)
	if err != nil {
		t.Fatal(err)
	}
	step := func(chunks ...[2]int) time.Duration {
		b := r.Plan.Batch()
		for _, c := range chunks {
			b.Add(c[0], c[1], 1)
		}
		return r.Plan.Step(b)
	}
	e := r.Plan.Deployment().Engine
	noticed := 10*ms + e.RequestFixed + 100*e.TokenizeToken
	first := noticed + step([2]int{100, 0})
	second := first + step([2]int{1, 100})
	third := second + step([2]int{1, 101}, [2]int{50, 0}, [2]int{30, 0})
	fourth := third + step([2]int{1, 30})
	want := []Timed{
		{Line: 2, Arrival: 10 * ms, Queued: noticed, First: first, Last: third, Prompt: 100, Output: 3},
		{Line: 3, Arrival: 11 * ms, Queued: first, First: third, Last: third, Prompt: 50, Output: 1},
		{Line: 4, Arrival: 12 * ms, Queued: pipeline.Unknown, First: third, Last: fourth, Prompt: 30, Output: 2},
	}
	if !slices.Equal(got.Run, want) {
		t.Errorf("replayed\n%v, want\n%v", got.Run, want)
	}
}

// TTFT counts from when a request was queued, where that is known; a single token has
// no TPOT.
func TestTimes(t *testing.T) {
	for _, test := range []struct {
		r    Timed
		want [3]time.Duration
	}{
		{Timed{Arrival: 10 * ms, Queued: 15 * ms, First: 100 * ms, Last: 180 * ms, Output: 5}, [3]time.Duration{85 * ms, 20 * ms, 170 * ms}},
		{Timed{Arrival: 10 * ms, Queued: pipeline.Unknown, First: 100 * ms, Last: 100 * ms, Output: 1}, [3]time.Duration{90 * ms, pipeline.Unknown, 90 * ms}},
	} {
		if got := [3]time.Duration{test.r.TTFT(), test.r.TPOT(), test.r.Latency()}; got != test.want {
			t.Errorf("TTFT, TPOT and latency of %+v: %v, want %v", test.r, got, test.want)
		}
	}
}

// Requests share nothing with each other, even when they look alike, but one that
// gives way finds what is left of itself.
func TestReplaySharesNothing(t *testing.T) {
	c := roofline.Constants{}
	r := engine.Replica{Plan: plan(t, "Llama-3.1-8B", "L40S", 4000, c)}
	alike := []Timed{{Line: 2, Prompt: 1600, Output: 50}, {Line: 3, Arrival: time.Minute, Prompt: 1600, Output: 50}}
	got, err := Replay(t.Context(), r, alike)
	if err != nil {
		t.Fatal(err)
	}
	if got.Stats.PrefixHits != 0 || got.Stats.PromptTokens != 3200 {
		t.Errorf("of two equal prompts %d tokens were found and %d computed", got.Stats.PrefixHits, got.Stats.PromptTokens)
	}
	crowd := []Timed{{Line: 2, Prompt: 1900, Output: 500}, {Line: 3, Arrival: ms, Prompt: 1900, Output: 500}}
	if got, err = Replay(t.Context(), r, crowd); err != nil {
		t.Fatal(err)
	}
	if got.Stats.Preemptions == 0 || got.Stats.PrefixHits == 0 {
		t.Errorf("%d preemptions, %d tokens found: want some of both", got.Stats.Preemptions, got.Stats.PrefixHits)
	}
}

func TestReplayRefuses(t *testing.T) {
	r := recordings[0].replica(t, roofline.Constants{})
	run := []Timed{{Line: 2, Prompt: 10, Output: 10}, {Line: 3, Prompt: 41_000, Output: 1000}}
	if _, err := Replay(t.Context(), r, run); !errors.Is(err, engine.ErrTooLarge) || !strings.HasPrefix(err.Error(), "line 3: ") {
		t.Errorf("a request larger than the cache: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Replay(ctx, r, run[:1]); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled replay: %v", err)
	}
	r.MaxSequences = -1
	if _, err := Replay(t.Context(), r, run[:1]); err == nil {
		t.Error("an impossible engine was not refused")
	}
}

func TestCompare(t *testing.T) {
	request := func(ttft, tpot time.Duration) Timed {
		return Timed{Queued: pipeline.Unknown, First: ttft, Last: ttft + 4*tpot, Prompt: 1, Output: 5}
	}
	var measured, simulated []Timed
	for i := range time.Duration(10) {
		measured = append(measured, request(100*ms, 10*ms))
		simulated = append(simulated, request((100+10*i)*ms, 11*ms))
	}
	measured = append(measured, Timed{Queued: pipeline.Unknown, First: 100 * ms, Last: 100 * ms, Output: 1})
	simulated = append(simulated, Timed{Queued: pipeline.Unknown, First: 50 * ms, Last: 50 * ms, Output: 1})
	got := Compare(measured, simulated)
	ttft, tpot := got[0], got[1]
	if ttft.Name != "ttft" || tpot.Name != "tpot" || got[2].Name != "latency" || len(got) != 3 {
		t.Fatalf("compared %v", got)
	}
	if want := (Times{11, 100 * ms, 100 * ms, 100 * ms}); ttft.Measured != want {
		t.Errorf("measured %v, want %v", ttft.Measured, want)
	}
	if want := (Times{11, 136_363_636, 140 * ms, 180 * ms}); ttft.Simulated != want {
		t.Errorf("simulated %v, want %v", ttft.Simulated, want)
	}
	if e := ttft.MeanError(); math.Abs(e-.36363636) > 1e-9 {
		t.Errorf("the mean is off by %g, want 4/11", e)
	}
	mean, median, worst := ttft.Errors()
	if math.Abs(mean-5./11) > 1e-9 || math.Abs(median-.5) > 1e-9 || math.Abs(worst-.8) > 1e-9 {
		t.Errorf("errors of single requests %g, %g, %g, want 5/11, .5, .8", mean, median, worst)
	}
	if tpot.Measured.N != 10 || !math.IsNaN(tpot.PerRequest[10]) || math.Abs(tpot.MeanError()-.1) > 1e-9 {
		t.Errorf("tpot of %d requests, the one of a single token %g, error %g", tpot.Measured.N, tpot.PerRequest[10], tpot.MeanError())
	}
	few := Compare(measured[10:], simulated[10:])
	if _, median, _ := few[0].Errors(); !math.IsNaN(median) || few[0].Measured.Median != pipeline.Unknown || few[1].Measured.Mean != pipeline.Unknown {
		t.Errorf("one request has a median: %+v", few)
	}
}

const timedHeader = "arrival_s,queued_s,first_token_s,last_token_s,input_tokens,output_tokens\n"

func TestReadTimed(t *testing.T) {
	got, err := ReadTimed("f", strings.NewReader("\ufeff output_tokens,input_tokens,last_token_s,first_token_s,arrival_s\n3,7,2.5,1.25,0.000000001\n"))
	want := []Timed{{Line: 2, Arrival: 1, Queued: pipeline.Unknown, First: 1250 * ms, Last: 2500 * ms, Prompt: 7, Output: 3}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("ReadTimed = %v, %v; want %v", got, err, want)
	}
}

func TestReadTimedErrors(t *testing.T) {
	for name, test := range map[string]struct{ file, want string }{
		"empty":           {"", "f: no header: want a first line with arrival_s,"},
		"no requests":     {timedHeader, "f: no requests below the header"},
		"unknown column":  {"arrival_s,color\n", `f:1: unknown columns: "color"; want some of arrival_s, queued_s`},
		"missing column":  {"arrival_s,queued_s,first_token_s,last_token_s,input_tokens\n", "f:1: missing columns: output_tokens"},
		"twice":           {"arrival_s," + timedHeader, `f:1: twice there: "arrival_s"`},
		"few cells":       {timedHeader + "0,0,1\n", "f:2: 3 cells under 6 columns"},
		"no number":       {timedHeader + "0,0,x,2,1,2\n", `f:2: first_token_s "x": want seconds since the run began`},
		"empty instant":   {timedHeader + ",0,1,2,1,2\n", `f:2: arrival_s "": want seconds since the run began`},
		"negative":        {timedHeader + "-1,0,1,2,1,2\n", `f:2: arrival_s "-1": want seconds`},
		"NaN":             {timedHeader + "0,0,NaN,2,1,2\n", `f:2: first_token_s "NaN": want seconds`},
		"too late":        {timedHeader + "0,0,1e9,2e9,1,2\n", `f:2: first_token_s "1e9": want seconds`},
		"no tokens":       {timedHeader + "0,0,1,2,0,2\n", `f:2: input_tokens "0": want a whole number from 1 to`},
		"half a token":    {timedHeader + "0,0,1,2,1,2.5\n", `f:2: output_tokens "2.5": want a whole number`},
		"queued before":   {timedHeader + "1,0.8,2,3,1,2\n", "f:2: queued_s 0.8 is before arrival_s 1"},
		"first too early": {timedHeader + "1,1.5,1.5,3,1,2\n", "f:2: first_token_s 1.5: want more than 1.5, when the request came"},
		"last too early":  {timedHeader + "0,0,1,1,1,2\n", "f:2: last_token_s 1: want more than first_token_s 1"},
		"no time a token": {timedHeader + "0,0,1,1.000001,1,10000\n", "f:2: last_token_s 1.000001: 10000 tokens in 1µs: want at least a nanosecond for each after the first"},
		"later line":      {timedHeader + "0,0,1,2,1,2\n\n0,0,1,2,1,x\n", `f:4: output_tokens "x": want a whole number`},
		"quote":           {timedHeader + "\"0,0,1\n", "f: parse error on line 2"},
	} {
		_, err := ReadTimed("f", strings.NewReader(test.file))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
	_, err := ReadTimed("f", strings.NewReader(timedHeader+"x,0,1,2,1,2\n0,0,1,2,1,x\n"))
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("two wrong lines: %v", err)
	}
	// A single token ends where it begins, and clocks may differ by a little.
	if _, err := ReadTimed("f", strings.NewReader(timedHeader+"1,0.95,2,2,1,1\n")); err != nil {
		t.Error(err)
	}
}

func FuzzReadTimed(f *testing.F) {
	f.Add(timedHeader + "0,0,1,2,1,2\n")
	f.Add("\ufeff" + timedHeader + "0,,1,2,1,2\n\n")
	f.Fuzz(func(t *testing.T, file string) {
		run, err := ReadTimed("f", strings.NewReader(file))
		if err != nil {
			return
		}
		for _, r := range run {
			if r.TTFT() <= 0 || r.Latency() < 0 && r.Arrival-r.Last > clockSlack || r.Prompt < 1 || r.Output < 1 || r.Line < 2 {
				t.Errorf("%q gives %+v", file, r)
			}
		}
	})
}
