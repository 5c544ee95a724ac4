package text

import (
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/gemini"
)

// geminiChunk is the number of tokens that go out together where the model does not say:
// two whole chunks of an answer logged in microsoft/vscode issue 272033 (2025-10-18), of
// 284 and 285 characters, are 81 and 93 tokens of the mock. Read 2026-11-29.
const geminiChunk = 80

// geminiForm writes the pieces of a streamed answer: many tokens each.
type geminiForm struct {
	*gemini.Writer
	g     *generation
	shows bool // thoughts
	size  int  // tokens of a piece

	parts []gemini.Part // not yet sent
	held  int           // tokens since what was sent
	out   int           // tokens so far, thoughts included
	mused int           // of them thoughts
}

func (f *geminiForm) contentType() string { return f.ContentType() }

func (f *geminiForm) open(dst []byte, _ *generation) []byte { return dst }

// piece keeps a piece, and sends what is kept when there is enough of it. The end of the
// answer waits for the reason of its end.
func (f *geminiForm) piece(dst []byte, p piece) []byte {
	f.out += p.tokens
	f.held += p.tokens
	if p.part.kind == thinking {
		f.mused += p.tokens
	}
	f.keep(p)
	if f.held < f.size || f.out == len(f.g.ends) || len(f.parts) == 0 {
		return dst
	}
	return f.send(dst, "")
}

// keep adds a piece to the parts: text to the part before it where that is of the same
// kind, a call when all of it is there.
func (f *geminiForm) keep(p piece) {
	thought := p.part.kind == thinking
	switch {
	case p.part.kind == toolCall:
		if p.shuts && f.g.textOf(p.part) == p.part.call.arguments {
			f.parts = append(f.parts, geminiCall(p.part))
		}
	case p.text == "" || thought && !f.shows:
	case len(f.parts) > 0 && f.parts[len(f.parts)-1].Text != nil && f.parts[len(f.parts)-1].Thought == thought:
		*f.parts[len(f.parts)-1].Text += p.text
	default:
		f.parts = append(f.parts, gemini.Part{Text: &p.text, Thought: thought})
	}
}

func geminiCall(p *part) gemini.Part {
	return gemini.Part{FunctionCall: &gemini.FunctionCall{Name: p.call.name, Args: []byte(p.call.arguments)}}
}

// send appends what is kept as one piece.
func (f *geminiForm) send(dst []byte, finish string) []byte {
	dst = f.Append(dst, f.response(f.parts, finish, f.usage(f.out, f.mused)))
	f.parts, f.held = nil, 0
	return dst
}

func (f *geminiForm) end(dst []byte, g *generation) []byte {
	if len(f.parts) == 0 {
		empty := ""
		f.parts = []gemini.Part{{Text: &empty}}
	}
	return f.AppendEnd(f.send(dst, geminiFinish(g)))
}

func (f *geminiForm) fail(dst []byte, e *apiError) []byte {
	if len(f.parts) > 0 {
		dst = f.send(dst, "")
	}
	return f.AppendEnd(f.Append(dst, e.gemini()))
}

// whole returns all of an answer that has ended.
func (f *geminiForm) whole() gemini.GenerateResponse {
	for i := range f.g.parts {
		p := &f.g.parts[i]
		f.keep(piece{part: p, text: f.g.textOf(p), shuts: true})
	}
	if len(f.parts) == 0 {
		empty := ""
		f.parts = []gemini.Part{{Text: &empty}}
	}
	return f.response(f.parts, geminiFinish(f.g), f.usage(f.g.request.Generated(), f.g.thinkingTokens()))
}

func (f *geminiForm) response(parts []gemini.Part, finish string, u gemini.UsageMetadata) gemini.GenerateResponse {
	return gemini.GenerateResponse{
		Candidates:    []gemini.Candidate{{Content: gemini.Content{Role: "model", Parts: parts}, FinishReason: finish}},
		UsageMetadata: u, ModelVersion: f.g.model.Name, ResponseID: f.g.id,
	}
}

// usage counts the tokens of an answer that has come to its n-th, so many of them
// thoughts.
func (f *geminiForm) usage(n, thoughts int) gemini.UsageMetadata {
	prompt := f.g.request.Prompt
	return gemini.UsageMetadata{
		PromptTokenCount: prompt, CandidatesTokenCount: n - thoughts, ThoughtsTokenCount: thoughts, TotalTokenCount: prompt + n,
		CachedContentTokenCount: f.g.cached, PromptTokensDetails: geminiText(prompt),
	}
}

func geminiFinish(g *generation) string {
	if g.finish() == wire.FinishLength {
		return gemini.FinishMaxTokens
	}
	return gemini.FinishStop
}
