package langserver

import (
	"errors"
	"os/exec"

	"golang.org/x/sys/unix"
)

// awaitExit returns when the program has ended. It leaves its status, and its number, for
// whoever waits for it.
func awaitExit(cmd *exec.Cmd) {
	for {
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
