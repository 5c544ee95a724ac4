package scenario

import (
	"time"

	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/prompt"
)

var editor = object(
	func(_ *reader, found map[string]entry, d *IDE) {
		noDoubleTrip(found, "round_trip", d.LLM, &d.RoundTrip)
	},
	need("typist", func(d *IDE) *Typist { return &d.Typist }, typist, "who types"),
	can("plugin", func(d *IDE) *plugin.Rules { return &d.Plugin }, defaultPlugin, pluginKeys, "the rules of the ghost-text plugin"),
	need("llm", func(d *IDE) *LLM { return &d.LLM }, llm, "the language model"),
	can("round_trip", func(d *IDE) *Delay { return &d.RoundTrip }, fixed(20*time.Millisecond), delay("network"), "network to the model and back").fallback("20ms; 0s to a model with component or ttft"),
	can("answer", func(d *IDE) *Answers { return &d.Answers }, defaultAnswers, answers, "what the modelled answers say"),
)

var defaultAnswers = Answers{Truth: .6}

var answers = object(nil,
	can("truth", func(a *Answers) *float64 { return &a.Truth }, defaultAnswers.Truth, share, "share of answers that are what the user goes on to type"),
	can("broken", func(a *Answers) *float64 { return &a.Broken }, defaultAnswers.Broken, share, "share of answers that begin as that and go wrong later, in a way that breaks the syntax; truth is that of the others"),
)

var defaultPlugin = plugin.Rules{
	Wait: plugin.Wait{For: 75 * time.Millisecond}, Cancel: plugin.CancelWire, Reuse: plugin.TypedAsSuggested,
	Prompt: prompt.Shape{Layout: prompt.PSM, Prefix: prompt.Size{N: 1500}, Suffix: prompt.Size{N: 500}}, MaxTokens: 48,
}

// pluginKeys are those of a plugin that hands a server the texts before and after the cursor.
var pluginKeys = object(
	func(_ *reader, _ map[string]entry, p *plugin.Rules) { p.Prompt.Layout = prompt.PSM },
	can("debounce", func(p *plugin.Rules) *time.Duration { return &p.Wait.For }, defaultPlugin.Wait.For, duration(0, longestDelay), "wait after a key before asking"),
	can("cancel", func(p *plugin.Rules) *plugin.Cancel { return &p.Cancel }, defaultPlugin.Cancel, names(plugin.CancelNone, plugin.CancelDiscard, plugin.CancelWire), "at the next key: nothing, drop the answer, or close the request"),
	can("reuse", func(p *plugin.Rules) *plugin.Reuse { return &p.Reuse }, defaultPlugin.Reuse, names(plugin.ReuseNone, plugin.TypedAsSuggested), "keep an answer while the typing follows it"),
	can("prefix_tokens", func(p *plugin.Rules) *int { return &p.Prompt.Prefix.N }, defaultPlugin.Prompt.Prefix.N, whole(1, maxTokensAsked), "most tokens before the cursor in a prompt"),
	can("suffix_tokens", func(p *plugin.Rules) *int { return &p.Prompt.Suffix.N }, defaultPlugin.Prompt.Suffix.N, whole(0, maxTokensAsked), "most tokens behind it"),
	can("max_tokens", func(p *plugin.Rules) *int { return &p.MaxTokens }, defaultPlugin.MaxTokens, whole(1, longestCompletion), "longest answer"),
)
