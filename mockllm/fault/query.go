package fault

import (
	"cmp"
	"net/http"
	"strings"
)

// Query is what is known of a request when rules are matched.
type Query struct {
	Protocol string // one of Protocols; "" for the server's own pages
	Path     string
	Model    string
	Key      string // the credential, as the client sent it: for comparing, not for showing
	Tokens   int    // of the prompt and of the answer that it asks for
	Header   http.Header
}

// look returns what path, query and headers tell of a request.
func look(r *http.Request) *Query {
	values := r.URL.Query()
	return &Query{
		Protocol: Protocol(r.URL.Path), Path: r.URL.Path, Header: r.Header,
		Model: cmp.Or(values.Get("model"), values.Get("model_id"), values.Get("speech_model"), pathModel(r.URL.Path)),
		Key:   credential(r),
	}
}

// named returns the model's name, to be put into a sentence.
func (q *Query) named() string { return cmp.Or(q.Model, "this model") }

// pathModel returns the model that a path such as /v1beta/models/NAME:generateContent
// names.
func pathModel(path string) string {
	rest, found := strings.CutPrefix(path, "/v1beta/models/")
	if !found {
		return ""
	}
	name, _, _ := strings.Cut(rest, ":")
	return name
}

// credential returns the key of a request, wherever its protocol has it, or "".
func credential(r *http.Request) string {
	h := r.Header
	key := h.Get("Authorization")
	if _, rest, found := strings.Cut(key, " "); found {
		key = rest
	}
	values := r.URL.Query()
	return cmp.Or(key, h.Get("X-Api-Key"), h.Get("Xi-Api-Key"), h.Get("X-Goog-Api-Key"), h.Get("Api-Key"),
		values.Get("api_key"), values.Get("key"), values.Get("token"))
}
