package engine

import (
	"errors"
	"fmt"
	"testing"

	"halfsecond/pipeline"
)

// relayed is an engine that passes everything on.
type relayed struct {
	Engine
	relays map[*Request]*Relay
}

func (e relayed) Submit(r *Request) {
	p := &Relay{}
	e.relays[r] = p
	p.Send(e.Engine, r, func(o pipeline.Outcome) {
		delete(e.relays, r)
		r.Done(o)
	})
}

func (e relayed) Cancel(r *Request) {
	if p := e.relays[r]; p != nil {
		p.Cancel()
	}
}

func init() {
	subjects = append(subjects, subject{"relayed", func(l pipeline.Scheduler) Engine {
		return relayed{NewBatched(l, BatchedConfig{Steps: linear{5 * ms, 10 * us}, MaxSequences: 8, TokenBudget: 64, KVBlocks: 24}), map[*Request]*Relay{}}
	}, 6 * ms})
}

// pocket is an engine that keeps what it is given.
type pocket struct {
	Engine
	requests []*Request
}

func (e *pocket) Submit(r *Request) { e.requests = append(e.requests, r) }

// TestRelayCopies: the engine gets all that the asker filled in but its callbacks.
func TestRelayCopies(t *testing.T) {
	var e pocket
	var p Relay
	blocks := func(dst []uint64, size int) []uint64 { return append(dst, uint64(size)) }
	p.Send(&e, &Request{Prompt: 3, Output: 5, Limit: 4, Priority: 7, Blocks: blocks, NotifyAt: 2}, nil)
	got := e.requests[0]
	if got.Prompt != 3 || got.Output != 5 || got.Limit != 4 || got.Priority != 7 || got.NotifyAt != 2 || got.Blocks(nil, 9)[0] != 9 {
		t.Errorf("the engine got %+v", got)
	}
}

// TestRelayNotifies: at each token the request is as if it were at the engine.
func TestRelayNotifies(t *testing.T) {
	var loop pipeline.Virtual
	e := relayed{many(&loop), map[*Request]*Relay{}}
	r := &Request{Prompt: 10, Output: 2, NotifyAt: 1}
	var seen []string
	r.Notify = func(n int) int {
		seen = append(seen, fmt.Sprint(n, r.Generated(), r.Scheduled, r.Last))
		return n + 1
	}
	r.Done = func(pipeline.Outcome) {
		defer func() {
			if recover() == nil {
				t.Error("a request that has ended was sent again")
			}
		}()
		e.Submit(r)
	}
	loop.At(10*ms, pipeline.RankTimer, func() { e.Submit(r) })
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(seen); got != "[1 1 10ms 60ms 2 2 10ms 70ms]" {
		t.Errorf("saw %s", got)
	}
}

// TestAbandon: a request that was abandoned holds what it got, hears no more of the
// engine and may go to another or end.
func TestAbandon(t *testing.T) {
	var loop pipeline.Virtual
	first, second := many(&loop), many(&loop)
	var log []string
	a, b := relayed{first, map[*Request]*Relay{}}, relayed{second, map[*Request]*Relay{}}
	early := ask(&loop, a, &log, "early", 0, 10, 2)
	late := ask(&loop, a, &log, "late", 20*ms, 10, 2)
	loop.At(55*ms, pipeline.RankInput, func() {
		a.relays[early].Abandon()
		a.relays[late].Abandon()
		if early.Generated() != 1 || early.Last != 50*ms || late.Generated() != 0 || late.Scheduled != 20*ms {
			t.Errorf("after %d tokens and %d", early.Generated(), late.Generated())
		}
		if s := first.Stats(); s.Running != 0 {
			t.Errorf("the engine left behind %+v", s)
		}
		End(&loop, early, pipeline.Error, errors.New("lost"))
		b.Submit(late)
	})
	expect(t, &loop, &log, "early1@50 early:error@55 late1@105 late2@115 late:ok@115")
	if early.Reason == nil || early.Reason.Error() != "lost" || late.Scheduled != 55*ms || late.Generated() != 2 {
		t.Errorf("reason %v; scheduled %s, %d tokens", early.Reason, late.Scheduled, late.Generated())
	}
}
