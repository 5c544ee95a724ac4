// Package tabby is the front of a Tabby server.
package tabby

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
	"unicode/utf8"

	"halfsecond/mockllm/server/text/fim"
	"halfsecond/mockllm/server/text/serve"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/tabby"
)

// api is the protocol of a Tabby server. Its refusals have no body.
var api = &serve.Protocol{Name: "tabby", Whole: true, Refuse: func(w http.ResponseWriter, e *wire.Failure) { http.Error(w, e.Message, e.Status) }}

// Handle adds the routes of a Tabby server, completions aside: they share their
// path with those of the OpenAI API; see Or.
func Handle(service *serve.Service, mux *http.ServeMux) {
	s := front{service}
	mux.HandleFunc("POST /v1/events", s.event)
	mux.HandleFunc("GET /v1/health", s.health)
	mux.HandleFunc("POST /v1/health", s.health)
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

// complete answers a completion of a Tabby server, which is never streamed. The model is
// the first, since a request names none.
func (s front) complete(w http.ResponseWriter, r *http.Request) {
	var q tabby.CompletionRequest
	arrived, fault := s.Read(w, r, &q)
	var prompt string
	if fault == nil {
		prompt, fault = promptOf(&q)
	}
	var g *serve.Generation
	if fault == nil {
		g, fault = s.Generation(api, r, arrived, s.orderOf(&q, prompt))
	}
	if fault != nil {
		s.Refuse(w, r, api, s.Config.Models[0].Name, fault)
		return
	}
	g.ID = s.newID()
	if s.Whole(w, r, g) {
		serve.WriteJSON(w, http.StatusOK, response(g, &q, prompt))
	}
}

// promptOf returns the prompt of a request: what it says is one, its segments in the
// template of the model, or the edits so far.
func promptOf(q *tabby.CompletionRequest) (string, *wire.Failure) {
	empty := serve.BadRequest("segments", "", "empty prompt from completion request: it has neither segments nor a raw_prompt")
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
	prompt := fim.Prompt(q.Segments.Prefix, suffix)
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

// orderOf turns a request into an order, with the limits of the server.
func (s front) orderOf(q *tabby.CompletionRequest, prompt string) serve.Order {
	limit := tabby.MaxDecodingTokens
	if q.Mode == tabby.ModeNextEdit {
		limit *= 2
	}
	o := serve.Order{
		Model: s.Config.Models[0].Name, Kind: serve.KindCompletion, In: "segments", Limit: &limit, LimitedBy: "segments", Answer: q.MockAnswer,
		Prompt: []string{fim.Mark(lastBytes(prompt, tabby.MaxInputBytes))}, Stop: stops(q.Language),
	}
	if h, found := fim.Find(prompt); found {
		o.Hole = &h // which what is left of the prompt may not show
	}
	if q.Seed != nil {
		o.Seed = *q.Seed
	}
	o.Clip(s.Lookup(o.Model))
	return o
}

// comments are the languages that Tabby knows, by how a comment begins that ends a
// completion at the start of a line, "" for none; source: TabbyML/tabby
// crates/tabby-common/assets/languages.toml (commit 236ebeb), read 2026-11-29. The words
// that end one there too are left out.
var comments = map[string][]string{
	"#": {"python", "ruby", "elixir", "r", "gdscript", "perl"},
	"//": {
		"rust", "java", "kotlin", "javascript-typescript", "javascript", "typescript", "javascriptreact", "typescriptreact", "go", "c", "cpp", "csharp", "php",
		"solidity", "dart", "scala",
	},
	"--": {"lua"},
	"":   {"css", "dockerfile", "haskell", "html", "julia", "makefile", "markdown", "txt", "powershell", "sql", "shellscript", "tex", "vb", "ocaml"},
}

// stops returns what ends a completion: an empty line and a line that begins with a
// comment; in a language that is not known any end of a line.
func stops(language *string) []string {
	if language == nil {
		return []string{"\n"}
	}
	for comment, languages := range comments {
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

// newID returns an id in the form of a random UUID.
func (s front) newID() string {
	sum := sha256.Sum256([]byte(s.NewID("")))
	sum[6], sum[8] = sum[6]&0x0f|0x40, sum[8]&0x3f|0x80
	h := hex.EncodeToString(sum[:16])
	return "cmpl-" + strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

func response(g *serve.Generation, q *tabby.CompletionRequest, prompt string) tabby.CompletionResponse {
	a := tabby.CompletionResponse{ID: g.ID, Choices: []tabby.Choice{{Text: g.Text}}, Mode: q.Mode}
	if a.Mode == "" {
		a.Mode = tabby.ModeStandard
	}
	if usesCRLF(q) {
		a.Choices[0].Text = strings.ReplaceAll(strings.ReplaceAll(g.Text, "\r\n", "\n"), "\n", "\r\n")
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

// event answers POST /v1/events: it takes what became of a completion, and keeps
// nothing.
func (s front) event(w http.ResponseWriter, r *http.Request) {
	var e tabby.Event
	_, fault := s.Read(w, r, &e)
	if fault == nil && !slices.Contains(tabby.EventTypes(), e.Type) {
		fault = serve.BadRequest("type", "", "type %q is not one of %s", e.Type, strings.Join(tabby.EventTypes(), ", "))
	}
	if fault != nil {
		api.Refuse(w, fault)
		return
	}
	w.WriteHeader(http.StatusOK)
}

// health answers GET and POST /v1/health. llama.cpp's server has the path too: its
// clients look at the status alone.
func (s front) health(w http.ResponseWriter, _ *http.Request) {
	name := s.Config.Models[0].Name
	serve.WriteJSON(w, http.StatusOK, tabby.Health{
		Model: name, ChatModel: name, Device: "cpu", Arch: runtime.GOARCH, CPUInfo: "halfsecond", CPUCount: runtime.NumCPU(), CUDADevices: []string{},
		Version: tabby.Version{GitDescribe: "halfsecond"},
	})
}

// lastBytes returns the last n bytes of a text, without the rest of a character that
// begins before them.
func lastBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	at := len(text) - n
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return text[at:]
}

// Or answers POST /v1/completions, which Tabby and the OpenAI API both have: a body
// with segments or debug_options is Tabby's, and so is one with a language and without a
// prompt. Any other goes to the handler of the OpenAI API.
func Or(service *serve.Service, openAI http.HandlerFunc) http.HandlerFunc {
	s := front{service}
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := s.ReadBody(w, r)
		r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failedReader{err}))
		if err == nil && isTabby(body) {
			s.complete(w, r)
			return
		}
		openAI(w, r)
	}
}

type front struct{ *serve.Service }
