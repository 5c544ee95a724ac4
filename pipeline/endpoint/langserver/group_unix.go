//go:build unix

package langserver

import (
	"os/exec"
	"syscall"
)

// ownGroup has the program begin a process group, which holds what it starts as well.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills the program and what it started. That nobody is left is no error.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
