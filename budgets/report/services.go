package report

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// services names the endpoints of a run of which one is a service of speech: each with its
// model, its protocol and its host. Of others there is one, and "The endpoint" names it.
func services(all []trace.Endpoint) string {
	if !slices.ContainsFunc(all, func(e trace.Endpoint) bool { return e.Stage != "llm" }) {
		return ""
	}
	var names []string
	for i := range all {
		e := &all[i]
		host := e.URL
		if u, err := url.Parse(e.URL); err == nil && u.Host != "" {
			host = u.Host
		}
		names = append(names, fmt.Sprintf("%s: %s by %s at %s", e.Stage, cmp.Or(e.Model, "a bot"), e.Protocol, host))
	}
	return strings.Join(names, " · ")
}

// askedWith says what the language model beside a recognizer was asked with; "" where there is
// none.
func askedWith(traces []pipeline.Trace) string {
	heard, all := 0, 0
	for i := range traces {
		switch traces[i].Fact(pipeline.FactAskedWith) {
		case pipeline.PromptHeard:
			heard, all = heard+1, all+1
		case pipeline.PromptMadeUp:
			all++
		}
	}
	switch {
	case all == 0:
		return ""
	case heard == all:
		return "The language model was asked with what the recognizer heard."
	}
	return fmt.Sprintf("The language model was asked with what the recognizer heard in %d of %s; in the others it had heard nothing by then, and words of ours stood for it.", heard, counted(all, "turn"))
}
