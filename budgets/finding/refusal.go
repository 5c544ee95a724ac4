package finding

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/endpoint/probe/seen"
	"halfsecond/pipeline/endpoint/reply"
)

// refusal is an answer that is no completion, or that did not come.
type refusal struct {
	from    string // which request
	status  int    // 0 without a response
	media   string // content type, when that was what was wrong
	words   string // the server's, or why nothing came
	code    any    // of the error in the body
	to      string // where a redirect leads
	wait    time.Duration
	look    bool // it asked for no completion
	headers [][2]string
}

// refusals explains the answer that ended the probing.
func refusals(v *view) []Finding {
	f, ok := v.refused()
	if !ok {
		return nil
	}
	var found Finding
	switch s := f.status; {
	case s == 0:
		found = v.unreachable(f)
	case s >= 300 && s < 400:
		found = v.redirected(f)
	case s < 300:
		found = v.wrongType(f)
	case s == statusTooMany:
		found = limited(f)
	case s == statusUnauthorized || s == statusForbidden:
		found = v.keyRefused(f)
	case unknownModel(f):
		found = v.modelMissing(f)
	case s == statusNotFound || s == statusNotAllowed:
		found = v.pathMissing(f)
	default:
		found = failed(f)
	}
	found.Severity, found.Cost = Broken, pipeline.Unknown
	return []Finding{found}
}

// refused returns the refusal that ended the probing, if one did.
func (v *view) refused() (refusal, bool) {
	if v.Model == "" {
		return v.refusedLook()
	}
	if len(v.Requests) == 0 {
		return refusal{}, false
	}
	r := &v.Requests[len(v.Requests)-1]
	f := refusal{from: v.which(r), status: r.Record.Transport.Status, words: r.Record.Reason, wait: r.Record.Transport.RetryAfter, headers: r.Headers, to: r.Header("Location")}
	switch {
	case r.Record.Outcome == pipeline.Cancelled:
		return f, false
	case f.status == 0:
		return f, true
	case !r.Refused():
		return f, false
	}
	failure := r.Reply.Failure
	f.code = failure.Detail
	if failure.Kind == reply.BadType {
		f.media = failure.Message
	} else {
		f.words = failure.Message
	}
	return f, true
}

// refusedLook returns what kept the endpoint from being asked.
func (v *view) refusedLook() (refusal, bool) {
	if v.Hindrance == nil {
		return refusal{}, false
	}
	return refusalOf(v.Hindrance), true
}

func refusalOf(l *seen.Look) refusal {
	return refusal{
		from: l.Method + " " + l.URL, status: l.Status, words: l.Message + l.Failed, to: l.To, media: l.Type, wait: l.Wait, look: true, headers: l.Headers,
	}
}

// unlisted finds a list of models that the server did not give, though it is asked for
// completions. That hurts only those who name no model.
func unlisted(v *view) []Finding {
	if v.NoList == nil || v.Model != "" && len(v.ok) == 0 {
		return nil
	}
	f := refusalOf(v.NoList)
	found := Finding{
		ID: "model_list", Severity: Broken, Cost: pipeline.Unknown, Title: "the server does not give its list of models",
		Evidence: []string{f.said()}, Fix: "name a model with --model; then the list is not needed",
	}
	if f.status == statusUnauthorized || f.status == statusForbidden {
		found.Title = "the server does not give its list of models to the key that was given"
		if !v.KeyGiven {
			found.Title = "the server does not give its list of models without a key, and none was given"
			found.Fix = "name the environment variable that holds the key with --key-env; or " + found.Fix
		}
	}
	if v.Model != "" {
		found.Severity, found.Fix = Note, "completions do well without it; clients that let people choose a model need it"
	}
	if f.wait != pipeline.Unknown {
		found.Evidence = append(found.Evidence, Waits(f.wait, f.dated()))
	}
	found.Evidence = append(found.Evidence, quotas(f.headers)...)
	return []Finding{found}
}

// troubles are what keeps a connection from being made, by words of the error.
var troubles = []struct{ words, title, fix string }{
	{"connection refused", "nothing listens at this address", "start the server, or check host and port"},
	{"invalid port", "there is no such port", "check the number behind the host in the URL: 1 to 65535"},
	{"no such host", "the host's name is not known", "check the name in the URL"},
	{"server gave HTTP response to HTTPS client", "the server speaks no TLS", "use http:// in the URL"},
	{"does not look like a TLS handshake", "the server speaks no TLS", "use http:// in the URL"},
	{"malformed HTTP response", "what listens there does not speak HTTP", "check the port; use https:// if it is one of TLS"},
	{"unknown authority", "the server's certificate is signed by nobody who is known", "give the certificate of the authority, or the server's own, with --ca-file"},
	{"certificate", "the server's certificate does not hold", "use the name that stands in the certificate, and check that it has not expired"},
	{"no connection within", "no connection came about in time", "check host, port and firewall"},
	{"context deadline exceeded", "the server took the request and said nothing", "see in its log whether it still loads the model, or whether requests queue"},
	{"no first byte within", "the server took the request and said nothing", "see in its log whether it still loads the model, or whether requests queue"},
}

// Trouble says what an error of a connection means, and what to do; ok is false where
// nobody knows.
func Trouble(words string) (title, fix string, ok bool) {
	for _, t := range troubles {
		if strings.Contains(words, t.words) {
			return t.title, t.fix, true
		}
	}
	return "", "", false
}

func (v *view) unreachable(f refusal) Finding {
	found := Finding{ID: "unreachable", Title: "there was no response", Evidence: []string{f.from + ": " + f.words}, Fix: "look into the log of the server, or of what is before it"}
	if title, fix, ok := Trouble(f.words); ok {
		found.Title, found.Fix = title, fix
	}
	if f.look && strings.Contains(f.words, "deadline exceeded") {
		found.Fix += "; with --model no list of models is needed"
	}
	if n := len(v.Requests); n > 1 {
		found.Title += ", though the first did well"
		found.Evidence = append(found.Evidence, fmt.Sprintf("%d requests before it were answered", n-1))
	}
	return found
}

func (v *view) redirected(f refusal) Finding {
	to, _, _ := strings.Cut(f.to, "?")
	return Finding{
		ID: "redirect", Title: "the server sends clients elsewhere, which costs a round trip each time or loses the request",
		Evidence: []string{fmt.Sprintf("%s: HTTP %d to %s", f.from, f.status, to)},
		Fix:      "use the URL that the redirect leads to, without the path of the protocol",
	}
}

func (v *view) wrongType(f refusal) Finding {
	found := Finding{
		ID: "content_type", Title: fmt.Sprintf("the answer is %s, which is no answer of this protocol", nonEmpty(f.media, "of no content type")),
		Evidence: []string{fmt.Sprintf("%s: HTTP %d with Content-Type: %s", f.from, f.status, f.media)},
		Fix:      "have the server answer text/event-stream (Ollama's own API: application/x-ndjson)",
	}
	if f.media == "text/html" {
		found.Title = "the answer is a web page, not that of an API"
		found.Fix = "check the path of the URL"
	}
	v.mean(&found)
	return found
}

func (v *view) keyRefused(f refusal) Finding {
	found := Finding{ID: "key", Title: "the server refuses the key", Fix: "check the key, and that it may use this model"}
	if !v.KeyGiven {
		found.Title, found.Fix = "the server asks for a key, and none was given", "name the environment variable that holds it with --key-env"
	}
	found.Evidence = []string{f.said()}
	return found
}

// unknownModel reports whether a refusal is about the name of the model. A server that fails
// may say of a model that it has that it is not available.
func unknownModel(f refusal) bool {
	return f.code == "model_not_found" || f.status < 500 && seen.AboutModel(f.words)
}

func (v *view) modelMissing(f refusal) Finding {
	found := Finding{ID: "model", Title: fmt.Sprintf("the server has no model %q", v.Model), Evidence: []string{f.said()}, Fix: "name another with --model"}
	if len(v.Models) > 0 {
		found.Fix += ": the server lists " + few(v.Models)
	}
	return found
}

func (v *view) pathMissing(f refusal) Finding {
	found := Finding{
		ID: "path", Title: fmt.Sprintf("the server has nothing for %s at this URL", v.Protocol),
		Evidence: []string{f.said()}, Fix: "check the path of the URL, which most servers want to end in /v1, and --protocol",
	}
	v.mean(&found)
	return found
}

// mean says what the user may have meant.
func (v *view) mean(f *Finding) {
	if meant := dialect.Meant(v.Elsewhere, v.Protocol); meant != "" {
		f.Fix = meant
	}
}

// Waits says how long a server asks to wait. Ours says that only our clock could tell, since
// the response states the date until which, and not its own.
func Waits(wait time.Duration, ours bool) string {
	words := "it asks to wait " + ms(wait)
	if ours {
		words += ", by the clock of this machine: its Retry-After is a date, and the response has no Date"
	}
	return words
}

// dated reports whether our clock told how long the server asks to wait.
func (f *refusal) dated() bool {
	return slices.ContainsFunc(f.headers, func(h [2]string) bool { return h[0] == reply.OurDate })
}

func failed(f refusal) Finding {
	found := Finding{ID: "refused", Title: fmt.Sprintf("the server refuses the request with HTTP %d", f.status), Evidence: []string{f.said()}, Fix: "do what the server's words ask for; --protocol may be wrong"}
	switch {
	case strings.Contains(f.words, "HTTPS server") || strings.Contains(f.words, "HTTPS port"):
		found.ID, found.Title, found.Fix = "plain_http", "the server speaks TLS only", "use https:// in the URL"
	case f.status == statusUnavailable || f.status == statusOverloaded:
		found.ID, found.Title = "overloaded", fmt.Sprintf("the server is overloaded, or still loads the model: HTTP %d", f.status)
		found.Fix = "try again later, and give the server more room"
		if f.wait != pipeline.Unknown {
			found.Fix += "; have clients wait as Retry-After says"
		}
	case f.status >= 500:
		found.ID, found.Title, found.Fix = "server_error", fmt.Sprintf("the server fails: HTTP %d", f.status), "look into the log of the server, or of the proxy before it"
	}
	if f.wait != pipeline.Unknown {
		found.Evidence = append(found.Evidence, "it asks to wait "+ms(f.wait))
	}
	return found
}

// Statuses, as HTTP has them (RFC 9110, section 15; RFC 6585); the last is Anthropic's own.
const (
	statusUnauthorized = 401
	statusForbidden    = 403
	statusNotFound     = 404
	statusNotAllowed   = 405
	statusTooMany      = 429
	statusUnavailable  = 503
	statusOverloaded   = 529
)

// said returns what the server said, and to what.
func (f refusal) said() string {
	switch {
	case f.status == 0:
		return f.from + ": " + line(f.words)
	case f.words != "":
		return fmt.Sprintf("%s: HTTP %d: %s", f.from, f.status, line(f.words))
	case f.look && f.status < 300:
		return fmt.Sprintf("%s: HTTP %d, %s", f.from, f.status, nonEmpty(f.media, "no content type"))
	}
	return fmt.Sprintf("%s: HTTP %d", f.from, f.status)
}

// line returns the beginning of a text of the server, as one line.
func line(s string) string {
	const most = 200
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return s
}

func nonEmpty(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// few returns names for a sentence, not too many.
func few(names []string) string {
	const most = 12
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d others", strings.Join(names[:most], ", "), len(names)-most)
}
