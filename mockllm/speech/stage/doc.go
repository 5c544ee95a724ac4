// Package stage is speech services on the loop itself: what the mock's servers hear and say
// over sockets, without the sockets. A recognizer and a synthesizer of package speech stand
// behind both, so a turn takes as long here as there.
//
// Read stt.go for the one that hears, tts.go for the one that speaks, and measure.go for what
// is known of its sound. A connection takes no time here and is never refused.
package stage
