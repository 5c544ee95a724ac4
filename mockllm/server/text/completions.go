package text

import (
	"net/http"

	"halfsecond/pipeline/wire"
)

// defaultCompletionTokens is the limit of a completion that names none; source:
// openai/openai-openapi openapi.yaml, CreateCompletionRequest.max_tokens (commit
// f85dbe2, 2026-08-21), read 2026-11-29.
const defaultCompletionTokens = 16

// completions answers POST /v1/completions, with a suffix or without. The prompt's tokens
// are those of prompt and suffix; a fill-in-the-middle token is one. With echo the answer
// begins with the prompt, whose tokens count as prompt only.
func (s *Service) completions(w http.ResponseWriter, r *http.Request) {
	var q wire.CompletionRequest
	g, fault := s.open(w, r, openAI, &q, func() (order, *apiError) { return orderCompletion(&q) })
	if fault != nil {
		s.refuse(w, r, openAI, fault)
		return
	}
	g.id, g.request.Kind = s.newID("cmpl-"), kindCompletion
	echo := ""
	if q.Echo {
		echo = string(q.Prompt)
	}
	if q.Stream {
		f := newOpenAIForm(g, &q.Sampling, wire.NewCompletionStream)
		f.echo = echo
		s.stream(w, r, g, f)
		return
	}
	if s.whole(w, r, g) {
		extras := g.extras()
		extras.PromptTokenIDs = g.promptIDs
		writeJSON(w, http.StatusOK, wire.CompletionResponse{
			ID: g.id, Object: wire.CompletionObject, Created: g.created, Model: g.model.Name, Usage: g.openAIUsage(),
			SystemFingerprint: g.model.software().fingerprint, Timings: g.timings(),
			Choices: []wire.CompletionChoice{{Text: echo + g.text, FinishReason: g.finish(), Extras: extras}},
		})
	}
}

func orderCompletion(q *wire.CompletionRequest) (order, *apiError) {
	o := order{model: q.Model, prompt: []string{specials.Replace(string(q.Prompt)), q.Suffix}, in: "prompt", limit: q.MaxTokens, limitedBy: "max_tokens"}
	if q.Suffix != "" {
		o.hole = &hole{before: string(q.Prompt), after: q.Suffix}
	}
	if o.limit == nil {
		n := defaultCompletionTokens
		o.limit = &n
	}
	o.sample(&q.Sampling)
	return o, checkSampling(&q.Sampling)
}
