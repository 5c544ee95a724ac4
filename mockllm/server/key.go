package server

import (
	"crypto/subtle"
	"net/http"
	"strings"

	"halfsecond/mockllm/fault"
)

// keyHeaders are where clients put their key besides Authorization: Anthropic,
// ElevenLabs, Gemini, Azure, Cartesia.
var keyHeaders = []string{"X-Api-Key", "Xi-Api-Key", "X-Goog-Api-Key", "Api-Key"}

// keyParameters are where those put it that cannot set a header: Gemini, Cartesia,
// AssemblyAI, ElevenLabs.
var keyParameters = []string{"key", "api_key", "token", "authorization"}

// keysOf returns every key that a request carries. The schemes of Authorization are
// those of OpenAI (Bearer), Deepgram (Token) and AssemblyAI (none).
func keysOf(r *http.Request) (keys []string) {
	given := r.Header.Get("Authorization")
	for _, scheme := range []string{"Bearer ", "Token "} {
		if len(given) > len(scheme) && strings.EqualFold(given[:len(scheme)], scheme) {
			given = given[len(scheme):]
		}
	}
	keys = append(keys, given)
	for _, name := range keyHeaders {
		keys = append(keys, r.Header.Get(name))
	}
	for _, name := range keyParameters {
		keys = append(keys, r.URL.Query().Get(name))
	}
	// Browsers: "token, KEY" of Deepgram, "openai-insecure-api-key.KEY" of OpenAI.
	for _, p := range strings.Split(r.Header.Get("Sec-WebSocket-Protocol"), ",") {
		keys = append(keys, strings.TrimPrefix(strings.TrimSpace(p), "openai-insecure-api-key."))
	}
	return keys
}

// locked lets only those through to a handler who send the key, when there is one.
// Whether the server is well, and its metrics, everybody may know.
func (s *Server) locked(next http.Handler) http.Handler {
	if s.config.Key == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/health" || r.URL.Path == "/metrics" || carries(r, s.config.Key) {
			next.ServeHTTP(w, r)
			return
		}
		fault.Deny(w, r.URL.Path, http.StatusUnauthorized, "The key is missing or wrong: this mock asks for the one that it was started with.")
	})
}

// carries reports whether a request has that key, without telling by its time how
// much of it was right.
func carries(r *http.Request, key string) bool {
	for _, k := range keysOf(r) {
		if subtle.ConstantTimeCompare([]byte(k), []byte(key)) == 1 {
			return true
		}
	}
	return false
}
