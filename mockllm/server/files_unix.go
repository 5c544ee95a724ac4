//go:build unix

package server

import (
	"fmt"
	"syscall"
)

// fileLimit says in words how many files this process may have open.
func fileLimit() string {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return ""
	}
	return fmt.Sprintf(" (%d is the limit; ulimit -n raises it)", limit.Cur)
}
