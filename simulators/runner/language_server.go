package runner

import (
	"cmp"
	"context"
	"path"
	"strings"

	"halfsecond/pipeline/endpoint/langserver"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/scenario"
)

// setUpServer starts the language server of a run, whose answers are the model's. There is no
// turnstile before it: what it sends on to others is its own affair.
func (r *run) setUpServer(ctx context.Context) (stop func() error, err error) {
	loop := r.setUpWall()
	r.spent = r.fail
	config := *r.settings.Server
	config.Version, config.Spent = r.settings.Version, func(cap error) { r.spent(cap) }
	if !r.settings.HashTexts { // whose words stand in the messages and beside them
		config.Keep = r.keeper()
	}
	client, err := langserver.New(ctx, config, loop)
	if err != nil {
		return nil, err
	}
	r.model, r.direct, r.server, r.over = client, client, client, client.Over
	return func() error { client.Close(); return nil }, nil
}

// serverPlace returns what a trace file says of the language server. Its arguments, which may
// hold a secret, are not in it.
func (r *run) serverPlace() trace.Endpoint {
	c := r.settings.Server
	e := trace.Endpoint{Stage: "llm", URL: "stdio:" + c.Program(), Protocol: trace.LanguageServerProtocol, MaxRequests: c.MaxRequests}
	if r.server != nil {
		e.Model = r.server.Name()
	}
	return e
}

// serverCounts returns what was counted of the language server; nil where there is none.
func (r *run) serverCounts() *trace.LanguageServer {
	if r.server == nil {
		return nil
	}
	n := r.server.Counts()
	return &trace.LanguageServer{
		Requests: n.Requests, Cancels: n.Cancels, Edits: n.Edits, LateAnswersToCancelled: n.LateAnswersToCancelled,
		EmptyAnswersToCancelled: n.EmptyAnswersToCancelled, CancelledAnswers: n.CancelledAnswers, Withdrawn: n.Withdrawn,
		ContentModified: n.ContentModified, ServerCancelled: n.ServerCancelled, Failed: n.Failed, Undisplayable: n.Undisplayable,
		Unanswered: n.Unanswered, ProtocolErrors: n.ProtocolErrors, ProtocolError: n.ProtocolError, Killed: n.Killed,
	}
}

// watched tells a language server of the documents of a scenario, which have no names of
// their own.
type watched struct {
	*langserver.Client
	name string
}

// Open implements ide.Watcher.
func (w watched) Open(user int, name, text string, cursor int) {
	name = cmp.Or(name, w.name)
	w.Client.Open(user, name, langserver.Language(name), text, cursor)
}

// documentName returns what the document of a typist is called: the path of a recording or of a
// text in a file, and of a built-in text, such as go-handler, its name with the ending of its
// language.
func documentName(t scenario.Typist) string {
	if s := t.Session.Recording; s != nil {
		return s.Path(t.Document)
	}
	endings := map[string]string{"go": ".go", "python": ".py"}
	first, _, _ := strings.Cut(t.Text.Name, "-")
	if t.Text.Digest == "" {
		return t.Text.Name + endings[first]
	}
	return path.Base(t.Text.Name)
}
