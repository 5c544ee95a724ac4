package report

import (
	"testing"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

func TestSentence(t *testing.T) {
	slow := voiceRun(100, 420*ms, "p95(reply) < 500ms") // the p95 lands at 732 ms
	with := func(run trace.Run, exprs ...string) trace.Run {
		run.Header.Budgets = exprs
		return run
	}
	tests := []struct {
		run  trace.Run
		want string
	}{
		{voiceRun(100, 90*ms, "p50(reply) <= 1s"), "PASS: the p50 reply lands at 385 ms, 615 ms inside 1,000 ms."},
		{voiceRun(100, 90*ms, "max(stt_tail) <= 46ms"), "PASS: the largest stt_tail takes 46 ms, exactly 46 ms."},
		{voiceRun(100, 90*ms, "max(stt_tail) < 46ms"), "FAIL: the largest stt_tail takes 46 ms, exactly 46 ms, which is not inside."},
		{voiceRun(100, 90*ms, "p50(tps) >= 120 tok/s"), "FAIL: the p50 tps is 100 tok/s, 20 tok/s short of 120 tok/s."},
		{voiceRun(100, 90*ms, "share(reply <= 500ms) > 99%"), "PASS: 100 % of replies land within 500 ms, 1 point over the 99 % asked for."},
		{voiceRun(100, 90*ms, "share(stt_tail < 40ms) >= 50%"), "PASS: 60 % of stt_tail stay under 40 ms, 10 points over the 50 % asked for."},
		{voiceRun(10, 90*ms, "p95(reply) < 500ms", "max(reply) < 500ms"), "UNMEASURED: the p95 reply cannot be judged: p95 needs 20 samples or more, there are 10. Budgets not measured: 1 of 2."},
		{voiceRun(1, 90*ms, "p50(reply) < 500ms"), "UNMEASURED: the p50 reply cannot be judged: p50 needs 2 samples or more, there is 1."},
		{voiceRun(100, 90*ms, "max(reply) < 500ms", "max(reply) < 1s", "max(reply) < 2s"), "PASS: the largest reply lands at 408 ms, 92 ms inside 500 ms. All 3 budgets pass."},
		{voiceRun(0, 90*ms, "share(reply < 500ms) >= 90%"), "UNMEASURED: share(reply < 500ms) cannot be judged: no samples."},
		{with(slow, "p95(reply) < 230ms"), "FAIL: the p95 reply lands at 732 ms, 502 ms over 230 ms; end_of_turn owns most of it; shortening end_of_turn and llm_first_token to 4 % of what they took would bring it inside."},
		{with(slow, "mean(ok_share) > 99.5%", "mean(ok_rate) > 1/s"), "FAIL: the mean ok_rate is 0.336 /s, 0.664 /s short of 1 /s. Budgets failed: 1 of 2."},
	}
	for _, test := range tests {
		r, err := New(test.run)
		if err != nil {
			t.Fatal(err)
		}
		if r.Summary != test.want {
			t.Errorf("%q:\n%s\nwant\n%s", test.run.Header.Budgets, r.Summary, test.want)
		}
	}
}

func TestTarget(t *testing.T) {
	tests := []struct {
		lever budgets.Lever
		want  string
	}{
		{budgets.Lever{Stages: []string{"a"}, Enough: true, Cap: 90*ms - 1}, "under 90 ms"},
		{budgets.Lever{Stages: []string{"a"}, Enough: true, Cap: 90_779 * time.Microsecond}, "under 90.7 ms"}, // cut, not rounded
		{budgets.Lever{Stages: []string{"a"}, Enough: true, Cap: 1999 * time.Microsecond}, "under 1.99 ms"},
		{budgets.Lever{Stages: []string{"a"}, Enough: true, Cap: 123_456}, "under 0.123 ms"},
		{budgets.Lever{Stages: []string{"a"}, Enough: true, Cap: 12_345_678 * time.Microsecond}, "under 12.34 s"},
		{budgets.Lever{Stages: []string{"a"}, Enough: true, Cap: 1999 * time.Second}, "under 1,999 s"},
		{budgets.Lever{Stages: []string{"a"}, Enough: true, Cap: 0}, ""},
		{budgets.Lever{Stages: []string{"a", "b"}, Enough: true, Cap: pipeline.Unknown, Keep: 62}, "62 % of what they took"},
		{budgets.Lever{Stages: []string{"a", "b"}, Enough: true, Cap: pipeline.Unknown}, ""},
	}
	for _, test := range tests {
		if got := target(test.lever); got != test.want {
			t.Errorf("target(%+v) = %q, want %q", test.lever, got, test.want)
		}
	}
}
