package scenario

import (
	"time"

	"halfsecond/simulators/ide/plugin"
)

var editor = object(
	func(_ *reader, found map[string]entry, d *IDE) {
		noDoubleTrip(found, "round_trip", d.LLM, &d.RoundTrip)
	},
	need("typist", func(d *IDE) *Typist { return &d.Typist }, typist, "who types"),
	can("plugin", func(d *IDE) *plugin.Rules { return &d.Plugin }, defaultPlugin, ghost, "the rules of the ghost-text plugin"),
	need("llm", func(d *IDE) *LLM { return &d.LLM }, llm, "the language model"),
	can("round_trip", func(d *IDE) *Delay { return &d.RoundTrip }, fixed(20*time.Millisecond), delay("network"), "network to the model and back").fallback("20ms; 0s to a model with component or ttft"),
	can("answer", func(d *IDE) *Answers { return &d.Answers }, defaultAnswers, answers, "what the modelled answers say"),
)

var defaultAnswers = Answers{Truth: .6}

var answers = object(nil,
	can("truth", func(a *Answers) *float64 { return &a.Truth }, defaultAnswers.Truth, share, "share of answers that are what the user goes on to type"),
	can("broken", func(a *Answers) *float64 { return &a.Broken }, defaultAnswers.Broken, share, "share of answers that begin as that and go wrong later, in a way that breaks the syntax; truth is that of the others"),
)
