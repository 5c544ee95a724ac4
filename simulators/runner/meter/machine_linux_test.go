package meter

import (
	"testing"
	"time"

	"halfsecond/pipeline"
)

const none = pipeline.Unknown

func TestCoreTimes(t *testing.T) {
	for name, c := range map[string]struct {
		text              string
		all, busy, stolen time.Duration
	}{
		"guests are in user": {"cpu  100 20 30 400 50 6 7 80 90 10\ncpu0 1 2 3 4 5 6 7 8 9 10\n", 6930 * time.Millisecond, 1630 * time.Millisecond, 800 * time.Millisecond},
		"empty":              {"", none, none, none},
		"an old kernel":      {"cpu 1 2 3 4\n", none, none, none},
		"no number":          {"cpu 1 2 3 4 x 6 7 8 9\n", none, none, none},
	} {
		if all, busy, stolen := coreTimes(c.text); all != c.all || busy != c.busy || stolen != c.stolen {
			t.Errorf("%s: %s, %s, %s, want %s, %s, %s", name, all, busy, stolen, c.all, c.busy, c.stolen)
		}
	}
}

func TestPressure(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"some avg10=50.60 avg60=49.46 avg300=30.01 total=19874917658\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=5\n": 19874917658 * time.Microsecond,
		"full avg10=0.00 total=5\n": none,
		"some total=much\n":         none,
		"":                          none,
	} {
		if got := pressure(text); got != want {
			t.Errorf("pressure(%q) = %s, want %s", text, got, want)
		}
	}
}

func TestThrottled(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"usage_usec 9\nnr_throttled 3\nthrottled_usec 1200000\n": 1200 * time.Millisecond,
		"usage_usec 9\n": none,
		"":               none,
	} {
		if got := throttled(text); got != want {
			t.Errorf("throttled(%q) = %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"0::/\n": "/", "1:cpu:/old\n0::/user.slice/a b.scope\n": "/user.slice/a b.scope", "": "/",
	} {
		if got := group(text); got != want {
			t.Errorf("group(%q) = %q, want %q", text, got, want)
		}
	}
}
