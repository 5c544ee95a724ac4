package server

import (
	"net/http"
	"strings"
)

// browsable lets web pages of any origin call the APIs, as the services and most servers
// of open models do: clients in a browser are clients too. What the browser asks before a
// request it is told at once; that carries no key and is no request that a rule counts.
// The server's own pages tell what others asked and change what goes wrong, so no page of
// another origin reads or changes them.
// Source: the CORS protocol in the Fetch standard, and for a server that answers so
// tools/server/server-http.cpp in ggml-org/llama.cpp (commit 00dd081), read 2026-11-29.
func browsable(next http.Handler) http.Handler {
	own := http.NewCrossOriginProtection().Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/v1/halfsecond/"):
			own.ServeHTTP(w, r)
			return
		case r.Header.Get("Origin") == "":
			next.ServeHTTP(w, r)
			return
		}
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Expose-Headers", "*")
		if asked := r.Header.Get("Access-Control-Request-Method"); r.Method == http.MethodOptions && asked != "" {
			allow(h, asked, r.Header.Get("Access-Control-Request-Headers"))
			w.WriteHeader(http.StatusNoContent)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// allow says that a page may send a request of that method with those headers. They are
// named, since a wildcard does not hold for Authorization.
func allow(h http.Header, method, headers string) {
	h.Set("Access-Control-Allow-Methods", method)
	if headers != "" {
		h.Set("Access-Control-Allow-Headers", headers)
	}
	h.Set("Access-Control-Max-Age", "86400") // seconds
}
