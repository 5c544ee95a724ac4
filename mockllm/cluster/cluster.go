// Package cluster models replicas of an LLM server behind a router: which of them
// a request is sent to, and what becomes of it when one dies.
//
// Read cluster.go first: the Cluster is an engine.Engine like any other. config.go
// describes one, policy.go chooses a replica, replica.go is the life of one.
// Data parallelism is a cluster with PolicyRoundRobin or PolicyLeastLoaded.
package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
)

// ErrLost is the Reason of a request whose replica failed and that could not be
// routed again.
var ErrLost = errors.New("replica failed")

// ErrNoReplica is the Reason of a request for which the router has no replica.
var ErrNoReplica = errors.New("no healthy replica")

// Cluster is an engine of replicas behind a router. It routes a request when it
// comes; queues are at the replicas. The router itself costs no time.
type Cluster struct {
	loop     pipeline.Scheduler
	config   Config
	replicas []*replica
	jobs     map[*engine.Request]*job
	sent     uint64 // jobs so far
	total    ledger
	buffer   []uint64 // hashes of a prompt
}

// job is a request in the router's care.
type job struct {
	number    uint64 // in order of arrival
	request   *engine.Request
	replica   int
	relay     *engine.Relay
	tried     []int // replicas that failed it
	cancelled bool
}

// ledger counts requests by what became of them.
type ledger struct{ submitted, finished, cancelled, refused, failed int }

func (l *ledger) end(o pipeline.Outcome) {
	switch o {
	case pipeline.OK:
		l.finished++
	case pipeline.Cancelled:
		l.cancelled++
	case pipeline.Refused:
		l.refused++
	default:
		l.failed++
	}
}

func (l *ledger) open() int { return l.submitted - l.finished - l.cancelled - l.refused - l.failed }

// New returns a cluster on the loop, with all replicas up. It panics when the
// configuration is not valid.
func New(loop pipeline.Scheduler, c Config) *Cluster {
	if err := c.Validate(); err != nil {
		panic(fmt.Sprintf("cluster: %v", err))
	}
	k := &Cluster{loop: loop, config: c.withDefaults(), jobs: map[*engine.Request]*job{}}
	for _, build := range c.Replicas {
		k.replicas = append(k.replicas, newReplica(loop, build))
	}
	for _, f := range c.Failures {
		loop.At(f.At, pipeline.RankInput, func() { k.fail(f) })
	}
	return k
}

// Submit implements engine.Engine.
func (k *Cluster) Submit(r *engine.Request) {
	if k.jobs[r] != nil {
		panic("cluster: request submitted twice")
	}
	k.sent++
	j := &job{number: k.sent, request: r}
	k.jobs[r] = j
	k.total.submitted++
	k.route(j)
}

// route sends the job to the replica that the policy chooses. One that is down
// although the router takes it for healthy refuses the connection; the router
// then tries another.
func (k *Cluster) route(j *job) {
	for {
		i, ok := k.choose(j)
		if !ok {
			k.end(j, pipeline.Error, fmt.Errorf("%w: %d of %d are in rotation, %d failed the request", ErrNoReplica, k.healthy(), len(k.replicas), len(j.tried)))
			return
		}
		j.replica = i
		if k.replicas[i].engine != nil {
			k.send(j)
			return
		}
		if !k.again(j, "refused the connection") {
			return
		}
	}
}

// again notes that the job's replica failed it and reports whether it may be
// tried at another; if not, it has ended.
func (k *Cluster) again(j *job, what string) bool {
	j.tried = append(j.tried, j.replica)
	if len(j.tried) > k.config.Retries {
		k.end(j, pipeline.Error, fmt.Errorf("%w: replica %d %s, attempt %d of %d", ErrLost, j.replica, what, len(j.tried), 1+k.config.Retries))
		return false
	}
	return true
}

func (k *Cluster) send(j *job) {
	r := k.replicas[j.replica]
	r.ledger.submitted++
	j.relay = &engine.Relay{}
	j.relay.Send(r.engine, j.request, func(o pipeline.Outcome) {
		r.ledger.end(o)
		k.total.end(o)
		delete(k.jobs, j.request)
		j.request.Done(o)
	})
}

// end ends a job that is at no replica.
func (k *Cluster) end(j *job, o pipeline.Outcome, reason error) {
	k.total.end(o)
	delete(k.jobs, j.request)
	engine.End(k.loop, j.request, o, reason)
}

// Cancel implements engine.Engine.
func (k *Cluster) Cancel(r *engine.Request) {
	if j := k.jobs[r]; j != nil {
		j.cancelled = true
		j.relay.Cancel()
	}
}

// lose takes the jobs of a replica that has just died off it, in order of arrival.
// An answer that has begun ends with an error. Every other request may be routed
// again, although the replica may have worked on its prompt: a gateway can repeat
// what it sent on for as long as nothing of the answer went to the client. Source:
// vllm-project/production-stack src/vllm_router/README.md ("Retries only apply
// before streaming begins"), read 2026-11-29.
func (k *Cluster) lose(i int) {
	for _, j := range k.at(i) {
		j.relay.Abandon()
		switch n := j.request.Generated(); {
		case j.cancelled:
			k.replicas[i].ledger.end(pipeline.Cancelled)
			k.end(j, pipeline.Cancelled, nil)
		case n > 0:
			k.replicas[i].ledger.end(pipeline.Error)
			k.end(j, pipeline.Error, fmt.Errorf("%w: replica %d broke off after %d of %d tokens", ErrLost, i, n, j.request.Tokens()))
		default:
			k.replicas[i].ledger.end(pipeline.Error)
			if k.again(j, "broke off before its first token") {
				k.route(j)
			}
		}
	}
}

// at returns the jobs of a replica in order of arrival.
func (k *Cluster) at(i int) (jobs []*job) {
	for _, j := range k.jobs {
		if j.replica == i {
			jobs = append(jobs, j)
		}
	}
	slices.SortFunc(jobs, func(a, b *job) int { return cmp.Compare(a.number, b.number) })
	return jobs
}

// Stats implements engine.Engine. Every request counts once, wherever it was
// tried; work and memory are the sum over the replicas, with the work that failed
// ones had done.
func (k *Cluster) Stats() engine.Stats {
	var all []engine.Stats
	for _, r := range k.replicas {
		all = append(all, r.work())
	}
	return k.total.in(engine.Total(all...))
}

// Replicas returns the statistics of each replica, over all its lives. A request
// that was routed again counts as failed where it was lost.
func (k *Cluster) Replicas() []engine.Stats {
	all := make([]engine.Stats, len(k.replicas))
	for i, r := range k.replicas {
		all[i] = r.ledger.in(r.work())
	}
	return all
}

// in returns the statistics with this ledger's requests. Those that are open and
// do not run are waiting.
func (l *ledger) in(s engine.Stats) engine.Stats {
	s.Submitted, s.Finished, s.Cancelled, s.Refused, s.Failed = l.submitted, l.finished, l.cancelled, l.refused, l.failed
	s.Waiting = l.open() - s.Running
	return s
}
