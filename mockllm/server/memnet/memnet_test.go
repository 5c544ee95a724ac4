package memnet

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

const ms = time.Millisecond

// ends returns the two ends of a connection that is so long.
func ends(t *testing.T, way time.Duration) (near, far net.Conn) {
	ln := ListenFar()
	ln.SetWay(way)
	accepted := make(chan net.Conn)
	go func() {
		c, err := ln.Accept()
		if err != nil {
			t.Error(err)
		}
		accepted <- c
	}()
	near, err := ln.DialContext(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	return near, <-accepted
}

// TestWay: bytes and the end of a connection take their time, one after the other and in both
// directions, and a writer waits for none of them.
func TestWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := ends(t, 10*ms)
		from := time.Now()
		go func() {
			_, _ = io.WriteString(near, "ab")
			time.Sleep(3 * ms)
			_, _ = io.WriteString(near, "c")
			_ = near.Close()
			if took := time.Since(from); took != 3*ms {
				t.Errorf("two writes took %s, want 3ms", took)
			}
		}()
		b := make([]byte, 1)
		for _, want := range []struct {
			text string
			at   time.Duration
			err  error
		}{{"a", 10 * ms, nil}, {"b", 10 * ms, nil}, {"c", 13 * ms, nil}, {"", 13 * ms, io.EOF}} {
			n, err := far.Read(b)
			if got := string(b[:n]); got != want.text || !errors.Is(err, want.err) || time.Since(from) != want.at {
				t.Errorf("read %q, %v at %s; want %q, %v at %s", got, err, time.Since(from), want.text, want.err, want.at)
			}
		}
		if _, err := near.Read(b); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("read of what is closed: %v", err)
		}
		if _, err := near.Write(b); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("write to what is closed: %v", err)
		}
	})
}

// TestDeadline: a read ends with its deadline, also one that is set while it waits, and what
// comes later is still there.
func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := ends(t, 10*ms)
		defer near.Close()
		defer far.Close()
		from := time.Now()
		_, _ = io.WriteString(near, "a")
		b := make([]byte, 4)
		_ = far.SetReadDeadline(from.Add(5 * ms))
		if _, err := far.Read(b); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(from) != 5*ms {
			t.Errorf("a deadline before the byte: %v at %s", err, time.Since(from))
		}
		_ = far.SetReadDeadline(time.Time{})
		if n, err := far.Read(b); n != 1 || err != nil || time.Since(from) != 10*ms {
			t.Errorf("read %d, %v at %s; want the byte at 10ms", n, err, time.Since(from))
		}
		time.AfterFunc(7*ms, func() { _ = far.SetReadDeadline(time.Unix(1, 0)) })
		if _, err := far.Read(b); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(from) != 17*ms {
			t.Errorf("a deadline set meanwhile: %v at %s", err, time.Since(from))
		}
	})
}
