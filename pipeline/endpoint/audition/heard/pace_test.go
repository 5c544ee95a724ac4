package heard

import (
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/exchange"
)

// TestPace: frames of 20 ms, the first and the third of which are late.
func TestPace(t *testing.T) {
	const ms = time.Millisecond
	x := &exchange.Exchange{}
	frame := func(from string, due, at time.Duration) {
		x.Messages = append(x.Messages, exchange.Message{From: from, Due: due, At: at})
	}
	none := Pace{Every: pipeline.Unknown, Late: pipeline.Unknown, Drift: pipeline.Unknown}
	if got := PaceOf(x); got != none {
		t.Errorf("of nothing: %+v, want %+v", got, none)
	}
	frame(exchange.Client, pipeline.Unknown, 5*ms) // a command
	frame(exchange.Client, 20*ms, 35*ms)
	if got, want := PaceOf(x), (Pace{Frames: 1, Every: pipeline.Unknown, Late: 15 * ms}); got != want {
		t.Errorf("of one frame: %+v, want %+v", got, want)
	}
	frame(exchange.Client, 40*ms, 50*ms) // by half a frame, and not more
	frame(exchange.Server, 0, 55*ms)
	frame(exchange.Client, 60*ms, 71*ms)
	if got, want := PaceOf(x), (Pace{Frames: 3, Every: 20 * ms, Late: 15 * ms, Drift: -4 * ms, Behind: 2}); got != want {
		t.Errorf("of three frames: %+v, want %+v", got, want)
	}
}
