package llamacpp

import (
	"strings"

	"halfsecond/mockllm/server/text/serve"
	"halfsecond/mockllm/server/text/tokenid"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/llamacpp"
)

// form writes the events of an answer of llama.cpp's server.
type form struct {
	*answer
	event   llamacpp.Partial // the last one
	timings llamacpp.Timings
	ids     []int
}

func (f *form) ContentType() string { return serve.EventStream }

func (f *form) Open(dst []byte, _ *serve.Generation) []byte { return dst }

// Piece appends the event of a piece, an empty one too. Before the first the client may
// be told that the prompt is evaluated: what comes before that the engine does not tell.
func (f *form) Piece(dst []byte, p serve.Piece) []byte {
	f.event.IDSlot, f.event.TokensEvaluated = f.slot, f.g.Request.Prompt
	if f.event.TokensPredicted == 0 && f.q.ReturnProgress {
		f.event.Progress = f.progress()
		dst = llamacpp.AppendPartial(dst, &f.event)
		f.event.Progress = nil
	}
	f.event.TokensPredicted += p.Tokens
	f.ids = tokenid.Append(f.ids[:0], p.Text)
	f.event.Content, f.event.Tokens = p.Text, f.ids
	if f.q.TimingsPerToken {
		f.timings = f.timingsAt(f.event.TokensPredicted)
		f.event.Timings = &f.timings
	}
	return llamacpp.AppendPartial(dst, &f.event)
}

func (f *form) progress() *llamacpp.Progress {
	return &llamacpp.Progress{
		Total: f.g.Request.Prompt, Cache: f.g.Cached, Processed: f.g.Request.Prompt, TimeMS: f.watch.Evaluated().Milliseconds(),
	}
}

func (f *form) End(dst []byte, _ *serve.Generation) []byte {
	return llamacpp.AppendEvent(dst, f.pick(f.final()))
}

func (f *form) Fail(dst []byte, e *wire.Failure) []byte {
	return llamacpp.AppendEvent(dst, llamacpp.NewError(e))
}

// final returns what is told of an answer that has ended, its content aside.
func (l *answer) final() llamacpp.Final {
	n := l.watch.Out
	f := llamacpp.Final{
		Tokens: []int{}, IDSlot: l.slot, Stop: true, Model: l.g.Model.Name,
		TokensPredicted: n, TokensEvaluated: l.g.Request.Prompt, GenerationSettings: l.q.Settings(), Prompt: l.shown,
		HasNewLine: l.newLine(n), StopType: l.stopType(), StoppingWord: l.g.Stopped,
		TokensCached: l.g.Request.Prompt + n - 1, Timings: l.timingsAt(n), // the last token has not been computed
	}
	f.Truncated = f.StopType == llamacpp.StopLimit && l.g.Request.Prompt+n == l.g.Model.Context
	return f
}

// timingsAt returns the timings of the first n tokens.
func (l *answer) timingsAt(n int) llamacpp.Timings {
	return llamacpp.NewTimings(l.g.Request.Prompt, l.g.Cached, l.watch.Evaluated(), n, l.watch.Predicted(n))
}

// newLine reports whether a line ends within the first n tokens.
func (l *answer) newLine(n int) bool {
	return n > 0 && l.g.Len() > 0 && strings.Contains(l.g.Between(0, min(n, l.g.Len())), "\n")
}

func (l *answer) stopType() string {
	switch {
	case l.watch.Late || l.indent || l.g.Request.Finish() == wire.FinishLength:
		return llamacpp.StopLimit
	case l.g.Stopped != "":
		return llamacpp.StopWord
	}
	return llamacpp.StopEOS
}

// pick returns what the client wants of an answer.
func (l *answer) pick(f llamacpp.Final) any {
	if len(l.q.ResponseFields) == 0 {
		return f
	}
	picked, err := llamacpp.Pick(f, l.q.ResponseFields)
	if err != nil {
		panic("text: " + err.Error()) // our own types always encode
	}
	return picked
}
