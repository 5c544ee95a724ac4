package runner

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/counters"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/trace"
)

// counted runs a scenario on the mock over a network in memory and returns it with what the
// mock's metrics counted of it.
func counted(t *testing.T, text string, n int) (run trace.Run, c trace.Counters) {
	t.Helper()
	s := parse(t, text)
	synctest.Test(t, func(t *testing.T) {
		var err error
		run, err = Run(t.Context(), s, Settings{Target: Mock, Seed: 7, N: n, network: memory(), Metrics: counters.AtRoot})
		if err != nil || !run.Footer.Finished || len(run.Footer.Counters) != 1 {
			t.Fatalf("footer %+v, error %v", run.Footer, err)
		}
	})
	return run, run.Footer.Counters[0]
}

// sums are the times of requests that ended ok, as the engine itself has them.
type sums struct{ queue, prefill, decode, ttft, e2e trace.Sum }

// truth sums up what the engine of the simulator knows of the requests of a run.
func truth(traces []pipeline.Trace) (s sums) {
	add := func(to *trace.Sum, from, at time.Duration) { to.N, to.Total = to.N+1, to.Total+at-from }
	for _, t := range traces {
		for _, r := range t.Requests {
			if r.Outcome == pipeline.OK {
				add(&s.queue, r.Sent, r.Scheduled)
				add(&s.prefill, r.Scheduled, r.FirstOutput)
				add(&s.decode, r.FirstOutput, r.LastOutput)
				add(&s.ttft, r.Sent, r.FirstOutput)
				add(&s.e2e, r.Sent, r.LastOutput)
			}
		}
	}
	return s
}

// told returns what a server counted in the same form.
func told(c *trace.Counters) (s sums) {
	for name, to := range map[string]*trace.Sum{"queue": &s.queue, "prefill": &s.prefill, "decode": &s.decode, "ttft": &s.ttft, "e2e": &s.e2e} {
		if t := c.Time(name); t != nil {
			*to = trace.Sum{N: t.N, Total: t.Sum}
		}
	}
	return s
}

// TestCountersAreTheTruth: what the metrics of the mock tell of a run is what its engine
// did, to the nanosecond and the token, and no time passes in between.
func TestCountersAreTheTruth(t *testing.T) {
	for _, name := range []string{"bench, batched", "bench, slots", "bench, hosted", "bench, shared prefix"} {
		sim, err := Run(t.Context(), parse(t, agreeing[name].text), Settings{Target: Sim, Seed: 7, N: 60})
		if err != nil {
			t.Fatal(err)
		}
		run, c := counted(t, agreeing[name].text, 60)
		if want, got := truth(sim.Traces), told(&c); got != want || got.queue.N != 60 {
			t.Errorf("%s: the server counted\n%+v, the engine\n%+v", name, got, want)
		}
		prompt, output, cached := 0, 0, 0
		var ours trace.Tally
		for i := range run.Traces {
			r := &run.Traces[i].Requests[0]
			prompt, output, cached = prompt+r.PromptTokens, output+r.OutputTokens, cached+max(0, r.CachedTokens)
			ours.Add(r, c.From, c.To)
		}
		if p, o := c.Count("prompt_tokens"), c.Count("output_tokens"); p != prompt || o != output {
			t.Errorf("%s: it counted %d and %d tokens, want %d and %d", name, p, o, prompt, output)
		}
		if hits := c.Count("cached_tokens"); hits != cached || (cached > 0) != agreeing[name].hits {
			t.Errorf("%s: it counted %d cached tokens, want %d", name, hits, cached)
		}
		if got := told(&c); ours.TTFT != got.ttft || ours.Decode != got.decode || ours.E2E != got.e2e || ours.OK != 60 {
			t.Errorf("%s: our clocks have %+v, the server's %+v", name, ours, got)
		}
		if itl := c.Time("itl"); itl == nil || (trace.Sum{N: itl.N, Total: itl.Sum}) != ours.ITL {
			t.Errorf("%s: gaps %+v, ours %+v", name, itl, ours.ITL)
		}
		if c.Software != "vLLM" || c.Beside != (trace.Tally{}) || c.From != 0 || c.URL != "http://memory/metrics" {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// TestCountersLeaveTheNetwork: on a modelled network our clocks have its round trips beside
// what the server counts, and nothing else.
func TestCountersLeaveTheNetwork(t *testing.T) {
	run, c := counted(t, agreeing["voice"].text, 60)
	var ours trace.Tally
	network := time.Duration(0)
	for _, tr := range run.Traces {
		for i := range tr.Requests {
			r := &tr.Requests[i]
			ours.Add(r, c.From, c.To)
			network += r.Way.Out + r.Way.Back
		}
	}
	if its := told(&c); network < 600*ms || ours.TTFT.Total-its.ttft.Total != network || ours.E2E.Total-its.e2e.Total != network || ours.Decode != its.decode {
		t.Errorf("the network took %s; ours %+v, its %+v", network, ours, its)
	}
}

// TestCountersAfterWarmUp: the first look is taken when the first interaction of the report
// begins, and what of the warm-up or of others ends after that is counted here as well.
func TestCountersAfterWarmUp(t *testing.T) {
	const open = `
halfsecond: 1
kind: bench
name: warm
arrivals: {process: poisson, rate: 20/s}
warm_up: 30
bench:
  prompt_tokens: 300
  output_tokens: 40
  llm: {model: Llama-3.1-8B, hardware: L40S}
`
	for name, c := range map[string]struct {
		text   string
		beside bool // some requests are not in the file
	}{
		"open":                   {open, true},
		"open, with others":      {open + "background: {rate: 5/s, prompt_tokens: 100, output_tokens: 20}\n", true},
		"closed":                 {"warm_up: 5\n" + strings.TrimPrefix(agreeing["bench, batched"].text, "\n"), false},
		"closed, of many users":  {strings.Replace(open, "{process: poisson, rate: 20/s}", "{process: closed, users: 7}", 1), true},
		"closed, warm-up of few": {strings.NewReplacer("{process: poisson, rate: 20/s}", "{process: closed, users: 7}", "warm_up: 30", "warm_up: 3").Replace(open), true},
		"keys":                   {"warm_up: 50\n" + strings.TrimPrefix(agreeing["ide, wire"].text, "\n"), false},
	} {
		run, got := counted(t, c.text, 80)
		all := got.Beside
		for i := range run.Traces {
			for j := range run.Traces[i].Requests {
				all.Add(&run.Traces[i].Requests[j], got.From, got.To)
			}
		}
		if its := told(&got); got.Requests() != all.OK || its.decode != all.Decode || its.e2e.N != all.E2E.N || all.OK < 5 {
			t.Errorf("%s: the server counts %d requests, we %d; decode %+v, ours %+v", name, got.Requests(), all.OK, its.decode, all.Decode)
		}
		first := run.Traces[0].Due
		if (got.From > 0) != (name != "closed, warm-up of few") || got.From > first {
			t.Errorf("%s: looked at %s, the first trace is due at %s", name, got.From, first)
		}
		if (got.Beside != trace.Tally{}) != c.beside {
			t.Errorf("%s: beside the file %+v, want some: %t", name, got.Beside, c.beside)
		}
	}
}

// ask runs a few requests, one each 100 ms, at a server that answers in 20 ms and has such
// metrics, and returns how often those were looked at.
func ask(t *testing.T, metrics http.HandlerFunc, set Settings) (run trace.Run, looks int) {
	t.Helper()
	return askAfter(t, 0, metrics, set)
}

// askAfter is ask after so many requests of warm-up.
func askAfter(t *testing.T, warmUp int, metrics http.HandlerFunc, set Settings) (run trace.Run, looks int) {
	t.Helper()
	s := parse(t, fmt.Sprintf(sized+"warm_up: %d\n", "300", "0", warmUp))
	synctest.Test(t, func(t *testing.T) {
		n := memory()
		ln, err := n.listen()
		if err != nil {
			t.Fatal(err)
		}
		answers := &counter{perWord: 1}
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/metrics" {
				looks++
				metrics(w, r)
				return
			}
			answers.ServeHTTP(w, r)
		})}
		ended := make(chan error, 1)
		go func() { ended <- server.Serve(ln) }()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		set.Target, set.Seed, set.network = Endpoint, 1, n
		set.Endpoint = endpoint.Config{URL: "http://counter/v1", Protocol: dialect.OpenAIChat, Model: "m", DialContext: n.dial, MaxRequests: set.Endpoint.MaxRequests}
		set.Progress = func(n int) {
			if n == 5 && set.N == interrupted {
				cancel()
			}
		}
		if run, err = Run(ctx, s, set); err != nil || len(run.Traces) != 5 {
			t.Errorf("%d traces, error %v", len(run.Traces), err)
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		<-ended
	})
	return run, looks
}

// interrupted is how many interactions a run is asked for that is interrupted after five.
const interrupted = 1000

// sglang writes a page on which so many requests have ended.
func sglang(w http.ResponseWriter, n int) {
	fmt.Fprintf(w, "# TYPE sglang:num_requests_total counter\nsglang:num_requests_total %d\n", n)
}

// TestWithoutCounters: a server that shows nothing is asked once, and the run goes on.
func TestWithoutCounters(t *testing.T) {
	restarting := 9
	for _, c := range []struct {
		name, at string
		serve    http.HandlerFunc
		want     string
		looks    int
	}{
		{"none wanted", "", http.NotFound, "", 0},
		{"not there", counters.AtRoot, http.NotFound, "HTTP 404", 1},
		{"a page", counters.AtRoot, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }, `the page before the run cannot be read: it is no page of metrics: it begins "<html>"`, 2},
		{"restarted", counters.AtRoot, func(w http.ResponseWriter, _ *http.Request) {
			restarting--
			fmt.Fprintf(w, "# TYPE vllm:prompt_tokens_total counter\nvllm:prompt_tokens_total %d\n", restarting)
		}, "its counters began anew meanwhile: it was restarted, or another server answers at the same address", 2},
	} {
		run, looks := ask(t, c.serve, Settings{N: 5, Metrics: c.at})
		absent := ""
		if len(run.Footer.Counters) == 1 {
			absent = run.Footer.Counters[0].Absent
		}
		if absent != c.want || looks != c.looks || (c.at == "") != (len(run.Footer.Counters) == 0) {
			t.Errorf("%s: %+v after %d looks; want %q after %d", c.name, run.Footer.Counters, looks, c.want, c.looks)
		}
	}
}

// TestCountersThatLag: a server that has not counted yet what has ended is asked again, with
// pauses, and not for ever.
func TestCountersThatLag(t *testing.T) {
	for _, c := range []struct{ lag, looks, want int }{{0, 2, 5}, {2, 4, 5}, {100, 6, 0}} {
		asked := 0
		run, looks := ask(t, func(w http.ResponseWriter, _ *http.Request) {
			if asked++; asked > 1+c.lag {
				sglang(w, 15)
			} else {
				sglang(w, 10)
			}
		}, Settings{N: 5, Metrics: counters.AtRoot})
		if n := run.Footer.Counters[0].Requests(); n != c.want || looks != c.looks {
			t.Errorf("a lag of %d looks: %d requests after %d looks, want %d after %d", c.lag, n, looks, c.want, c.looks)
		}
	}
}

// TestCountersOfACappedRun: a run that a cap ended waits for them as one that is through.
func TestCountersOfACappedRun(t *testing.T) {
	asked := 0
	run, looks := ask(t, func(w http.ResponseWriter, _ *http.Request) {
		if asked++; asked > 3 {
			sglang(w, 15)
		} else {
			sglang(w, 10)
		}
	}, Settings{N: 6, Metrics: counters.AtRoot, Endpoint: endpoint.Config{MaxRequests: 5}})
	if c := run.Footer.Counters[0]; run.Footer.Reason != "over the cap of 5 requests" || looks != 4 || c.Requests() != 5 {
		t.Errorf("%d looks, footer %+v; want 5 requests after 4 looks", looks, run.Footer)
	}
}

// TestCountersOfAnInterruptedRun: they are looked at once more, and once only.
func TestCountersOfAnInterruptedRun(t *testing.T) {
	asked := 0
	run, looks := ask(t, func(w http.ResponseWriter, _ *http.Request) {
		asked++
		sglang(w, 10+asked)
	}, Settings{N: interrupted, Metrics: counters.AtRoot})
	if c := run.Footer.Counters[0]; run.Footer.Reason != "interrupted" || looks != 2 || c.Requests() != 1 || c.To != 420*ms {
		t.Errorf("%d looks, footer %+v; want 2, the last at 420 ms", looks, run.Footer)
	}
}

// TestSlowFirstLook: requests that end while the first look is under way are counted as the
// server counts them, whenever in that time it writes its page.
func TestSlowFirstLook(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after time.Duration // the page is written
		counts        int
		from          time.Duration
	}{
		{"at once", 0, 150 * ms, 5, 300 * ms},
		{"after one", 50 * ms, 100 * ms, 4, 320 * ms},
		{"after two", 150 * ms, 0, 3, 420 * ms},
	} {
		began := time.Time{}
		run, looks := askAfter(t, 3, func(w http.ResponseWriter, _ *http.Request) {
			first := began.IsZero()
			if first {
				began = time.Now().Add(-300 * ms) // the first interaction of the report is due after 300 ms
				time.Sleep(c.before)
			}
			// Request i is answered 20 ms after i times 100 ms.
			sglang(w, min(8, int((time.Since(began)+80*ms)/(100*ms))))
			if first {
				time.Sleep(c.after)
			}
		}, Settings{N: 5, Metrics: counters.AtRoot})
		counted := run.Footer.Counters[0]
		var ours trace.Tally
		for i := range run.Traces {
			ours.Add(&run.Traces[i].Requests[0], counted.From, counted.To)
		}
		if counted.Requests() != c.counts || ours.OK != c.counts || counted.From != c.from || counted.Beside != (trace.Tally{}) || looks < 2 {
			t.Errorf("%s: the server counts %d, we %d from %s on; want %d from %s on", c.name, counted.Requests(), ours.OK, counted.From, c.counts, c.from)
		}
	}
}
