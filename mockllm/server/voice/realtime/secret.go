package realtime

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/pipeline/wire/realtime"
)

// secrets are the short-lived keys that were given out last, and the sessions
// that were agreed on with them; one that has expired is remembered to say so. Its
// methods may be called from any goroutine.
type secrets struct {
	mu    sync.Mutex // guards what follows
	given map[string]agreement
	order []string // the keys; a ring once it is full
	next  int      // where the next one goes when it is
}

// mostSecrets is how many keys are known.
const mostSecrets = 10_000

type agreement struct {
	config  *realtime.Session
	expires time.Time
}

// codeBadKey is the code of a fault of the key.
const codeBadKey = "invalid_api_key"

// add gives a key out.
func (s *secrets) add(key string, a agreement) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.given == nil {
		s.given = map[string]agreement{}
	}
	s.given[key] = a
	if len(s.order) < mostSecrets {
		s.order = append(s.order, key)
		return
	}
	delete(s.given, s.order[s.next])
	s.order[s.next] = key
	s.next = (s.next + 1) % mostSecrets
}

// session returns the session that goes with a key, nil for a key that was not given out
// here: any other is as good.
func (s *secrets) session(key string) (*realtime.Session, *refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.given[key]
	switch {
	case !ok:
		return nil, nil
	case time.Now().After(a.expires):
		return nil, faulty(codeBadKey, "", "The ephemeral key expired at %s.", a.expires.UTC().Format(time.RFC3339))
	}
	return copied(a.config), nil
}

// secret answers POST /v1/realtime/client_secrets.
func (s *Service) secret(w http.ResponseWriter, r *http.Request) {
	var q realtime.SecretRequest
	if fault := s.read(w, r, &q); fault != nil {
		talk.WriteJSON(w, http.StatusBadRequest, fault.body())
		return
	}
	lasts := realtime.DefaultSecret
	if q.ExpiresAfter != nil {
		lasts = q.ExpiresAfter.Seconds
		if fault := outside("expires_after.seconds", "integer", lasts, realtime.LeastSecret, realtime.MostSecret); fault != nil {
			talk.WriteJSON(w, http.StatusBadRequest, fault.body())
			return
		}
	}
	config, fault := s.agreed(q.Session)
	if fault != nil {
		talk.WriteJSON(w, http.StatusBadRequest, fault.body())
		return
	}
	secret := s.giveSecret(config, lasts)
	talk.WriteJSON(w, http.StatusOK, realtime.SecretResponse{Secret: secret, Session: config.Shown()})
}

// agreed returns the session that the body of a request describes.
func (s *Service) agreed(body json.RawMessage) (*realtime.Session, *refusal) {
	if len(body) == 0 {
		body = json.RawMessage(`{"type":"realtime"}`)
	}
	var asked struct {
		Type  string `json:"type"`
		Model string `json:"model"`
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return nil, undecodable(err, "session")
	}
	if asked.Type != realtime.Transcription && asked.Model == "" {
		asked.Model = DefaultModel
	}
	kind := realtime.Conversation
	if asked.Type == realtime.Transcription {
		kind = realtime.Transcription
	}
	return revised(newConfig(kind, s.NewID("sess_"), asked.Model), body, false)
}

// betaSecret answers the beta's POST /v1/realtime/sessions, and
// transcription_sessions.
func (s *Service) betaSecret(kind string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var body json.RawMessage
		if fault := s.read(w, r, &body); fault != nil {
			talk.WriteJSON(w, http.StatusBadRequest, fault.body())
			return
		}
		var asked struct {
			Model string `json:"model"`
		}
		if err := json.Unmarshal(body, &asked); err != nil {
			talk.WriteJSON(w, http.StatusBadRequest, undecodable(err, "").body())
			return
		}
		if asked.Model == "" {
			asked.Model = DefaultModel
		}
		config, fault := revised(newConfig(kind, s.NewID("sess_"), asked.Model), body, true)
		if fault != nil {
			talk.WriteJSON(w, http.StatusBadRequest, fault.body())
			return
		}
		secret := s.giveSecret(config, realtime.BetaSecret)
		b := config.Beta()
		b.ClientSecret = &secret
		talk.WriteJSON(w, http.StatusOK, b.Shown())
	}
}

// giveSecret gives a key out that is good for so many seconds.
func (s *Service) giveSecret(config *realtime.Session, lasts int) realtime.Secret {
	expires := time.Now().Add(time.Duration(lasts) * time.Second)
	secret := realtime.Secret{Value: s.NewID("ek_"), ExpiresAt: expires.Unix()}
	s.secrets.add(secret.Value, agreement{config, expires})
	return secret
}

// read decodes the body of a request; no body is an empty object.
func (s *Service) read(w http.ResponseWriter, r *http.Request, v any) *refusal {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.MaxBody))
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return faulty("request_too_large", "", "Request body is larger than the limit of %d bytes.", large.Limit)
	}
	if err != nil {
		return faulty("", "", "The body of your request could not be read: %v", err)
	}
	if len(body) == 0 {
		body = []byte("{}")
	}
	if err := json.Unmarshal(body, v); err != nil {
		return undecodable(err, "")
	}
	return nil
}
