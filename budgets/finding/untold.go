package finding

import (
	"halfsecond/pipeline/endpoint/probe/seen"
)

// Untold returns what the requests could not tell, each as a short phrase: there were too
// few, or none of the kind came to its end. It is nil where an answer that is no completion
// ended the examination, which is what there is to know then.
func Untold(e *seen.Endpoint) []string {
	if e.Model == "" || e.Stopped == seen.Refused || e.Stopped == seen.Unanswered {
		return nil
	}
	v := newView(e)
	var said []string
	for _, q := range []struct {
		told bool
		what string
	}{
		{len(v.ok) > 0, "tokens, finish reason and end event, since no answer came to its end"},
		{v.shape.form != tooShort, "whether the stream is held back, since no answer has enough chunks, or they differ"},
		{len(v.fresh()) > 1, "whether the server was cold, since there is no second new prompt"},
		{len(v.pairs()) > 0, "whether prompts are cached, since none was answered twice"},
		{len(v.gzip) > 0, "what clients get that accept gzip"},
		{v.Cold || len(v.ok) > 1, "whether the connection is kept"},
	} {
		if !q.told {
			said = append(said, q.what)
		}
	}
	return said
}
