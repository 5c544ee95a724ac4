// Package playback follows what a player does with audio that comes in pieces: it plays
// them in order, and falls silent where the next one is not there yet.
package playback
