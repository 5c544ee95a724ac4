package speech

import (
	"math"
	"testing"
	"time"
)

func TestServerVAD(t *testing.T) {
	for threshold, margin := range map[float64]float64{0: 2, .5: 6, 1: 10, -3: 2, 7: 10} {
		turn, detector := ServerVAD(threshold, 500*ms)
		if turn != (Turn{Silence: 500 * ms}) || detector != (DetectorConfig{Margin: margin}) {
			t.Errorf("threshold %v: %+v, %+v, want a margin of %v", threshold, turn, detector, margin)
		}
	}
}

// TestThresholdsTellHowLoud: a higher one needs louder speech.
func TestThresholdsTellHowLoud(t *testing.T) {
	samples := conditions[3].apply(recording(t, 16000), 2400) // some 4 dB above noise
	last := math.MaxInt
	for _, threshold := range []float64{0, .5, 1} {
		_, c := ServerVAD(threshold, 0)
		c.Rate = 16000
		frames := 0
		for i, e := range edges(c, samples, uncut) {
			frames += int(e.At/frameLength) * (2*(i%2) - 1)
		}
		if frames >= last {
			t.Errorf("threshold %v: %d frames of speech, want fewer than %d", threshold, frames, last)
		}
		last = frames
	}
}

func TestSemanticVAD(t *testing.T) {
	for eagerness, longest := range map[string]time.Duration{"low": 8 * time.Second, "medium": 4 * time.Second, "auto": 4 * time.Second, "high": 2 * time.Second} {
		got, err := SemanticVAD(eagerness)
		if want := (Turn{Silence: longest / 20, Unfinished: longest}); got != want || err != nil {
			t.Errorf("%s: %+v, %v, want %+v", eagerness, got, err, want)
		}
	}
	if _, err := SemanticVAD("keen"); err == nil || err.Error() != `unknown eagerness "keen": want low, medium, high or auto` {
		t.Errorf("an unknown eagerness: %v", err)
	}
}

func TestFluxTurn(t *testing.T) {
	const timeout = 5 * time.Second
	for _, c := range []struct {
		end, eager float64
		want       Turn
	}{
		{.7, 0, Turn{Silence: 260 * ms, Unfinished: timeout}},
		{.7, .5, Turn{Silence: 260 * ms, Unfinished: timeout, Eager: 149686 * time.Microsecond}},
		{.9, .3, Turn{Silence: 497247 * time.Microsecond, Unfinished: timeout, Eager: 77025 * time.Microsecond}},
		{1, .9, Turn{Silence: timeout, Unfinished: timeout, Eager: 497247 * time.Microsecond}},
	} {
		if got := FluxTurn(c.end, c.eager, timeout); got != c.want {
			t.Errorf("thresholds %v and %v: %+v, want %+v", c.end, c.eager, got, c.want)
		}
	}
	for _, c := range []float64{.3, .5, .7, .9, .99} {
		if got := EndConfidence(silenceFor(c, time.Hour)); math.Abs(got-c) > 1e-5 {
			t.Errorf("the silence for %v has a confidence of %v", c, got)
		}
	}
	if EndConfidence(0) != 0 || EndConfidence(-time.Second) != 0 {
		t.Error("no silence has some confidence")
	}
}
