// Package audition has a speech endpoint hear or speak a few times, and reports what came of
// it, event by event.
//
// Read config.go for what is asked and audition.go for how; session.go makes of one session
// what is reported, from what its client says of it and from what went over the wire, and
// again.go from the latter alone. What is reported is in package heard; what it means is for
// others to say.
package audition
