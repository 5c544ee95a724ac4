// Package pipeline holds the nouns that every part of halfsecond shares: the
// loop and its two drivers, the interaction, its trace, and the language model
// as a stage.
//
// Read loop.go first: one single-threaded loop orders work by (instant, rank,
// sequence) in integer nanoseconds. virtual.go jumps from instant to instant;
// wall.go sleeps between them and takes posts from other goroutines. Then
// interaction.go and trace.go: what an interaction leaves behind. llm.go is the
// stage that has a simulated and a network form. names.go has the names in traces.
//
// Nothing in this package does I/O or reads a clock, the Wall driver and the
// timers it sleeps on aside.
package pipeline
