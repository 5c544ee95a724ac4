package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"halfsecond/budgets"
	"halfsecond/budgets/steady"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/endpoint/phone"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/runner"
	"halfsecond/simulators/scenario"
	"halfsecond/simulators/voice"
)

func parsed(t *testing.T, text string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse("test.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// oneSlot is a server that answers one request at a time, so that it is a queue with one
// server whose service time follows from the lengths.
func oneSlot(t *testing.T, arrivals, output, budget string) *scenario.Scenario {
	return parsed(t, fmt.Sprintf(`halfsecond: 1
kind: bench
name: one slot
arrivals: %s
bench:
  prompt_tokens: 100
  output_tokens: %s
  llm: {model: Llama-3.1-8B, hardware: H100-SXM, engine: llama.cpp, slots: 1, prefix_cache: false}
budgets: ["%s"]
`, arrivals, output, budget))
}

func swept(t *testing.T, s *scenario.Scenario, set SweepSettings) *Swept {
	t.Helper()
	set.Target, set.Seed = runner.Sim, 1
	w, err := Sweep(t.Context(), s, set)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// services returns the service times of the slot, from requests that do not meet.
func services(t *testing.T, output string, n int) (times []float64, first time.Duration) {
	t.Helper()
	run, err := runner.Run(t.Context(), oneSlot(t, "{process: constant, every: 1h}", output, "p50(ttft) < 1s"), runner.Settings{Target: runner.Sim, Seed: 1, N: n})
	if err != nil {
		t.Fatal(err)
	}
	for i := range run.Traces {
		r := &run.Traces[i].Requests[0]
		times = append(times, (r.End - r.Scheduled).Seconds())
		first = r.FirstOutput - r.Due
	}
	return times, first
}

// D/D/1: as long as requests come no faster than they are served nobody waits, and
// faster than that everybody waits longer than the one before. The knee is one over the
// service time, exactly; 400 requests find it to a hundredth of a percent.
func TestKneeOfEvenArrivals(t *testing.T) {
	times, _ := services(t, "50", 1)
	s := oneSlot(t, "{process: constant, every: 1s}", "50", "max(ttft) < 20ms")
	w := swept(t, s, SweepSettings{Settings: runner.Settings{N: 400}, Loads: []float64{1, 2, 4}, FindKnee: true, Resolution: .001, Repeats: 1})
	want := 1 / times[0]
	if w.Knee.Low > want || w.Knee.High < want || w.Knee.High/w.Knee.Low > 1.001 {
		t.Errorf("knee %+v, want it about %g", w.Knee, want)
	}
	for i := range w.Levels {
		l := &w.Levels[i]
		p := &l.Points[0]
		if inside := l.Load <= w.Knee.Low; inside != (l.Standing == Inside) || inside != (p.StartUp.Verdict == steady.Steady) {
			t.Errorf("%g/s: %v, %v", l.Load, l.Standing, p.StartUp.Verdict)
		}
		if l.Standing == Inside && (math.Abs(p.Offered/l.Load-1) > 1e-6 || math.Abs(p.Achieved/l.Load-1) > 1e-6 || p.Good() != 400) {
			t.Errorf("%g/s: %g offered, %g achieved, %d good", l.Load, p.Offered, p.Achieved, p.Good())
		}
	}
}

// M/D/1 and, with answers of exponential length, nearly M/M/1: the mean wait is
// lambda E(S^2) / (2 (1 - rho)) (Pollaczek and Khinchine), so that the load at which a
// budget on the mean breaks is known. The mean of n waits in M/M/1 has the variance
// rho (2 + 5 rho - 4 rho^2 + rho^3) / (1 - rho)^4 / n in squares of a service (Whitt,
// "Planning queueing simulations", Management Science 35, 1989), and the load at which it
// has a given value follows it with the power 1 - rho: at n = 10,000 and the rho of .3
// here that is 3.3 % of the load. M/D/1 scatters less. The limit is 4.4 of those and the
// resolution.
func TestKneeOfAQueue(t *testing.T) {
	for _, output := range []string{"50", "{exponential: 50}"} {
		times, first := services(t, output, 10_000)
		mean, square := 0., 0.
		for _, s := range times {
			mean += s / float64(len(times))
			square += s * s / float64(len(times))
		}
		const limit = 250 * time.Millisecond
		wait := (limit - first).Seconds() // wait (1 - lambda mean) 2 = lambda square
		want := 2 * wait / (square + 2*wait*mean)
		s := oneSlot(t, "{process: poisson, rate: 1/s}", output, "mean(ttft) < 250ms")
		w := swept(t, s, SweepSettings{Settings: runner.Settings{N: 10_000}, Loads: []float64{.25, .5, 1}, FindKnee: true, Resolution: .02, Repeats: 1})
		if w.Knee.Low == 0 || w.Knee.High == 0 || math.Abs(w.Knee.Low/want-1) > .165 || math.Abs(w.Knee.High/want-1) > .165 {
			t.Errorf("output %s: knee %+v, want it about %g", output, w.Knee, want)
		}
	}
}

// Users who wait and do not think: the last of U waits for the U-1 before it, so that
// the largest number whose wait is inside is known.
func TestKneeOfUsers(t *testing.T) {
	times, first := services(t, "50", 1)
	s := oneSlot(t, "{process: closed, users: 2}", "50", "max(ttft) < 1.2s")
	want := 1 + math.Floor((1200*time.Millisecond-first).Seconds()/times[0])
	w := swept(t, s, SweepSettings{Settings: runner.Settings{N: 200}, Loads: []float64{1, 2, 4, 8, 16}, FindKnee: true, Resolution: .05, Repeats: 2})
	if w.Knee != (Knee{want, want + 1}) || w.Unit != "users" {
		t.Errorf("knee %+v %s, want %g to %g", w.Knee, w.Unit, want, want+1)
	}
	for i := range w.Levels {
		p := &w.Levels[i].Points[0]
		if math.Abs(p.Achieved*times[0]-1) > .02 {
			t.Errorf("%g users: %g/s were served, want %g", w.Levels[i].Load, p.Achieved, 1/times[0])
		}
	}
}

// Where only part of what is asked is served, higher loads are left alone.
func TestCollapse(t *testing.T) {
	times, _ := services(t, "50", 1)
	s := oneSlot(t, "{process: constant, every: 1s}", "50", "max(ttft) < 20ms")
	w := swept(t, s, SweepSettings{Settings: runner.Settings{N: 200}, Loads: []float64{1, 8, 16}, Repeats: 1})
	want := fmt.Sprintf("at 8/s %.3g/s of 8/s ended", w.Levels[1].Points[0].Achieved)
	if len(w.Levels) != 2 || w.Collapsed != want || w.Knee != (Knee{1, 8}) {
		t.Errorf("%d levels, %q, knee %+v; want 2, %q", len(w.Levels), w.Collapsed, w.Knee, want)
	}
	if got := w.Levels[1].Points[0].Achieved; math.Abs(got*times[0]-1) > .03 {
		t.Errorf("%g/s ended, want one every %g s", got, times[0])
	}
}

// A budget that some runs of a load pass and others do not.
func TestRunsThatDiffer(t *testing.T) {
	s := oneSlot(t, "{process: poisson, rate: 1/s}", "50", "mean(ttft) < 250ms")
	w := swept(t, s, SweepSettings{Settings: runner.Settings{N: 200}, Loads: []float64{.3, .75, .85, .95, 1.6}, Repeats: 5})
	unsure := 0
	for i := range w.Levels {
		if w.Levels[i].Standing == Unsure {
			unsure++
		}
	}
	if first, last := w.Levels[0], w.Levels[len(w.Levels)-1]; first.Standing != Inside || last.Standing != Outside || unsure == 0 {
		t.Errorf("%v at %g, %v at %g, %d unsure", first.Standing, first.Load, last.Standing, last.Load, unsure)
	}
	if w.Knee.Low >= w.Knee.High || w.Knee.High > 1.6 {
		t.Errorf("knee %+v", w.Knee)
	}
}

// The same settings give the same sweep, and more repeats begin with those of fewer.
func TestSweepIsDeterministic(t *testing.T) {
	s := oneSlot(t, "{process: gamma, rate: 1/s, burstiness: .5}", "50", "p95(ttft) < 1s")
	set := SweepSettings{Settings: runner.Settings{N: 150}, Loads: []float64{.5, 1}, Repeats: 2}
	numbers := func(w *Swept) string {
		text := ""
		for _, l := range w.Levels {
			for _, p := range l.Points {
				text += fmt.Sprintln(l.Load, l.Standing, p.Seed, p.Verdict, p.Offered, p.Achieved, p.Kept, p.Pool.Values)
			}
		}
		return text
	}
	a, b := swept(t, s, set), swept(t, s, set)
	if numbers(a) != numbers(b) || a.Runs != 4 {
		t.Errorf("two sweeps of %d runs differ:\n%s\n%s", a.Runs, numbers(a), numbers(b))
	}
	set.Repeats = 1
	if c := swept(t, s, set); !reflect.DeepEqual(c.Levels[1].Points[0].Pool.Values, a.Levels[1].Points[0].Pool.Values) {
		t.Error("the first run of a load depends on how many there are")
	}
	if p := a.Levels[0].Points; p[0].Seed == p[1].Seed || p[0].Seed != 1 {
		t.Errorf("seeds %d and %d", p[0].Seed, p[1].Seed)
	}
}

func TestSweepRefuses(t *testing.T) {
	good := oneSlot(t, "{process: closed, users: 2}", "50", "max(ttft) < 1s")
	none := *good
	none.Budgets = nil
	short := oneSlot(t, "{process: trace, file: azure-code, window: 10s}", "50\n  lengths: stated", "max(ttft) < 1s")
	for _, c := range []struct {
		s     *scenario.Scenario
		loads []float64
		want  string
	}{
		{&none, []float64{1}, "the scenario has no budgets, so no load is inside or outside them"},
		{good, nil, "no load to run"},
		{good, []float64{1, 2.5, 2}, "2.5 users: want a whole number\nload 2 comes after 2.5: want them ascending"},
		{good, []float64{0}, "a load of 0: want more than 0"},
		{short, []float64{1}, "the trace azure-code has 12 requests in what is played of it, and the run takes 100: ask for fewer with n or warm_up, or loop: true plays it again"},
		{parse(t, small), []float64{1}, "a comparison of models (kind grid) has no load to sweep"},
	} {
		_, err := Sweep(t.Context(), c.s, SweepSettings{Settings: runner.Settings{Target: runner.Sim, N: 100}, Loads: c.loads, Repeats: 1})
		if err == nil || err.Error() != c.want {
			t.Errorf("loads %v: error\n%v\nwant\n%s", c.loads, err, c.want)
		}
	}
}

func TestRunsTooShortForASweep(t *testing.T) {
	s := oneSlot(t, "{process: poisson, rate: 1/s}", "50", "max(ttft) < 1s")
	set := SweepSettings{Settings: runner.Settings{Target: runner.Sim, Seed: 1, N: 99}, Loads: []float64{1, 2}, Repeats: 1}
	_, err := Sweep(t.Context(), s, set)
	want := "a run of 99 is too short to find where its start-up ends: want n 100 or more, or a warm_up above 0 in the scenario"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	s.WarmUp = 1
	if w, err := Sweep(t.Context(), s, set); err != nil || w.Levels[0].Points[0].StartUp != nil {
		t.Errorf("with a stated warm-up: %v", err)
	}
}

// The estimate is what is sent when no load has to be looked for, and no less than that
// when one has.
func TestEstimateSweep(t *testing.T) {
	s := oneSlot(t, "{process: closed, users: 2}", "50", "max(ttft) < 1.2s")
	set := SweepSettings{Settings: runner.Settings{Target: runner.Sim, Seed: 1, N: 100}, Loads: []float64{1, 32}, Repeats: 2, Resolution: .05}
	for _, find := range []bool{false, true} {
		set.FindKnee = find
		e, err := EstimateSweep(t.Context(), s, set)
		if err != nil {
			t.Fatal(err)
		}
		sent := 0
		set.Around = func(_ float64, _ int, one runner.Settings, run func(runner.Settings) (trace.Run, error)) (trace.Run, error) {
			r, err := run(one)
			sent += len(r.Traces)
			return r, err
		}
		w := swept(t, s, set)
		// 32 users have five interactions each, 60 more than one user has.
		if e.Requests < sent || !find && e.Requests != sent+2*60 || e.PromptTokens != 100*e.Requests || w.Runs > MostRuns(s, set) {
			t.Errorf("find %v: %+v was estimated, %d sent in %d of %d runs", find, e, sent, w.Runs, MostRuns(s, set))
		}
	}
}

// TestEstimateSweepSpeech: speech services are asked in every run, and a language model that
// stays modelled in none.
func TestEstimateSweepSpeech(t *testing.T) {
	s := parsed(t, `
halfsecond: 1
kind: voice
name: speech
arrivals: {process: closed, users: 2, think: 1s}
warm_up: 1
voice: {stt_tail: 200ms, tts_first_audio: 200ms, reply_tokens: 10, llm: {ttft: 98ms, tokens_per_second: 100}, context: {turns: 3}}
budgets: ["p50(reply) < 5s"]
`)
	set := SweepSettings{Settings: runner.Settings{Target: runner.Endpoint, Seed: 1, N: 20}, Loads: []float64{1, 2}, Repeats: 3, Resolution: .05}
	set.Speech.Bot = &phone.Config{}
	set.Speech.Voices = []voice.Said{{Voice: pipeline.Voice{Rate: 1000, Samples: make([]int16, 2000)}}}
	all, err := EstimateSweep(t.Context(), s, set)
	if err != nil || len(all.Speech) != 1 {
		t.Fatalf("%v: %+v", err, all)
	}
	// 21 turns a run of two users, of 11 and 10, in calls of three.
	u := all.Speech[0]
	if got := fmt.Sprintf("%d %d %s", u.Requests, u.Sessions, u.Spoken()); got != "126 48 4m12s" || all.Asked() != 0 || all.Requests != 126 {
		t.Errorf("%s of %d, %d to the model", got, all.Requests, all.Asked())
	}
}

// Interrupted, a sweep says so and keeps what it has.
func TestSweepEnds(t *testing.T) {
	s := oneSlot(t, "{process: constant, every: 1s}", "50", "max(ttft) < 20ms")
	set := SweepSettings{Settings: runner.Settings{N: 100}, Loads: []float64{1, 1.1, 1.2}, Repeats: 1}
	set.Around = func(load float64, _ int, one runner.Settings, run func(runner.Settings) (trace.Run, error)) (trace.Run, error) {
		if load == 1.1 {
			one.Keep = func(tr *pipeline.Trace) error {
				if tr.Session == 50 {
					return fmt.Errorf("the disk is full")
				}
				return nil
			}
		}
		return run(one)
	}
	w := swept(t, s, set)
	if len(w.Levels) != 2 || w.Ended != "the disk is full" || w.Levels[1].Points[0].Kept < 50 || w.Levels[0].Standing != Inside {
		t.Errorf("%d levels, %q, %+v", len(w.Levels), w.Ended, w.Levels)
	}
}

// TestSweepBreaks: a run that does not begin ends a sweep, which keeps what other runs told;
// where there are none, that is its error.
func TestSweepBreaks(t *testing.T) {
	s := oneSlot(t, "{process: constant, every: 1s}", "50", "max(ttft) < 20ms")
	dead := fmt.Errorf("the run did not begin: %w", errors.New("nothing listens\nat this address"))
	for _, c := range []struct {
		name         string
		load         float64 // at which it breaks, or the user does
		repeat       int
		interrupt    bool
		levels, runs int
		ended        string
		last         Standing
	}{
		{"at the first load", 1, 0, false, 0, 0, "at 1/s the run did not begin: nothing listens; at this address", Inside},
		{"at the second", 1.1, 0, false, 1, 2, "at 1.1/s the run did not begin: nothing listens; at this address", Inside},
		{"within the second", 1.1, 1, false, 2, 3, "at 1.1/s the run did not begin: nothing listens; at this address", Unsure},
		{"interrupted between two", 1.1, 0, true, 1, 2, "interrupted", Inside},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		set := SweepSettings{Settings: runner.Settings{Target: runner.Sim, Seed: 1, N: 100}, Loads: []float64{1, 1.1, 1.2}, Repeats: 2}
		set.Around = func(load float64, repeat int, one runner.Settings, run func(runner.Settings) (trace.Run, error)) (trace.Run, error) {
			if load == c.load && repeat == c.repeat && !c.interrupt {
				return trace.Run{}, dead
			}
			return run(one)
		}
		set.Ran = func(runs int) {
			if c.interrupt && runs == c.runs {
				cancel()
			}
		}
		w, err := Sweep(ctx, s, set)
		cancel()
		if (err != nil) != (c.runs == 0) || err != nil && !errors.Is(err, dead) {
			t.Errorf("%s: error %v", c.name, err)
		}
		if len(w.Levels) != c.levels || w.Runs != c.runs || w.Ended != c.ended || c.levels > 0 && w.Levels[c.levels-1].Standing != c.last {
			t.Errorf("%s: %d levels, %d runs, ended %q, want %d, %d, %q", c.name, len(w.Levels), w.Runs, w.Ended, c.levels, c.runs, c.ended)
		}
	}
}

// A sweep over real sockets against our own server: every load far below what it can do
// is inside, nothing is sent twice, and the caps hold over all runs together.
func TestSweepAtAnEndpoint(t *testing.T) {
	s := parsed(t, `halfsecond: 1
kind: bench
name: over sockets
arrivals: {process: poisson, rate: 100/s}
warm_up: 5
bench: {prompt_tokens: 40, output_tokens: 3, llm: {ttft: 1ms, tokens_per_second: 1000}}
budgets: [p50(ttft) < 20s]
`)
	set := SweepSettings{
		Settings: runner.Settings{Target: runner.Endpoint, Seed: 1, N: 15, Salt: 7, PerUser: 1, Endpoint: endpoint.Config{
			URL: serve(t, "only:1b"), Protocol: dialect.OpenAIChat, IgnoreEOS: true, MaxRequests: 95,
		}},
		Loads: []float64{10, 20, 40}, Repeats: 2,
	}
	salts := map[uint64]bool{}
	set.Around = func(_ float64, _ int, one runner.Settings, run func(runner.Settings) (trace.Run, error)) (trace.Run, error) {
		salts[one.Salt] = true
		r, err := run(one)
		if r.Footer.Prompts.Learned == 0 {
			t.Errorf("no prompt was calibrated: %+v", r.Footer)
		}
		return r, err
	}
	w, err := Sweep(t.Context(), s, set)
	if err != nil {
		t.Fatal(err)
	}
	// Four runs of 20 fit into the cap; the fifth is left 15 of the 20 that it asks.
	if len(w.Levels) != 3 || w.Runs != 6 && w.Ended == "" || len(salts) < 5 {
		t.Errorf("%d levels, %d runs, %d salts, %q", len(w.Levels), w.Runs, len(salts), w.Ended)
	}
	if l := w.Levels[0]; l.Standing != Inside || l.Points[0].OK != 1 || l.Points[0].StartUp != nil || l.Points[0].Verdict != budgets.Pass {
		t.Errorf("10/s: %+v", l.Points[0])
	}
	// The cap is met within the fifth: that load has no standing, and nothing collapsed.
	if last := w.Levels[len(w.Levels)-1]; w.Ended != "over the cap of 95 requests" || w.Collapsed != "" || last.Load != 40 || last.Standing != Unsure || !last.Cut ||
		last.Points[0].OK != 1 || last.Points[0].Kept != 10 {
		t.Errorf("ended %q, collapsed %q, the last level %+v", w.Ended, w.Collapsed, last)
	}
}

// A run for which the caps leave nothing was not made, and says nothing of its load.
func TestSweepOutOfCaps(t *testing.T) {
	s := parsed(t, `halfsecond: 1
kind: bench
name: over sockets
arrivals: {process: poisson, rate: 100/s}
warm_up: 5
bench: {prompt_tokens: 40, output_tokens: 3, llm: {ttft: 1ms, tokens_per_second: 1000}}
budgets: [p50(ttft) < 20s]
`)
	// A run is 35 requests: one fits, and then two.
	for _, c := range []struct{ most, repeats, levels, runs int }{{35, 1, 1, 1}, {35, 2, 1, 1}, {70, 2, 1, 2}} {
		set := SweepSettings{
			Settings: runner.Settings{Target: runner.Endpoint, Seed: 1, N: 30, PerUser: 1, Endpoint: endpoint.Config{
				URL: serve(t, "only:1b"), Protocol: dialect.OpenAIChat, IgnoreEOS: true, MaxRequests: c.most,
			}},
			Loads: []float64{50, 100}, Repeats: c.repeats,
		}
		w, err := Sweep(t.Context(), s, set)
		if err != nil {
			t.Fatal(err)
		}
		if len(w.Levels) != c.levels || w.Runs != c.runs || len(w.Levels[0].Points) != c.runs || w.Ended != fmt.Sprintf("the cap of %d requests was reached", c.most) {
			t.Errorf("%d requests: %d levels, %d runs, ended %q; want %d levels and %d runs", c.most, len(w.Levels), w.Runs, w.Ended, c.levels, c.runs)
		}
		want := Inside
		if c.runs < c.repeats {
			want = Unsure
		}
		if w.Levels[0].Standing != want {
			t.Errorf("%d requests: %v, want %v", c.most, w.Levels[0].Standing, want)
		}
	}
}

// Where most of what is asked fails, the sweep says why the others did, most often.
func TestCollapseSaysWhy(t *testing.T) {
	l := Level{Points: []Point{{OK: .25, Failures: map[string]int{"b": 2, "HTTP 401: no key.": 3, "c": 1}}}}
	if got, want := l.collapse(true, 0), "only 25 % ended ok, the others most often: HTTP 401: no key"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := MostOften(map[string]int{"b": 2, "a": 2}); got != "a" {
		t.Errorf("most often %q, want a", got)
	}
}
