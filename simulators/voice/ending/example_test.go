package ending_test

import (
	"fmt"
	"time"

	"halfsecond/pipeline/dist"
	"halfsecond/simulators/voice/ending"
)

// What a fixed wait after the detector's stop costs on either side.
func ExampleSetup_Curve() {
	p, err := ending.Find("wait-600-after-vad")
	if err != nil {
		fmt.Println(err)
		return
	}
	final, reply := dist.Constant(247*time.Millisecond), dist.Constant(500*time.Millisecond)
	points, err := p.Setup(final, reply).Curve(ending.Turns(), ending.Run{Seed: 1}, []float64{0, 300, 600, 1000})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, q := range points {
		fmt.Printf("%-12s p50 %-6s cut in %2.0f %%, heard %2.0f %%\n", q.Setting, q.Rate.P50, 100*q.Rate.CutIn.Value, 100*q.Rate.Audible.Value)
	}
	// Output:
	// wait 0 ms    p50 247ms  cut in 75 %, heard 26 %
	// wait 300 ms  p50 500ms  cut in 44 %, heard 18 %
	// wait 600 ms  p50 800ms  cut in 24 %, heard 13 %
	// wait 1000 ms p50 1.2s   cut in 15 %, heard  9 %
}
