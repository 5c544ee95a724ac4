package voice

import (
	"net/http"
	"time"
)

// body is a response whose stretches come from the loop. send and end may be called
// only on the loop.
type body struct {
	service *Service
	out     *outlet
}

// send adds a stretch of the body that is due now.
func (b *body) send(data []byte) { b.out.put(frame{due: b.service.config.Loop.Now(), data: data}) }

// later adds a stretch whose data are made when it is their turn.
func (b *body) later(weight int, make func() []byte) {
	b.out.put(frame{due: b.service.config.Loop.Now(), weight: weight, make: make})
}

// end ends the body.
func (b *body) end() { b.out.end() }

// respond runs begin on the loop as of the instant of arrival and writes what it
// sends as the body of a response of that content type, each stretch at once, until
// it ends. Quit is called on the loop when the client has hung up or the server stops;
// it may be nil.
func (s *Service) respond(w http.ResponseWriter, r *http.Request, contentType string, arrived time.Duration, begin func(*body) (quit func())) {
	b := &body{service: s, out: newOutlet()}
	var quit func()
	if !s.config.Loop.Post(arrived, func() { quit = begin(b) }) {
		http.Error(w, "the server is shutting down", http.StatusServiceUnavailable)
		return
	}
	defer s.onLoop(func() {
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
		case <-b.out.wake:
		case <-r.Context().Done():
			panic(http.ErrAbortHandler) // a body that is cut short must not look whole
		}
		frames, ended, choked := b.out.take()
		if choked {
			panic(http.ErrAbortHandler)
		}
		for _, f := range frames {
			if s.pass(w, control, f) != nil {
				return
			}
		}
		if ended {
			return
		}
	}
}

func (s *Service) pass(w http.ResponseWriter, control *http.ResponseController, f frame) error {
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
	s.config.Ledger.Writes.Add(s.config.Loop.Elapsed() - f.due)
	// HTTP/2 resets a stream whose deadline passes, though nothing is being written.
	return control.SetWriteDeadline(time.Time{})
}
