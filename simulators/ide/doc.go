// Package ide simulates ghost text: a person types, a plugin asks a language
// model for the rest of the line, and every key leaves one trace.
//
// Read simulator.go first, then editor.go: what happens at a key, at the end of
// the debounce and when text arrives. answer.go is what the model says, request.go
// a request under way and key.go the trace. Who types is in typing and recording,
// the plugin's settings in plugin, its prompts in prompt; the text itself and the
// judgement of an answer to it are in pipeline/document.
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
