package text

import (
	"net/http"
	"time"

	"halfsecond/pipeline/wire/ollama"
)

// ollamaGenerate answers POST /api/generate. The mock has no template but that for a
// suffix, so one that the client sends is not looked at, and neither are images.
func (s *Service) ollamaGenerate(w http.ResponseWriter, r *http.Request) {
	var q ollama.GenerateRequest
	arrived, fault := s.read(w, r, &q)
	var m *model
	if fault == nil {
		m, fault = s.ollamaModel(q.Model)
	}
	if fault == nil {
		fault = s.checkGenerate(&q)
	}
	if fault != nil {
		s.refuse(w, r, ollamaAPI, fault)
		return
	}
	if q.Prompt == "" {
		s.generateNothing(w, r, arrived, m, &q)
		return
	}
	o, fault := generateOrder(m, &q)
	var a *ollamaAnswer
	if fault == nil {
		a, fault = s.openOllama(r, arrived, o, kindCompletion, q.Model)
	}
	if fault != nil {
		s.refuse(w, r, ollamaAPI, fault)
		return
	}
	if !q.Raw {
		a.context = contextOf(&q, o, a.g)
	}
	s.writeGenerated(w, r, a, q.Streams())
}

func (s *Service) checkGenerate(q *ollama.GenerateRequest) *apiError {
	if q.Raw && (q.Template != "" || q.System != "" || len(q.Context) > 0) {
		return badRequest("raw", "", "raw mode does not support template, system, or context")
	}
	return s.checkThinking(q.Model, &q.Common)
}

// generateNothing answers a request without a prompt, which loads or unloads a model.
func (s *Service) generateNothing(w http.ResponseWriter, r *http.Request, arrived time.Duration, m *model, q *ollama.GenerateRequest) {
	reason := ollama.DoneUnload
	if !unloads(&q.Common) {
		reason = ollama.DoneLoad
		if !s.load(w, r, arrived, m, q.Model) {
			return
		}
	}
	writeJSON(w, http.StatusOK, ollama.GenerateResponse{Model: q.Model, CreatedAt: time.Now().UTC(), Done: true, DoneReason: reason})
}

// generateOrder turns a request into an order: the tokens of its context, then the texts
// of system and prompt, or of prompt and suffix with the tokens of the template between
// them.
func generateOrder(m *model, q *ollama.GenerateRequest) (order, *apiError) {
	o := order{model: m.Name, in: "prompt"}
	earlier, ok := numerals(q.Context)
	if !ok {
		return o, badRequest("context", "", "context: want the numbers of tokens as an earlier answer gave them")
	}
	o.prompt = []string{earlier, q.System, q.Prompt}
	if q.Suffix != "" {
		o.prompt = []string{qwen.prefix, q.Prompt, qwen.suffix, q.Suffix, qwen.middle}
	} else if q.Raw {
		o.prompt = []string{specials.Replace(q.Prompt)}
	}
	if fault := o.ollama(&q.Common); fault != nil {
		return o, fault
	}
	return o, o.fit(m, &q.Common)
}

// contextOf returns the tokens of prompt and answer.
func contextOf(q *ollama.GenerateRequest, o order, g *generation) []int {
	tokens := append([]int{}, q.Context...)
	texts := []string{q.System, q.Prompt}
	if q.Suffix != "" {
		tokens, texts = nil, o.prompt
	}
	for _, text := range append(texts, g.text) {
		tokens = numbers(tokens, text)
	}
	return tokens
}

func (s *Service) writeGenerated(w http.ResponseWriter, r *http.Request, a *ollamaAnswer, streams bool) {
	if streams {
		s.stream(w, r, a.g, &ollamaForm{ollamaAnswer: a, stream: ollama.NewGenerateStream(a.model)})
		return
	}
	if s.whole(w, r, a.g) {
		f := a.generated()
		f.Response, f.Thinking = a.g.textOfKind(content), a.g.textOfKind(thinking)
		writeJSON(w, http.StatusOK, f)
	}
}

// generated returns the last line of an answer.
func (a *ollamaAnswer) generated() ollama.GenerateResponse {
	return ollama.GenerateResponse{
		Model: a.model, CreatedAt: time.Now().UTC(), Done: true, DoneReason: a.reason(), Context: a.context, Metrics: a.metrics(),
	}
}
