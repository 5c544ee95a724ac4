package cluster

import (
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
)

// replica is one server with what the router knows of it.
type replica struct {
	build  func(pipeline.Scheduler) engine.Engine
	engine engine.Engine // nil while the process does not serve
	past   engine.Stats  // work of engines that died
	ledger ledger

	healthy  bool           // in rotation
	learning pipeline.Timer // the router is about to know better
	rejoined time.Duration  // when it came back into rotation; Unknown if it never left
	turn     float64        // credit in the round robin
}

func newReplica(loop pipeline.Scheduler, build func(pipeline.Scheduler) engine.Engine) *replica {
	return &replica{build: build, engine: build(loop), healthy: true, rejoined: pipeline.Unknown}
}

// fail is the death of a replica: its work is gone, the router will notice, the
// process will be started again.
func (k *Cluster) fail(f Failure) {
	r := k.replicas[f.Replica]
	r.past, r.engine = r.work().Gone(), nil
	k.learn(r, false)
	k.lose(f.Replica)
	k.loop.After(f.For+k.config.Load, pipeline.RankInput, func() {
		r.engine = r.build(k.loop)
		k.learn(r, true)
	})
}

// learn lets the router know the replica's health after its delay. A replica that
// is back before the router missed it never leaves the rotation.
func (k *Cluster) learn(r *replica, healthy bool) {
	r.learning.Stop()
	if r.healthy == healthy {
		return
	}
	r.learning = k.loop.After(k.config.HealthDelay, pipeline.RankInput, func() {
		r.healthy = healthy
		if healthy {
			r.rejoined = k.loop.Now()
		}
	})
}

// work returns the statistics of the replica's engines, all lives together.
func (r *replica) work() engine.Stats {
	if r.engine == nil {
		return r.past
	}
	return engine.Then(r.past, r.engine.Stats())
}

// leastWeight is what a replica in slow start weighs at first: Envoy's default
// min_weight_percent, 10 %. Source as in weight.
const leastWeight = .1

// weight returns the share of requests that the replica gets beside others of
// weight 1:
//
//	max(.1, t / SlowStart)
//
// where t is the time since it came back into rotation. It is Envoy's rule with an
// aggression of 1, the default; source: Envoy documentation, "Slow start mode",
// v1.31, read 2026-11-29.
func (k *Cluster) weight(r *replica) float64 {
	if r.rejoined == pipeline.Unknown {
		return 1
	}
	t := k.loop.Now() - r.rejoined
	if t >= k.config.SlowStart {
		return 1
	}
	return max(leastWeight, float64(t)/float64(k.config.SlowStart))
}

// healthy returns the number of replicas in rotation.
func (k *Cluster) healthy() (n int) {
	for _, r := range k.replicas {
		if r.healthy {
			n++
		}
	}
	return n
}
