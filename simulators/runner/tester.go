package runner

import (
	"context"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/selftest"
	"halfsecond/pipeline/exchange"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/runner/meter"
)

// TestItself has the tester read streams of known timing, as it reads those of a run with
// these settings. It returns the zero SelfTest on the simulator, which has no sockets, and
// unless the settings ask for it. What fails is in the result: it keeps no run from
// beginning.
func TestItself(ctx context.Context, set Settings) trace.SelfTest {
	if !set.SelfTest || set.Target == Sim {
		return trace.SelfTest{}
	}
	n := set.network.withDefaults()
	c := selftest.Config{Client: set.Endpoint, Wall: n.wall, Listen: n.listenKnown, Dial: n.dialKnown}
	c.Client.HashTexts = set.HashTexts
	if set.KeepExchange != nil {
		c.Client.Keep = func(*exchange.Exchange) {} // that it is kept costs the tester something
	}
	return selftest.Run(ctx, c)
}

// drive runs the loop to its end. On the wall clock it looks at what that takes.
func (r *run) drive(ctx context.Context) error {
	w, ok := r.clock.(*pipeline.Wall)
	if !ok {
		return r.clock.Run(ctx)
	}
	r.beat(w)
	watch := meter.Start()
	w.Reset() // the run begins now that all is set up
	err := w.Run(ctx)
	r.effort = watch.Effort()
	return err
}
