// Package checker runs a program of the user's over texts, for the syntax of languages that
// are not built in.
//
// Read command.go first: how a program is run, and what its end means. words.go splits a
// command line, and environ.go says what of the environment a program gets to see.
package checker
