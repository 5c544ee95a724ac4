package engine

import (
	"fmt"
	"testing"
	"time"

	"halfsecond/pipeline"
)

// TestColdKeep: who uses a model says how long it stays, and is told.
func TestColdKeep(t *testing.T) {
	var loop pipeline.Virtual
	e := NewCold(&loop, ColdConfig{Load: time.Second, Reload: 200 * ms, Idle: 100 * ms}, oneSlot)
	var log []string
	for name, at := range map[string]time.Duration{"a": 0, "b": 1500 * ms, "c": 1600 * ms, "d": 1900 * ms} {
		ask(&loop, e, &log, name, at, 10, 1)
	}
	second, none, ever := time.Second, time.Duration(0), -time.Second
	for at, idle := range map[time.Duration]*time.Duration{1070 * ms: &second, 1510 * ms: &none, 1899 * ms: nil, 2160 * ms: &ever} {
		loop.At(at, pipeline.RankTimer, func() { e.Keep(idle) })
	}
	for at, want := range map[time.Duration]string{
		500 * ms:  "true 600ms",  // on its way, and would leave 100 ms later
		1060 * ms: "true 1.15s",  // as configured, since 1050 ms
		1080 * ms: "true 2.05s",  // as long as it was told
		1520 * ms: "true 1.52s",  // not at all, but it serves
		1560 * ms: "false never", // nor does it any more
		1851 * ms: "false never", // c is served
		2155 * ms: "true 2.25s",  // as configured again
		time.Hour: "true never",  // for ever
	} {
		loop.At(at, pipeline.RankInput, func() {
			here, until := e.Residence()
			got := fmt.Sprint(here, " ", until)
			if until == pipeline.Unknown {
				got = fmt.Sprint(here, " never")
			}
			if got != want {
				t.Errorf("at %s: %s, want %s", at, got, want)
			}
		})
	}
	expect(t, &loop, &log, "a1@1050 a:ok@1050 b1@1550 b:ok@1550 c1@1850 c:ok@1850 d1@2150 d:ok@2150")
	if n := e.Stats().Loads; n != 3 {
		t.Errorf("%d loads, want 3", n)
	}
}

func TestFindCold(t *testing.T) {
	var loop pipeline.Virtual
	e := NewCold(&loop, ColdConfig{}, oneSlot)
	front := NewFront(&loop, FrontConfig{Fixed: ms}, e)
	for _, x := range []Engine{e, front, NewDetector(DetectorConfig{}, front), NewQuota(&loop, QuotaConfig{Requests: 1, Per: ms}, e)} {
		if FindCold(x) != e {
			t.Errorf("%T: not found", x)
		}
	}
	if FindCold(oneSlot(&loop)) != nil {
		t.Error("found where none is")
	}
}
