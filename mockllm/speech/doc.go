// Package speech is the behaviour of hosted speech services on a pipeline loop: what a
// recognizer hears in real samples and when it says so, and what audio a synthesizer
// makes of a text and when. It does no I/O; package audio turns bytes into samples, and
// the fronts of a server put messages around it.
//
// Read detector.go for where speech is in samples, recognizer.go for what becomes of
// it, synthesizer.go for the other direction, voice.go for what spoken text sounds
// like, and profile.go for how fast named services are.
package speech
