package pipeline

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// driver runs a body's work to its end on one of the two drivers.
type driver struct {
	name string
	run  func(t *testing.T, body func(s Scheduler, stop func()))
}

var drivers = []driver{
	{"virtual", func(t *testing.T, body func(Scheduler, func())) {
		var v Virtual
		body(&v, func() {})
		if err := v.Run(t.Context()); err != nil {
			t.Error(err)
		}
	}},
	{"wall", func(t *testing.T, body func(Scheduler, func())) {
		synctest.Test(t, func(t *testing.T) {
			w := NewWall()
			body(w, w.Stop)
			if err := w.Run(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}},
}

// TestOrder checks (instant, rank, order of scheduling) on both drivers.
func TestOrder(t *testing.T) {
	for _, d := range drivers {
		t.Run(d.name, func(t *testing.T) {
			var got []string
			d.run(t, func(s Scheduler, stop func()) {
				say := func(word string) func() { return func() { got = append(got, fmt.Sprint(word, "@", s.Now())) } }
				s.At(2*time.Millisecond, RankStart, say("start"))
				s.At(2*time.Millisecond, RankTimer, say("timer-1"))
				s.At(2*time.Millisecond, RankTimer, say("timer-2"))
				s.At(2*time.Millisecond, RankInput, say("input"))
				s.At(2*time.Millisecond, RankOutput, say("output"))
				s.At(time.Millisecond, RankStart, func() {
					say("first")()
					s.After(0, RankOutput, say("at once"))
					s.After(time.Millisecond, RankOutput, say("output-2"))
				})
				s.At(3*time.Millisecond, RankStart, stop)
			})
			want := "first@1ms at once@1ms output@2ms output-2@2ms input@2ms timer-1@2ms timer-2@2ms start@2ms"
			if g := strings.Join(got, " "); g != want {
				t.Errorf("order\n got %s\nwant %s", g, want)
			}
		})
	}
}

// TestStop checks Timers: before, after and far beyond their work's instant.
func TestStop(t *testing.T) {
	for _, d := range drivers {
		t.Run(d.name, func(t *testing.T) {
			d.run(t, func(s Scheduler, stop func()) {
				ran := false
				never := s.At(time.Second, RankTimer, func() { t.Error("stopped work ran") })
				once := s.At(time.Millisecond, RankTimer, func() { ran = true })
				s.At(2*time.Millisecond, RankTimer, func() {
					if !never.Stop() || never.Stop() {
						t.Error("Stop of coming work: want true, then false")
					}
					if once.Stop() || !ran {
						t.Error("Stop of work that ran: want false")
					}
					s.After(time.Millisecond, RankTimer, func() {}) // takes a freed slot
					if once.Stop() {
						t.Error("a stale Timer stopped the slot's next work")
					}
					if (Timer{}).Stop() {
						t.Error("Stop of no work: want false")
					}
				})
				s.At(5*time.Millisecond, RankTimer, stop)
			})
		})
	}
}

// TestRandomOrder compares the heap, stops included, with a stable sort.
func TestRandomOrder(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		var v Virtual
		type work struct {
			at   time.Duration
			rank Rank
			id   int
		}
		var want []work
		var got []int
		var timers []Timer
		for id := range 1000 {
			w := work{time.Duration(r.IntN(40)), Rank(r.IntN(4)), id}
			want = append(want, w)
			timers = append(timers, v.At(w.at, w.rank, func() { got = append(got, id) }))
		}
		stopped := map[int]bool{}
		for range r.IntN(900) {
			id := r.IntN(len(timers))
			if timers[id].Stop() == stopped[id] {
				t.Fatalf("seed %d: Stop(%d) is wrong", seed, id)
			}
			stopped[id] = true
		}
		slices.SortStableFunc(want, func(a, b work) int {
			if a.at != b.at {
				return int(a.at - b.at)
			}
			return int(a.rank) - int(b.rank)
		})
		want = slices.DeleteFunc(want, func(w work) bool { return stopped[w.id] })
		if err := v.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) {
			t.Fatalf("seed %d: ran %d, want %d", seed, len(got), len(want))
		}
		for i := range got {
			if got[i] != want[i].id {
				t.Fatalf("seed %d: place %d ran %d, want %d", seed, i, got[i], want[i].id)
			}
		}
		if v.dead != 0 || len(v.queue) != 0 || len(v.free) != len(v.slots) {
			t.Fatalf("seed %d: the loop kept something: dead %d, queue %d, free %d of %d", seed, v.dead, len(v.queue), len(v.free), len(v.slots))
		}
	}
}

func TestPastPanics(t *testing.T) {
	for name, f := range map[string]func(v *Virtual){
		"At":    func(v *Virtual) { v.At(time.Millisecond, RankTimer, func() {}) },
		"After": func(v *Virtual) { v.After(-1, RankTimer, func() {}) },
	} {
		t.Run(name, func(t *testing.T) {
			var v Virtual
			v.RunUntil(time.Second)
			defer func() {
				if recover() == nil {
					t.Error("work in the past did not panic")
				}
			}()
			f(&v)
		})
	}
}

// TestVirtualHeedsContext: a chain of work at one instant cannot starve the end.
func TestVirtualHeedsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var v Virtual
	n := 0
	var again func()
	again = func() {
		if n++; n == 1000 {
			cancel()
		}
		v.After(0, RankTimer, again)
	}
	v.After(0, RankTimer, again)
	if err := v.Run(ctx); err != context.Canceled {
		t.Errorf("Run = %v, want context.Canceled", err)
	}
	if n > 1300 {
		t.Errorf("ran %d pieces of work, want the end within 256 of the 1000th", n)
	}
}

// TestWallPost: a post is ordered at the later of its stamp and the last instant
// handled, and is seen before later scheduled work.
func TestWallPost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWall()
		var got []string
		say := func(word string) func() { return func() { got = append(got, fmt.Sprint(word, "@", w.Now())) } }
		w.At(10*time.Millisecond, RankTimer, say("ten"))
		w.At(20*time.Millisecond, RankTimer, func() { say("twenty")(); w.Stop() })
		var wg sync.WaitGroup
		wg.Go(func() {
			time.Sleep(15 * time.Millisecond)
			w.Post(w.Elapsed(), say("post"))
			w.Post(time.Millisecond, say("stale stamp"))
		})
		if err := w.Run(t.Context()); err != nil {
			t.Error(err)
		}
		wg.Wait()
		want := "ten@10ms stale stamp@10ms post@15ms twenty@20ms"
		if g := strings.Join(got, " "); g != want {
			t.Errorf("got %s, want %s", g, want)
		}
		if w.Post(0, say("too late")) {
			t.Error("Post after the end = true, want false")
		}
	})
}

// TestWallLateness: slow work makes what follows late, Now stays the due instant,
// and posts are not counted.
func TestWallLateness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWall()
		var late []time.Duration
		w.Lateness = func(d time.Duration) { late = append(late, d) }
		w.At(10*time.Millisecond, RankTimer, func() { time.Sleep(7 * time.Millisecond) })
		w.At(12*time.Millisecond, RankTimer, func() {
			if w.Now() != 12*time.Millisecond || w.Elapsed() != 17*time.Millisecond || w.Late() != 5*time.Millisecond {
				t.Errorf("Now %s, Elapsed %s, Late %s; want 12ms, 17ms, 5ms", w.Now(), w.Elapsed(), w.Late())
			}
			w.Post(w.Elapsed(), w.Stop)
		})
		if err := w.Run(t.Context()); err != nil {
			t.Error(err)
		}
		if want := []time.Duration{0, 5 * time.Millisecond}; !slices.Equal(late, want) {
			t.Errorf("lateness %v, want %v", late, want)
		}
	})
}

func TestWallEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		w := NewWall()
		if err := w.Run(ctx); err != context.DeadlineExceeded {
			t.Errorf("Run = %v, want DeadlineExceeded", err)
		}
		if w.Elapsed() != 3*time.Second {
			t.Errorf("ended at %s, want 3s", w.Elapsed())
		}
	})
}

// TestPreciseWall is a smoke test over the real clock: order holds, posts wake
// it, and nothing runs early.
func TestPreciseWall(t *testing.T) {
	w := NewPreciseWall()
	var handled int
	var early bool
	for i := range 50 {
		w.At(time.Duration(i)*time.Millisecond, RankTimer, func() {
			handled++
			early = early || w.Elapsed() < w.Now()
		})
	}
	posted := make(chan struct{})
	w.At(50*time.Millisecond, RankTimer, func() { close(posted) })
	var wg sync.WaitGroup
	wg.Go(func() {
		<-posted
		time.Sleep(5 * time.Millisecond)
		w.Post(w.Elapsed(), w.Stop)
	})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := w.Run(ctx); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if handled != 50 || early {
		t.Errorf("handled %d of 50, early %v", handled, early)
	}
}

func BenchmarkLoop(b *testing.B) {
	b.ReportAllocs()
	var v Virtual
	n := 0
	var tick func()
	tick = func() {
		if n++; n < b.N {
			v.After(time.Millisecond, RankTimer, tick)
		}
	}
	for i := range 64 { // a queue of usual depth beside the ticking one
		v.At(1000*time.Hour+time.Duration(i), RankTimer, func() {})
	}
	v.After(0, RankTimer, tick)
	b.ResetTimer()
	_ = v.Run(b.Context())
}

func TestWallReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWall()
		time.Sleep(time.Second)
		w.Reset()
		var late time.Duration
		w.Lateness = func(d time.Duration) { late = d }
		w.At(0, RankTimer, w.Stop)
		if err := w.Run(t.Context()); err != nil || late != 0 {
			t.Errorf("error %v, work due at zero was %s late; want 0", err, late)
		}
	})
}

// TestPostsStarveNoTimer: work that was scheduled for an instant runs before whatever was
// observed after it, however fast posts follow each other.
func TestPostsStarveNoTimer(t *testing.T) {
	w := NewWall()
	const due = 5 * time.Millisecond
	posts, early := 0, true
	var again func()
	again = func() {
		posts++
		switch {
		case w.Now() > due && early:
			t.Errorf("a post of %s ran before the timer of %s", w.Now(), due)
			w.Stop()
		case !early && posts >= 100: // however few of them a busy machine has let run by then
			w.Stop()
		default:
			w.Post(w.Elapsed(), again)
		}
	}
	w.At(due, RankTimer, func() { early = false })
	w.Post(0, again)
	if err := w.Run(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestPostedInputsFirst: what was posted for an instant goes before the inputs that are
// scheduled for it, and behind its outputs. With Quiet set that holds however long the
// goroutine takes that posts.
func TestPostedInputsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWall()
		w.Quiet = synctest.Wait
		var got []string
		say := func(word string) func() { return func() { got = append(got, word) } }
		var readers sync.WaitGroup
		w.At(10*time.Millisecond, RankInput, say("key"))
		w.At(10*time.Millisecond, RankOutput, func() {
			say("token")()
			readers.Go(func() {
				for range 1000 {
					runtime.Gosched()
				}
				w.Post(w.Elapsed(), say("read"))
			})
		})
		w.At(10*time.Millisecond, RankOutput, say("slot"))
		w.At(10*time.Millisecond, RankTimer, w.Stop)
		if err := w.Run(t.Context()); err != nil {
			t.Error(err)
		}
		readers.Wait()
		if g, want := strings.Join(got, " "), "token slot read key"; g != want {
			t.Errorf("got %s, want %s", g, want)
		}
	})
}
