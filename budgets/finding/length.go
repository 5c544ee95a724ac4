package finding

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/endpoint/probe/seen"
)

// longer reports whether an answer is surely longer than the limit that it was given. Where
// the server counts, its count may be a quarter over, and 8 tokens more. Where it does not,
// there are eight times as many chunks as tokens were asked for, since few servers send less
// than a token in one; or twice as many, and eight characters for each token, which has some
// four.
func (v *view) longer(r *seen.Request) bool {
	if v.Limit < 1 || v.Protocol == dialect.Tabby {
		return false // Tabby is asked for no limit
	}
	if n := r.Record.OutputTokens; n != pipeline.UnknownCount && n == r.Record.Output() { // else it is one of its beginning
		return n > v.Limit+v.Limit/4+8
	}
	return r.Record.Chunks > 8*v.Limit || r.Record.Chunks > 2*v.Limit && characters(r) > 8*v.Limit
}

// characters counts those of an answer that are no white space.
func characters(r *seen.Request) (n int) {
	a := r.Reply.Answer()
	for _, text := range []string{a.Reasoning, a.Text} {
		for _, c := range text {
			if !unicode.IsSpace(c) {
				n++
			}
		}
	}
	for _, t := range a.ToolCalls {
		n += len(t.Arguments)
	}
	return n
}

func (v *view) ignoresLimit(r *seen.Request) Finding {
	f := Finding{
		ID: "ignores_limit", Title: "the server ignores the limit of the answer",
		Evidence: []string{fmt.Sprintf("%s: %d chunks and no end when it was given up %s after sending, where at most %d tokens were asked for", v.which(r), r.Record.Chunks, ms(r.Since(r.Record.End)), v.Limit)},
		Fix:      "have the server, or the gateway before it, heed " + limits[v.Protocol] + "; until then every answer may cost as much as the model can say",
	}
	if n := r.Record.OutputTokens; r.OK() {
		f.Severity = Misleading
		f.Title = "the answer is longer than the limit that it was given"
		f.Evidence[0] = fmt.Sprintf("%s: %s, where at most %d were asked for", v.which(r), counted(n, r.Record.Chunks), v.Limit)
		if k := r.Reply.Usage; k != nil && k.Reasoning > 0 {
			f.Evidence = append(f.Evidence, fmt.Sprintf("%d of them are reasoning, which the server may not count against the limit", k.Reasoning))
		}
	}
	return f
}

// counted says how long an answer is, by tokens where the server counts them.
func counted(tokens, chunks int) string {
	in := fmt.Sprintf("%d chunks", chunks)
	if chunks == 1 {
		in = "1 chunk"
	}
	if tokens == pipeline.UnknownCount {
		return in
	}
	return fmt.Sprintf("%d tokens in %s", tokens, in)
}

// limits are the members of a request that limit the answer, and what servers may want in
// their place, by the vendors' references of their APIs, read 2026-11-30.
var limits = map[dialect.Protocol]string{
	dialect.OpenAIChat:        "\"max_tokens\"; OpenAI's newer models want \"max_completion_tokens\" in its place, Ollama's own API \"num_predict\" and llama.cpp's \"n_predict\", and a gateway must translate it",
	dialect.OpenAICompletions: "\"max_tokens\"; llama.cpp's own API has \"n_predict\" in its place, and a gateway must translate it",
	dialect.OpenAIResponses:   "\"max_output_tokens\"; servers behind a gateway may want \"max_completion_tokens\" or \"max_tokens\" in its place",
	dialect.Anthropic:         "\"max_tokens\"",
	dialect.Gemini:            "\"maxOutputTokens\" in \"generationConfig\"",
	dialect.OllamaChat:        "\"num_predict\" in \"options\"",
	dialect.OllamaGenerate:    "\"num_predict\" in \"options\"",
	dialect.LlamaCompletion:   "\"n_predict\"",
	dialect.LlamaInfill:       "\"n_predict\"",
	dialect.MistralFIM:        "\"max_tokens\"",
}

// tooLong explains a response of which we read no more, though the answer in it is not long.
func (v *view) tooLong(r *seen.Request) Finding {
	bytes := 0
	for _, read := range r.Reads {
		bytes += read.Bytes
	}
	f := Finding{
		ID: "too_long", Title: "the response goes on and on, and little of it is the answer",
		Evidence: []string{v.far(r), fmt.Sprintf("it was given up after %s, %s", byteCount(bytes), messages(len(r.Events))), line(r.Record.Reason)},
		Fix:      "see what the server, or what stands between, sends beside the answer: a line without end, or the same message again and again",
	}
	if !strings.Contains(r.Record.Reason, limitBytes) {
		return f
	}
	part := unended(r, bytes)
	if part > bytes/2 {
		f.Evidence = append(f.Evidence, "about "+byteCount(part)+" of it are a message that had not ended")
	}
	if part > bytes/2 || ofAnswer(r) > bytes/2 {
		f.Title = "the response is longer than what is read of one here, and may be honest"
	}
	f.Fix = "if such a response is what you want, read more of it, as with " + limitBytes + " 64MiB, which is what run takes; else " + f.Fix
	return f
}

// ofAnswer returns the bytes of messages that brought output.
func ofAnswer(r *seen.Request) (n int) {
	for _, e := range r.Events {
		if e.Output() {
			n += e.Bytes
		}
	}
	return n
}

// limitBytes is the flag that moves the limit on the size of a response; the reason of a
// request that went over it names it.
const limitBytes = "--limit-bytes"

// unended returns about how many of the bytes of a response, as they came, are behind the
// last message that was whole; 0 of packed ones, where that cannot be told.
func unended(r *seen.Request, bytes int) int {
	if r.Reply.Compressed {
		return 0
	}
	for _, e := range r.Events {
		bytes -= e.Bytes
	}
	return max(0, bytes)
}

func messages(n int) string {
	if n == 1 {
		return "1 message"
	}
	return fmt.Sprintf("%d messages", n)
}

// timedOut explains an answer that did not end in time.
func (v *view) timedOut(r *seen.Request) Finding {
	f := Finding{
		ID: "timeout", Title: "the answer stopped coming", Evidence: []string{v.far(r), line(r.Record.Reason)},
		Fix: "see in the log of the server whether it still worked on it, and whether a proxy before it has a time limit",
	}
	switch {
	case !strings.Contains(r.Record.Reason, "no end"):
	case r.Record.Chunks == 0:
		f.Title = "no output came in time, though the response had begun"
	default:
		f.Title = "the answer was still coming when its time was up"
		f.Fix = "give it longer with --limit-whole, or ask for less with --answer; if that is the pace of the model, users wait as long"
		f.Evidence = append(f.Evidence, v.pace(r))
		if v.Limit >= 1 && r.Record.Chunks > v.Limit {
			f.Title = "the answer was still coming when its time was up, past the tokens that it may have"
			f.Fix = fmt.Sprintf("have the server, or the gateway before it, heed %s: it sent %d chunks where at most %d tokens were asked for, so more time may not end it. Only where a chunk of it is less than a token, give it longer with --limit-whole",
				limits[v.Protocol], r.Record.Chunks, v.Limit)
		}
	}
	return f
}

// pace says how fast an answer came.
func (v *view) pace(r *seen.Request) string {
	span := r.Record.LastOutput - r.Record.FirstOutput
	if span <= 0 {
		return "it came at once"
	}
	rate := float64(r.Record.Chunks-1) * float64(time.Second) / float64(span)
	if r.Record.Chunks > v.Limit {
		return fmt.Sprintf("%.1f chunks a second, and no end at %d of them, where at most %d tokens were asked for", rate, r.Record.Chunks, v.Limit)
	}
	return fmt.Sprintf("%.1f chunks a second: %d tokens may take %s", rate, v.Limit, ms(time.Duration(float64(v.Limit)/rate*float64(time.Second)).Round(time.Second)))
}
