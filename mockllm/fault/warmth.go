package fault

import "time"

// warmth is whether a model is loaded, as a ColdStart has it. The zero warmth is that of
// a model that never was.
type warmth struct {
	used   bool
	active int           // requests under way
	last   time.Duration // when the latest ended
	ready  time.Duration // when it is loaded
}

// begin takes up a request and returns how long it waits for the model, and whether that
// is loaded for it.
func (w *warmth) begin(c *ColdStart, now time.Duration) (wait time.Duration, loads bool) {
	if loads = !w.used || w.active == 0 && now-w.last >= c.Idle; loads {
		w.ready = now + c.Load
	}
	w.used = true
	w.active++
	return max(0, w.ready-now), loads
}

// end takes note that a request has ended.
func (w *warmth) end(now time.Duration) {
	w.active--
	w.last = now
}
