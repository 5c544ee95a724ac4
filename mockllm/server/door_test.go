package server

import (
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/server/memnet"
)

// full is a listener of a process that may open no more files for a while.
type full struct {
	net.Listener
	tries int
}

func (f *full) Accept() (net.Conn, error) {
	if f.tries > 0 {
		f.tries--
		return nil, &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
	}
	return f.Listener.Accept()
}

// TestDoor: a connection that finds no file left waits, and the limit is named once.
func TestDoor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ln := memnet.Listen()
		var told []string
		d := &door{Listener: &full{ln, 3}, warn: func(text string) { told = append(told, text) }}
		go func() { _, _ = ln.DialContext(t.Context(), "", "") }()
		from := time.Now()
		if c, err := d.Accept(); err != nil || time.Since(from) != 3*doorWait {
			t.Errorf("%v, %v after %s, want a connection after %s", c, err, time.Since(from), 3*doorWait)
		}
		if len(told) != 1 || !strings.HasPrefix(told[0], "too many open files") || !strings.HasSuffix(told[0], ": connections wait until others have ended") {
			t.Errorf("told %q", told)
		}
		ln.Close()
		if _, err := d.Accept(); err == nil {
			t.Error("a listener that is closed accepts")
		}
	})
}
