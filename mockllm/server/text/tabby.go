package text

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"

	"halfsecond/pipeline/wire/tabby"
)

// tabbyAPI is the protocol of a Tabby server. Its refusals have no body.
var tabbyAPI = &protocol{name: "tabby", refuse: func(w http.ResponseWriter, e *apiError) { http.Error(w, e.message, e.status) }}

// handleTabby adds the routes of a Tabby server, completions aside: they share their
// path with those of the OpenAI API; see tabbyOr.
func (s *Service) handleTabby(mux *http.ServeMux) {
	mux.HandleFunc("POST /v1/events", s.tabbyEvent)
	mux.HandleFunc("GET /v1/health", s.tabbyHealth)
	mux.HandleFunc("POST /v1/health", s.tabbyHealth)
}

// tabbyOr answers POST /v1/completions, which Tabby and the OpenAI API both have: a body
// with segments or debug_options is Tabby's, and so is one with a language and without a
// prompt. Any other goes to the handler of the OpenAI API.
func (s *Service) tabbyOr(openAI http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := s.readBody(w, r)
		r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failedReader{err}))
		if err == nil && isTabby(body) {
			s.tabby(w, r)
			return
		}
		openAI(w, r)
	}
}

// failedReader is what follows the part of a body that could be read: an error, or its
// end.
type failedReader struct{ err error }

func (f failedReader) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}

func isTabby(body []byte) bool {
	var q struct {
		Segments     json.RawMessage `json:"segments"`
		DebugOptions json.RawMessage `json:"debug_options"`
		Language     json.RawMessage `json:"language"`
		Prompt       json.RawMessage `json:"prompt"`
	}
	if json.Unmarshal(body, &q) != nil {
		return false
	}
	return q.Segments != nil || q.DebugOptions != nil || q.Language != nil && q.Prompt == nil
}

// tabby answers a completion of a Tabby server, which is never streamed. The model is
// the first, since a request names none.
func (s *Service) tabby(w http.ResponseWriter, r *http.Request) {
	var q tabby.CompletionRequest
	arrived, fault := s.read(w, r, &q)
	var prompt string
	if fault == nil {
		prompt, fault = tabbyPrompt(&q)
	}
	var g *generation
	if fault == nil {
		g, fault = s.generation(tabbyAPI, s.tabbyOrder(&q, prompt))
	}
	if fault != nil {
		s.refuse(w, r, tabbyAPI, fault)
		return
	}
	g.arrived, g.path, g.id, g.request.Kind = arrived, r.URL.Path, s.tabbyID(), kindCompletion
	if s.whole(w, r, g) {
		writeJSON(w, http.StatusOK, tabbyResponse(g, &q, prompt))
	}
}

// tabbyPrompt returns the prompt of a request: what it says is one, its segments in the
// template of the model, or the edits so far.
func tabbyPrompt(q *tabby.CompletionRequest) (string, *apiError) {
	empty := badRequest("segments", "", "empty prompt from completion request: it has neither segments nor a raw_prompt")
	if q.Mode == tabby.ModeNextEdit {
		if q.Segments == nil || q.Segments.EditHistory == nil {
			return "", empty
		}
		h := q.Segments.EditHistory
		return h.OriginalCode + "\n" + h.EditsDiff + "\n" + h.CurrentVersion, nil
	}
	if d := q.DebugOptions; d != nil && d.RawPrompt != nil {
		return *d.RawPrompt, nil
	}
	if q.Segments == nil {
		return "", empty
	}
	suffix := "\n" // what the server puts where there is none
	if q.Segments.Suffix != nil && *q.Segments.Suffix != "" {
		suffix = *q.Segments.Suffix
	}
	f := &families[0]
	prompt := f.prefix + q.Segments.Prefix + f.suffix + suffix + f.middle
	if usesCRLF(q) {
		prompt = strings.ReplaceAll(prompt, "\r\n", "\n")
	}
	return prompt, nil
}

// usesCRLF reports whether the document has the line ends of Windows: the answer then
// has them too, and the model sees none.
func usesCRLF(q *tabby.CompletionRequest) bool {
	s := q.Segments
	return s != nil && (strings.Contains(s.Prefix, "\r\n") || s.Suffix != nil && strings.Contains(*s.Suffix, "\r\n"))
}

// tabbyOrder turns a request into an order, with the limits of the server.
func (s *Service) tabbyOrder(q *tabby.CompletionRequest, prompt string) order {
	limit := tabby.MaxDecodingTokens
	if q.Mode == tabby.ModeNextEdit {
		limit *= 2
	}
	o := order{
		model: s.config.Models[0].Name, in: "segments", limit: &limit, limitedBy: "segments", answer: q.MockAnswer,
		prompt: []string{specials.Replace(lastBytes(prompt, tabby.MaxInputBytes))}, stop: tabbyStops(q.Language),
	}
	if q.Seed != nil {
		o.seed = *q.Seed
	}
	o.clip(s.lookup(o.model))
	return o
}

// tabbyComments are the languages that Tabby knows, by how a comment begins that ends a
// completion at the start of a line, "" for none; source: TabbyML/tabby
// crates/tabby-common/assets/languages.toml (commit 236ebeb), read 2026-11-29. The words
// that end one there too are left out.
var tabbyComments = map[string][]string{
	"#": {"python", "ruby", "elixir", "r", "gdscript", "perl"},
	"//": {
		"rust", "java", "kotlin", "javascript-typescript", "javascript", "typescript", "javascriptreact", "typescriptreact", "go", "c", "cpp", "csharp", "php",
		"solidity", "dart", "scala",
	},
	"--": {"lua"},
	"":   {"css", "dockerfile", "haskell", "html", "julia", "makefile", "markdown", "txt", "powershell", "sql", "shellscript", "tex", "vb", "ocaml"},
}

// tabbyStops returns what ends a completion: an empty line and a line that begins with a
// comment; in a language that is not known any end of a line.
func tabbyStops(language *string) []string {
	if language == nil {
		return []string{"\n"}
	}
	for comment, languages := range tabbyComments {
		if !slices.Contains(languages, *language) {
			continue
		}
		if comment == "" {
			return []string{"\n\n"}
		}
		return []string{"\n\n", "\n" + comment}
	}
	return []string{"\n"}
}

// tabbyID returns an id in the form of a random UUID.
func (s *Service) tabbyID() string {
	sum := sha256.Sum256([]byte(s.newID("")))
	sum[6], sum[8] = sum[6]&0x0f|0x40, sum[8]&0x3f|0x80
	h := hex.EncodeToString(sum[:16])
	return "cmpl-" + strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

func tabbyResponse(g *generation, q *tabby.CompletionRequest, prompt string) tabby.CompletionResponse {
	a := tabby.CompletionResponse{ID: g.id, Choices: []tabby.Choice{{Text: g.text}}, Mode: q.Mode}
	if a.Mode == "" {
		a.Mode = tabby.ModeStandard
	}
	if usesCRLF(q) {
		a.Choices[0].Text = strings.ReplaceAll(strings.ReplaceAll(g.text, "\r\n", "\n"), "\n", "\r\n")
	}
	if d := q.DebugOptions; d != nil {
		a.DebugData = &tabby.DebugData{}
		if d.ReturnSnippets {
			a.DebugData.Snippets = &[]tabby.Snippet{} // there is no repository to look in
		}
		if d.ReturnPrompt {
			a.DebugData.Prompt = &prompt
		}
	}
	return a
}

// tabbyEvent answers POST /v1/events: it takes what became of a completion, and keeps
// nothing.
func (s *Service) tabbyEvent(w http.ResponseWriter, r *http.Request) {
	var e tabby.Event
	_, fault := s.read(w, r, &e)
	if fault == nil && !slices.Contains(tabby.EventTypes(), e.Type) {
		fault = badRequest("type", "", "type %q is not one of %s", e.Type, strings.Join(tabby.EventTypes(), ", "))
	}
	if fault != nil {
		tabbyAPI.refuse(w, fault)
		return
	}
	w.WriteHeader(http.StatusOK)
}

// tabbyHealth answers GET and POST /v1/health. llama.cpp's server has the path too: its
// clients look at the status alone.
func (s *Service) tabbyHealth(w http.ResponseWriter, _ *http.Request) {
	name := s.config.Models[0].Name
	writeJSON(w, http.StatusOK, tabby.Health{
		Model: name, ChatModel: name, Device: "cpu", Arch: runtime.GOARCH, CPUInfo: "halfsecond", CPUCount: runtime.NumCPU(), CUDADevices: []string{},
		Version: tabby.Version{GitDescribe: "halfsecond"},
	})
}
