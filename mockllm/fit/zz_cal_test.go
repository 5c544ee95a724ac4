package fit

import (
	"testing"
	"time"
	"fmt"

	"halfsecond/mockllm/roofline"
)

func TestCalDraft(t *testing.T) {
	for _, r := range recordings {
		run := r.read(t)
		t0 := time.Now()
		rep := r.replica(t, roofline.Constants{})
		c, err := CalibrateRun(t.Context(), rep, run, 100)
		fmt.Println(r.file, err, time.Since(t0))
		
		d := rep.Plan.Deployment()
		for _, e := range c.Estimates {
			fmt.Printf("%s before %.4g told %v value %.4g [%.4g %.4g]\n", e.Name, e.Before, e.Told, e.Value, e.Low, e.High)
			for _, k := range knobs {
				if k.name == e.Name && e.Told {
					k.set(&d.Constants, e.Value)
				}
			}
		}
		rep.Plan, _ = roofline.New(d)
		got, _ := Replay(t.Context(), rep, run)
		for _, x := range Compare(run[:100], got.Run[:100]) {
			logCompared(t, x)
		}
		for _, x := range Compare(run[100:], got.Run[100:]) {
			logCompared(t, x)
		}
	}
}
