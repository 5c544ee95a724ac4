package pipeline

import (
	"context"
	"sync"
	"testing"
	"time"
)

// TestPreciseWallUnderPosts is a smoke test over the real clock: what is posted all the
// time wakes the loop for the same next instant again and again, and that instant must
// come all the same.
func TestPreciseWallUnderPosts(t *testing.T) {
	const works, posts = 100, 500
	w := NewPreciseWall()
	handled, told := 0, 0
	early := false
	stopWhenDone := func() {
		if handled == works && told == posts {
			w.Stop()
		}
	}
	for i := range works {
		w.At(time.Duration(i)*2*time.Millisecond, RankTimer, func() {
			handled++
			early = early || w.Elapsed() < w.Now()
			stopWhenDone()
		})
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for range posts {
			w.Post(w.Elapsed(), func() { told++; stopWhenDone() })
			time.Sleep(50 * time.Microsecond)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := w.Run(ctx); err != nil {
		t.Errorf("Run = %v with %d of %d works and %d of %d posts handled", err, handled, works, told, posts)
	}
	wg.Wait()
	if early {
		t.Error("work ran early")
	}
}

// BenchmarkPreciseWallPost has another goroutine post to a loop that sleeps until an
// instant far away, and waits for each post to be handled.
func BenchmarkPreciseWallPost(b *testing.B) {
	w := NewPreciseWall()
	w.At(time.Hour, RankTimer, func() {})
	ended := make(chan error)
	go func() { ended <- w.Run(context.Background()) }()
	handled := make(chan struct{})
	b.ReportAllocs()
	for b.Loop() {
		w.Post(w.Elapsed(), func() { handled <- struct{}{} })
		<-handled
	}
	w.Stop()
	if err := <-ended; err != nil {
		b.Fatal(err)
	}
}
