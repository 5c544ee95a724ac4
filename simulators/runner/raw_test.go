package runner

import (
	"bytes"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/recount"
	"halfsecond/pipeline/exchange"
	"halfsecond/pipeline/trace"
)

// rawRun runs a scenario on the mock over a network in memory and returns the raw log.
func rawRun(t *testing.T, text string, n int, h exchange.Header) (run trace.Run, log *exchange.Reader) {
	t.Helper()
	var file bytes.Buffer
	w, err := exchange.NewWriter(&file, h)
	if err != nil {
		t.Fatal(err)
	}
	s := parse(t, text)
	synctest.Test(t, func(t *testing.T) {
		set := Settings{Target: Mock, Seed: 7, N: n, network: memory(), KeepExchange: w.Write, HashTexts: h.Hashed}
		if run, err = Run(t.Context(), s, set); err != nil {
			t.Fatal(err)
		}
	})
	if err := w.Close(); err != nil || !run.Footer.Finished {
		t.Fatalf("error %v, footer %+v", err, run.Footer)
	}
	if log, err = exchange.NewReader(&file); err != nil {
		t.Fatal(err)
	}
	return run, log
}

// TestEveryNumberAgain: the raw log of a run gives every number of its requests again,
// also where texts are not kept.
func TestEveryNumberAgain(t *testing.T) {
	for _, name := range []string{"bench, background", "voice", "ide, wire", "ide, discard, no reuse"} {
		for _, hashed := range []bool{false, true} {
			run, log := rawRun(t, agreeing[name].text, 60, exchange.Header{Hashed: hashed})
			got, err := recount.Traces(run.Traces, log)
			if err != nil {
				t.Fatal(err)
			}
			sent, cancelled := 0, 0
			for _, tr := range run.Traces {
				for _, q := range tr.Requests {
					if q.Sent != pipeline.Unknown {
						sent++
					}
					if q.Outcome == pipeline.Cancelled {
						cancelled++
					}
				}
			}
			if got.Again != sent || sent < 10 || len(got.Differ) > 0 || got.Missing+got.Textless > 0 || got.Cut || got.Hashed != hashed {
				t.Errorf("%s, hashed %t: %d of %d requests were read again: %+v", name, hashed, got.Again, sent, got)
			}
			if wants := name == "ide, wire"; (cancelled > 0) != wants {
				t.Errorf("%s: %d requests were cancelled, want some: %t", name, cancelled, wants)
			}
			if wants := name == "bench, background"; (got.Others > 0) != wants {
				t.Errorf("%s: %d exchanges of others, want some: %t", name, got.Others, wants)
			}
		}
	}
}

// TestKeepExchangeFails: a full disk ends the run and is told.
func TestKeepExchangeFails(t *testing.T) {
	full := errors.New("no space left on device")
	s := parse(t, agreeing["bench, hosted"].text)
	synctest.Test(t, func(t *testing.T) {
		var kept atomic.Int32
		run, err := Run(t.Context(), s, Settings{Target: Mock, Seed: 7, N: 1000, network: memory(), KeepExchange: func(*exchange.Exchange) error {
			if kept.Add(1) > 3 {
				return full
			}
			return nil
		}})
		if n := len(run.Traces); err != nil || run.Footer.Finished || run.Footer.Reason != full.Error() || n < 3 || n > 6 {
			t.Errorf("%d traces, footer %+v, error %v; want a few and %q", n, run.Footer, err, full)
		}
	})
}
