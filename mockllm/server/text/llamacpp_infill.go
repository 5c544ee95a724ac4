package text

import (
	"net/http"
	"strings"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline/wire/llamacpp"
)

// llamaBatch is the batch size that shares out the context of an infill request, in
// tokens: --batch-size of llama.cpp's server unless told otherwise; source:
// ggml-org/llama.cpp tools/server/README.md (commit 00dc805, 2026), read 2026-11-29.
const llamaBatch = 2048

// infill answers POST /infill. The model's tokens are those of Qwen2.5-Coder, which have
// a pattern for several files.
func (a *llamaCPP) infill(w http.ResponseWriter, r *http.Request) {
	var q llamacpp.InfillRequest
	arrived, fault := a.read(w, r, &q)
	if fault == nil {
		fault = checkInfill(&q)
	}
	if fault != nil {
		a.refuse(w, r, llamaCPPAPI, fault)
		return
	}
	a.answer(w, r, arrived, &q.Options, func(m *model) llamaPrompt { return infillPrompt(m, &q) })
}

func checkInfill(q *llamacpp.InfillRequest) *apiError {
	if q.Prefix == nil {
		return badRequest("input_prefix", "", `"input_prefix" is required`)
	}
	if q.Suffix == nil {
		return badRequest("input_suffix", "", `"input_suffix" is required`)
	}
	for i, e := range q.Extra {
		if e.Text == nil {
			return badRequest("input_extra", "", `extra_context chunk must contain a "text" field with a string value; input_extra[%d] has none`, i)
		}
	}
	return nil
}

// infillPrompt puts the prompt together: context of other files, then the text around
// the gap, cut so that it fits a batch, three parts of it before the gap and one behind.
// What the client calls the prompt goes with the prefix; the server's README has it
// after the middle token, its source does not. Source: format_prompt_infill in
// ggml-org/llama.cpp tools/server/server-common.cpp (commit 006639c, 2026), read
// 2026-11-29.
func infillPrompt(m *model, q *llamacpp.InfillRequest) llamaPrompt {
	before := []string{qwen.prefix, tail(*q.Prefix, 3*(llamaBatch/4)), q.Prompt}
	after := []string{qwen.suffix, token.Prefix(*q.Suffix, max(0, llamaBatch/4-2-token.Count(q.Prompt)))}
	if m.SuffixFirst {
		before, after = after, before
	}
	p := llamaPrompt{texts: lastTokens(extraTexts(q.Extra), max(0, m.Context-llamaBatch+2))}
	p.texts = append(append(append(p.texts, before...), after...), qwen.middle)
	p.shown = specialNames.Replace(strings.Join(p.texts, ""))
	return p
}

// qwen is the special tokens of Qwen2.5-Coder, one private character each.
var qwen = struct{ prefix, suffix, middle, file, repository string }{
	specials.Replace(families[0].prefix), specials.Replace(families[0].suffix), specials.Replace(families[0].middle),
	specials.Replace(families[0].file), specials.Replace("<|repo_name|>"),
}

// extraTexts returns the context of other files. The names of the project and of the
// document itself are not known to the server.
func extraTexts(extra []llamacpp.Extra) []string {
	texts := []string{qwen.repository, "myproject\n"}
	for _, e := range extra {
		name := e.Filename
		if name == "" {
			name = "tmp"
		}
		texts = append(texts, qwen.file, name+"\n", *e.Text)
	}
	return append(texts, qwen.file, "filename\n")
}

// lastTokens returns the last n tokens of texts, as texts.
func lastTokens(texts []string, n int) []string {
	from := len(texts)
	for from > 0 && n > 0 {
		count := token.Count(texts[from-1])
		if count > n {
			return append([]string{tail(texts[from-1], n)}, texts[from:]...)
		}
		from, n = from-1, n-count
	}
	return texts[from:]
}
