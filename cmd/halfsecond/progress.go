package main

import (
	"fmt"
	"time"

	"github.com/schollz/progressbar/v3"
)

// bar shows on a terminal how far a run is; the zero bar shows nothing.
type bar struct{ shown *progressbar.ProgressBar }

// bar returns the bar of a run of n interactions, which shows itself once the run has
// taken a while.
func (p *program) bar(target string, n int) bar {
	if !p.progress {
		return bar{}
	}
	return bar{progressbar.NewOptions(n,
		progressbar.OptionSetWriter(p.err),
		progressbar.OptionSetDescription(target),
		progressbar.OptionShowCount(),
		progressbar.OptionSetWidth(40),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)}
}

// done says how many interactions are finished.
func (b bar) done(n int) {
	if b.shown != nil {
		_ = b.shown.Set(n) // a terminal that is gone is no reason to stop
	}
}

// waits tells a terminal that a server which is busy is waited for before anything begins.
func (p *program) waits(wait time.Duration) {
	if p.progress {
		fmt.Fprintf(p.err, "it asks to wait %s before it lists its models: waiting\n", wait)
	}
}

// close takes the bar off the terminal.
func (b bar) close() {
	if b.shown != nil {
		_ = b.shown.Clear()
	}
}
