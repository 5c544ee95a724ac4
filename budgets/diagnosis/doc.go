// Package diagnosis names what is wrong with a voice agent, from the traces of a run: the
// failure, the figures that show it, and what cures it. Where nothing of the kind is in the
// traces it says nothing.
//
// Read diagnosis.go first, then turns.go for what every check looks at. ending.go has the
// checks of how the end of the user's turn is found, backlog.go those of what all calls
// share, answer.go those of the language model and its text, socket.go those of connections,
// sound.go those of the audio, and anchor.go the one of a clock that starts late or stops
// early. cure.go has what helps, with sources.
//
// No limit below is taken from a run: each is a published figure or, where there is none,
// the smallest effect that is worth a change, and says so.
package diagnosis
