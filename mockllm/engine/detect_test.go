package engine

import (
	"testing"
	"time"

	"halfsecond/pipeline"
)

// TestDetector: one slot, 50 ms to the first token and 10 ms between tokens; a leaves
// at some instant, b waits behind it.
func TestDetector(t *testing.T) {
	for _, c := range []struct {
		name   string
		config DetectorConfig
		leave  int // ms
		want   string
	}{
		{"at once, in prefill", DetectorConfig{}, 25, "a:cancelled@25 b1@75 b2@85 b:ok@85"},
		{"at once, in decode", DetectorConfig{}, 65, "a1@50 a2@60 a:cancelled@65 b1@115 b2@125 b:ok@125"},
		{"next token, in prefill", DetectorConfig{Detection: AtNextToken}, 25, "a:cancelled@50 b1@100 b2@110 b:ok@110"},
		{"next token, in decode", DetectorConfig{Detection: AtNextToken}, 65, "a1@50 a2@60 a:cancelled@70 b1@120 b2@130 b:ok@130"},
		{"prefill end, in prefill", DetectorConfig{Detection: AtPrefillEnd}, 25, "a:cancelled@50 b1@100 b2@110 b:ok@110"},
		{"prefill end, in decode", DetectorConfig{Detection: AtPrefillEnd}, 65, "a1@50 a2@60 a:cancelled@65 b1@115 b2@125 b:ok@125"},
		{"never", DetectorConfig{Detection: Never}, 25, "a1@50 a2@60 a3@70 a:ok@70 b1@120 b2@130 b:ok@130"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var loop pipeline.Virtual
			e := NewDetector(c.config, NewSlots(&loop, SlotsConfig{Service: Fixed{TTFT: 50 * ms, TPOT: 10 * ms}, Slots: 1, MaxContext: 100}))
			var log []string
			a := ask(&loop, e, &log, "a", 0, 10, 3)
			ask(&loop, e, &log, "b", 10*ms, 10, 2)
			loop.At(time.Duration(c.leave)*ms, pipeline.RankInput, func() { e.Cancel(a) })
			expect(t, &loop, &log, c.want)
			if len(e.seen) != 0 {
				t.Errorf("%d requests are still watched", len(e.seen))
			}
		})
	}
}

// TestDetectorQueue: one who leaves the queue is out of it at once, or computed all
// the same.
func TestDetectorQueue(t *testing.T) {
	for _, c := range []struct {
		keeps bool
		want  string
	}{
		{false, "b:cancelled@20 a1@50 a2@60 a:ok@60 c1@110 c:ok@110"},
		{true, "a1@50 a2@60 a:ok@60 b1@110 b2@120 b:ok@120 c1@170 c:ok@170"},
	} {
		var loop pipeline.Virtual
		e := NewDetector(DetectorConfig{KeepsQueued: c.keeps}, NewSlots(&loop, SlotsConfig{Service: Fixed{TTFT: 50 * ms, TPOT: 10 * ms}, Slots: 1, MaxContext: 100}))
		var log []string
		ask(&loop, e, &log, "a", 0, 10, 2)
		b := ask(&loop, e, &log, "b", 10*ms, 10, 2)
		ask(&loop, e, &log, "c", 15*ms, 10, 1)
		loop.At(20*ms, pipeline.RankInput, func() { e.Cancel(b) })
		expect(t, &loop, &log, c.want)
	}
}

// TestParseDetection: names and back, and what is wrong with others.
func TestParseDetection(t *testing.T) {
	for d := AtOnce; d <= Never; d++ {
		if got, err := ParseDetection(d.String()); got != d || err != nil {
			t.Errorf("%s reads as %v, %v", d, got, err)
		}
	}
	_, err := ParseDetection("later")
	if want := `cancel detection "later": want one of immediate, next_token, prefill_end, never`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func init() {
	slots := func(l pipeline.Scheduler) Engine {
		return NewSlots(l, SlotsConfig{Service: Fixed{40 * ms, 7 * ms}, Slots: 3, MaxContext: 300})
	}
	subjects = append(subjects,
		subject{"a detector", func(l pipeline.Scheduler) Engine { return NewDetector(DetectorConfig{}, slots(l)) }, 0},
		subject{"a detector behind a load", func(l pipeline.Scheduler) Engine {
			return NewCold(l, ColdConfig{Load: 300 * ms, Idle: 30 * ms}, func(l pipeline.Scheduler) Engine { return NewDetector(DetectorConfig{}, slots(l)) })
		}, 0},
	)
}

// TestDetectorBeforeARelay: a request that was passed on is computed as soon as the one
// in its place is, though its asker learns of that with the first token.
func TestDetectorBeforeARelay(t *testing.T) {
	for _, c := range []struct {
		detection Detection
		want      string
	}{
		{AtOnce, "a:cancelled@25 b1@75 b2@85 b:ok@85"},
		{AtNextToken, "a:cancelled@50 b1@100 b2@110 b:ok@110"},
		{AtPrefillEnd, "a:cancelled@50 b1@100 b2@110 b:ok@110"},
		{Never, "a1@50 a2@60 a:ok@60 b1@110 b2@120 b:ok@120"},
	} {
		var loop pipeline.Virtual
		e := NewDetector(DetectorConfig{Detection: c.detection}, relayed{one(&loop), map[*Request]*Relay{}})
		var log []string
		a := ask(&loop, e, &log, "a", 0, 10, 2)
		ask(&loop, e, &log, "b", 10*ms, 10, 2)
		loop.At(25*ms, pipeline.RankInput, func() { e.Cancel(a) })
		expect(t, &loop, &log, c.want)
	}
}

// TestDetectorGivesBack: a request that has ended has its own callbacks again, since its
// asker may use them for another.
func TestDetectorGivesBack(t *testing.T) {
	var loop pipeline.Virtual
	e := NewDetector(DetectorConfig{}, one(&loop))
	var log []string
	a := ask(&loop, e, &log, "a", 0, 10, 2)
	told, done := 0, 0
	a.Notify, a.Done = func(n int) int { told++; return n + 1 }, func(pipeline.Outcome) { done++ }
	loop.RunUntil(pipeline.LastInstant)
	a.Notify(7)
	a.Done(pipeline.OK)
	if told != 3 || done != 2 {
		t.Errorf("told %d times and done %d, want 3 and 2", told, done)
	}
}
