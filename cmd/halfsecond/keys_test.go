package main

import (
	"context"
	"errors"
	"io"
	"testing"

	keystrokes "halfsecond/simulators/ide/recording"
)

// Writing keys ends when it is interrupted, in every format, and says so.
func TestKeysAreInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, format := range []string{"table", "jsonl", "csv"} {
		p := &program{out: io.Discard, err: io.Discard}
		p.Format = format
		o := &keysOptions{session: keystrokes.BuiltInName, n: 10, given: func(string) bool { return false }}
		var exit *exitError
		if err := runKeys(ctx, p, o); !errors.As(err, &exit) || exit.code != exitUnmeasured {
			t.Errorf("%s: %v, want that it was interrupted", format, err)
		}
		if err := runKeys(t.Context(), p, o); err != nil {
			t.Errorf("%s, when nobody interrupts: %v", format, err)
		}
	}
}
