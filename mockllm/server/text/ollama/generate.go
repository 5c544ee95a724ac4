package ollama

import (
	"net/http"
	"time"

	"halfsecond/mockllm/server/text/fim"
	"halfsecond/mockllm/server/text/serve"
	"halfsecond/mockllm/server/text/tokenid"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/ollama"
)

// generate answers POST /api/generate. The mock has no template but that for a
// suffix, so one that the client sends is not looked at, and neither are images.
func (s front) generate(w http.ResponseWriter, r *http.Request) {
	var q ollama.GenerateRequest
	arrived, fault := s.Read(w, r, &q)
	var m *serve.Model
	if fault == nil {
		m, fault = s.find(q.Model)
	}
	if fault == nil {
		fault = s.checkGenerate(&q)
	}
	if fault != nil {
		s.Refuse(w, r, api, q.Model, fault)
		return
	}
	if q.Prompt == "" {
		s.generateNothing(w, r, arrived, m, &q)
		return
	}
	o, fault := generateOrder(m, &q)
	var a *answer
	if fault == nil {
		a, fault = s.open(r, arrived, o, &q.Common, q.Model)
	}
	if fault != nil {
		s.Refuse(w, r, api, q.Model, fault)
		return
	}
	if !q.Raw {
		a.context = contextOf(&q, o, a.g)
	}
	s.writeGenerated(w, r, a, q.Streams())
}

func (s front) checkGenerate(q *ollama.GenerateRequest) *wire.Failure {
	if q.Raw && (q.Template != "" || q.System != "" || len(q.Context) > 0) {
		return serve.BadRequest("raw", "", "raw mode does not support template, system, or context")
	}
	return s.checkThinking(q.Model, &q.Common)
}

// generateNothing answers a request without a prompt, which loads or unloads a model.
func (s front) generateNothing(w http.ResponseWriter, r *http.Request, arrived time.Duration, m *serve.Model, q *ollama.GenerateRequest) {
	reason := s.nothing(w, r, arrived, m, &q.Common)
	if reason == "" {
		return
	}
	serve.WriteJSON(w, http.StatusOK, ollama.GenerateResponse{Model: q.Model, CreatedAt: time.Now().UTC(), Done: true, DoneReason: reason})
}

// generateOrder turns a request into an order: the tokens of its context, then the texts
// of system and prompt, or of prompt and suffix with the tokens of the template between
// them.
func generateOrder(m *serve.Model, q *ollama.GenerateRequest) (serve.Order, *wire.Failure) {
	o := serve.Order{Model: m.Name, Kind: serve.KindCompletion, In: "prompt"}
	earlier, ok := tokenid.Texts(q.Context)
	if !ok {
		return o, serve.BadRequest("context", "", "context: want the numbers of tokens as an earlier answer gave them")
	}
	o.Prompt = []string{earlier, q.System, q.Prompt}
	if q.Suffix != "" {
		o.Prompt = []string{fim.Qwen.Prefix, q.Prompt, fim.Qwen.Suffix, q.Suffix, fim.Qwen.Middle}
	} else if q.Raw {
		o.Prompt = []string{fim.Mark(q.Prompt)}
	}
	if fault := understand(&o, &q.Common); fault != nil {
		return o, fault
	}
	return o, fit(&o, m, &q.Common)
}

// contextOf returns the tokens of prompt and answer.
func contextOf(q *ollama.GenerateRequest, o serve.Order, g *serve.Generation) []int {
	tokens := append([]int{}, q.Context...)
	texts := []string{q.System, q.Prompt}
	if q.Suffix != "" {
		tokens, texts = nil, o.Prompt
	}
	for _, text := range append(texts, g.Text) {
		tokens = tokenid.Append(tokens, text)
	}
	return tokens
}

func (s front) writeGenerated(w http.ResponseWriter, r *http.Request, a *answer, streams bool) {
	if streams {
		s.Stream(w, r, a.g, &form{answer: a, stream: ollama.NewGenerateStream(a.model)})
		return
	}
	if s.Whole(w, r, a.g) {
		f := a.generated()
		f.Response, f.Thinking = a.g.TextOfKind(serve.Content), a.g.TextOfKind(serve.Thinking)
		serve.WriteJSON(w, http.StatusOK, f)
	}
}

// generated returns the last line of an answer.
func (a *answer) generated() ollama.GenerateResponse {
	return ollama.GenerateResponse{
		Model: a.model, CreatedAt: time.Now().UTC(), Done: true, DoneReason: a.reason(), Context: a.context, Metrics: a.metrics(),
	}
}
