package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"halfsecond/budgets/finding"
	"halfsecond/budgets/report"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/quantile"
	"halfsecond/pipeline/trace"
)

// unbegun is the error of a run that did not begin. It says first what to do.
type unbegun struct {
	what  string // such as "run"
	cause error
}

// Error returns a line for the reader, where one is known, and one for who wants to know
// exactly.
func (e *unbegun) Error() string {
	title, fix, ok := trouble(e.cause)
	if !ok {
		return fmt.Sprintf("the %s did not begin: %v", e.what, e.cause)
	}
	return fmt.Sprintf("the %s did not begin: %s; %s\n%v", e.what, title, fix, e.cause)
}

func (e *unbegun) Unwrap() error { return e.cause }

// keyRefusals are how an error tells that a server did not take the key.
var keyRefusals = []string{"HTTP 401", "HTTP 403"}

// trouble says what keeps a server from being asked, and what to do about it.
func trouble(cause error) (title, fix string, ok bool) {
	for _, words := range keyRefusals {
		if !strings.Contains(cause.Error(), words) {
			continue
		}
		const name = "the variable that holds one: key_env in the scenario, --key-env of record"
		switch {
		case strings.Contains(cause.Error(), endpoint.WithoutKey):
			return "the server asks for a key, and none was given", "name " + name, true
		case strings.Contains(cause.Error(), endpoint.WithKey):
			return "the server does not take the key that was given", "check it, and that it may use this server", true
		}
		return "the server does not take the key", "name " + name, true
	}
	return finding.Trouble(cause.Error())
}

// notBegun is how the footer of a run that did not begin says so.
const notBegun = "it did not begin: "

// whole returns a run, which if it failed says in its footer why.
func whole(run trace.Run, err error) (trace.Run, error) {
	if err == nil {
		return run, nil
	}
	run.Footer.Finished, run.Footer.Reason = false, oneLine(err)
	if len(run.Traces) > 0 {
		return run, err
	}
	run.Footer.Lateness = trace.LatenessOf(quantile.NewHistogram())
	why := oneLine(cmp.Or(errors.Unwrap(err), err)) // which scenario it was the header says
	if title, fix, ok := trouble(err); ok {
		why = fmt.Sprintf("%s; %s (%s)", title, fix, why)
	}
	run.Footer.Reason = notBegun + why
	return run, &unbegun{"run", err}
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// holdsUnbegun reports whether a trace file is that of a run that did not begin.
func holdsUnbegun(name string) bool {
	run, err := readTraces(name)
	return err == nil && len(run.Traces) == 0 && strings.HasPrefix(run.Footer.Reason, notBegun)
}

// showUnbegun prints what a run that did not begin has for a format that is a document:
// the report of no interactions, which says why.
func (p *program) showUnbegun(run trace.Run) error {
	if p.Format == "table" || run.Header.Scenario == "" {
		return nil
	}
	r, err := report.New(run)
	if err != nil {
		return err
	}
	return p.show(r, nil)
}
