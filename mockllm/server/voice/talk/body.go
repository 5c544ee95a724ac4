package talk

import (
	"net/http"
	"time"

	"halfsecond/mockllm/fault"
)

// Respond runs begin on the loop as of the instant of arrival and writes what is sent by
// the outlet as the body of a response of that content type, each stretch at once, until
// it ends. Quit is called on the loop when that is over, or the client has hung up or the
// server stops; it may be nil.
func (h *Host) Respond(w http.ResponseWriter, r *http.Request, contentType string, arrived time.Duration, begin func(*Outlet) (quit func())) {
	out := newOutlet(h.Loop)
	var quit func()
	if !h.Loop.Post(arrived, func() { quit = begin(out) }) {
		http.Error(w, "the server is shutting down", http.StatusServiceUnavailable)
		return
	}
	defer h.OnLoop(func() {
		if quit != nil {
			quit()
		}
	})
	control := http.NewResponseController(w)
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("X-Accel-Buffering", "no") // a proxy must pass each stretch on at once
	for {
		select {
		case <-out.wake:
		case <-r.Context().Done():
			panic(http.ErrAbortHandler) // a body that is cut short must not look whole
		}
		frames, ended, choked := out.take()
		if choked {
			panic(http.ErrAbortHandler)
		}
		for _, f := range frames {
			if h.stretch(w, control, f, fault.From(r.Context())) != nil {
				return
			}
		}
		if ended {
			return
		}
	}
}

// stretch writes a stretch of a body, of which a plan may hold something back.
func (h *Host) stretch(w http.ResponseWriter, control *http.ResponseController, f frame, plan *fault.Plan) error {
	data := f.made()
	if data == nil {
		return nil
	}
	if err := control.SetWriteDeadline(time.Now().Add(writeLimit)); err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		return err
	}
	if err := control.Flush(); err != nil {
		return err
	}
	if !plan.Holds() {
		h.Ledger.Writes.Add(h.Loop.Elapsed() - f.due)
	}
	// HTTP/2 resets a stream whose deadline passes, though nothing is being written.
	return control.SetWriteDeadline(time.Time{})
}
