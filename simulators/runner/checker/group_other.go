//go:build !unix

package checker

import "os/exec"

// apart does nothing: there are no process groups here.
func apart(*exec.Cmd) {}

// end kills a program; what it started may live on.
func end(c *exec.Cmd) error { return c.Process.Kill() }
