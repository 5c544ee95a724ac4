package main

import (
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/exchange"
	"halfsecond/pipeline/trace"
)

func kept(bytes int) *exchange.Exchange {
	x := &exchange.Exchange{Protocol: "openai-chat", How: exchange.Open, Sent: 1, End: 3}
	x.Add(2, make([]byte, bytes))
	return x
}

// brokenLog returns a raw log whose disk breaks when its reader is closed.
func brokenLog(t *testing.T) (*rawLog, *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return newRawLog(w), r
}

// TestRawLogOnAFullDisk: the error of the disk comes back from keep, and from close.
func TestRawLogOnAFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err == nil {
		l := newRawLog(full)
		if err := l.begin(exchange.Header{}); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("begin on a full disk: %v", err)
		}
	} else if !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	l, reader := brokenLog(t)
	if err := l.begin(exchange.Header{}); err != nil {
		t.Fatal(err)
	}
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	for n := 0; err == nil || errors.Is(err, os.ErrNotExist); n++ {
		if err = l.keep(kept(1 << 20)); n > 1000 {
			t.Fatal("keep does not tell")
		}
	}
	if closed := l.close(); !errors.Is(err, syscall.EPIPE) || !errors.Is(closed, syscall.EPIPE) {
		t.Errorf("keep: %v; close: %v; want what the disk said", err, closed)
	}
}

// TestKeeperTellsOfALostLog: the traces say that the raw log is not whole.
func TestKeeperTellsOfALostLog(t *testing.T) {
	dir := t.TempDir()
	k, err := newKeeper(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	l, reader := brokenLog(t)
	if err := k.raw.close(); err != nil {
		t.Fatal(err)
	}
	k.raw = l
	if err := k.begin(trace.Header{}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(reader.Close(), k.keep(&pipeline.Trace{})); err != nil {
		t.Fatal(err)
	}
	lost := k.close(trace.Run{Footer: trace.Footer{Finished: true}})
	run, err := readTraces(dir)
	if err != nil || !errors.Is(lost, syscall.EPIPE) || run.Footer.Finished || !strings.Contains(run.Footer.Reason, "write exchanges: ") {
		t.Errorf("close: %v; footer %+v, error %v", lost, run.Footer, err)
	}
}

// TestRawLogDoesNotPileUp: a disk that does not take what comes ends the run.
func TestRawLogDoesNotPileUp(t *testing.T) {
	l, reader := brokenLog(t)
	defer reader.Close()
	l.most = 3000
	random := rand.NewChaCha8([32]byte{1})
	if err := l.begin(exchange.Header{}); err != nil {
		t.Fatal(err)
	}
	// What is written stays in the pipe, which takes some pages: then all wait.
	const n = 1000
	var all sync.WaitGroup
	errs := make(chan error, n)
	for range n {
		x := kept(1000)
		random.Read(x.Body)
		all.Go(func() { errs <- l.keep(x) })
	}
	const want = "is written too slowly: more than 0 MiB wait; --no-raw leaves it out"
	for told := false; !told; {
		err := <-errs
		told = err != nil && strings.Contains(err.Error(), want)
	}
	var rest sync.WaitGroup
	rest.Go(func() { _, _ = io.Copy(io.Discard, reader) }) // ends with close
	all.Wait()
	if err := l.close(); err != nil {
		t.Error(err)
	}
	rest.Wait()
	if waits := l.waiting.Load(); waits != 0 {
		t.Errorf("%d bytes wait at the end", waits)
	}
}

// TestRawLogFlushes: what was kept can be read soon after, while the run goes on.
func TestRawLogFlushes(t *testing.T) {
	name := filepath.Join(t.TempDir(), rawFile)
	l, err := createRaw(name)
	if err == nil {
		err = l.begin(exchange.Header{})
	}
	if err == nil {
		err = l.keep(kept(1))
	}
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	for n := 0; n == 0; time.Sleep(50 * time.Millisecond) {
		tape, err := readTape(name)
		if tape != nil || err != nil && strings.Contains(err.Error(), "left out 1 exchange") {
			n = 1
		}
		if time.Since(begun) > time.Minute {
			t.Fatal("nothing could be read after a minute")
		}
	}
	if err := l.close(); err != nil {
		t.Error(err)
	}
}
