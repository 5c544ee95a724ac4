//go:build unix

package checker

import (
	"os/exec"
	"syscall"
)

// apart puts a program into a process group of its own.
func apart(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// end kills a program and all that it started and left in its group. It may be gone.
func end(c *exec.Cmd) error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
