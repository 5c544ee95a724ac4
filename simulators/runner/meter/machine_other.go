//go:build !linux

package meter

func readMachine() machine { return unknownMachine() }
