package transport

import (
	"math"
	"testing"
	"time"

	"halfsecond/pipeline/dist"
)

// fates sends 1 s of frames many times, and returns what became of them on average.
func fates(l Line, send func(Line, int, *dist.Rand) Fate) (share float64, late []time.Duration) {
	const n = 40_000
	frames := int(time.Second / l.Frame)
	r := dist.Stream(5, "transport/test")
	clipped := 0
	for range n {
		f := send(l, frames, &r)
		clipped += f.Clipped
		late = append(late, f.Late)
	}
	return float64(clipped) / float64(n*frames), late
}

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within {
		t.Errorf("%s is %.5f, want %.5f within %.5f", what, got, want, within)
	}
}

// chance returns the share of values for which something holds.
func chance(of []time.Duration, holds func(time.Duration) bool) float64 {
	n := 0
	for _, d := range of {
		if holds(d) {
			n++
		}
	}
	return float64(n) / float64(len(of))
}

// TestLossIsTheShare: so many frames are lost, in runs of the length that is stated. The
// bounds are five times what independent runs spread by.
func TestLossIsTheShare(t *testing.T) {
	for _, c := range []struct{ share, burst float64 }{{.01, 1}, {.01, 4}, {.2, 2}, {.5, 1.5}} {
		l := Line{Frame: 20 * ms, Loss: Loss{Share: c.share, Burst: c.burst}}
		spread := 5 * math.Sqrt(c.share*(1-c.share)*2*c.burst/(40_000*50))
		share, late := fates(l, Line.End)
		near(t, "the share", share, c.share, spread)
		if n := chance(late, func(d time.Duration) bool { return d != 0 }); n != 0 {
			t.Errorf("%.3f of sounds are late, though nothing is sent again", n)
		}
		// Of the runs that begin, each goes on with a chance of 1 - 1/burst.
		r := dist.Stream(6, "transport/test")
		runs, frames := 0, 0
		l.Loss.runs(&r, 2_000_000, func(from, to int) { runs, frames = runs+1, frames+to-from })
		near(t, "the mean run", float64(frames)/float64(runs), c.burst, 5*c.burst/math.Sqrt(float64(runs)))
		near(t, "the share of a long sound", float64(frames)/2_000_000, c.share, 5*math.Sqrt(c.share*2*c.burst/2_000_000))
	}
	r := dist.Stream(1, "x")
	if f := (Line{Frame: ms}).End(1000, &r); f != (Fate{Frames: 1000}) {
		t.Errorf("no loss: %+v", f)
	}
}

// TestFirstFrames: a reply whose first frames are lost is heard with the first that comes,
// or with FEC with the last of those.
func TestFirstFrames(t *testing.T) {
	l := Line{Frame: 20 * ms, Loss: Loss{Share: .1, Burst: 2}}
	_, late := fates(l, Line.First)
	near(t, "late at all", chance(late, func(d time.Duration) bool { return d > 0 }), .1, .008)
	near(t, "late by a frame", chance(late, func(d time.Duration) bool { return d == 20*ms }), .05, .006)
	near(t, "late by three", chance(late, func(d time.Duration) bool { return d == 60*ms }), .0125, .003)
	l.Loss.Repair = FEC
	share, late := fates(l, Line.First)
	near(t, "late with FEC", chance(late, func(d time.Duration) bool { return d > 0 }), .05, .006)
	near(t, "the share with FEC", share, .05, .002) // of runs of two, one
	l.Loss.Repair, l.Loss.RoundTrip = Resent, dist.Constant(100*ms)
	share, late = fates(l, Line.First)
	// Sent ahead, the next frame follows at once: 100 ms and a quarter, of one frame or a run.
	near(t, "sent again", chance(late, func(d time.Duration) bool { return d == 125*ms }), .1, .008)
	near(t, "in time", chance(late, func(d time.Duration) bool { return d == 0 }), .9, .008)
	if share != 0 {
		t.Errorf("%.4f of frames are clipped, though all are sent again", share)
	}
}

// TestEndIsLate: over TCP the last sample waits for every frame before it that is still
// missing. With runs of one, a frame k before the last makes it late by what is left.
func TestEndIsLate(t *testing.T) {
	l := Line{Frame: 20 * ms, Loss: Loss{Share: .1, Burst: 1 / .9, Repair: Resent, RoundTrip: dist.Constant(40 * ms)}} // frames independent of each other
	_, late := fates(l, Line.End)
	// A lost frame is there 40 + 20 ms late: it matters as one of the last three.
	for _, c := range []struct {
		late time.Duration
		want float64
	}{
		{60 * ms, .1 * .9},      // the last one, and the one that follows came
		{40 * ms, .9 * .1},      // the one before it
		{20 * ms, .9 * .9 * .1}, // and before that
		{0, .9 * .9 * .9},       //
		{80 * ms, .1 * .1 * .9}, // the last one, and what follows is lost too
	} {
		near(t, "late by "+c.late.String(), chance(late, func(d time.Duration) bool { return d == c.late }), c.want, .01)
	}
	l.Frame = 5 * ms // a quarter of the round trip, 10 ms, is longer
	_, late = fates(l, Line.End)
	near(t, "late by 50ms", chance(late, func(d time.Duration) bool { return d == 50*ms }), .09, .01)
}

// TestFECAtTheEnd: a run that goes on beyond the sound has no frame in it that follows it.
func TestFECAtTheEnd(t *testing.T) {
	l := Line{Loss: Loss{Repair: FEC}}
	for _, c := range []struct{ from, to, frames, want int }{{3, 5, 10, 1}, {3, 4, 10, 0}, {8, 10, 10, 1}, {8, 11, 10, 2}, {8, 30, 10, 2}} {
		if got := l.clipped(c.from, c.to, c.frames); got != c.want {
			t.Errorf("%d to %d of %d: %d clipped, want %d", c.from, c.to, c.frames, got, c.want)
		}
	}
}

// TestProfiles: each is whole, found by its name, and has a source for each figure.
func TestProfiles(t *testing.T) {
	for _, p := range Profiles() {
		if got, err := Find(p.Name); err != nil || got.Name != p.Name || p.What == "" || p.Frame <= 0 {
			t.Errorf("%s: %+v, %v", p.Name, got, err)
		}
		keys := map[string]bool{}
		for _, s := range p.Sources {
			keys[s.Key] = s.Where != ""
		}
		want := []string{"transport.frame", "transport.loss", "transport.repair", "uplink", "jitter_buffer", "playout"}
		if p.Loss.Repair == Resent {
			want = append(want, "transport.round_trip")
		}
		for _, k := range want {
			if !keys[k] {
				t.Errorf("%s: no source of %s", p.Name, k)
			}
		}
		if len(keys) != len(want) {
			t.Errorf("%s: sources of %v, want of %v", p.Name, keys, want)
		}
	}
	if _, err := Find("pigeon"); err == nil || err.Error() != `no transport "pigeon": want webrtc, telephony, media-streams, websocket` {
		t.Errorf("%v", err)
	}
	if udp, tcp := (Line{Frame: 20 * ms}).Egress(), (Line{Frame: 20 * ms, Loss: Loss{Repair: Resent}}).Egress(); udp != dist.Uniform(0, 20*ms) || tcp != dist.Constant(0) {
		t.Errorf("frames wait %s for their turn, and %s over TCP", udp, tcp)
	}
	if c := (Line{Codec: Opus, Frame: 20 * ms}).Capture(); c != dist.Uniform(6500*time.Microsecond, 26500*time.Microsecond) {
		t.Errorf("Opus is captured in %s, want 6.5 to 26.5 ms", c)
	}
}
