package openai

import (
	"net/http"

	"halfsecond/mockllm/server/text/fim"
	"halfsecond/mockllm/server/text/serve"
	"halfsecond/pipeline/wire"
)

// defaultCompletionTokens is the limit of a completion that names none; source:
// openai/openai-openapi openapi.yaml, CreateCompletionRequest.max_tokens (commit
// f85dbe2, 2026-08-21), read 2026-11-29.
const defaultCompletionTokens = 16

// Completions answers POST /v1/completions, with a suffix or without. The prompt's tokens
// are those of prompt and suffix; a fill-in-the-middle token is one. With echo the answer
// begins with the prompt, whose tokens count as prompt only.
func (s *Front) Completions(w http.ResponseWriter, r *http.Request) {
	var q wire.CompletionRequest
	g, fault := s.Open(w, r, s.api, &q, func() (serve.Order, *wire.Failure) { return orderCompletion(&q) })
	if fault != nil {
		s.Refuse(w, r, s.api, q.Model, fault)
		return
	}
	g.ID = s.NewID("cmpl-")
	echo := ""
	if q.Echo {
		echo = string(q.Prompt)
	}
	if q.Stream {
		f := s.newForm(g, &q.Sampling, wire.NewCompletionStream)
		f.echo = echo
		s.Stream(w, r, g, f)
		return
	}
	if s.Whole(w, r, g) {
		extras := extras(g)
		extras.PromptTokenIDs = g.PromptIDs
		serve.WriteJSON(w, http.StatusOK, wire.CompletionResponse{
			ID: g.ID, Object: wire.CompletionObject, Created: g.Created, Model: g.Model.Name, Usage: g.Usage(),
			SystemFingerprint: g.Model.Software().Fingerprint, Timings: timings(g),
			Choices: []wire.CompletionChoice{{Text: echo + g.Text, FinishReason: g.Finish(), Extras: extras}},
		})
	}
}

func orderCompletion(q *wire.CompletionRequest) (serve.Order, *wire.Failure) {
	o := serve.Order{Model: q.Model, Kind: serve.KindCompletion, Prompt: []string{fim.Mark(string(q.Prompt)), q.Suffix}, In: "prompt", Limit: q.MaxTokens, LimitedBy: "max_tokens"}
	if q.Suffix != "" {
		o.Hole = &fim.Hole{Before: string(q.Prompt), After: q.Suffix}
	}
	if o.Limit == nil {
		n := defaultCompletionTokens
		o.Limit = &n
	}
	copySampling(&o, &q.Sampling)
	return o, checkSampling(&q.Sampling)
}
