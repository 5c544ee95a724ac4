package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// speaks reports whether any of the endpoints is asked by a protocol that begins so.
func speaks(asked []trace.Endpoint, protocol string) bool {
	return slices.ContainsFunc(asked, func(e trace.Endpoint) bool { return strings.HasPrefix(e.Protocol, protocol) })
}

// restName is the row of restOfTotal, and restWords what it is.
const (
	restName  = "rest of total"
	restWords = "Rest of total: what the server gives no name, such as a wait for one of its slots where it says no queue."
)

// restOfTotal returns what of its total a server gives no name, Unknown unless it says
// prefill, decode and total.
func restOfTotal(r *pipeline.Request) time.Duration {
	s := r.Server
	if s.Total == pipeline.Unknown || s.Prefill == pipeline.Unknown || s.Decode == pipeline.Unknown {
		return pipeline.Unknown
	}
	return s.Total - s.Prefill - s.Decode - max(0, s.Queue) - max(0, s.Load)
}

// answered counts the requests that ended ok.
func (n *Network) answered() int {
	ok := n.Requests
	for _, f := range n.Failures {
		ok -= f.N
	}
	return ok
}

// unsaid says that no server told its own times, and by which protocol it might.
func unsaid(asked []trace.Endpoint) []string {
	if len(asked) == 0 {
		return []string{"The server says nothing of its own time."}
	}
	var protocols []string
	for _, e := range asked {
		protocols = with(protocols, e.Protocol)
	}
	words := fmt.Sprintf("The server says nothing of its own time by %s.", strings.Join(protocols, ", "))
	if speaks(asked, "openai-") {
		words += " Ollama does by its own protocols: give it the URL that ends in /api/chat or /api/generate."
	}
	return []string{words}
}

// ollamaClocks says what Ollama counts. Source: its code, v0.6.5: ChatHandler in
// server/routes.go, completion and processBatch in runner/llamarunner/runner.go, Completion in
// llm/server.go; read 2026-11-30.
const ollamaClocks = "Ollama: prefill runs from cutting the prompt into tokens to the end of the step that computes its last one; picking and sending the first token " +
	"counts as decode. decode ends when the whole answer is written, and the token that ends it, which nobody sees, is among its tokens. " +
	"load is what passes until a runner of the model is there. A wait for one of its slots (OLLAMA_NUM_PARALLEL) is in its total alone."

// ownClocks says what a server's clocks hold beside what their names say, where its
// code was read.
func ownClocks(asked []trace.Endpoint) []string {
	if !speaks(asked, "ollama-") {
		return nil
	}
	return []string{ollamaClocks}
}
