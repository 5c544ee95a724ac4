package openai

import (
	"net/http"

	"halfsecond/mockllm/server/text/serve"
	"halfsecond/mockllm/server/text/tokenid"
	"halfsecond/mockllm/token"
	"halfsecond/pipeline/wire"
)

// handleVLLM adds the routes that vLLM has beside those of the OpenAI API.
func (s *Front) handleVLLM(mux *http.ServeMux) {
	mux.HandleFunc("POST /tokenize", s.tokenize)
	mux.HandleFunc("POST /detokenize", s.detokenize)
	mux.HandleFunc("GET /version", s.version)
	mux.HandleFunc("GET /ping", s.ping)
	mux.HandleFunc("POST /ping", s.ping)
}

// tokenize answers POST /tokenize, which vLLM and llama.cpp have under one path.
func (s *Front) tokenize(w http.ResponseWriter, r *http.Request) {
	var q wire.TokenizeRequest
	_, fault := s.Read(w, r, &q)
	if fault != nil {
		s.api.Refuse(w, fault)
		return
	}
	if q.Content != nil {
		serve.WriteJSON(w, http.StatusOK, wire.TokenizeResponse{Tokens: tokenid.Append([]int{}, *q.Content)})
		return
	}
	m, fault := s.only(q.Model)
	if fault != nil {
		s.api.Refuse(w, fault)
		return
	}
	serve.WriteJSON(w, http.StatusOK, tokenized(&q, m.Context))
}

// tokenized returns the tokens of a prompt or of a conversation.
func tokenized(q *wire.TokenizeRequest, context int) wire.TokenizeResponse {
	texts := []string{q.Prompt}
	for _, m := range q.Messages {
		texts = append(texts, messageTexts(m)...)
	}
	a := wire.TokenizeResponse{Tokens: []int{}, MaxModelLen: context}
	for _, text := range texts {
		a.Tokens = tokenid.Append(a.Tokens, text)
		for q.ReturnStrings && len(text) > 0 {
			n := token.Next(text)
			a.Strings, text = append(a.Strings, text[:n]), text[n:]
		}
	}
	n := len(a.Tokens)
	a.Count = &n
	return a
}

// only returns the model of that name, and the only one there is for no name.
func (s *Front) only(name string) (*serve.Model, *wire.Failure) {
	if name == "" && len(s.Config.Models) == 1 {
		return &s.Config.Models[0], nil
	}
	return s.Find(name)
}

// detokenize answers POST /detokenize.
func (s *Front) detokenize(w http.ResponseWriter, _ *http.Request) {
	s.api.Refuse(w, &wire.Failure{
		Status: http.StatusNotImplemented, Type: wire.ErrInvalidRequest, Param: "tokens", Code: "not_implemented",
		Message: "The tokens of this server cannot be turned back into text: their numbers are hashes. Keep the text that was tokenized; /tokenize returns its tokens as texts with 'return_token_strs'.",
	})
}

// version answers GET /version. It is a version that no release of vLLM has.
func (s *Front) version(w http.ResponseWriter, _ *http.Request) {
	serve.WriteJSON(w, http.StatusOK, map[string]string{"version": "0.0.0+halfsecond"})
}

// ping answers GET and POST /ping, by which some hosts see that a server is alive.
func (s *Front) ping(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }
