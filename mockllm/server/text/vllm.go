package text

import (
	"hash/fnv"
	"net/http"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline/wire"
)

// handleVLLM adds the routes that vLLM has beside those of the OpenAI API.
func (s *Service) handleVLLM(mux *http.ServeMux) {
	mux.HandleFunc("POST /tokenize", s.tokenize)
	mux.HandleFunc("POST /detokenize", s.detokenize)
	mux.HandleFunc("GET /version", s.version)
	mux.HandleFunc("GET /ping", s.ping)
	mux.HandleFunc("POST /ping", s.ping)
}

// number returns the number of a token. The mock's tokenizer has no vocabulary, so it
// is a hash of the token's text, which never changes and cannot be turned back: FNV-1a
// of 32 bits without the highest, to fit the signed integers of clients.
func number(text string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text)) // a hash never fails
	return int(h.Sum32() &^ (1 << 31))
}

// tokenize answers POST /tokenize, which vLLM and llama.cpp have under one path.
func (s *Service) tokenize(w http.ResponseWriter, r *http.Request) {
	var q wire.TokenizeRequest
	_, fault := s.read(w, r, &q)
	if fault != nil {
		openAI.refuse(w, fault)
		return
	}
	if q.Content != nil {
		writeJSON(w, http.StatusOK, wire.TokenizeResponse{Tokens: numbers([]int{}, *q.Content)})
		return
	}
	m, fault := s.only(q.Model)
	if fault != nil {
		openAI.refuse(w, fault)
		return
	}
	writeJSON(w, http.StatusOK, tokenized(&q, m.Context))
}

// tokenized returns the tokens of a prompt or of a conversation.
func tokenized(q *wire.TokenizeRequest, context int) wire.TokenizeResponse {
	texts := []string{q.Prompt}
	for _, m := range q.Messages {
		texts = append(texts, messageTexts(m)...)
	}
	a := wire.TokenizeResponse{Tokens: []int{}, MaxModelLen: context}
	for _, text := range texts {
		a.Tokens = numbers(a.Tokens, text)
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
func (s *Service) only(name string) (*model, *apiError) {
	if name == "" && len(s.models) == 1 {
		for _, m := range s.models {
			return m, nil
		}
	}
	return s.find(name)
}

// detokenize answers POST /detokenize.
func (s *Service) detokenize(w http.ResponseWriter, _ *http.Request) {
	openAI.refuse(w, &apiError{
		http.StatusNotImplemented, invalidRequest,
		"The tokens of this server cannot be turned back into text: their numbers are hashes. Keep the text that was tokenized; /tokenize returns its tokens as texts with 'return_token_strs'.",
		"tokens", "not_implemented",
	})
}

// version answers GET /version. It is a version that no release of vLLM has.
func (s *Service) version(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"version": "0.0.0+halfsecond"})
}

// ping answers GET and POST /ping, by which some hosts see that a server is alive.
func (s *Service) ping(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }
