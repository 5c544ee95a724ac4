package cluster_test

import (
	"context"
	"fmt"
	"time"

	"halfsecond/mockllm/cluster"
	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
)

// Two replicas answer in 100 ms; the first dies after one second and its process
// takes half a second to serve again.
func Example() {
	replica := func(loop pipeline.Scheduler) engine.Engine {
		return engine.NewSlots(loop, engine.SlotsConfig{Service: engine.Fixed{TTFT: 100 * time.Millisecond}, Slots: 4, MaxContext: 4096})
	}
	var loop pipeline.Virtual
	c := cluster.New(&loop, cluster.Config{
		Replicas: []func(pipeline.Scheduler) engine.Engine{replica, replica},
		Policy:   cluster.PolicyLeastLoaded, Retries: cluster.DefaultRetries,
		Load:     500 * time.Millisecond,
		Failures: []cluster.Failure{{Replica: 0, At: time.Second}},
	})
	for _, at := range []time.Duration{0, 950 * time.Millisecond, 1200 * time.Millisecond, 2 * time.Second} {
		r := &engine.Request{Prompt: 1000, Output: 1}
		r.Done = func(o pipeline.Outcome) { fmt.Println(at, "->", loop.Now(), o) }
		loop.At(at, pipeline.RankTimer, func() { c.Submit(r) })
	}
	if err := loop.Run(context.Background()); err != nil {
		fmt.Println(err)
	}
	for i, s := range c.Replicas() {
		fmt.Println("replica", i, "served", s.Finished, "lost", s.Failed)
	}
	// Output:
	// 0s -> 100ms ok
	// 950ms -> 1.1s ok
	// 1.2s -> 1.3s ok
	// 2s -> 2.1s ok
	// replica 0 served 2 lost 1
	// replica 1 served 2 lost 0
}
