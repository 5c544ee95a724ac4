//go:build !linux

package pipeline

func newPreciseSleeper() sleeper { return newTimerSleeper() }
