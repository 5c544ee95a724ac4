package llamacpp

import (
	"net/http"
	"strings"

	"halfsecond/mockllm/observe"
	"halfsecond/mockllm/server/text/fim"
	"halfsecond/mockllm/server/text/serve"
	"halfsecond/mockllm/token"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/llamacpp"
)

// batchTokens is the batch size that shares out the context of an infill request, in
// tokens: --batch-size of llama.cpp's server unless told otherwise; source:
// ggml-org/llama.cpp tools/server/README.md (commit 00dc805, 2026), read 2026-11-29.
const batchTokens = 2048

// infill answers POST /infill. The model's tokens are those of Qwen2.5-Coder, which have
// a pattern for several files.
func (a *Front) infill(w http.ResponseWriter, r *http.Request) {
	var q llamacpp.InfillRequest
	arrived, fault := a.Read(w, r, &q)
	if fault == nil {
		fault = checkInfill(&q)
	}
	if fault != nil {
		a.Refuse(w, r, api, q.Model, fault)
		return
	}
	a.answer(w, r, arrived, &q.Options, func(m *serve.Model) prompt { return infillPrompt(m, &q) })
}

func checkInfill(q *llamacpp.InfillRequest) *wire.Failure {
	if q.Prefix == nil {
		return serve.BadRequest("input_prefix", "", `"input_prefix" is required`)
	}
	if q.Suffix == nil {
		return serve.BadRequest("input_suffix", "", `"input_suffix" is required`)
	}
	for i, e := range q.Extra {
		if e.Text == nil {
			return serve.BadRequest("input_extra", "", `extra_context chunk must contain a "text" field with a string value; input_extra[%d] has none`, i)
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
func infillPrompt(m *serve.Model, q *llamacpp.InfillRequest) prompt {
	before := []string{fim.Qwen.Prefix, tail(*q.Prefix, 3*(batchTokens/4)), q.Prompt}
	after := []string{fim.Qwen.Suffix, token.Prefix(*q.Suffix, max(0, batchTokens/4-2-token.Count(q.Prompt)))}
	if m.SuffixFirst {
		before, after = after, before
	}
	p := prompt{texts: lastTokens(extraTexts(q.Extra), max(0, m.Context-batchTokens+2))}
	p.asked = askedOf(m, q)
	p.texts = append(append(append(p.texts, before...), after...), fim.Qwen.Middle)
	p.shown = fim.Spell(strings.Join(p.texts, ""))
	return p
}

// askedOf returns what a request says of its document, without what is cut off here.
func askedOf(m *serve.Model, q *llamacpp.InfillRequest) *observe.Prompt {
	prefix, suffix := observe.Section{Name: observe.Prefix, Text: *q.Prefix + q.Prompt}, observe.Section{Name: observe.Suffix, Text: *q.Suffix}
	if m.SuffixFirst {
		prefix, suffix = suffix, prefix
	}
	asked := observe.Made(observe.Section{Name: observe.Context, Text: strings.Join(extraTexts(q.Extra), "")}, prefix, suffix)
	return &asked
}

// extraTexts returns the context of other files. The names of the project and of the
// document itself are not known to the server.
func extraTexts(extra []llamacpp.Extra) []string {
	texts := []string{fim.Qwen.Repository, "myproject\n"}
	for _, e := range extra {
		name := e.Filename
		if name == "" {
			name = "tmp"
		}
		texts = append(texts, fim.Qwen.File, name+"\n", *e.Text)
	}
	return append(texts, fim.Qwen.File, "filename\n")
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

// tail returns the last n tokens of a text, or all of it when it has fewer.
func tail(text string, n int) string {
	skip := token.Count(text) - n
	if skip <= 0 {
		return text
	}
	return text[len(token.Prefix(text, skip)):]
}
