// Package tabby is the API of a Tabby server, as its plugins for editors speak it:
// completions, which are never streamed, the events that follow them, and health.
//
// Source of all shapes: TabbyML/tabby crates/tabby/src/services/completion.rs,
// routes/events.rs and services/health.rs (2026-06-30, commit 21b2904), read 2026-11-29.
package tabby
