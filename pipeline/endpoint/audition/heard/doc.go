// Package heard is what was heard of a speech endpoint in a few sessions: facts, without a
// word on what they mean. Package audition gathers them.
//
// Read endpoint.go first, then session.go for one session and pace.go for how well its audio
// was sent.
package heard
