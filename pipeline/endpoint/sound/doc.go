// Package sound measures audio as it comes: when its first sample came, when the first
// that can be heard, how much there is, and whether it came in time to be played.
//
// Read format.go for what is decoded, wav.go for headers before the samples, other.go for
// what is no samples, meter.go for the instants, and noise.go for what was read as another
// format than it is.
package sound
