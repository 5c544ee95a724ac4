package anthropic

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"

	"halfsecond/mockllm/server/text/serve"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/anthropic"
)

// form writes one answer of the Messages API, whole or as events. The first
// event goes out with the first token, since a refusal has a status before it.
type form struct {
	g      *serve.Generation
	limit  int  // as the client set it
	marked int  // tokens of the prompt that the client wants cached
	omits  bool // the text of the reasoning

	begun   bool
	written int // tokens
}

func (f *form) ContentType() string { return serve.EventStream }

func (f *form) Open(dst []byte, _ *serve.Generation) []byte { return dst }

func (f *form) Piece(dst []byte, p serve.Piece) []byte {
	f.written += p.Tokens
	first := !f.begun
	if first {
		f.begun = true
		dst = anthropic.AppendStart(dst, f.answer(f.usage(f.written)))
	}
	if p.Opens {
		dst = anthropic.AppendBlockStart(dst, p.Index, f.block(p.Part, "", ""))
	}
	if first {
		dst = anthropic.AppendPing(dst)
	}
	if p.Text != "" {
		dst = f.delta(dst, p)
	}
	if p.Shuts && p.Part.Kind == serve.Thinking {
		dst = anthropic.AppendSignature(dst, p.Index, signature(f.g.TextOf(p.Part)))
	}
	if p.Shuts {
		dst = anthropic.AppendBlockStop(dst, p.Index)
	}
	return dst
}

func (f *form) delta(dst []byte, p serve.Piece) []byte {
	switch {
	case p.Part.Kind == serve.ToolCall:
		return anthropic.AppendInput(dst, p.Index, p.Text)
	case p.Part.Kind == serve.Content:
		return anthropic.AppendText(dst, p.Index, p.Text)
	case f.omits:
		return dst
	}
	return anthropic.AppendThinking(dst, p.Index, p.Text)
}

func (f *form) End(dst []byte, g *serve.Generation) []byte {
	reason, sequence := f.reason()
	return anthropic.AppendEnd(dst, reason, sequence, f.usage(g.Request.Generated()))
}

func (f *form) Fail(dst []byte, e *wire.Failure) []byte {
	busy := overloaded(e)
	return anthropic.AppendError(dst, anthropic.NewError(&busy))
}

// whole returns the answer in one piece.
func (f *form) whole() anthropic.Answer {
	a := f.answer(f.usage(f.g.Request.Generated()))
	for i := range f.g.Parts {
		p := &f.g.Parts[i]
		text := f.g.TextOf(p)
		a.Content = append(a.Content, f.block(p, text, signature(text)))
	}
	reason, sequence := f.reason()
	a.StopReason, a.StopSequence = &reason, sequence
	return a
}

// answer returns an answer without content.
func (f *form) answer(u anthropic.Usage) anthropic.Answer {
	return anthropic.Answer{
		ID: f.g.ID, Type: anthropic.TypeMessage, Role: "assistant", Model: f.g.Model.Name,
		Content: []anthropic.Block{}, Usage: u,
	}
}

// block returns a part as a block with that text. A call that the limit has cut has no
// JSON to show, and an empty input.
func (f *form) block(p *serve.Part, text, signature string) anthropic.Block {
	switch p.Kind {
	case serve.Content:
		return anthropic.Block{Type: anthropic.BlockText, Text: text}
	case serve.Thinking:
		if f.omits {
			text = ""
		}
		return anthropic.Block{Type: anthropic.BlockThinking, Thinking: text, Signature: signature}
	}
	if !json.Valid([]byte(text)) {
		text = "{}"
	}
	return anthropic.Block{Type: anthropic.BlockToolUse, ID: p.Call.ID, Name: p.Call.Name, Input: json.RawMessage(text)}
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
func (f *form) usage(n int) anthropic.Usage {
	g := f.g
	u := anthropic.Usage{InputTokens: g.Request.Prompt, OutputTokens: n}
	if g.Model.Shares && f.marked > 0 {
		u.CacheReadTokens = min(g.Cached, f.marked)
		u.CacheCreationTokens = f.marked - u.CacheReadTokens
		u.InputTokens = max(0, g.Request.Prompt-f.marked)
	}
	if t := min(n, g.ThinkingTokens()); t > 0 {
		u.OutputDetails = &anthropic.OutputDetails{ThinkingTokens: t}
	}
	return u
}

// reason returns why the answer ended, and the stop sequence that ended it.
func (f *form) reason() (reason string, sequence *string) {
	switch finish := f.g.Finish(); {
	case finish == wire.FinishToolCalls:
		return anthropic.StopToolUse, nil
	case finish == wire.FinishLength && f.g.Request.Limit < f.limit:
		return anthropic.StopContext, nil
	case finish == wire.FinishLength:
		return anthropic.StopMax, nil
	case f.g.Stopped != "":
		return anthropic.StopSequence, &f.g.Stopped
	}
	return anthropic.StopEndTurn, nil
}
