package talk

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/pipeline"
)

// follower notes what becomes of it.
type follower struct {
	begins time.Duration
	loop   Loop
	said   *[]string
}

func (f *follower) Begins() time.Duration { return f.begins }

func (f *follower) GoOn() { *f.said = append(*f.said, fmt.Sprintf("begins at %s", f.loop.Now())) }

func (f *follower) Unspoken(why error) { *f.said = append(*f.said, why.Error()) }

// TestOrder: a turn begins when it may, and not before what was said has been played; one waits at
// a time, and none begins when the session is over.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loop, busy := pipeline.NewWall(), errors.New("busy")
		ended := make(chan struct{})
		go func() { defer close(ended); _ = loop.Run(t.Context()) }()
		var said []string
		o := &Order{Loop: loop, Busy: busy, Quiet: 2 * time.Second}
		follow := func(begins time.Duration, underWay bool) {
			loop.Post(loop.Elapsed(), func() {
				if err := o.Follow(&follower{begins, loop, &said}, underWay); err != nil {
					said = append(said, err.Error())
				}
			})
			synctest.Wait()
		}
		follow(pipeline.Unknown, true)
		follow(pipeline.Unknown, false) // begins at 2s
		follow(pipeline.Unknown, false)
		time.Sleep(3 * time.Second)
		follow(4*time.Second, false)
		time.Sleep(2 * time.Second)
		follow(9*time.Second, false)
		loop.Post(loop.Elapsed(), func() { o.End(errors.New("over")) })
		synctest.Wait()
		follow(pipeline.Unknown, false)
		time.Sleep(10 * time.Second)
		if got, want := fmt.Sprint(said), "[busy busy begins at 2s begins at 4s over over]"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		loop.Post(loop.Elapsed(), func() {})
	})
}
