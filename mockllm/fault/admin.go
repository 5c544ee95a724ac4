package fault

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"halfsecond/pipeline/strict"
)

// adminPath is where the admin API is served.
const adminPath = "/v1/halfsecond/faults"

// isAdmin reports a path under which no rule applies, so that rules can be taken away.
func isAdmin(path string) bool { return strings.HasPrefix(path, "/v1/halfsecond/") }

// Handle adds the admin API to a server:
//
//	GET    /v1/halfsecond/faults         the rules, and what became of each
//	PUT    /v1/halfsecond/faults         puts the rules of the body in place of all others
//	POST   /v1/halfsecond/faults         adds the rules of the body behind them
//	DELETE /v1/halfsecond/faults         takes all rules away
//	DELETE /v1/halfsecond/faults/{name}  takes one away
//
// A body is a file of rules, in YAML or JSON. What is wrong with it is told as an error
// of the OpenAI API, a line for each problem. A rule that would reset every connection is
// not taken: nobody could take it away.
func (s *Set) Handle(mux *http.ServeMux) {
	mux.HandleFunc("GET "+adminPath, s.list)
	mux.HandleFunc("PUT "+adminPath, func(w http.ResponseWriter, r *http.Request) { s.take(w, r, http.StatusOK, s.Replace) })
	mux.HandleFunc("POST "+adminPath, func(w http.ResponseWriter, r *http.Request) { s.take(w, r, http.StatusCreated, s.Add) })
	mux.HandleFunc("DELETE "+adminPath, func(w http.ResponseWriter, r *http.Request) {
		if err := s.Replace(); err != nil {
			panic(fmt.Sprintf("fault: %v", err)) // no rules are good rules
		}
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("DELETE "+adminPath+"/{name}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		if !s.Remove(name) {
			_, hits := s.Rules()
			refuse(w, http.StatusNotFound, fmt.Sprintf("There is no rule %q; %s.", name, known(name, hits)))
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc(adminPath, otherwise("GET, PUT, POST, DELETE"))
	mux.HandleFunc(adminPath+"/{name}", otherwise("DELETE"))
}

// otherwise answers methods that are none of those.
func otherwise(methods string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", methods)
		refuse(w, http.StatusMethodNotAllowed, fmt.Sprintf("%s is not possible here; what is: %s.", r.Method, methods))
	}
}

// known says which rules there are, or which of them may have been meant.
func known(name string, hits []Hits) string {
	if len(hits) == 0 {
		return "there are none"
	}
	all := make([]string, len(hits))
	for i, h := range hits {
		all[i] = h.Rule
	}
	return strict.Suggest(name, all)
}

// page is the JSON form of a set.
type page struct {
	Rules []Rule `json:"rules"` // in the form of a file
	Hits  []Hits `json:"hits"`
}

func (s *Set) list(w http.ResponseWriter, _ *http.Request) { s.show(w, http.StatusOK) }

func (s *Set) show(w http.ResponseWriter, status int) {
	rules, hits := s.Rules()
	body, err := json.MarshalIndent(page{rules, hits}, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("fault: %v", err)) // our own types always encode
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the client may be gone
}

// take reads the rules of a body and hands them on.
func (s *Set) take(w http.ResponseWriter, r *http.Request, status int, to func(...Rule) error) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, strict.MaxBytes))
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		refuse(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("The rules are larger than %d bytes.", large.Limit))
		return
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, fmt.Sprintf("The rules could not be read: %v.", err))
		return
	}
	rules, err := Parse("body", data)
	if i := slices.IndexFunc(rules, (Rule).resetsAll); i >= 0 {
		err = fmt.Errorf("%s resets every connection, and so those by which it would be taken away: give it times, nth, every, first or share", rules[i].Name)
	}
	if err == nil {
		err = to(rules...)
	}
	var taken *TakenError
	switch {
	case errors.As(err, &taken):
		refuse(w, http.StatusConflict, err.Error())
	case err != nil:
		refuse(w, http.StatusBadRequest, err.Error())
	default:
		s.show(w, status)
	}
}

// resetsAll reports a rule that resets every connection for ever.
func (rule Rule) resetsAll() bool {
	m := rule.Match
	return rule.Reset == ResetAccept && rule.Times == 0 && m.Nth == 0 && m.First == 0 && m.Every <= 1 && (m.Share == 0 || m.Share == 1)
}

func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(failure{status: status, message: message}.body(protocolOpenAI)) // the client may be gone
}
