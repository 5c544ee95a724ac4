package scenario

import (
	"cmp"
	"time"

	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/syntax"
)

var editor = object(
	func(r *reader, found map[string]entry, d *IDE) {
		noDoubleTrip(found, "round_trip", d.LLM, &d.RoundTrip)
		if q := d.Quality; q != nil {
			if q.Language = cmp.Or(q.Language, d.Typist.Language()); q.Language == "" {
				r.failEntry(found, "quality", "language is missing: nothing tells the language of what is typed; want one, such as {language: go}")
			}
		}
	},
	need("typist", func(d *IDE) *Typist { return &d.Typist }, typist, "who types"),
	can("plugin", func(d *IDE) *plugin.Rules { return &d.Plugin }, defaultPlugin, ghost, "the rules of the ghost-text plugin"),
	need("llm", func(d *IDE) *LLM { return &d.LLM }, llm, "the language model"),
	can("round_trip", func(d *IDE) *Delay { return &d.RoundTrip }, fixed(20*time.Millisecond), delay("network"), "network to the model and back").fallback("20ms; 0s to a model with component or ttft"),
	can("answer", func(d *IDE) *Answers { return &d.Answers }, defaultAnswers, answers, "what the modelled answers say"),
	can("quality", func(d *IDE) **Quality { return &d.Quality }, nil, pointer(quality), "check the syntax of answers, and what a broken one costs; leave it out for no check"),
)

var quality = object(func(_ *reader, _ map[string]entry, q *Quality) { q.Language = syntax.Language(q.Language) },
	can("language", func(q *Quality) *string { return &q.Language }, "", oneLine, "of what is typed: go and json are built in, another takes --checker").fallback("that of the text, by its name"),
	can("repair", func(q *Quality) **time.Duration { return &q.Repair }, nil, pointer(duration(0, time.Hour)), "what it costs to see that an answer is broken and to put it right").fallback("10s, and reports say that it is assumed"),
)

var defaultAnswers = Answers{Truth: .6}

var answers = object(nil,
	can("truth", func(a *Answers) *float64 { return &a.Truth }, defaultAnswers.Truth, share, "share of answers that are what the user goes on to type"),
	can("broken", func(a *Answers) *float64 { return &a.Broken }, defaultAnswers.Broken, share, "share of answers that begin as that and go wrong later, in a way that breaks the syntax; truth is that of the others"),
)

// Language returns the language of what is typed, by the name of the text or of the recorded
// document; "" where that tells none.
func (t *Typist) Language() string {
	if s := t.Session.Recording; s != nil {
		return syntax.LanguageOf(s.Path(t.Document))
	}
	return syntax.LanguageOf(t.Text.Name)
}
