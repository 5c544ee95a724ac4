package server

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"
	"time"
)

// door is a listener that survives a process which may open no more files: connections
// then wait in the system's queue until others end.
type door struct {
	net.Listener
	warn func(text string) // told once; nil for nobody
	once sync.Once
}

// doorWait is how long a door waits for others to leave.
const doorWait = 50 * time.Millisecond

// Accept implements net.Listener.
func (d *door) Accept() (net.Conn, error) {
	for {
		c, err := d.Listener.Accept()
		if !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE) {
			return c, err
		}
		d.once.Do(func() {
			if d.warn != nil {
				d.warn(fmt.Sprintf("too many open files%s: connections wait until others have ended", fileLimit()))
			}
		})
		time.Sleep(doorWait)
	}
}
