package text

import (
	"strings"

	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/llamacpp"
)

// llamaForm writes the events of an answer of llama.cpp's server.
type llamaForm struct {
	*llamaAnswer
	event   llamacpp.Partial // the last one
	timings llamacpp.Timings
	ids     []int
}

func (f *llamaForm) contentType() string { return eventStream }

func (f *llamaForm) open(dst []byte, _ *generation) []byte { return dst }

// piece appends the event of a piece, an empty one too. Before the first the client may
// be told that the prompt is evaluated: what comes before that the engine does not tell.
func (f *llamaForm) piece(dst []byte, p piece) []byte {
	f.event.IDSlot, f.event.TokensEvaluated = f.slot, f.g.request.Prompt
	if f.event.TokensPredicted == 0 && f.q.ReturnProgress {
		f.event.Progress = f.progress()
		dst = llamacpp.AppendPartial(dst, &f.event)
		f.event.Progress = nil
	}
	f.event.TokensPredicted += p.tokens
	f.ids = numbers(f.ids[:0], p.text)
	f.event.Content, f.event.Tokens = p.text, f.ids
	if f.q.TimingsPerToken {
		f.timings = f.timingsAt(f.event.TokensPredicted)
		f.event.Timings = &f.timings
	}
	return llamacpp.AppendPartial(dst, &f.event)
}

func (f *llamaForm) progress() *llamacpp.Progress {
	return &llamacpp.Progress{
		Total: f.g.request.Prompt, Cache: f.g.cached, Processed: f.g.request.Prompt, TimeMS: f.watch.evaluated().Milliseconds(),
	}
}

func (f *llamaForm) end(dst []byte, _ *generation) []byte {
	return llamacpp.AppendEvent(dst, f.pick(f.final()))
}

func (f *llamaForm) fail(dst []byte, e *apiError) []byte {
	return llamacpp.AppendEvent(dst, e.llamaCPP())
}

// final returns what is told of an answer that has ended, its content aside.
func (l *llamaAnswer) final() llamacpp.Final {
	n := l.watch.out
	f := llamacpp.Final{
		Tokens: []int{}, IDSlot: l.slot, Stop: true, Model: l.g.model.Name,
		TokensPredicted: n, TokensEvaluated: l.g.request.Prompt, GenerationSettings: l.q.Settings(), Prompt: l.shown,
		HasNewLine: l.newLine(n), StopType: l.stopType(), StoppingWord: l.g.stopped,
		TokensCached: l.g.request.Prompt + n - 1, Timings: l.timingsAt(n), // the last token has not been computed
	}
	f.Truncated = f.StopType == llamacpp.StopLimit && l.g.request.Prompt+n == l.g.model.Context
	return f
}

// timingsAt returns the timings of the first n tokens.
func (l *llamaAnswer) timingsAt(n int) llamacpp.Timings {
	return llamacpp.NewTimings(l.g.request.Prompt, l.g.cached, l.watch.evaluated(), n, l.watch.predicted(n))
}

// newLine reports whether a line ends within the first n tokens.
func (l *llamaAnswer) newLine(n int) bool {
	return n > 0 && len(l.g.ends) > 0 && strings.Contains(l.g.between(0, min(n, len(l.g.ends))), "\n")
}

func (l *llamaAnswer) stopType() string {
	switch {
	case l.watch.late || l.indent || l.g.request.Finish() == wire.FinishLength:
		return llamacpp.StopLimit
	case l.g.stopped != "":
		return llamacpp.StopWord
	}
	return llamacpp.StopEOS
}

// pick returns what the client wants of an answer.
func (l *llamaAnswer) pick(f llamacpp.Final) any {
	if len(l.q.ResponseFields) == 0 {
		return f
	}
	picked, err := llamacpp.Pick(f, l.q.ResponseFields)
	if err != nil {
		panic("text: " + err.Error()) // our own types always encode
	}
	return picked
}
