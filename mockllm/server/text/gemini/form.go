package gemini

import (
	"halfsecond/mockllm/server/text/serve"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/gemini"
)

// chunkTokens is the number of tokens that go out together where the model does not say:
// two whole chunks of an answer logged in microsoft/vscode issue 272033 (2025-10-18), of
// 284 and 285 characters, are 81 and 93 tokens of the mock. Read 2026-11-29.
const chunkTokens = 80

// form writes the pieces of a streamed answer: many tokens each.
type form struct {
	*gemini.Writer
	g     *serve.Generation
	shows bool // thoughts
	size  int  // tokens of a piece

	parts []gemini.Part // not yet sent
	held  int           // tokens since what was sent
	out   int           // tokens so far, thoughts included
	mused int           // of them thoughts
}

func (f *form) ContentType() string { return f.Writer.ContentType() }

func (f *form) Open(dst []byte, _ *serve.Generation) []byte { return dst }

// Piece keeps a piece, and sends what is kept when there is enough of it. The end of the
// answer waits for the reason of its end.
func (f *form) Piece(dst []byte, p serve.Piece) []byte {
	f.out += p.Tokens
	f.held += p.Tokens
	if p.Part.Kind == serve.Thinking {
		f.mused += p.Tokens
	}
	f.keep(p)
	if f.held < f.size || f.out == f.g.Len() || len(f.parts) == 0 {
		return dst
	}
	return f.send(dst, "")
}

// keep adds a piece to the parts: text to the part before it where that is of the same
// kind, a call when all of it is there.
func (f *form) keep(p serve.Piece) {
	thought := p.Part.Kind == serve.Thinking
	switch {
	case p.Part.Kind == serve.ToolCall:
		if p.Shuts && f.g.TextOf(p.Part) == p.Part.Call.Arguments {
			f.parts = append(f.parts, callPart(p.Part))
		}
	case p.Text == "" || thought && !f.shows:
	case len(f.parts) > 0 && f.parts[len(f.parts)-1].Text != nil && f.parts[len(f.parts)-1].Thought == thought:
		*f.parts[len(f.parts)-1].Text += p.Text
	default:
		f.parts = append(f.parts, gemini.Part{Text: &p.Text, Thought: thought})
	}
}

func callPart(p *serve.Part) gemini.Part {
	return gemini.Part{FunctionCall: &gemini.FunctionCall{Name: p.Call.Name, Args: []byte(p.Call.Arguments)}}
}

// send appends what is kept as one piece.
func (f *form) send(dst []byte, finish string) []byte {
	dst = f.Append(dst, f.response(f.parts, finish, f.usage(f.out, f.mused)))
	f.parts, f.held = nil, 0
	return dst
}

func (f *form) End(dst []byte, g *serve.Generation) []byte {
	if len(f.parts) == 0 {
		empty := ""
		f.parts = []gemini.Part{{Text: &empty}}
	}
	return f.AppendEnd(f.send(dst, finishReason(g)))
}

func (f *form) Fail(dst []byte, e *wire.Failure) []byte {
	if len(f.parts) > 0 {
		dst = f.send(dst, "")
	}
	return f.AppendEnd(f.Append(dst, newError(e)))
}

// whole returns all of an answer that has ended.
func (f *form) whole() gemini.GenerateResponse {
	for i := range f.g.Parts {
		p := &f.g.Parts[i]
		f.keep(serve.Piece{Part: p, Text: f.g.TextOf(p), Shuts: true})
	}
	if len(f.parts) == 0 {
		empty := ""
		f.parts = []gemini.Part{{Text: &empty}}
	}
	return f.response(f.parts, finishReason(f.g), f.usage(f.g.Request.Generated(), f.g.ThinkingTokens()))
}

func (f *form) response(parts []gemini.Part, finish string, u gemini.UsageMetadata) gemini.GenerateResponse {
	return gemini.GenerateResponse{
		Candidates:    []gemini.Candidate{{Content: gemini.Content{Role: "model", Parts: parts}, FinishReason: finish}},
		UsageMetadata: u, ModelVersion: f.g.Model.Name, ResponseID: f.g.ID,
	}
}

// usage counts the tokens of an answer that has come to its n-th, so many of them
// thoughts.
func (f *form) usage(n, thoughts int) gemini.UsageMetadata {
	prompt := f.g.Request.Prompt
	return gemini.UsageMetadata{
		PromptTokenCount: prompt, CandidatesTokenCount: n - thoughts, ThoughtsTokenCount: thoughts, TotalTokenCount: prompt + n,
		CachedContentTokenCount: f.g.Cached, PromptTokensDetails: textTokens(prompt),
	}
}

func finishReason(g *serve.Generation) string {
	if g.Finish() == wire.FinishLength {
		return gemini.FinishMaxTokens
	}
	return gemini.FinishStop
}
