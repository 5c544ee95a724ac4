package cluster

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
)

const ms = time.Millisecond

// slots returns builders of n replicas with so many slots, 50 ms to the first token
// and 10 ms to each other.
func slots(n, each int) (builders []func(pipeline.Scheduler) engine.Engine) {
	for range n {
		builders = append(builders, func(l pipeline.Scheduler) engine.Engine {
			return engine.NewSlots(l, engine.SlotsConfig{Service: engine.Fixed{TTFT: 50 * ms, TPOT: 10 * ms}, Slots: each, MaxContext: 1000})
		})
	}
	return builders
}

// rig is a cluster with a log of what its requests saw, in milliseconds.
type rig struct {
	t    *testing.T
	loop pipeline.Virtual
	*Cluster
	log []string
}

func newRig(t *testing.T, c Config) *rig {
	r := &rig{t: t}
	r.Cluster = New(&r.loop, c)
	return r
}

// ask submits a request of two tokens at an instant.
func (r *rig) ask(name string, at time.Duration) *engine.Request {
	q := &engine.Request{Prompt: 10, Output: 2, NotifyAt: 1}
	q.Notify = func(n int) int {
		r.log = append(r.log, fmt.Sprintf("%s%d@%d", name, n, r.loop.Now()/ms))
		return n + 1
	}
	q.Done = func(o pipeline.Outcome) { r.log = append(r.log, fmt.Sprintf("%s:%s@%d", name, o, r.loop.Now()/ms)) }
	r.loop.At(at, pipeline.RankTimer, func() { r.Submit(q) })
	return q
}

// at has a look at an instant, before anything is sent at it.
func (r *rig) at(at time.Duration, f func()) { r.loop.At(at, pipeline.RankInput, f) }

func (r *rig) run(want string) {
	r.t.Helper()
	if err := r.loop.Run(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	if got := strings.Join(r.log, " "); got != want {
		r.t.Errorf("log\n got %s\nwant %s", got, want)
	}
}

// sent returns how many requests each replica was sent.
func (r *rig) sent() (all []int) {
	for _, s := range r.Replicas() {
		all = append(all, s.Submitted)
	}
	return all
}

func (r *rig) expectSent(want ...int) {
	r.t.Helper()
	if got := r.sent(); fmt.Sprint(got) != fmt.Sprint(want) {
		r.t.Errorf("at %s replicas were sent %d, want %d", r.loop.Now(), got, want)
	}
}

func expectReason(t *testing.T, r *engine.Request, want string) {
	t.Helper()
	if r.Reason == nil || r.Reason.Error() != want {
		t.Errorf("reason %v, want %s", r.Reason, want)
	}
}

// TestRoundRobin: the third request finds the first replica's only slot taken.
func TestRoundRobin(t *testing.T) {
	r := newRig(t, Config{Replicas: slots(2, 1)})
	r.ask("a", 0)
	r.ask("b", 10*ms)
	c := r.ask("c", 20*ms)
	r.run("a1@50 b1@60 a2@60 a:ok@60 b2@70 b:ok@70 c1@110 c2@120 c:ok@120")
	r.expectSent(2, 1)
	if c.Scheduled != 60*ms || c.Generated() != 2 || c.Last != 120*ms {
		t.Errorf("c scheduled at %s, %d tokens, the last at %s", c.Scheduled, c.Generated(), c.Last)
	}
	if s := r.Stats(); s.Submitted != 3 || s.Finished != 3 || s.OutputTokens != 6 || s.BlocksTotal != 126 {
		t.Errorf("at the end %+v", s)
	}
}

// TestCancel: whatever the state, the request leaves, and the slot is free.
func TestCancel(t *testing.T) {
	r := newRig(t, Config{Replicas: slots(1, 1)})
	a, b := r.ask("a", 0), r.ask("b", 0)
	r.ask("c", 0)
	r.at(10*ms, func() { r.Cancel(b); r.Cancel(b) })
	r.at(20*ms, func() { r.Cancel(a) })
	r.at(200*ms, func() { r.Cancel(a) })
	r.run("b:cancelled@10 a:cancelled@20 c1@70 c2@80 c:ok@80")
	if s := r.Stats(); s.Cancelled != 2 || s.Finished != 1 || s.Waiting+s.Running != 0 {
		t.Errorf("at the end %+v", s)
	}
}

// TestRefused: what no replica can hold is refused and not tried again.
func TestRefused(t *testing.T) {
	r := newRig(t, Config{Replicas: slots(2, 1), Retries: 5})
	a := r.ask("a", 0)
	a.Prompt = 2000
	r.run("a:refused@0")
	expectReason(t, a, "request is larger than the engine's context: prompt 2000 and output 2 need 2002 tokens, 1000 fit")
	r.expectSent(1, 0)
}

// TestFailure: replica 0 dies at 55 ms. a has a token and ends with an error; c,
// which waits there, starts anew at replica 1. d is sent to the dead replica, which
// the router takes for healthy until 155 ms, and goes on to 1; e is not.
func TestFailure(t *testing.T) {
	r := newRig(t, Config{
		Replicas: slots(2, 1), Retries: 1, HealthDelay: 100 * ms, Load: 400 * ms,
		Failures: []Failure{{Replica: 0, At: 55 * ms, For: 500 * ms}},
	})
	a := r.ask("a", 0)
	r.ask("b", 0)
	c := r.ask("c", 0)
	r.at(56*ms, func() {
		if s := r.Replicas()[0]; s.Failed != 2 || s.Running+s.Waiting != 0 || s.OutputTokens != 1 || s.BlocksTotal != 0 {
			t.Errorf("after the failure the replica is %+v", s)
		}
		if s := r.Stats(); s.Failed != 1 || s.Submitted != 3 || s.Running != 1 || s.Waiting != 1 {
			t.Errorf("after the failure the cluster is %+v", s)
		}
	})
	r.ask("d", 60*ms)
	r.ask("e", 200*ms)
	r.run("a1@50 b1@50 a:error@55 b2@60 b:ok@60 c1@110 c2@120 c:ok@120 d1@170 d2@180 d:ok@180 e1@250 e2@260 e:ok@260")
	expectReason(t, a, "replica failed: replica 0 broke off after 1 of 2 tokens")
	if a.Generated() != 1 || c.Scheduled != 60*ms {
		t.Errorf("a has %d tokens, c was scheduled at %s", a.Generated(), c.Scheduled)
	}
}

// TestReturn: the process of replica 0 starts 200 ms after it died, serves 300 ms
// later, and is sent requests when the router knows, 100 ms on.
func TestReturn(t *testing.T) {
	r := newRig(t, Config{
		Replicas: slots(2, 10), HealthDelay: 100 * ms, Load: 300 * ms, Policy: PolicyLeastLoaded,
		Failures: []Failure{{Replica: 0, At: 0, For: 200 * ms}},
	})
	r.ask("a", 100*ms) // the router has just learned
	r.ask("b", 599*ms)
	r.ask("c", 600*ms)
	r.run("a1@150 a2@160 a:ok@160 b1@649 c1@650 b2@659 b:ok@659 c2@660 c:ok@660")
	r.expectSent(1, 2)
}

// TestBackUnnoticed: a replica that is back before the router missed it stays in
// rotation, at full weight.
func TestBackUnnoticed(t *testing.T) {
	r := newRig(t, Config{
		Replicas: slots(2, 10), HealthDelay: time.Second, SlowStart: time.Hour, Retries: 1,
		Failures: []Failure{{Replica: 0, At: 0, For: 10 * ms}},
	})
	r.ask("a", 5*ms) // refused at 0
	r.ask("b", 2000*ms)
	r.ask("c", 2000*ms)
	r.ask("d", 2000*ms)
	r.ask("e", 2000*ms)
	r.run("a1@55 a2@65 a:ok@65 b1@2050 d1@2050 c1@2050 e1@2050 b2@2060 b:ok@2060 d2@2060 d:ok@2060 c2@2060 c:ok@2060 e2@2060 e:ok@2060")
	r.expectSent(2, 3)
}

// TestNoRetry: without retries a request to a dead replica ends with an error, and
// so do those that waited there.
func TestNoRetry(t *testing.T) {
	r := newRig(t, Config{
		Replicas: slots(2, 1), HealthDelay: 100 * ms,
		Failures: []Failure{{Replica: 0, At: 20 * ms, For: time.Second}},
	})
	a := r.ask("a", 0)
	r.ask("b", 10*ms)
	c := r.ask("c", 30*ms)
	r.run("a:error@20 c:error@30 b1@60 b2@70 b:ok@70")
	expectReason(t, a, "replica failed: replica 0 broke off before its first token, attempt 1 of 1")
	expectReason(t, c, "replica failed: replica 0 refused the connection, attempt 1 of 1")
}

// TestNoReplica: when all are known to be dead, or have been tried, the router has
// nobody left.
func TestNoReplica(t *testing.T) {
	r := newRig(t, Config{
		Replicas: slots(2, 1), HealthDelay: 100 * ms, Retries: DefaultRetries,
		Failures: []Failure{{Replica: 0, At: 0, For: 300 * ms}, {Replica: 1, At: 0, For: 300 * ms}},
	})
	a, b := r.ask("a", 10*ms), r.ask("b", 200*ms)
	r.ask("c", 400*ms)
	r.run("a:error@10 b:error@200 c1@450 c2@460 c:ok@460")
	expectReason(t, a, "no healthy replica: 2 of 2 are in rotation, 2 failed the request")
	expectReason(t, b, "no healthy replica: 0 of 2 are in rotation, 0 failed the request")
	if s := r.Stats(); s.Failed != 2 || s.Finished != 1 {
		t.Errorf("at the end %+v", s)
	}
}

// TestCancelledBeforeFailure: a batched engine lets a cancelled request go at the end
// of its step; when it dies before, the request was still cancelled.
func TestCancelledBeforeFailure(t *testing.T) {
	r := newRig(t, Config{
		Replicas: []func(pipeline.Scheduler) engine.Engine{batched},
		Failures: []Failure{{Replica: 0, At: 7 * ms, For: time.Second}},
	})
	a := r.ask("a", 0)
	r.at(6*ms, func() { r.Cancel(a) })
	r.run("a:cancelled@7")
	if s := r.Stats(); s.Cancelled != 1 || s.Failed != 0 {
		t.Errorf("at the end %+v", s)
	}
}
