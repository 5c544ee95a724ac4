//go:build unix

package meter

import (
	"syscall"
	"time"

	"halfsecond/pipeline"
)

// processCPU returns the processor time of this process so far, user and system.
func processCPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return pipeline.Unknown
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
