package text

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"

	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/anthropic"
)

// anthropicForm writes one answer of the Messages API, whole or as events. The first
// event goes out with the first token, since a refusal has a status before it.
type anthropicForm struct {
	g      *generation
	limit  int  // as the client set it
	marked int  // tokens of the prompt that the client wants cached
	omits  bool // the text of the reasoning

	begun   bool
	written int // tokens
}

func (f *anthropicForm) contentType() string { return eventStream }

func (f *anthropicForm) open(dst []byte, _ *generation) []byte { return dst }

func (f *anthropicForm) piece(dst []byte, p piece) []byte {
	f.written += p.tokens
	first := !f.begun
	if first {
		f.begun = true
		dst = anthropic.AppendStart(dst, f.answer(f.usage(f.written)))
	}
	if p.opens {
		dst = anthropic.AppendBlockStart(dst, p.index, f.block(p.part, "", ""))
	}
	if first {
		dst = anthropic.AppendPing(dst)
	}
	if p.text != "" {
		dst = f.delta(dst, p)
	}
	if p.shuts && p.part.kind == thinking {
		dst = anthropic.AppendSignature(dst, p.index, signature(f.g.textOf(p.part)))
	}
	if p.shuts {
		dst = anthropic.AppendBlockStop(dst, p.index)
	}
	return dst
}

func (f *anthropicForm) delta(dst []byte, p piece) []byte {
	switch {
	case p.part.kind == toolCall:
		return anthropic.AppendInput(dst, p.index, p.text)
	case p.part.kind == content:
		return anthropic.AppendText(dst, p.index, p.text)
	case f.omits:
		return dst
	}
	return anthropic.AppendThinking(dst, p.index, p.text)
}

func (f *anthropicForm) end(dst []byte, g *generation) []byte {
	reason, sequence := f.reason()
	return anthropic.AppendEnd(dst, reason, sequence, f.usage(g.request.Generated()))
}

func (f *anthropicForm) fail(dst []byte, e *apiError) []byte {
	return anthropic.AppendError(dst, e.anthropic())
}

// whole returns the answer in one piece.
func (f *anthropicForm) whole() anthropic.Answer {
	a := f.answer(f.usage(f.g.request.Generated()))
	for i := range f.g.parts {
		p := &f.g.parts[i]
		text := f.g.textOf(p)
		a.Content = append(a.Content, f.block(p, text, signature(text)))
	}
	reason, sequence := f.reason()
	a.StopReason, a.StopSequence = &reason, sequence
	return a
}

// answer returns an answer without content.
func (f *anthropicForm) answer(u anthropic.Usage) anthropic.Answer {
	return anthropic.Answer{
		ID: f.g.id, Type: anthropic.TypeMessage, Role: "assistant", Model: f.g.model.Name,
		Content: []anthropic.Block{}, Usage: u,
	}
}

// block returns a part as a block with that text. A call that the limit has cut has no
// JSON to show, and an empty input.
func (f *anthropicForm) block(p *part, text, signature string) anthropic.Block {
	switch p.kind {
	case content:
		return anthropic.Block{Type: anthropic.BlockText, Text: text}
	case thinking:
		if f.omits {
			text = ""
		}
		return anthropic.Block{Type: anthropic.BlockThinking, Thinking: text, Signature: signature}
	}
	if !json.Valid([]byte(text)) {
		text = "{}"
	}
	return anthropic.Block{Type: anthropic.BlockToolUse, ID: p.call.id, Name: p.call.name, Input: json.RawMessage(text)}
}

// signature returns what stands in for the proof that the service puts on reasoning.
func signature(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// usage returns the counts of an answer that has come to its n-th token. The API caches
// only what a client asks it to, so a prompt without such a mark is counted as read in
// full, although the engine may have had some of it. Up to the last mark, what the
// engine had counts as read from the cache and the rest as written to it.
func (f *anthropicForm) usage(n int) anthropic.Usage {
	g := f.g
	u := anthropic.Usage{InputTokens: g.request.Prompt, OutputTokens: n}
	if g.model.Shares && f.marked > 0 {
		u.CacheReadTokens = min(g.cached, f.marked)
		u.CacheCreationTokens = f.marked - u.CacheReadTokens
		u.InputTokens = max(0, g.request.Prompt-f.marked)
	}
	if t := min(n, g.thinkingTokens()); t > 0 {
		u.OutputDetails = &anthropic.OutputDetails{ThinkingTokens: t}
	}
	return u
}

// reason returns why the answer ended, and the stop sequence that ended it.
func (f *anthropicForm) reason() (reason string, sequence *string) {
	switch finish := f.g.finish(); {
	case finish == wire.FinishToolCalls:
		return anthropic.StopToolUse, nil
	case finish == wire.FinishLength && f.g.request.Limit < f.limit:
		return anthropic.StopContext, nil
	case finish == wire.FinishLength:
		return anthropic.StopMax, nil
	case f.g.stopped != "":
		return anthropic.StopSequence, &f.g.stopped
	}
	return anthropic.StopEndTurn, nil
}
