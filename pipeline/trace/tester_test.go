package trace

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
)

// What is known of the tester reads back the same, what is not stays unknown, and a run
// without has no word of it.
func TestTesterRoundTrip(t *testing.T) {
	late := Lateness{N: 104, P50: 120_000, P99: 400_000, Max: 1_900_000}
	none := unknownLateness()
	for name, c := range map[string]struct {
		test   SelfTest
		effort Effort
		words  string // in the file
	}{
		"none":   {},
		"read":   {test: SelfTest{Streams: 4, Read: late, TTFT: Lateness{4, 1, pipeline.Unknown, 3}, Gap: late}, words: `"self_test":{"streams":4,"read":{"n":104,"p50_ns":120000,"p99_ns":400000,"max_ns":1900000},"ttft":{"n":4,"p50_ns":1,"p99_ns":null,`},
		"failed": {test: SelfTest{Streams: 4, Read: none, TTFT: none, Gap: none, Failed: "no loopback"}, words: `"failed":"no loopback"}`},
		"effort": {
			effort: Effort{time.Second, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
			words:  `"effort":{"for_ns":1000000000,"cores":2,"cpu_ns":3,"gc_cycles":4,"gc_cpu_ns":5,"gc_pause_ns":6,"ready_p99_ns":7,"machine_ns":8,"busy_ns":9,"stolen_ns":10,"waited_ns":11,"held_ns":12}`,
		},
		"a platform that tells nothing": {
			effort: Effort{For: time.Second, Cores: 2, CPU: pipeline.Unknown, ReadyP99: pipeline.Unknown, Machine: pipeline.Unknown, Busy: pipeline.Unknown, Stolen: pipeline.Unknown, Waited: pipeline.Unknown, Held: pipeline.Unknown},
			words:  `"cpu_ns":null,"gc_cycles":0,"gc_cpu_ns":0,"gc_pause_ns":0,"ready_p99_ns":null,"machine_ns":null,"busy_ns":null,"stolen_ns":null,"waited_ns":null,"held_ns":null}`,
		},
	} {
		h := header
		h.SelfTest = c.test
		file := write(t, h, nil, Footer{Lateness: lateness(), Finished: true, Effort: c.effort})
		got, err := Read(bytes.NewReader(file))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got.Header.SelfTest != c.test || got.Footer.Effort != c.effort {
			t.Errorf("%s: read back %+v and %+v, want %+v and %+v", name, got.Header.SelfTest, got.Footer.Effort, c.test, c.effort)
		}
		if !strings.Contains(string(file), c.words) || name == "none" && (bytes.Contains(file, []byte("self_test")) || bytes.Contains(file, []byte("effort"))) {
			t.Errorf("%s: the file is\n%s\nwant in it\n%s", name, file, c.words)
		}
	}
}

func TestEffortWith(t *testing.T) {
	a := Effort{For: 10 * ms, Cores: 2, CPU: ms, GCCycles: 1, GCCPU: 5, GCPause: 7, ReadyP99: pipeline.Unknown, Machine: 20 * ms, Busy: 4, Stolen: 0, Waited: 3, Held: pipeline.Unknown}
	b := Effort{For: 30 * ms, Cores: 2, CPU: 2 * ms, GCCycles: 3, GCCPU: 6, GCPause: 4, ReadyP99: 9, Machine: 60 * ms, Busy: 6, Stolen: 1, Waited: 4, Held: 2}
	want := Effort{For: 40 * ms, Cores: 2, CPU: 3 * ms, GCCycles: 4, GCCPU: 11, GCPause: 7, ReadyP99: 9, Machine: 80 * ms, Busy: 10, Stolen: 1, Waited: 7, Held: pipeline.Unknown}
	if got := a.With(b); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := (Effort{}).With(b); got != b {
		t.Errorf("after nothing %+v, want %+v", got, b)
	}
}
