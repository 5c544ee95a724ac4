package server

import (
	"encoding/json"
	"net/http"
)

// handleObserved adds what tells of the plugin that is observed, if one is.
func (s *Server) handleObserved(mux *http.ServeMux) {
	if s.config.Observer == nil {
		return
	}
	mux.HandleFunc("GET /v1/halfsecond/observe", s.showObserved)
	mux.HandleFunc("DELETE /v1/halfsecond/observe", func(w http.ResponseWriter, _ *http.Request) {
		s.config.Observer.Clear()
		w.WriteHeader(http.StatusNoContent)
	})
}

// showObserved answers with what the requests so far tell.
func (s *Server) showObserved(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(s.config.Observer.Report(s.config.Texts)) // the client may be gone
}
