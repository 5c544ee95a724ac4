package trace

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"halfsecond/pipeline"
)

const tick = time.Millisecond

// TestCountersRoundTrip: what was counted is read as it was written.
func TestCountersRoundTrip(t *testing.T) {
	counters := []Counters{
		{URL: "http://h/metrics", Absent: "HTTP 404"},
		{
			Model: "m", Variant: "baseline", Prompt: 128, URL: "http://h/metrics", Software: "vLLM", Label: "org/m", From: 5 * tick, To: 900 * tick,
			Times: []CountedTime{
				{Name: "queue", N: 3, Sum: 7 * tick, Buckets: []Bucket{{Most: 0, N: 1}, {Most: 10 * tick, N: 3}}},
				{Name: "prefill", N: pipeline.UnknownCount, Sum: 1},
			},
			Counts: []Count{{Name: "requests", N: 0}, {Name: "prompt_tokens", N: 384}},
			Beside: Tally{OK: 1, Others: 2, Output: 3, Uncounted: 4, TTFT: Sum{5, 6}, Decode: Sum{7, 8}, E2E: Sum{9, 10}, TPOT: Sum{11, 12}, ITL: Sum{13, 14}},
		},
	}
	var file bytes.Buffer
	w, err := NewWriter(&file, Header{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(Footer{Finished: true, Counters: counters, Lateness: unknownLateness()}); err != nil {
		t.Fatal(err)
	}
	got, err := Read(bytes.NewReader(file.Bytes()))
	if err != nil || !reflect.DeepEqual(got.Footer.Counters, counters) {
		t.Errorf("got %+v, %v\nwant %+v", got.Footer.Counters, err, counters)
	}
}

// TestTally: only what comes within the time counts, each instant for itself.
func TestTally(t *testing.T) {
	request := func(change func(r *pipeline.Request)) pipeline.Request {
		r := pipeline.NewRequest(1, 100*tick)
		r.Sent, r.FirstOutput, r.LastOutput, r.End, r.OutputTokens = 110*tick, 150*tick, 250*tick, 260*tick, 11
		change(&r)
		return r
	}
	whole := Tally{OK: 1, Output: 11, TTFT: Sum{1, 40 * tick}, Decode: Sum{1, 100 * tick}, E2E: Sum{1, 140 * tick}, TPOT: Sum{1, 10 * tick}, ITL: Sum{10, 100 * tick}}
	without := func(change func(t *Tally)) Tally { w := whole; change(&w); return w }
	for _, c := range []struct {
		name     string
		r        pipeline.Request
		from, to time.Duration
		want     Tally
	}{
		{"whole", request(func(*pipeline.Request) {}), 0, time.Second, whole},
		{"up to its end", request(func(*pipeline.Request) {}), 149 * tick, 260 * tick, whole},
		{"begun before", request(func(*pipeline.Request) {}), 150 * tick, time.Second, without(func(t *Tally) { t.TTFT = Sum{} })},
		{"ended before", request(func(*pipeline.Request) {}), 260 * tick, time.Second, Tally{}},
		{"not ended", request(func(*pipeline.Request) {}), 0, 259 * tick, Tally{TTFT: whole.TTFT}},
		{"given up", request(func(r *pipeline.Request) { r.Outcome = pipeline.Cancelled }), 0, time.Second, Tally{Others: 1, TTFT: whole.TTFT}},
		{"tokens nobody counted", request(func(r *pipeline.Request) { r.OutputTokens = pipeline.UnknownCount }), 0, time.Second,
			without(func(t *Tally) { t.Output, t.Uncounted, t.TPOT, t.ITL = 0, 1, Sum{}, Sum{} })},
		{"all at once", request(func(r *pipeline.Request) { r.Transport.Burst = true }), 0, time.Second, without(func(t *Tally) { t.TPOT, t.ITL = Sum{}, Sum{} })},
		{"in one read", request(func(r *pipeline.Request) { r.FirstOutput = r.LastOutput }), 0, time.Second,
			Tally{OK: 1, Output: 11, TTFT: Sum{1, 140 * tick}, Decode: Sum{1, 0}, E2E: whole.E2E}},
		{"never sent", request(func(r *pipeline.Request) { r.Sent = pipeline.Unknown }), 0, time.Second, Tally{}},
		{"simulated", request(func(r *pipeline.Request) { r.Simulated = true }), 0, time.Second, Tally{}},
	} {
		var got Tally
		got.Add(&c.r, c.from, c.to)
		if got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
	if got, want := whole.Plus(whole), (Tally{
		OK: 2, Output: 22, TTFT: Sum{2, 80 * tick}, Decode: Sum{2, 200 * tick}, E2E: Sum{2, 280 * tick}, TPOT: Sum{2, 20 * tick}, ITL: Sum{20, 200 * tick},
	}); got != want {
		t.Errorf("twice: got %+v, want %+v", got, want)
	}
	if mean, ok := (Sum{4, 10}).Mean(); mean != 2.5 || !ok {
		t.Errorf("mean %v, %v", mean, ok)
	}
	if _, ok := (Sum{}).Mean(); ok {
		t.Error("nothing has a mean")
	}
}
