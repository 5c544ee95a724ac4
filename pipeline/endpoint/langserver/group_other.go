//go:build !unix

package langserver

import "os/exec"

// ownGroup does nothing where there are no process groups.
func ownGroup(*exec.Cmd) {}

// killGroup kills the program alone. That it has ended is no error.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
