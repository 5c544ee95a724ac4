// Package ide simulates ghost text: a person types, a plugin asks a language
// model for the rest of the line, and every key leaves one trace.
//
// Read simulator.go first, then editor.go: what happens at a key, at the end of
// the debounce and when text arrives. step.go says what typing is; it comes from
// a seeded typist (typist.go and typing.go, with profile.go, gaps.go, keyboard.go
// and the texts) or from a recorded session (session.go and recording.go).
// document.go holds the text and its edits, tally.go counts its tokens as it
// grows. plugin.go has the plugin's settings, answer.go what the model says,
// request.go a request under way, verdict.go the judgement of its text and key.go
// the trace.
//
// # Rules
//
// A request is sent a debounce after its key if no other step came before. At
// one instant, tokens come first, then keys and the closes they cause, then
// sends. A key hides the suggestion, unless typed-as-suggested reuse can shrink
// it, and starts the timer again.
//
// A request belongs to the key that caused it: when its text can be shown, that
// key has landed, even if the person has typed into it since. The key whose
// version is the current one then has text too; if it had none before, it lands
// at the same instant and its trace says that it joined that request.
//
// Typing never waits for the plugin and draws from its own streams, so that no
// setting of plugin, model or network moves a key.
package ide
