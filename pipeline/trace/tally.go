package trace

import (
	"math"
	"time"

	"halfsecond/pipeline"
)

// Tally sums our own clocks of requests up as servers do theirs: what a request has after
// a first instant counts. Time to the first token is of all that had one, the others of
// those that ended ok.
type Tally struct {
	OK, Others int // requests that ended, ok and otherwise
	Output     int // tokens of answers that ended ok, as the server counted them in usage
	Uncounted  int // answers that ended ok of which it did not
	TTFT, Decode, E2E,
	TPOT, ITL Sum
}

// Sum is so many times, and their sum.
type Sum struct {
	N     int
	Total time.Duration
}

// Mean returns the mean in nanoseconds; ok is false when there is none.
func (s Sum) Mean() (mean float64, ok bool) { return float64(s.Total) / float64(s.N), s.N > 0 }

func (s *Sum) add(d time.Duration) {
	if d != pipeline.Unknown {
		s.N++
		s.Total += d
	}
}

// Plus returns both tallies together.
func (t Tally) Plus(u Tally) Tally {
	plus := func(a, b Sum) Sum { return Sum{a.N + b.N, a.Total + b.Total} }
	return Tally{
		OK: t.OK + u.OK, Others: t.Others + u.Others, Output: t.Output + u.Output, Uncounted: t.Uncounted + u.Uncounted,
		TTFT: plus(t.TTFT, u.TTFT), Decode: plus(t.Decode, u.Decode), E2E: plus(t.E2E, u.E2E), TPOT: plus(t.TPOT, u.TPOT), ITL: plus(t.ITL, u.ITL),
	}
}

// Add adds what a request that was sent over a socket has after an instant, up to another.
func (t *Tally) Add(r *pipeline.Request, from, to time.Duration) {
	within := func(at time.Duration) bool { return at != pipeline.Unknown && at > from && at <= to }
	if r.Simulated || r.Sent == pipeline.Unknown {
		return
	}
	if within(r.FirstOutput) {
		t.TTFT.add(pipeline.Since(r.Sent, r.FirstOutput))
	}
	switch {
	case !within(r.End):
	case r.Outcome != pipeline.OK:
		t.Others++
	default:
		t.addWhole(r)
	}
}

// addWhole adds a request that ended ok.
func (t *Tally) addWhole(r *pipeline.Request) {
	t.OK++
	if r.OutputTokens == pipeline.UnknownCount {
		t.Uncounted++
	} else {
		t.Output += r.OutputTokens
	}
	decode := pipeline.Since(r.FirstOutput, r.LastOutput)
	t.Decode.add(decode)
	t.E2E.add(pipeline.Since(r.Sent, r.LastOutput))
	if gaps := r.OutputTokens - 1; gaps > 0 && decode > 0 && !r.Transport.Burst && r.Choices == 0 {
		t.TPOT.add(time.Duration(math.Round(float64(decode) / float64(gaps))))
		t.ITL = Sum{t.ITL.N + gaps, t.ITL.Total + decode}
	}
}

type wireTally struct {
	OK        int      `json:"ok"`
	Others    int      `json:"others"`
	Output    int      `json:"output_tokens"`
	Uncounted int      `json:"uncounted"`
	TTFT      [2]int64 `json:"ttft"`
	Decode    [2]int64 `json:"decode"`
	E2E       [2]int64 `json:"e2e"`
	TPOT      [2]int64 `json:"tpot"`
	ITL       [2]int64 `json:"itl"`
}

func tallyToWire(t Tally) *wireTally {
	if t == (Tally{}) {
		return nil
	}
	pair := func(s Sum) [2]int64 { return [2]int64{int64(s.N), int64(s.Total)} }
	return &wireTally{t.OK, t.Others, t.Output, t.Uncounted, pair(t.TTFT), pair(t.Decode), pair(t.E2E), pair(t.TPOT), pair(t.ITL)}
}

func (w *wireTally) tally() Tally {
	if w == nil {
		return Tally{}
	}
	sum := func(p [2]int64) Sum { return Sum{int(p[0]), time.Duration(p[1])} }
	return Tally{w.OK, w.Others, w.Output, w.Uncounted, sum(w.TTFT), sum(w.Decode), sum(w.E2E), sum(w.TPOT), sum(w.ITL)}
}
