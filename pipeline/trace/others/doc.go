// Package others reads timing that other programs logged of voice turns, and makes of each
// turn a pipeline.Trace of kind voice: OpenTelemetry spans of Pipecat and LiveKit Agents,
// the metrics of both, latency reports of Deepgram and Vapi, and tables (CSV).
//
// Read importer.go first: files go in, one after the other, and traces come out. dispatch.go
// finds out what a record is; then there is one file a source, which says what its numbers
// count from and to, and where that was read. turn.go lays a turn out as spans, sources.go
// says which clock each source has.
//
// # Rules
//
// What a source did not log stays unknown. All of these sources but a table stop their clock
// where the first audio leaves the agent, so a trace has the mark reply_sent, and no
// reply_heard, unless the way to the ear was logged or is stated; what is stated leaves spans
// that are marked simulated.
//
// A source that logs instants has its spans where they were. One that logs durations alone has
// the wait for the end of the turn laid out from the end of speech on, and what makes the reply
// (model, gathering, TTS) backwards from the reply; what no stage explains then lies before the
// first of these, as a wait.
package others
