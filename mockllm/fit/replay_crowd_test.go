package fit

import (
	"testing"
	"time"

	"halfsecond/mockllm/roofline"
)

func TestCrowdOf(t *testing.T) {
	at := func(arrival, first, last time.Duration) Timed {
		return Timed{Arrival: arrival * ms, First: first * ms, Last: last * ms}
	}
	for name, test := range map[string]struct {
		run  []Timed
		want Crowd
	}{
		"nobody":                         {nil, Crowd{}},
		"one":                            {[]Timed{at(0, 1, 5)}, Crowd{1, 0}},
		"one leaves as another begins":   {[]Timed{at(0, 1, 5), at(0, 5, 9)}, Crowd{1, 1}},
		"two, and two who wait":          {[]Timed{at(0, 1, 5), at(0, 2, 6), at(1, 7, 9), at(3, 7, 8)}, Crowd{2, 2}},
		"waiting before there were most": {[]Timed{at(0, 4, 9), at(1, 4, 9), at(2, 4, 9)}, Crowd{3, 0}},
		"an answer of one token is never under way": {[]Timed{at(0, 3, 3)}, Crowd{0, 1}},
	} {
		if got := CrowdOf(test.run); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

// The limit of the recorded server shows when a replay has none; with the limit nothing is
// held back.
func TestHeldBack(t *testing.T) {
	rec := recordings[1]
	run := rec.read(t)
	crowd := CrowdOf(run)
	if crowd.Running != rec.sequences {
		t.Errorf("%d at once, want %d", crowd.Running, rec.sequences)
	}
	for limit, want := range map[int]bool{0: true, rec.sequences: false} {
		r := rec.replica(t, roofline.Constants{})
		r.MaxSequences = limit
		got, err := Replay(t.Context(), r, run)
		if err != nil {
			t.Fatal(err)
		}
		if held := crowd.HeldBack(CrowdOf(got.Run)); held != want {
			t.Errorf("a limit of %d: %+v beside %+v, held back %t, want %t", limit, CrowdOf(got.Run), crowd, held, want)
		}
	}
}
